"""The statistics in SQL: rows per player and per ordered pair, rings of answer times, what was counted."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median_low
from typing import Any

from sqlalchemy import BigInteger, Column, Connection, Integer, MetaData, String, Table, select

from services.anticheat.core.counts import PairCounts, PlayerCounts
from services.chassis.db.inserts import upsert

ANSWER_TIMES_KEPT = 512
"""Answer times kept per player; the median is of these."""
PAIRS_LISTED_MAX = 20

_PLAYER_FIGURES = ("rounds", "wins", "disputed", "actions", "timeouts", "hu_declined", "points")
_PAIR_FIGURES = ("rounds", "wins", "other_wins", "points_from_other", "wins_on_other")

metadata = MetaData()

counted = Table(
    "counted",
    metadata,
    Column("round_id", String(96), primary_key=True),
    Column("what", String(16), primary_key=True),
)
"""Which events are in the figures: `observed` (RoundFinished) and `audited` (RoundAudited)."""

players = Table(
    "players",
    metadata,
    Column("player_id", String(64), primary_key=True),
    *(Column(name, BigInteger, nullable=False, server_default="0") for name in _PLAYER_FIGURES),
)

pairs = Table(
    "pairs",
    metadata,
    Column("player_id", String(64), primary_key=True),
    Column("other_id", String(64), primary_key=True),
    *(Column(name, BigInteger, nullable=False, server_default="0") for name in _PAIR_FIGURES),
)

answer_times = Table(
    "answer_times",
    metadata,
    Column("player_id", String(64), primary_key=True),
    Column("slot", Integer, primary_key=True),
    Column("ms", Integer, nullable=False),
)
"""A ring: answer number n lies in slot n mod `ANSWER_TIMES_KEPT`."""


def count_once(
    connection: Connection,
    round_id: str,
    what: str,
    player_counts: Sequence[PlayerCounts],
    pair_counts: Sequence[PairCounts] = (),
) -> bool:
    """Add an event's counts, unless it is in the figures already; say whether it was new."""
    mark = upsert(connection, counted).values(round_id=round_id, what=what).on_conflict_do_nothing()
    if connection.execute(mark.returning(counted.c.round_id)).first() is None:
        return False
    # In key order, so that two writers on PostgreSQL never wait for each other in a circle.
    for entry in sorted(player_counts, key=lambda c: c.player_id):
        before = connection.execute(
            select(players.c.actions).where(players.c.player_id == entry.player_id)
        ).scalar()
        amounts = {name: getattr(entry, name) for name in _PLAYER_FIGURES}
        _add(connection, players, {"player_id": entry.player_id}, amounts)
        _remember_answers(connection, entry, before or 0)
    for pair in sorted(pair_counts, key=lambda c: (c.player_id, c.other_id)):
        amounts = {name: getattr(pair, name) for name in _PAIR_FIGURES}
        _add(connection, pairs, {"player_id": pair.player_id, "other_id": pair.other_id}, amounts)
    return True


def player_row(connection: Connection, player_id: str) -> dict[str, int] | None:
    """Return a player's figures with `answer_ms_median`, or None for one never seen."""
    row = connection.execute(select(players).where(players.c.player_id == player_id)).mappings().first()
    if row is None:
        return None
    times = connection.scalars(select(answer_times.c.ms).where(answer_times.c.player_id == player_id)).all()
    figures = {name: int(value) for name, value in row.items() if name != "player_id"}
    return figures | {"answer_ms_median": median_low(times) if times else 0}


def pair_rows(connection: Connection, player_id: str, other_id: str | None) -> list[dict[str, Any]]:
    """Return the figures of one pair, or of the pairs with most rounds, most first."""
    query = select(pairs).where(pairs.c.player_id == player_id)
    if other_id is not None:
        query = query.where(pairs.c.other_id == other_id)
    query = query.order_by(pairs.c.rounds.desc(), pairs.c.other_id).limit(PAIRS_LISTED_MAX)
    return [dict(row) for row in connection.execute(query).mappings()]


def _remember_answers(connection: Connection, entry: PlayerCounts, answers_before: int) -> None:
    newest = entry.answer_ms[-ANSWER_TIMES_KEPT:]
    first = answers_before + len(entry.answer_ms) - len(newest)
    for offset, ms in enumerate(newest):
        slot = (first + offset) % ANSWER_TIMES_KEPT
        row = upsert(connection, answer_times).values(player_id=entry.player_id, slot=slot, ms=ms)
        connection.execute(
            row.on_conflict_do_update(index_elements=["player_id", "slot"], set_={"ms": row.excluded.ms})
        )


def _add(connection: Connection, table: Table, key: dict[str, str], amounts: dict[str, int]) -> None:
    row = upsert(connection, table).values(**key, **amounts)
    sums = {name: table.c[name] + amount for name, amount in amounts.items()}
    connection.execute(row.on_conflict_do_update(index_elements=list(key), set_=sums))
