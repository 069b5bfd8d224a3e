"""Sessions that were ended while their tokens still live: every verifier asks here.

Whoever ends a session writes its id into the bucket `revoked`; nothing here knows who that is.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection

from services.chassis.bus.port import Bus
from services.chassis.bus.registry import REVOKED
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal

RevokedSource = Callable[[], Awaitable[Collection[str]]]
"""Returns all sessions that are revoked, as it is now."""

REFRESH_S = 0.5
"""A verifier's list is no older, while the bus answers."""
LIST_WAIT_S = 1.0
STALE_S_MAX = 30.0
"""While the bus doesn't answer, a list this old still counts; after that nobody is let in."""
NOTED_MAX = 100_000


class Revocations:
    """What a process knows of revoked sessions: the list of all, and what it was told itself."""

    def __init__(self, source: RevokedSource, clock: Clock) -> None:
        self._source = source
        self._clock = clock
        self._listed: frozenset[str] = frozenset()
        self._noted: OrderedDict[str, None] = OrderedDict()
        self._read_at = self._asked_at = float("-inf")
        self._asking = asyncio.Lock()

    def note(self, session_id: str) -> None:
        """Refuse a session here from now on."""
        self._noted[session_id] = None
        if len(self._noted) > NOTED_MAX:
            self._noted.popitem(last=False)

    async def check(self, session_id: str) -> None:
        """Let a session through that is not revoked.

        Raises:
            Refusal: SESSION_REVOKED.
            Outage: What is revoked can't be read, and what was read is too old.
        """
        if session_id not in self._noted and self._clock.monotonic() - self._asked_at >= REFRESH_S:
            await self._refresh()
        if session_id in self._noted or session_id in self._listed:
            raise Refusal("SESSION_REVOKED")
        if self._clock.monotonic() - self._read_at > STALE_S_MAX:
            raise Outage("the list of revoked sessions can't be read")

    async def _refresh(self) -> None:
        async with self._asking:
            began = self._clock.monotonic()
            if began - self._asked_at < REFRESH_S:
                return
            try:
                async with self._clock.timeout(LIST_WAIT_S):
                    self._listed = frozenset(await self._source())
                self._read_at = began
            except (Outage, TimeoutError):
                pass  # `check` judges how old the list may be
            self._asked_at = self._clock.monotonic()


def revoked_on_bus(bus: Bus) -> RevokedSource:
    """Return a source that reads the bucket `revoked`: one key per session, whatever its value."""

    async def read() -> Collection[str]:
        return await (await bus.bucket(REVOKED.name)).names()

    return read


async def nothing_revoked() -> Collection[str]:
    """Be the source of a process whose sessions can't be revoked."""
    return ()
