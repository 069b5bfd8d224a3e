"""Peers of matchmaking: tables that only remember what was asked of them, and wallets."""

from __future__ import annotations

import asyncio
from typing import Any

from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.economy.v1 import economy_service_pb2_grpc, room_card_service_pb2_grpc
from paiju.economy.v1 import room_card_service_pb2 as room_card
from paiju.matchmaking.v1 import matchmaking_service_pb2_grpc
from paiju.table.v1 import table_service_pb2 as pb
from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished
from paiju.table.v1.play_pb2 import SeatState

from services.chassis import auth
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.run import Parts


class Unoffered:
    """A servicer whose other methods are not offered."""

    def __getattr__(self, name: str) -> Any:
        if not name[0].isupper():
            raise AttributeError(name)
        return self._unoffered

    async def _unoffered(self, request: Any, context: Any) -> Any:
        raise AssertionError("not offered by this double")


class TwoMatches(AssertionError):
    """A player has a seat in two matches at once."""


class Tables(Unoffered):
    """Makes tables by id, once each; checks that nobody sits at two."""

    def __init__(self) -> None:
        self.specs: dict[str, pb.TableSpec] = {}
        self.phases: dict[str, str] = {}
        self.asked = 0
        self.violations: list[str] = []
        self.refuse = ""
        self.fail_before = 0
        """So many requests break before the table is made,"""
        self.fail_after = 0
        """or after it was."""
        self.break_next = 0
        self.hang_next = 0
        self.is_down = False
        self.seats = {"paohuzi": 3, "qinghunpeng": 4}
        """The games that are opened, and how many play."""
        self.records: list[pb.RecordSummary] = []
        """Newest first."""

    def running(self, player_id: str) -> list[str]:
        return [
            table_id
            for table_id, spec in self.specs.items()
            if self.phases[table_id] != "finished" and any(s.player_id == player_id for s in spec.seats)
        ]

    def players(self, table_id: str) -> list[str]:
        return [seat.player_id for seat in self.specs[table_id].seats]

    async def CreateTable(self, request: pb.CreateTableRequest, context: Any) -> pb.CreateTableResponse:  # noqa: N802
        self.asked += 1
        if self.is_down or self.fail_before:
            self.fail_before = max(0, self.fail_before - 1)
            raise Outage("before")
        if self.hang_next:
            self.hang_next -= 1
            await asyncio.Event().wait()
        if self.break_next:
            self.break_next -= 1
            raise Defect("a table defect")
        if self.refuse:
            raise Refusal(self.refuse, field="preset")
        known = self.specs.get(request.table_id)
        if known is not None and known != request.spec:
            self.violations.append(f"{request.table_id} was asked for with other content")
        if known is None:
            for seat in request.spec.seats:
                if not seat.player_id.startswith("bot:") and self.running(seat.player_id):
                    self.violations.append(f"{seat.player_id} has a seat in two matches")
            self.specs[request.table_id] = request.spec
            self.phases[request.table_id] = "seating"
        if self.fail_after:
            self.fail_after -= 1
            raise Outage("after")
        return pb.CreateTableResponse(table=self._summary(request.table_id))

    async def GetTable(self, request: pb.GetTableRequest, context: Any) -> pb.GetTableResponse:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        if request.table_id not in self.specs:
            raise Refusal("NOT_FOUND", what=request.table_id)
        return pb.GetTableResponse(table=self._summary(request.table_id))

    async def ListSeats(self, request: pb.ListSeatsRequest, context: Any) -> pb.ListSeatsResponse:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        return pb.ListSeatsResponse(tables=[self._summary(t) for t in self.running(request.player_id)])

    async def ListGames(self, request: Any, context: Any) -> pb.ListGamesResponse:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        return pb.ListGamesResponse(
            games=[
                pb.Game(game=game, seats=seats, bots=["easy", "normal"]) for game, seats in self.seats.items()
            ]
        )

    async def CheckTableSpec(self, request: pb.CheckTableSpecRequest, context: Any) -> Any:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        if request.spec.preset == "unheard-of":
            raise Refusal("INVALID_ARGUMENT", field="preset", known="tongyi-qmt")
        assert len(request.spec.seats) == self.seats[request.spec.game]
        assert all(seat.player_id for seat in request.spec.seats)
        return pb.CheckTableSpecResponse(preset="tongyi-qmt@1")

    async def ListRecords(self, request: pb.ListRecordsRequest, context: Any) -> pb.ListRecordsResponse:  # noqa: N802
        assert auth.player() == request.player_id
        mine = [one for one in self.records if request.player_id in one.players]
        first = int(request.page_token or 0)
        page = mine[first : first + request.page_size]
        rest = str(first + len(page)) if len(mine) > first + len(page) else ""
        return pb.ListRecordsResponse(records=page, next_page_token=rest)

    def finish(self, table_id: str, scores: tuple[int, ...] = ()) -> MatchFinished:
        """End the match at a table; return the fact to publish."""
        self.phases[table_id] = "finished"
        return MatchFinished(
            match_id=table_id, table_id=table_id, game="paohuzi", cause="all_rounds", scores=scores
        )

    def _summary(self, table_id: str) -> pb.TableSummary:
        seats = [SeatState(seat=n, player_id=p) for n, p in enumerate(self.players(table_id))]
        return pb.TableSummary(
            table_id=table_id,
            match_id=table_id,
            phase=self.phases[table_id],
            seats=seats,
            chat=self.specs[table_id].chat,
        )


