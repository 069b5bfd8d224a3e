"""The live tables of a shard that may be watched, as a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from paiju.table.v1.watch_service_pb2 import LIVE_ORDER_NEWEST, LiveTable

from services.chassis.clock import Clock
from services.table.core.table import Table

FRESH_S = 1.0
"""The list is made anew when it is older, and only if somebody asks."""

FOUND_MAX = 64
"""Filtered lists kept for as long."""

_LIVE = frozenset({"opening", "playing", "between"})

Key = tuple[int, int, str]
"""What a list is sorted by: fewest of the order's own number first, then newest, then by id."""


class Wanted(msgspec.Struct, frozen=True, array_like=True):
    """Filters, all empty or zero where they let everything through."""

    game: str = ""
    preset: str = ""
    hall_id: str = ""
    base_stake_min: int = 0
    players: tuple[str, ...] = ()


def key_of(table: LiveTable, order: int) -> Key:
    """Return what a table of a list is sorted by."""
    first = 0 if order == LIVE_ORDER_NEWEST else -table.viewers
    return first, -table.started_at_ms, table.table_id


class LiveIndex:
    """Finds live tables.

    Args:
        clock: Time.
        tables: All tables of the shard.
        watched: How many watch, by table.
    """

    def __init__(
        self, clock: Clock, tables: Mapping[str, Table], watched: Callable[[], Mapping[str, int]]
    ) -> None:
        self._clock = clock
        self._tables = tables
        self._watched = watched
        self._made_at = float("-inf")
        self._newest: list[Table] = []
        self._found: dict[Wanted, list[Table]] = {}
        self._viewers: Mapping[str, int] = {}

    def find(
        self, wanted: Wanted, order: int, after: Key | None, most: int
    ) -> tuple[Sequence[LiveTable], int]:
        """Return so many tables behind a place in the order, and how many there are in all."""
        self._refresh()
        found = self._found.get(wanted)
        if found is None:
            if len(self._found) >= FOUND_MAX:
                self._found.clear()
            found = self._found[wanted] = [table for table in self._newest if _fits(table, wanted)]
        page: list[LiveTable] = []
        for viewers, table in self._in_order(found, order):
            made_at, table_id = table.s.created_at, table.s.table_id
            key = (0 if order == LIVE_ORDER_NEWEST else -viewers, -made_at, table_id)
            if after is not None and key <= after:
                continue
            if len(page) == most:
                break
            page.append(_told(table, viewers))
        return page, len(found)

    def _in_order(self, found: Sequence[Table], order: int) -> Iterable[tuple[int, Table]]:
        viewers = self._viewers
        if order == LIVE_ORDER_NEWEST:
            for table in found:
                yield viewers.get(table.s.table_id, 0), table
            return
        # Few tables are watched, so only those are sorted.
        seen = [table for table in found if viewers.get(table.s.table_id)]
        seen.sort(key=lambda table: -viewers[table.s.table_id])
        for table in seen:
            yield viewers[table.s.table_id], table
        for table in found:
            if not viewers.get(table.s.table_id):
                yield 0, table

    def _refresh(self) -> None:
        now = self._clock.monotonic()
        if now - self._made_at < FRESH_S:
            return
        self._made_at = now
        self._found = {}
        self._viewers = self._watched()
        self._newest = [
            table
            for table in self._tables.values()
            if (table.s.spec.spectators or table.s.spec.watch_leave) and table.s.phase in _LIVE
        ]
        self._newest.sort(key=lambda table: (-table.s.created_at, table.s.table_id))


def _fits(table: Table, wanted: Wanted) -> bool:
    spec = table.s.spec
    if (wanted.game and spec.game != wanted.game) or (wanted.preset and spec.preset != wanted.preset):
        return False
    if wanted.hall_id and spec.hall_id != wanted.hall_id:
        return False
    if wanted.base_stake_min and (spec.stake is None or spec.stake.base_stake < wanted.base_stake_min):
        return False
    if wanted.players:
        return any(player in wanted.players for player in spec.players)
    return not spec.room_code


def _told(table: Table, viewers: int) -> LiveTable:
    state: Any = table.s
    spec = state.spec
    return LiveTable(
        table_id=state.table_id,
        game=spec.game,
        preset=spec.label,
        hall_id=spec.hall_id,
        base_stake=spec.stake.base_stake if spec.stake else 0,
        round_no=state.board.round_no,
        rounds=spec.rounds,
        player_ids=spec.players,
        viewers=viewers,
        started_at_ms=state.created_at,
        delay_ms=spec.watch_delay_ms,
        is_room=bool(spec.room_code),
        needs_leave=spec.watch_leave,
    )
