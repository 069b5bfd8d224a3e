"""Whose friends somebody is, for the live list: accounts is asked once in a while for each who looks."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final, Protocol

from paiju.accounts.v1.friend_service_pb2 import ListFriendIdsRequest
from paiju.accounts.v1.friend_service_pb2_grpc import FriendServiceStub

from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.rpc import Rpc

ASK_S: Final = 2.0
FRESH_S: Final = 10.0
"""Who is no friend any more may be looked for so long."""
AWAY_S: Final = 1.0
"""After a failure nobody waits for accounts for so long."""
KNOWN_MAX: Final = 10_000


class Friends(Protocol):
    """What the live list wants to know."""

    async def of(self, player: str) -> frozenset[str]:
        """Return the friends of a player.

        Raises:
            Outage: They can't be found out now.
        """


class FriendBook:
    """What is known, for a process.

    Args:
        rpc: The way to accounts.
        clock: Time.
    """

    def __init__(self, rpc: Rpc, clock: Clock) -> None:
        self._accounts = rpc.client(FriendServiceStub, "accounts", timeout_s=ASK_S)
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, frozenset[str]]] = OrderedDict()
        self._away_until = float("-inf")

    async def of(self, player: str) -> frozenset[str]:
        """See `Friends`; an answer counts for ten seconds."""
        now = self._clock.monotonic()
        known = self._known.get(player)
        if known is not None and now - known[0] < FRESH_S:
            return known[1]
        if now < self._away_until:
            raise Outage("accounts was out of reach just now")
        try:
            answer = await self._accounts.ListFriendIds(ListFriendIdsRequest(player_id=player))
        except Outage:
            self._away_until = self._clock.monotonic() + AWAY_S
            raise
        found = frozenset(answer.player_ids)
        self._known[player] = now, found
        self._known.move_to_end(player)
        while len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)
        return found
