"""Who may speak and read in a channel, and what: the people at its table, by the rule of their room."""

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
        self._cached: OrderedDict[str, tuple[float, tuple[frozenset[str], str]]] = OrderedDict()

    async def check(self, channel: str, player_id: str) -> None:
        """Let a member through.

        Raises:
            Refusal: CHANNEL_UNKNOWN, NOT_A_MEMBER.
            Outage: The table can't be asked.
        """
        await self._rule(channel, player_id)

    async def check_words(self, channel: str, player_id: str, *, is_phrase: bool) -> None:
        """Let a member through who may say this there: a ready-made phrase, or his own words.

        Raises:
            Refusal: CHANNEL_UNKNOWN, NOT_A_MEMBER, CHAT_OFF, PHRASES_ONLY.
            Outage: The table can't be asked.
        """
        rule = await self._rule(channel, player_id)
        if rule == "no":
            raise Refusal("CHAT_OFF")
        if rule == "phrases" and not is_phrase:
            raise Refusal("PHRASES_ONLY")

    async def _rule(self, channel: str, player_id: str) -> str:
        """Return what may be said, for a member."""
        match = _CHANNEL.fullmatch(channel)
        if match is None:
            raise Refusal("CHANNEL_UNKNOWN")
        members, rule = await self._members(match.group(1))
        if player_id not in members:
            raise Refusal("NOT_A_MEMBER")
        return rule

    async def _members(self, table_id: str) -> tuple[frozenset[str], str]:
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
        known = members, table.chat
        self._cached[table_id] = (self._clock.monotonic() + self._kept_s, known)
        self._cached.move_to_end(table_id)
        if len(self._cached) > CACHED_MAX:
            self._cached.popitem(last=False)
        return known
