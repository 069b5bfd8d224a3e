"""Tickets: waiting in a hall for a match."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2 import GetWalletRequest, ListEntriesRequest

from services.chassis import auth
from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.matchmaking.core.halls import CURRENCY, Hall
from services.matchmaking.games import Catalogue
from services.matchmaking.matcher import Matcher
from services.matchmaking.protection import Guard
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import tickets
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.tickets import Ticket
from services.matchmaking.tellers import Tellers
from services.matchmaking.whereabouts import People

WELCOME_WAIT_S = 3.0
"""A new player may ask for a match before his welcome grant has come by the bus: so long he waits."""
WELCOME_LOOK_S = 0.2

TRIES = 4
"""A player whose engagement ended between two looks is looked at again so often."""


class HallsDesk:
    """Takes and cancels tickets."""

    def __init__(
        self,
        parts: Parts,
        settings: MatchmakingSettings,
        halls: Mapping[str, Hall],
        games: Catalogue,
        people: People,
        matcher: Matcher,
        tellers: Tellers,
        guard: Guard | None = None,
    ) -> None:
        self._clock = parts.clock
        self._ids = parts.ids
        self._db = parts.db("matchmaking")
        self._wallets = parts.rpc.client(economy_service_pb2_grpc.EconomyServiceStub, "economy")
        self._settings = settings
        self._halls = halls
        self._games = games
        self._people = people
        self._matcher = matcher
        self._tellers = tellers
        self._guard = guard

    async def list_halls(self, game: str) -> list[tuple[Hall, int]]:
        """Return the open halls of a game (empty = all), in order of stake, and how many wait in each.

        Raises:
            Outage: Which games are open can't be asked.
        """
        games = await self._games.games()
        waiting = await self._db.read(tickets.count_waiting)
        halls = [hall for hall in self._halls.values() if game in ("", hall.game) and hall.game in games]
        return [(hall, waiting.get(hall.hall_id, 0)) for hall in halls]

    async def create(self, player_id: str, request_id: str, hall_id: str, bots_now: bool) -> Ticket:
        """Let a player wait; a repeat of the request returns the ticket as it is now.

        Raises:
            Refusal: HALL_UNKNOWN, REQUEST_ID_REUSED, ALREADY_WAITING, ALREADY_IN_ROOM, ALREADY_PLAYING,
            COINS_TOO_FEW,
                COINS_TOO_MANY, and why he may not play (`Guard.check`).
            Outage: Wallet or tables can't be asked.
        """
        hall = self._halls.get(hall_id)
        if hall is None or hall.game not in await self._games.games():
            raise Refusal("HALL_UNKNOWN", hall_id=hall_id)
        for _ in range(TRIES):
            there = await self._db.read(lambda c: tickets.find_request(c, player_id, request_id))
            if there is not None:
                return _same(there, hall_id, bots_now)
            try:
                if self._guard is not None:
                    await self._guard.check(player_id, hall.game)
                await self._people.check_free(player_id)
                hall.admit(await self._coins(player_id, hall.entry_min))
            except Refusal:
                # The first try of a repeated request may have gone through since the look above.
                there = await self._db.read(lambda c: tickets.find_request(c, player_id, request_id))
                if there is None:
                    raise
                return _same(there, hall_id, bots_now)
            now = self._clock.now_ms()
            ticket = Ticket(
                ticket_id=self._ids.new("t"),
                player_id=player_id,
                request_id=request_id,
                hall_id=hall_id,
                bots_now=bots_now,
                state="waiting",
                created_at_ms=now,
                bots_at_ms=now if bots_now else now + max(1, self._settings.bots_after_ms),
            )
            try:
                made = await self._db.run(partial(tickets.create, ticket=ticket))
            except Engaged:
                continue
            self._matcher.poke()
            return _same(made, hall_id, bots_now)
        raise Refusal("ALREADY_WAITING")

    async def get(self, player_id: str, ticket_id: str) -> Ticket:
        """Return a player's own ticket.

        Raises:
            Refusal: TICKET_UNKNOWN.
        """
        ticket = await self._db.read(lambda connection: tickets.find(connection, ticket_id))
        if ticket is None or ticket.player_id != player_id:
            raise Refusal("TICKET_UNKNOWN")
        return ticket

    async def cancel(self, player_id: str, ticket_id: str) -> Ticket:
        """Stop waiting; a ticket that is matched already stays so. Returns it as it is now.

        Raises:
            Refusal: TICKET_UNKNOWN.
        """
        before = await self.get(player_id, ticket_id)
        after = await self._db.run(lambda connection: tickets.cancel(connection, ticket_id))
        assert after is not None
        if after.state != before.state:
            await self._tellers.tickets([after])
        return after

    async def _coins(self, player_id: str, needed: int) -> int:
        """Return what a player has; a book without an entry waits for the first one, the welcome grant."""
        clock = self._clock
        until = clock.monotonic() + WELCOME_WAIT_S
        while True:
            coins = await self._coins_now(player_id)
            if coins >= needed or clock.monotonic() >= until:
                return coins
            if not await self._is_untouched(player_id):
                # The first entry may have come between the two looks.
                return await self._coins_now(player_id)
            await clock.sleep(WELCOME_LOOK_S)

    async def _coins_now(self, player_id: str) -> int:
        with auth.acting_for(player_id):
            wallet = await self._wallets.GetWallet(GetWalletRequest(player_id=player_id))
        return sum(money.amount for money in wallet.balances if money.currency == CURRENCY)

    async def _is_untouched(self, player_id: str) -> bool:
        """Return whether nothing ever came into, or went out of, a player's wallet."""
        with auth.acting_for(player_id):
            listed = await self._wallets.ListEntries(ListEntriesRequest(player_id=player_id, page_size=1))
        return not listed.entries


def _same(ticket: Ticket, hall_id: str, bots_now: bool) -> Ticket:
    if (ticket.hall_id, ticket.bots_now) != (hall_id, bots_now):
        raise Refusal("REQUEST_ID_REUSED")
    return ticket
