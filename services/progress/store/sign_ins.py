"""Sign-ins and owed rewards in SQL: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, insert, select, update

from services.chassis.days import day_text
from services.chassis.db.inserts import upsert
from services.progress.core.streak import LastSignIn, sign_in
from services.progress.store.schema import rewards, sign_ins


@dataclass(frozen=True, slots=True)
class Owed:
    """A reward that economy has not confirmed yet."""

    request_id: str
    player_id: str
    amount: int
    kind: str
    reference: str


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
        upsert(connection, sign_ins).values(row).on_conflict_do_nothing().returning(sign_ins.c.day)
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
