"""What staff look at: orders whole, problems with payments, debts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, func, select, tuple_, update

from services.chassis.auth import Staff
from services.chassis.errors import Refusal
from services.economy.core.money import wallet
from services.economy.core.topup import State
from services.economy.store import schema as book
from services.economy.store import topup_orders as orders
from services.economy.store import topup_schema as schema
from services.economy.store.topup_refunds import Refundable, note, refundable


@dataclass(frozen=True, slots=True)
class Whole:
    """An order with everything that belongs to it."""

    order: Row[Any]
    owed_gems: int
    history: Sequence[Row[Any]]
    returns: Sequence[Row[Any]]
    events: Sequence[Row[Any]]
    refundable: Refundable


def inspect(connection: Connection, order_id: str) -> Whole:
    """Return an order whole.

    Raises:
        Refusal: ORDER_UNKNOWN.
    """
    order = orders.order_of(connection, order_id)
    if order is None:
        raise Refusal("ORDER_UNKNOWN")
    purse = wallet(order.player_id, "gem")
    c = book.accounts.c
    held = connection.execute(
        select(c.balance).where(c.id == purse.id, c.currency == purse.currency)
    ).scalar_one_or_none()

    def of_order(table: Any, by: Any) -> Sequence[Row[Any]]:
        return connection.execute(select(table).where(table.c.order_id == order_id).order_by(*by)).all()

    return Whole(
        order,
        orders.owed_of(connection, [order_id]).get(order_id, 0),
        of_order(schema.history, [schema.history.c.id]),
        of_order(schema.returns, [schema.returns.c.at_ms, schema.returns.c.return_id]),
        of_order(schema.events, [schema.events.c.at_ms, schema.events.c.event_id]),
        refundable(connection, order, int(held or 0)),
    )


def find_orders(
    connection: Connection, player_id: str, states: Sequence[State], size: int, before: tuple[int, str] | None
) -> Sequence[Row[Any]]:
    """Return orders, newest first, older than `before` (time of making, order id).

    Args:
        player_id: Only his; empty: everybody's.
        states: Only in one of these; empty: in any.
    """
    table = schema.orders
    query = select(table)
    if player_id:
        query = query.where(table.c.player_id == player_id)
    if states:
        query = query.where(table.c.state.in_(states))
    if before is not None:
        query = query.where(tuple_(table.c.created_at_ms, table.c.order_id) < before)
    query = query.order_by(table.c.created_at_ms.desc(), table.c.order_id.desc()).limit(size)
    return connection.execute(query).all()


def open_problems(connection: Connection, size: int, after_id: int) -> Sequence[Row[Any]]:
    """Return problems that nobody has dealt with, oldest first, after one of them."""
    table = schema.problems
    query = select(table).where(table.c.resolved_at_ms == 0, table.c.id > after_id)
    return connection.execute(query.order_by(table.c.id).limit(size)).all()


def all_problems(connection: Connection, size: int, before_id: int) -> Sequence[Row[Any]]:
    """Return problems, dealt with or not, newest first, before one of them (0 = from the newest)."""
    table = schema.problems
    query = select(table)
    if before_id:
        query = query.where(table.c.id < before_id)
    return connection.execute(query.order_by(table.c.id.desc()).limit(size)).all()


def count_problems(connection: Connection) -> int:
    """Return how many problems wait for a person."""
    table = schema.problems
    return int(connection.execute(select(func.count()).where(table.c.resolved_at_ms == 0)).scalar_one())


def resolve_problem(connection: Connection, problem_id: int, staff: Staff, reason: str, now_ms: int) -> None:
    """Mark a problem as dealt with; once it is, nothing changes.

    Raises:
        Refusal: NOT_FOUND.
    """
    table = schema.problems
    query = select(table).where(table.c.id == problem_id).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Refusal("NOT_FOUND", what=str(problem_id))
    if row.resolved_at_ms:
        return
    connection.execute(
        update(table)
        .where(table.c.id == problem_id)
        .values(resolved_at_ms=now_ms, resolved_by=staff.staff_id, resolution=reason)
    )
    detail: dict[str, object] = {"order_id": row.order_id, "problem": row.reason, "event_id": row.event_id}
    note(connection, staff, "topup.resolve_problem", str(problem_id), reason, detail, now_ms)


def open_debts(connection: Connection, size: int, after: tuple[int, str]) -> Sequence[Row[Any]]:
    """Return open debts, oldest first, after one (since when, order id)."""
    table = schema.debts
    query = (
        select(table)
        .where(
            table.c.short_gems > table.c.paid_gems + table.c.forgiven_gems,
            tuple_(table.c.since_ms, table.c.order_id) > after,
        )
        .order_by(table.c.since_ms, table.c.order_id)
        .limit(size)
    )
    return connection.execute(query).all()


def sum_debts(connection: Connection) -> tuple[int, int]:
    """Return how many debts are open, and the gems owed by all of them."""
    c = schema.debts.c
    owed = c.short_gems - c.paid_gems - c.forgiven_gems
    query = select(func.count(), func.coalesce(func.sum(owed), 0)).where(owed > 0)
    number, gems = connection.execute(query).one()
    return int(number), int(gems)
