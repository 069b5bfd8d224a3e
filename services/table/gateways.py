"""Which gateways are there: one that has died without a word takes its sessions with it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from services.chassis.errors import Outage
from services.table.sessions import Session, Sessions

SILENT_BEATS_MAX = 6
"""A gateway that has promised to speak each second and misses so many beats is gone."""

DOUBTFUL_BEATS = 2
"""From here on the broker is asked whether it is not we who hear nothing."""


class Log(Protocol):
    """What is asked of the journal."""

    async def is_owner(self) -> bool:
        """Return whether nobody else has appended. Raises `Outage`."""


class Gateways:
    """Counts beats, not seconds: an owner that was paused itself finds what was said meanwhile waiting.

    Args:
        sessions: Whose gateways these are.
        log: Reached through the same broker as the gateways.
    """

    def __init__(self, sessions: Sessions, log: Log) -> None:
        self._sessions = sessions
        self._log = log
        self._missed: dict[str, int] = {}
        """Beats missed, by gateways that promised them."""

    def heard(self, gateway: str, *, beats: bool) -> None:
        """A gateway has said something, and whether it will again within a second."""
        if beats:
            self._missed[gateway] = 0

    async def beat(self) -> Sequence[Session]:
        """A second has passed: remove, and return, the sessions of gateways that are gone."""
        for gateway in self._missed:
            self._missed[gateway] += 1
        if all(missed <= DOUBTFUL_BEATS for missed in self._missed.values()):
            return ()
        try:
            if not await self._log.is_owner():
                return ()  # the next append will show it
        except Outage:
            # While the broker is away everybody is silent; then they get the whole time to come back.
            self._missed = dict.fromkeys(self._missed, 0)
            return ()
        gone: list[Session] = []
        for gateway in [name for name, missed in self._missed.items() if missed > SILENT_BEATS_MAX]:
            del self._missed[gateway]
            gone += self._sessions.of(gateway)
        for session in gone:
            self._sessions.remove(session.gateway, session.session, session.table_id)
        return gone
