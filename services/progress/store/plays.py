"""Statistics in SQL, folded from settled rounds: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, select, tuple_, update

from services.chassis.days import day_of
from services.chassis.db.inserts import upsert
from services.progress.core.counts import Counts, DayCounts, RoundResult
from services.progress.store.schema import play_days, played_rounds, plays, shown_to, sign_ins

GONE: Final = "gone"

Key = tuple[str, str, str]
"""Player, game, preset."""

_SUMS: Final = tuple(field.name for field in dataclasses.fields(DayCounts))
_PLAY: Final = (plays.c.player_id, plays.c.game, plays.c.preset)


def count(connection: Connection, results: Sequence[RoundResult]) -> int:
    """Add rounds to the statistics of their human players, each round once; return how many were new.

    Rounds first, in the order of their ids, then players in theirs: whoever counts the same at once waits and
    finds it counted.
    """
    new: list[RoundResult] = []
    for result in sorted(results, key=lambda one: one.round_id):
        first = connection.execute(
            upsert(connection, played_rounds)
            .values(round_id=result.round_id)
            .on_conflict_do_nothing()
            .returning(played_rounds.c.round_id)
        )
        if first.one_or_none() is not None:
            new.append(result)
    people = {seat.player_id for result in new for seat in result.seats if not seat.is_bot}
    people -= _gone(connection, sorted(people))
    found: defaultdict[Key, Counts] = defaultdict(Counts)
    days: defaultdict[tuple[Key, int], DayCounts] = defaultdict(DayCounts)
    touched = sorted(
        {
            (seat.player_id, result.game, result.preset)
            for result in new
            for seat in result.seats
            if seat.player_id in people
        }
    )
    if not touched:
        return len(new)
    empty = [_named(key) | Counts().as_row() for key in touched]
    connection.execute(upsert(connection, plays).on_conflict_do_nothing(), empty)
    found.update(_hold(connection, touched))
    for result in new:
        for seat in result.seats:
            if seat.player_id in people:
                key = seat.player_id, result.game, result.preset
                found[key].add(result, seat)
                days[key, day_of(result.at_ms)].add(result, seat)
    for key in touched:
        same = [column == value for column, value in zip(_PLAY, key, strict=True)]
        connection.execute(update(plays).where(*same).values(**found[key].as_row()))
    insert = upsert(connection, play_days)
    added = {name: play_days.c[name] + insert.excluded[name] for name in _SUMS}
    connection.execute(
        insert.on_conflict_do_update(index_elements=["player_id", "game", "preset", "day"], set_=added),
        [_named(key) | {"day": day} | dataclasses.asdict(days[key, day]) for key, day in sorted(days)],
    )
    return len(new)


def counts_of(
    connection: Connection,
    player_id: str,
    game: str = "",
    preset: str = "",
    size: int = 100,
    after: tuple[str, str] | None = None,
) -> list[tuple[str, str, Counts]]:
    """Return what a player has played, by the names of game and preset: (game, preset, counts).

    Args:
        game: Only this; empty: all.
        preset: Only this; empty: all.
        size: At most so many.
        after: Only after this game and preset.
    """
    c = plays.c
    query = select(plays).where(c.player_id == player_id)
    if game:
        query = query.where(c.game == game)
    if preset:
        query = query.where(c.preset == preset)
    if after is not None:
        query = query.where(tuple_(c.game, c.preset) > after)
    rows = connection.execute(query.order_by(c.game, c.preset).limit(size))
    return [(row.game, row.preset, Counts.from_row(row)) for row in rows]


def days_of(
    connection: Connection, player_id: str, game: str, preset: str, days: tuple[int, int], size: int
) -> Sequence[Row[Any]]:
    """Return the days on which a player played a game, newest first, its presets together.

    Args:
        preset: Only this; empty: all.
        days: The first and the last day that count.
        size: At most so many.
    """
    c = play_days.c
    sums = [func.sum(c[name]).label(name) for name in _SUMS]
    query = select(c.day, *sums).where(c.player_id == player_id, c.game == game, c.day.between(*days))
    if preset:
        query = query.where(c.preset == preset)
    return connection.execute(query.group_by(c.day).order_by(c.day.desc()).limit(size)).all()


def is_public(connection: Connection, player_id: str) -> bool:
    """Return whether others may see a player's statistics."""
    query = select(shown_to.c.who).where(shown_to.c.player_id == player_id)
    return connection.execute(query).scalar_one_or_none() in (None, "all")


def show(connection: Connection, player_id: str, public: bool, now_ms: int) -> None:
    """Write down whether others may see a player's statistics; of an account that is gone nobody ever may."""
    values = {"who": "all" if public else "self", "at_ms": now_ms}
    insert = upsert(connection, shown_to).values(player_id=player_id, **values)
    connection.execute(
        insert.on_conflict_do_update(index_elements=["player_id"], set_=values, where=shown_to.c.who != GONE)
    )


def forget(connection: Connection, player_id: str, now_ms: int) -> None:
    """Forget what a deleted account has played and signed in for, and count nothing of it any more."""
    values = {"who": GONE, "at_ms": now_ms}
    insert = upsert(connection, shown_to).values(player_id=player_id, **values)
    connection.execute(insert.on_conflict_do_update(index_elements=["player_id"], set_=values))
    for table in (plays, play_days, sign_ins):
        connection.execute(delete(table).where(table.c.player_id == player_id))


def _gone(connection: Connection, player_ids: Sequence[str]) -> set[str]:
    query = select(shown_to.c.player_id).where(shown_to.c.player_id.in_(player_ids), shown_to.c.who == GONE)
    return set(connection.execute(query).scalars())


def _hold(connection: Connection, keys: Sequence[Key]) -> dict[Key, Counts]:
    """Return the counts of keys; nobody else changes them until the transaction ends."""
    query = select(plays).where(tuple_(*_PLAY).in_(keys)).order_by(*_PLAY).with_for_update()
    rows = connection.execute(query)
    return {(row.player_id, row.game, row.preset): Counts.from_row(row) for row in rows}


def _named(key: Key) -> dict[str, Any]:
    return {"player_id": key[0], "game": key[1], "preset": key[2]}
