"""The live tables of a shard that may be watched, as a list."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import msgspec
from paiju.table.v1.watch_service_pb2 import LIVE_ORDER_NEWEST, LiveTable

from services.chassis.clock import Clock
from services.table.core.lagging import is_shown_live, shown_round
from services.table.core.table import Table
from services.table.ratings import UNKNOWN, Ratings

FRESH_S = 1.0
"""The list is made anew when it is older, and only if somebody asks."""

RATED_S = 30.0
"""A table's rating is looked up again after about so long."""

SPREAD = 16

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


class Among(msgspec.Struct, frozen=True, array_like=True):
    """Filters that rest on what other services know."""

    friends: tuple[str, ...] | None = None
    """Only tables at which one of these sits; None = whoever sits there."""
    rooms_of: tuple[str, ...] = ()
    """Where persons or friends are asked for, friends' rooms are shown in which one of these sits."""
    rating_min: int = 0
    rating_max: int = 0
    """Bounds on a table's rating; 0 = none."""

    @property
    def by_rating(self) -> bool:
        """Whether ratings matter."""
        return bool(self.rating_min or self.rating_max)


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
        ratings: Who knows how well people play; None = nobody.
    """

    def __init__(
        self,
        clock: Clock,
        tables: Mapping[str, Table],
        watched: Callable[[], Mapping[str, int]],
        ratings: Ratings | None = None,
    ) -> None:
        self._clock = clock
        self._tables = tables
        self._watched = watched
        self._made_at = float("-inf")
        self._newest: list[Table] = []
        self._found: dict[tuple[Wanted, Among | None], tuple[list[Table], int]] = {}
        self._viewers: Mapping[str, int] = {}
        self._ratings = ratings
        self._rated: dict[str, tuple[float, int]] = {}
        """By table: until when it counts, and the rating."""
        self._spread = 0

    def find(
        self, wanted: Wanted, order: int, after: Key | None, most: int, among: Among | None = None
    ) -> tuple[Sequence[LiveTable], int, int]:
        """Return so many tables behind a place in the order, how many there are in all, and how many there
        would be more but for bounds on ratings, and a rating that is not known.
        """
        self._refresh()
        kept = self._found.get((wanted, among))
        if kept is None:
            if len(self._found) >= FOUND_MAX:
                self._found.clear()
            kept = self._found[wanted, among] = self._search(wanted, among)
        found, unrated = kept
        page: list[LiveTable] = []
        for viewers, table in self._in_order(found, order):
            made_at, table_id = table.s.created_at, table.s.table_id
            key = (0 if order == LIVE_ORDER_NEWEST else -viewers, -made_at, table_id)
            if after is not None and key <= after:
                continue
            if len(page) == most:
                break
            page.append(_told(table, viewers, self._rating(table), self._clock.now_ms()))
        return page, len(found), unrated

    def _search(self, wanted: Wanted, among: Among | None) -> tuple[list[Table], int]:
        friends = None if among is None or among.friends is None else frozenset(among.friends)
        rooms_of = None if among is None else frozenset(among.rooms_of)
        found = [table for table in self._newest if _fits(table, wanted, friends, rooms_of)]
        if among is None or not among.by_rating:
            return found, 0
        least, most = max(1, among.rating_min), among.rating_max or 2**31
        ratings = [self._rating(table) for table in found]
        rated = [
            table for table, rating in zip(found, ratings, strict=True) if rating and least <= rating <= most
        ]
        return rated, sum(not rating for rating in ratings)

    def _rating(self, table: Table) -> int:
        """Return the rating of a table; a known one is looked up again half a minute later."""
        known = self._rated.get(table.s.table_id)
        if known is not None and self._made_at < known[0]:
            return known[1]
        spec = table.s.spec
        found = self._ratings.of_table(spec.game, spec.players) if self._ratings is not None else UNKNOWN
        if found is None:
            return UNKNOWN
        # Not all at once: one in so many with each list that is made.
        wait_s = RATED_S * (0.5 + self._spread / SPREAD)
        self._spread = (self._spread + 1) % SPREAD
        self._rated[table.s.table_id] = self._made_at + wait_s, found
        return found

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
        if len(self._rated) > 2 * len(self._tables):
            self._rated = {table_id: self._rated[table_id] for table_id in self._tables.keys() & self._rated}
        self._viewers = self._watched()
        now_ms = self._clock.now_ms()
        self._newest = [table for table in self._tables.values() if _is_live(table, now_ms)]
        self._newest.sort(key=lambda table: (-table.s.created_at, table.s.table_id))


def _is_live(table: Table, now_ms: int) -> bool:
    """Say whether a table is played at and may be watched, as watchers know it: its end they see later."""
    spec, state = table.s.spec, table.s
    if not (spec.spectators or spec.watch_leave):
        return False
    return state.phase in _LIVE or is_shown_live(table, now_ms)


def _fits(
    table: Table, wanted: Wanted, friends: frozenset[str] | None, rooms_of: frozenset[str] | None
) -> bool:
    spec = table.s.spec
    if (wanted.game and spec.game != wanted.game) or (wanted.preset and spec.preset != wanted.preset):
        return False
    if wanted.hall_id and spec.hall_id != wanted.hall_id:
        return False
    if wanted.base_stake_min and (spec.stake is None or spec.stake.base_stake < wanted.base_stake_min):
        return False
    if wanted.players and not any(player in wanted.players for player in spec.players):
        return False
    if friends is not None and friends.isdisjoint(spec.players):
        return False
    if not spec.room_code:
        return True
    is_by_person = bool(wanted.players) or friends is not None
    return is_by_person and (rooms_of is None or not rooms_of.isdisjoint(spec.players))


def _told(table: Table, viewers: int, rating: int, now_ms: int) -> LiveTable:
    state: Any = table.s
    spec = state.spec
    return LiveTable(
        table_id=state.table_id,
        game=spec.game,
        preset=spec.label,
        hall_id=spec.hall_id,
        base_stake=spec.stake.base_stake if spec.stake else 0,
        round_no=shown_round(table, now_ms),
        rounds=spec.rounds,
        player_ids=spec.players,
        viewers=viewers,
        started_at_ms=state.created_at,
        delay_ms=spec.watch_delay_ms,
        is_room=bool(spec.room_code),
        rating=rating,
        needs_leave=spec.watch_leave,
    )
