"""What players have played: time and coins of rounds, each counted once whatever comes late or twice."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Connection, bindparam, delete, select, update

from services.accounts.core.protection import Today
from services.accounts.core.protection_calendar import split_by_day
from services.accounts.store.protection_schema import days, rounds, warnings
from services.chassis.days import DAY_MS, HOUR_MS, day_of
from services.chassis.db.inserts import upsert

KEEP_MS: Final = 3 * DAY_MS
"""Rounds are remembered so long, and of older ones nothing is counted: what comes twice counts once."""
KEEP_DAYS: Final = 35
"""What was played on a day is remembered so long."""
ROUND_MS_MAX: Final = HOUR_MS
"""A round counts no longer than this: while a table was out of reach nobody played."""

Key = tuple[str, int]
"""Player and day."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What one event says of a round; 0 or empty = nothing of that."""

    round_id: str
    opened_at_ms: int = 0
    ended_at_ms: int = 0
    players: tuple[str, ...] = ()
    """People only."""
    nets: Mapping[str, int] | None = None
    """Settled: net gold by player."""


@dataclass(slots=True)
class _Round:
    opened_at_ms: int
    ended_at_ms: int
    players: list[str]
    is_timed: bool
    is_settled: bool


@dataclass(slots=True)
class _Sums:
    played_ms: defaultdict[Key, int] = field(default_factory=lambda: defaultdict(int))
    net: defaultdict[Key, int] = field(default_factory=lambda: defaultdict(int))


def hear(connection: Connection, heard: Iterable[Heard], now_ms: int) -> int:
    """Count what events say of rounds, in any order, each thing once; return how many rounds are timed."""
    batch = [one for one in heard if max(one.opened_at_ms, one.ended_at_ms) > now_ms - KEEP_MS]
    known = _hold(connection, sorted({one.round_id for one in batch}), now_ms)
    sums, timed = _Sums(), 0
    for one in batch:
        timed += _take(known[one.round_id], one, sums)
    if known:
        _write(connection, known)
        _add(connection, sums)
    return timed


def today(connection: Connection, player_ids: Iterable[str], day: int) -> dict[str, Today]:
    """Return what players have played on a day."""
    wanted = sorted(set(player_ids))
    rows = connection.execute(select(days).where(days.c.player_id.in_(wanted), days.c.day == day))
    found = {row.player_id: Today(row.played_ms, row.net) for row in rows}
    return {player_id: found.get(player_id, Today()) for player_id in wanted}


def is_counted(connection: Connection, round_id: str) -> tuple[bool, bool]:
    """Return whether the time of a round is counted, and whether its coins are."""
    row = connection.execute(select(rounds).where(rounds.c.round_id == round_id)).one_or_none()
    return (False, False) if row is None else (row.is_timed, row.is_settled)


def playing(connection: Connection, now_ms: int) -> dict[str, int]:
    """Return who is in a round that has not ended, as far as known, and since when."""
    query = select(rounds.c.players, rounds.c.opened_at_ms).where(
        rounds.c.at_ms > now_ms - ROUND_MS_MAX, rounds.c.ended_at_ms == 0, rounds.c.opened_at_ms > 0
    )
    return {
        player_id: row.opened_at_ms
        for row in connection.execute(query)
        for player_id in json.loads(row.players)
    }


def is_first_warning(connection: Connection, player_id: str, day: int, reason: str) -> bool:
    """Return whether a player was not told of this end before; now he is."""
    told = connection.execute(
        upsert(connection, warnings)
        .values(player_id=player_id, day=day, reason=reason)
        .on_conflict_do_nothing()
        .returning(warnings.c.day)
    )
    return told.first() is not None


def forget(connection: Connection, now_ms: int) -> None:
    """Forget rounds and days of which nothing is asked any more."""
    day = day_of(now_ms) - KEEP_DAYS
    # A day longer than events are listened to, so that none of them finds its round forgotten.
    connection.execute(delete(rounds).where(rounds.c.at_ms < now_ms - KEEP_MS - DAY_MS))
    connection.execute(delete(days).where(days.c.day < day))
    connection.execute(delete(warnings).where(warnings.c.day < day))


def _hold(connection: Connection, round_ids: Sequence[str], now_ms: int) -> dict[str, _Round]:
    if not round_ids:
        return {}
    empty = {
        "opened_at_ms": 0,
        "ended_at_ms": 0,
        "players": "[]",
        "is_timed": False,
        "is_settled": False,
        "at_ms": now_ms,
    }
    rows = [{"round_id": round_id, **empty} for round_id in round_ids]
    connection.execute(upsert(connection, rounds).on_conflict_do_nothing(), rows)
    query = select(rounds).where(rounds.c.round_id.in_(round_ids)).order_by(rounds.c.round_id)
    return {
        row.round_id: _Round(
            row.opened_at_ms, row.ended_at_ms, json.loads(row.players), row.is_timed, row.is_settled
        )
        for row in connection.execute(query.with_for_update())
    }


def _take(kept: _Round, heard: Heard, sums: _Sums) -> int:
    kept.opened_at_ms = kept.opened_at_ms or heard.opened_at_ms
    kept.ended_at_ms = kept.ended_at_ms or heard.ended_at_ms
    kept.players = kept.players or list(heard.players)
    if heard.nets is not None and not kept.is_settled:
        kept.is_settled = True
        for player_id, net in heard.nets.items():
            if net:
                sums.net[player_id, day_of(heard.ended_at_ms)] += net
    if kept.is_timed or not (kept.opened_at_ms and kept.ended_at_ms and kept.players):
        return 0
    kept.is_timed = True
    begin_ms = max(kept.opened_at_ms, kept.ended_at_ms - ROUND_MS_MAX)
    for day, played_ms in split_by_day(begin_ms, kept.ended_at_ms):
        for player_id in kept.players:
            sums.played_ms[player_id, day] += played_ms
    return 1


def _write(connection: Connection, known: Mapping[str, _Round]) -> None:
    values = [
        {
            "of_round": round_id,
            "opened_at_ms": kept.opened_at_ms,
            "ended_at_ms": kept.ended_at_ms,
            "players": json.dumps(kept.players),
            "is_timed": kept.is_timed,
            "is_settled": kept.is_settled,
        }
        for round_id, kept in known.items()
    ]
    connection.execute(update(rounds).where(rounds.c.round_id == bindparam("of_round")), values)


def _add(connection: Connection, sums: _Sums) -> None:
    touched = sorted({*sums.played_ms, *sums.net})
    if not touched:
        return
    insert = upsert(connection, days)
    added = {name: days.c[name] + insert.excluded[name] for name in ("played_ms", "net")}
    connection.execute(
        insert.on_conflict_do_update(index_elements=["player_id", "day"], set_=added),
        [
            {
                "player_id": player_id,
                "day": day,
                "played_ms": sums.played_ms.get((player_id, day), 0),
                "net": sums.net.get((player_id, day), 0),
            }
            for player_id, day in touched
        ],
    )