class Wallets(Unoffered):
    """Everybody has `coins`, but for those named in `of`; one named in `untouched` never had an entry."""

    def __init__(self, coins: int = 20_000) -> None:
        self.coins = coins
        self.of: dict[str, int] = {}
        self.cards: dict[str, int] = {}
        """Room cards of those who have not plenty."""
        self.untouched: set[str] = set()
        self.capped: dict[str, str] = {}
        """Who has reached a cap of today, and which."""
        self.is_down = False

    async def GetWallet(self, request: economy.GetWalletRequest, context: Any) -> Any:  # noqa: N802
        assert auth.player() == request.player_id
        if self.is_down:
            raise Outage("down")
        coins = self.of.get(request.player_id, self.coins)
        cards = self.cards.get(request.player_id, 100)
        return economy.GetWalletResponse(
            balances=[
                economy.Money(currency="gold", amount=coins),
                economy.Money(currency="room_card", amount=cards),
            ]
        )

    async def GetDay(self, request: economy.GetDayRequest, context: Any) -> Any:  # noqa: N802
        assert auth.player() == request.player_id
        refusal = self.capped.get(request.player_id, "")
        return economy.GetDayResponse(refusal=refusal, win_cap=500, loss_cap=700)

    async def ListEntries(self, request: economy.ListEntriesRequest, context: Any) -> Any:  # noqa: N802
        assert auth.player() == request.player_id
        entries = [] if request.player_id in self.untouched else [economy.Entry(currency="gold", amount=1)]
        return economy.ListEntriesResponse(entries=entries)


class RoomCards(Unoffered):
    """Remembers what was held and given back; the real one is tested in `test_economy_room_cards`."""

    def __init__(self) -> None:
        self.held: dict[str, room_card.HoldRoomCardsRequest] = {}
        self.returned: list[str] = []
        self.refuse = ""
        self.is_down = False

    async def HoldRoomCards(self, request: room_card.HoldRoomCardsRequest, context: Any) -> Any:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        if self.refuse:
            raise Refusal(self.refuse, needed=request.cards, cards=0)
        if request.match_id in self.returned:
            raise Refusal("ROOM_CARDS_CLOSED")
        assert self.held.setdefault(request.match_id, request) == request, "asked for with other content"
        return room_card.HoldRoomCardsResponse()

    async def ReturnRoomCards(self, request: room_card.ReturnRoomCardsRequest, context: Any) -> Any:  # noqa: N802
        if self.is_down:
            raise Outage("down")
        self.returned.append(request.match_id)
        return room_card.ReturnRoomCardsResponse(state="returned")


def serve_peers(parts: Parts, tables: Tables, wallets: Wallets, cards: RoomCards | None = None) -> None:
    """Offer all of them in a process."""
    for service, stub, add, double in (
        (
            "table",
            table_service_pb2_grpc.TableServiceServicer,
            table_service_pb2_grpc.add_TableServiceServicer_to_server,
            tables,
        ),
        (
            "economy",
            economy_service_pb2_grpc.EconomyServiceServicer,
            economy_service_pb2_grpc.add_EconomyServiceServicer_to_server,
            wallets,
        ),
        (
            "economy",
            room_card_service_pb2_grpc.RoomCardServiceServicer,
            room_card_service_pb2_grpc.add_RoomCardServiceServicer_to_server,
            cards or RoomCards(),
        ),
    ):
        access: dict[str, auth.Access] = {name: "player" for name in stub.__dict__ if name[0].isupper()}
        parts.rpc.serve(service, add, double, access)


class Player:
    """Calls matchmaking in the name of one player."""

    def __init__(self, parts: Parts, player_id: str) -> None:
        self.player_id = player_id
        self._stub = parts.rpc.client(matchmaking_service_pb2_grpc.MatchmakingServiceStub, "matchmaking")

    async def call(self, method: str, request: Any) -> Any:
        with auth.acting_for(self.player_id):
            return await getattr(self._stub, method)(request)
