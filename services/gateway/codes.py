"""Codes of rooms that players type: six digits, so they can be guessed, and guests who guess are free."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from google.protobuf.message import Message

from services.chassis.errors import Refusal
from services.chassis.guesses import Guesses
from services.chassis.limits import Rate
from services.chassis.run import Parts
from services.gateway.settings import GatewaySettings

SHOWN_MAX: Final = 50_000
"""Rooms remembered, each with one player whom it was shown."""

_ANSWERS: Final = {"ROOM_UNKNOWN": "unknown", "RATE_LIMITED": "refused"}


class Codes:
    """Counts wrong codes by address; matchmaking counts them by player.

    Who was shown a room here is not held up by what others of his address guess: he learns nothing by
    asking for it again.
    """

    def __init__(self, settings: GatewaySettings, parts: Parts) -> None:
        self._guesses = Guesses(Rate(settings.wrong_codes_per_s, settings.wrong_codes_burst), parts.clock)
        self._shown: OrderedDict[tuple[str, str], None] = OrderedDict()
        typed = parts.metrics.counter(
            "gateway_room_codes", "Codes of rooms typed by who was not shown them here, by answer", ["answer"]
        )
        self._answers = {answer: typed.labels(answer) for answer in ("known", *_ANSWERS.values())}

    @asynccontextmanager
    async def typed(self, player_id: str, network: str, room_code: str) -> AsyncIterator[None]:
        """Ask about a room within the block, whose ROOM_UNKNOWN counts.

        Raises:
            Refusal: RATE_LIMITED, DEADLINE_EXCEEDED: nothing may be asked; as the block.
        """
        if (player_id, room_code) in self._shown:
            yield
            return
        answer = "known"
        try:
            async with self._guesses.one(network) as guess:
                try:
                    yield
                except Refusal as refusal:
                    if refusal.reason == "ROOM_UNKNOWN":
                        guess.wrong()
                    raise
        except Refusal as refusal:
            answer = _ANSWERS.get(refusal.reason, answer)
            raise
        finally:
            self._answers[answer].inc()

    def shown(self, player_id: str, response: Message) -> None:
        """A player gets this answer of matchmaking: he knows the room that it shows, and the one after it."""
        if "room" not in response.DESCRIPTOR.fields_by_name:
            return
        room = response.room  # type: ignore[attr-defined] # the line above has looked
        for code in filter(None, (room.room_code, room.next_room_code)):
            self._shown[player_id, code] = None
            self._shown.move_to_end((player_id, code))
            if len(self._shown) > SHOWN_MAX:
                self._shown.popitem(last=False)
