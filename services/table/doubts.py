"""Commands whose sender may know more than this owner of the shard: nothing is said until the log shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from paiju.table.v1.wire_pb2 import Command

from services.chassis.clock import Clock
from services.chassis.errors import Outage

DOUBTS_MAX = 1_024
"""Beyond so many they are left unanswered."""

DOUBT_PAUSE_S = 1.0
"""The log is asked no more often whether somebody else has appended."""


class Log(Protocol):
    """What is asked of the journal."""

    async def is_owner(self) -> bool:
        """Return whether nobody else has appended. Raises `Outage`."""


class Doubts:
    """See the module.

    Args:
        clock: Time.
        log: The shard's.
        lost: Called when the log shows another owner.
        take: Takes a command about which there is no doubt any more.
    """

    def __init__(
        self, clock: Clock, log: Log, lost: Callable[[], None], take: Callable[[str, Command], None]
    ) -> None:
        self._clock = clock
        self._log = log
        self._lost = lost
        self._take = take
        self._doubting: list[tuple[str, Command]] = []
        self._doubted = asyncio.Event()

    def add(self, gateway: str, command: Command) -> None:
        """Keep a command of a gateway until there is none."""
        if len(self._doubting) < DOUBTS_MAX:
            copy = Command()
            copy.CopyFrom(command)
            self._doubting.append((gateway, copy))
            self._doubted.set()

    async def run(self) -> None:
        """Clear up doubts: either this owner is alone, and the answer is given, or the shard is dropped."""
        while True:
            await self._doubted.wait()
            self._doubted.clear()
            doubting, self._doubting = self._doubting, []
            try:
                is_owner = await self._log.is_owner()
            except Outage:
                # Left unanswered: the gateway sends them again.
                is_owner = True
                doubting = []
            if not is_owner:
                self._lost()
                return
            for gateway, command in doubting:
                self._take(gateway, command)
            await self._clock.sleep(DOUBT_PAUSE_S)
