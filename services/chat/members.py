"""Who may speak and read in a channel: the people at its table."""

from __future__ import annotations

import re
from collections import OrderedDict

from paiju.table.v1 import table_service_pb2_grpc
from paiju.table.v1.table_service_pb2 import GetTableRequest

from services.chassis.errors import Refusal
from services.chassis.run import Parts
from services.chat.settings import ChatSettings

CACHED_MAX = 10_000
_CHANNEL = re.compile(r"table/([0-9a-f]{1,4}-[0-9a-z]{4,48})")


class Members:
    """Asks the table, and remembers its people for a few seconds."""

    def __init__(self, parts: Parts, settings: ChatSettings) -> None:
        self._clock = parts.clock
        self._tables = parts.rpc.client(table_service_pb2_grpc.TableServiceStub, "table", timeout_s=2.0)
        self._kept_s = settings.members_s
        self._cached: OrderedDict[str, tuple[float, frozenset[str]]] = OrderedDict()

    async def check(self, channel: str, player_id: str) -> None:
        """Let a member through.

        Raises:
            Refusal: CHANNEL_UNKNOWN, NOT_A_MEMBER.
            Outage: The table can't be asked.
        """
        match = _CHANNEL.fullmatch(channel)
        if match is None:
            raise Refusal("CHANNEL_UNKNOWN")
        if player_id not in await self._members(match.group(1)):
            raise Refusal("NOT_A_MEMBER")

    async def _members(self, table_id: str) -> frozenset[str]:
        cached = self._cached.get(table_id)
        if cached is not None and self._clock.monotonic() < cached[0]:
            return cached[1]
        try:
            table = (await self._tables.GetTable(GetTableRequest(table_id=table_id))).table
        except Refusal as refusal:
            if refusal.entry.code == "NOT_FOUND":
                raise Refusal("CHANNEL_UNKNOWN") from None
            raise
        members = frozenset(seat.player_id for seat in table.seats if seat.player_id.startswith("p_"))
        self._cached[table_id] = (self._clock.monotonic() + self._kept_s, members)
        self._cached.move_to_end(table_id)
        if len(self._cached) > CACHED_MAX:
            self._cached.popitem(last=False)
        return members
