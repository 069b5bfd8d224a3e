"""The table commands that are on their way, and who waits for the answer to each."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from services.gateway.listener import Listener


@dataclass(slots=True)
class Asked:
    """A command on its way: who waits for the answer."""

    listener: Listener | None
    """None = the gateway itself."""
    reply_to: int
    table_id: str
    session: str
    at: float


class Waiting:
    """Who waits, by the tag of the command."""

    def __init__(self) -> None:
        self._asked: dict[int, Asked] = {}
        self._in_flight: dict[str, int] = defaultdict(int)

    def __len__(self) -> int:
        return len(self._asked)

    def of(self, session: str) -> int:
        """Return how many answers the player of a session waits for."""
        return self._in_flight.get(session, 0)

    def add(self, tag: int, asked: Asked) -> None:
        """Note who waits for the answer to `tag`."""
        self._asked[tag] = asked
        if asked.listener is not None:
            self._in_flight[asked.session] += 1

    def take(self, tag: int) -> Asked | None:
        """Return, and forget, who waits for the answer to `tag`."""
        asked = self._asked.pop(tag, None)
        if asked is not None and asked.listener is not None:
            self._in_flight[asked.session] -= 1
            if not self._in_flight[asked.session]:
                del self._in_flight[asked.session]
        return asked
