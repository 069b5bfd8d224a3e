"""Counts, sign-ins and owed rewards in SQL: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    ColumnElement,
    Connection,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    insert,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from services.progress.core.counts import Counts, RoundResult
from services.progress.core.days import LastSignIn, day_text, sign_in

metadata = MetaData()
SERIAL = BigInteger().with_variant(Integer, "sqlite")

counted = Table("counted", metadata, Column("round_id", Text, primary_key=True))
"""Rounds that are in the statistics."""

statistics = Table(
    "statistics",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("game", Text, primary_key=True),
    Column("preset", Text, primary_key=True),
    Column("rounds", BigInteger, nullable=False),
    Column("wins", BigInteger, nullable=False),
    Column("draws", BigInteger, nullable=False),
    Column("self_draws", BigInteger, nullable=False),
    Column("points", BigInteger, nullable=False),
    Column("best_points", BigInteger, nullable=False),
    Column("best_huxi", Integer, nullable=False),
    Column("names", Text, nullable=False),
)

sign_ins = Table(
    "sign_ins",
    metadata,
    Column("player_id", Text, primary_key=True),
    Column("day", Integer, primary_key=True),
    Column("streak", Integer, nullable=False),
    Column("reward", BigInteger, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
)

rewards = Table(
    "rewards",
    metadata,
    Column("id", SERIAL, primary_key=True, autoincrement=True),
    Column("request_id", Text, nullable=False, unique=True),
    Column("player_id", Text, nullable=False),
    Column("amount", BigInteger, nullable=False),
    Column("kind", Text, nullable=False),
    Column("reference", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("refused_for", Text, nullable=False),
    CheckConstraint("state IN ('owed', 'paid', 'refused')", name="rewards_state"),
    Index("rewards_state_id", "state", "id"),
)
"""Written with what earned them; paid by economy under `request_id`, as often as it takes, once."""

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Owed:
    """A reward that economy has not confirmed yet."""

    request_id: str
    player_id: str
    amount: int
    kind: str
    reference: str


def count(connection: Connection, results: Sequence[RoundResult]) -> int:
    """Add rounds to the statistics of their human players, each round once; return how many were new."""
    upsert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    new: list[RoundResult] = []
    for result in sorted(results, key=lambda one: one.round_id):
        first = connection.execute(
            upsert(counted)
            .values(round_id=result.round_id)
            .on_conflict_do_nothing()
            .returning(counted.c.round_id)
        )
        if first.one_or_none() is not None:
            new.append(result)
    touched = {
        (seat.player_id, result.game, result.preset)
        for result in new
        for seat in result.seats
        if not seat.is_bot
    }
    if not touched:
        return len(new)
    empty = [{**_key_of(key), **_row(Counts())} for key in sorted(touched)]
    connection.execute(upsert(statistics).on_conflict_do_nothing(), empty)
    held = _hold(connection, touched)
    for result in new:
        for seat in result.seats:
            if not seat.is_bot:
                held[seat.player_id, result.game, result.preset].add(result, seat)
    for key in sorted(touched):
        connection.execute(update(statistics).where(*_is(key)).values(**_row(held[key])))
    return len(new)


def counts_of(connection: Connection, player_id: str) -> list[tuple[str, str, Counts]]:
    """Return what a player has played: (game, preset, counts)."""
    query = select(statistics).where(statistics.c.player_id == player_id)
    rows = connection.execute(query.order_by(statistics.c.game, statistics.c.preset))
    return [(row.game, row.preset, _counts(row)) for row in rows]


def last_sign_in(connection: Connection, player_id: str) -> LastSignIn | None:
    """Return the newest sign-in of a player."""
    query = select(sign_ins.c.day, sign_ins.c.streak, sign_ins.c.reward).where(
        sign_ins.c.player_id == player_id
    )
    row = connection.execute(query.order_by(sign_ins.c.day.desc()).limit(1)).one_or_none()
    return None if row is None else LastSignIn(row.day, row.streak, row.reward)


def sign_in_today(
    connection: Connection, player_id: str, amounts: Sequence[int], now_ms: int
) -> tuple[LastSignIn, Owed | None]:
    """Sign a player in, and write down what he is owed for it; a repeat finds what the first did.

    Returns:
        The sign-in of today, and what is owed for it if it was made just now.
    """
    upsert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    last = last_sign_in(connection, player_id)
    new = sign_in(last, now_ms, amounts)
    if new is None:
        assert last is not None, "only a sign-in makes today done"
        return last, None
    row = {
        "player_id": player_id,
        "day": new.day,
        "streak": new.streak,
        "reward": new.reward,
        "at_ms": now_ms,
    }
    first = connection.execute(
        upsert(sign_ins).values(row).on_conflict_do_nothing().returning(sign_ins.c.day)
    )
    if first.one_or_none() is None:
        # Another call has won the day meanwhile, and its row can be read now.
        last = last_sign_in(connection, player_id)
        assert last is not None, "the row that was in the way"
        return last, None
    day = day_text(new.day)
    owed = Owed(f"sign_in/{player_id}/{day}", player_id, new.reward, "sign_in", day)
    connection.execute(insert(rewards), {**dataclasses.asdict(owed), "state": "owed", "refused_for": ""})
    return new, owed


def owed_rewards(connection: Connection, limit: int) -> list[Owed]:
    """Return rewards that are not paid yet, oldest first."""
    query = select(rewards).where(rewards.c.state == "owed").order_by(rewards.c.id).limit(limit)
    return [
        Owed(row.request_id, row.player_id, row.amount, row.kind, row.reference)
        for row in connection.execute(query)
    ]


def mark_reward(connection: Connection, request_id: str, state: str, refused_for: str = "") -> None:
    """Write down what became of a reward."""
    connection.execute(
        update(rewards).where(rewards.c.request_id == request_id).values(state=state, refused_for=refused_for)
    )


def _hold(connection: Connection, keys: set[Key]) -> dict[Key, Counts]:
    players = sorted({player_id for player_id, _, _ in keys})
    query = (
        select(statistics)
        .where(statistics.c.player_id.in_(players))
        .order_by(statistics.c.player_id, statistics.c.game, statistics.c.preset)
        .with_for_update()
    )
    rows = connection.execute(query)
    return {(row.player_id, row.game, row.preset): _counts(row) for row in rows}


def _counts(row: object) -> Counts:
    values = {field.name: getattr(row, field.name) for field in dataclasses.fields(Counts)}
    return Counts(**{**values, "names": json.loads(values["names"])})


def _row(counts: Counts) -> dict[str, object]:
    values = dataclasses.asdict(counts)
    return {**values, "names": json.dumps(counts.names, ensure_ascii=False, sort_keys=True)}


def _key_of(key: Key) -> dict[str, object]:
    return {"player_id": key[0], "game": key[1], "preset": key[2]}


def _is(key: Key) -> tuple[ColumnElement[bool], ...]:
    c = statistics.c
    return c.player_id == key[0], c.game == key[1], c.preset == key[2]
