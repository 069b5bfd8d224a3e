"""Room cards: taken when a friends' room starts, kept or given back when its match is over."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from google.protobuf.message import Message
from paiju.economy.v1 import room_card_service_pb2 as pb
from paiju.economy.v1 import room_card_service_pb2_grpc
from paiju.table.v1.events_pb2 import MatchFinished

from services.chassis.auth import AccessTable
from services.chassis.bus.port import Consumer, Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.chassis.run import Consumes, Parts
from services.economy.bus import Tellers
from services.economy.store import room_cards as store

ROOMS: Final = Consumes("economy-room-cards", (MatchFinished,))

ACCESS: Final[AccessTable] = {"HoldRoomCards": "service", "ReturnRoomCards": "service"}

BATCH: Final = 100

_MATCH_ID = re.compile(r"[A-Za-z0-9_.:-]{1,96}")
_SEAT = re.compile(r"p_[A-Za-z0-9_-]{1,64}|bot:[a-z0-9_-]{1,32}")

Context = Any


class RoomCards(room_card_service_pb2_grpc.RoomCardServiceServicer):
    """The servicer, and the ear for ends of matches. Made in `wire`; `start` after it."""

    def __init__(self, parts: Parts, db: Database, tellers: Tellers) -> None:
        self._clock: Clock = parts.clock
        self._bus = parts.bus
        self._db = db
        self._tellers = tellers
        parts.rpc.serve(
            "economy", room_card_service_pb2_grpc.add_RoomCardServiceServicer_to_server, self, ACCESS
        )

    async def start(self) -> Consumer:
        """Hear of the ends of matches."""
        return await self._bus.consume(ROOMS.durable, list(ROOMS.types), self.matches_finished, batch=BATCH)

    async def HoldRoomCards(  # noqa: N802 - the proto names it
        self, request: pb.HoldRoomCardsRequest, context: Context
    ) -> pb.HoldRoomCardsResponse:
        """Take the cards of a match."""
        match_id, seats, now_ms = _match(request.match_id), list(request.seats), self._clock.now_ms()
        if not all(_SEAT.fullmatch(player_id) for player_id in seats):
            raise Refusal("INVALID_ARGUMENT", field="seats")
        held, is_new = await self._db.run(
            lambda connection: store.hold(
                connection, match_id, request.payer, request.cards, seats, request.owner_id, now_ms
            )
        )
        if is_new:
            await self._tellers.tell_wallets(one for one, cards in zip(seats, held, strict=True) if cards)
        return pb.HoldRoomCardsResponse(held=held)

    async def ReturnRoomCards(  # noqa: N802 - the proto names it
        self, request: pb.ReturnRoomCardsRequest, context: Context
    ) -> pb.ReturnRoomCardsResponse:
        """Give the cards of a match back that will never be."""
        match_id, now_ms = _match(request.match_id), self._clock.now_ms()
        state, changed = await self._db.run(lambda connection: store.give_back(connection, match_id, now_ms))
        await self._tellers.tell_wallets(changed)
        return pb.ReturnRoomCardsResponse(state=state)

    async def matches_finished(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Keep, or give back, the cards of matches that are over."""
        ended = [
            store.Ended(one.message.match_id, tuple(one.message.scores), one.message.rounds_played)
            for one in deliveries
            if isinstance(one.message, MatchFinished)
        ]
        now_ms = self._clock.now_ms()
        changed = await self._db.run(lambda connection: store.end(connection, ended, now_ms))
        await self._tellers.tell_wallets(changed)


def _match(match_id: str) -> str:
    if not _MATCH_ID.fullmatch(match_id):
        raise Refusal("INVALID_ARGUMENT", field="match_id")
    return match_id
