"""Who is connected here, told to whoever wants to know: changes at once, and now and then everybody."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from typing import Final

from paiju.gateway.v1.gateway_service_pb2 import PeopleHere

from services.chassis import log
from services.chassis.bus import Bus, subject_of
from services.chassis.clock import Clock
from services.chassis.errors import Outage

GATHER_S: Final = 1.0
"""Changes wait so long for others: a crowd that comes back is told in a few messages."""
REPEAT_S: Final = 30.0
"""Of who stays it is told again so often: a word that was lost is made good."""
PEOPLE_MAX: Final = 500
"""People in a message."""

_log = log.get(service="gateway")


class Presence:
    """Tells of the people of one gateway.

    Args:
        bus: Where it is told.
        clock: Time.
        name: This gateway's, another at each start.
    """

    def __init__(self, bus: Bus, clock: Clock, name: str) -> None:
        self._bus = bus
        self._clock = clock
        self._name = name
        self._told: OrderedDict[str, float] = OrderedDict()
        """Who is here, and when that was told last, the longest ago first; never = long ago."""
        self._gone: dict[str, None] = {}
        self._has_news = asyncio.Event()

    def note(self, player_id: str, *, is_here: bool) -> None:
        """Somebody is here, or is not any more; what was known already changes nothing."""
        if is_here == (player_id in self._told):
            return
        if not is_here:
            if self._told.pop(player_id) > float("-inf"):
                self._gone[player_id] = None
        elif self._gone.pop(player_id, ...) is None:
            # He was away for a moment, and nobody has heard of it.
            self._told[player_id] = self._clock.monotonic()
        else:
            self._told[player_id] = float("-inf")
            self._told.move_to_end(player_id, last=False)
        self._has_news.set()

    async def run(self) -> None:
        """Tell, for as long as the process runs."""
        while True:
            await self._wait()
            await self._tell()

    async def farewell(self) -> None:
        """This gateway ends: nobody is here any more."""
        self._gone.update(dict.fromkeys(self._told))
        self._told.clear()
        await self._tell()

    async def _wait(self) -> None:
        """Return when there is something to tell."""
        oldest = next(iter(self._told.values()), None)
        if oldest is None:
            await self._has_news.wait()
        else:
            try:
                async with self._clock.timeout(max(0.0, oldest + REPEAT_S - self._clock.monotonic())):
                    await self._has_news.wait()
            except TimeoutError:
                return
        await self._clock.sleep(GATHER_S)

    async def _tell(self) -> None:
        self._has_news.clear()
        now = self._clock.monotonic()
        gone, self._gone = list(self._gone), {}
        here: list[str] = []
        while self._told and next(iter(self._told.values())) <= now - REPEAT_S:
            player_id, _ = self._told.popitem(last=False)
            self._told[player_id] = now
            here.append(player_id)
        for first in range(0, max(len(here), len(gone)), PEOPLE_MAX):
            some = slice(first, first + PEOPLE_MAX)
            said = PeopleHere(gateway=self._name, here=here[some], gone=gone[some])
            try:
                await self._bus.tell(subject_of(said), said.SerializeToString())
            except Outage as outage:
                # Who is here is told again; who has gone is forgotten when nobody says that he is here.
                _log.info("people_not_told", people=len(said.here), why=str(outage)[:200])
