"""The sandbox provider's own books: payments, what went back, webhooks it owes. It never looks at orders."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, Literal

from sqlalchemy import Connection, Row, func, insert, select, update

from services.chassis.db.inserts import upsert
from services.chassis.errors import Refusal
from services.economy.core.topup_payments import (
    PaymentStatus,
    Purchase,
    RefundAnswer,
    RefundAsked,
    ReturnFact,
)
from services.economy.store import topup_schema as schema

Act = Literal["pay", "pay_silently", "decline", "charge_back"]

TRIES_MAX: Final = 12
"""So often a webhook is sent; doubling its wait each time, the last is after about an hour."""
FIRST_WAIT_MS: Final = 1_000


def register(connection: Connection, payment_id: str, purchase: Purchase) -> str:
    """Write down a payment that may be made, once per order, and return its id."""
    table = schema.sandbox_payments
    row = {
        "payment_id": payment_id,
        "order_id": purchase.order_id,
        "amount_fen": purchase.amount_fen,
        "currency": purchase.currency,
        "title_zh": purchase.title_zh,
        "title_en": purchase.title_en,
        "state": "waiting",
        "expires_at_ms": purchase.expires_at_ms,
        "paid_at_ms": 0,
    }
    connection.execute(upsert(connection, table).values(row).on_conflict_do_nothing())
    query = select(table.c.payment_id).where(table.c.order_id == purchase.order_id)
    return str(connection.execute(query).scalar_one())


def payment_of(connection: Connection, payment_id: str) -> Row[Any]:
    """Return a payment.

    Raises:
        Refusal: NOT_FOUND.
    """
    return _held(connection, schema.sandbox_payments.c.payment_id == payment_id)


def act(connection: Connection, payment_id: str, what: Act, event_ids: tuple[str, str], now_ms: int) -> str:
    """Do what a person chose on the pay page, and return the state then; what can't be done does nothing."""
    table = schema.sandbox_payments
    row = payment_of(connection, payment_id)
    if what == "charge_back":
        if row.state == "paid" and (left := row.amount_fen - _returned(connection, row.order_id)) > 0:
            _give_back(connection, row, event_ids[1], "charged_back", left, event_ids[0], now_ms)
        return str(row.state)
    if row.state != "waiting" or now_ms >= row.expires_at_ms:
        return str(row.state)
    state = "closed" if what == "decline" else "paid"
    paid_at_ms = now_ms if state == "paid" else 0
    connection.execute(
        update(table).where(table.c.payment_id == payment_id).values(state=state, paid_at_ms=paid_at_ms)
    )
    if what != "pay_silently":
        _owe_webhook(connection, row, event_ids[0], state, row.amount_fen, "", now_ms)
    return state


def status_of(connection: Connection, order_id: str, *, close: bool = False) -> PaymentStatus | None:
    """Return how an order stands; with `close` nobody can pay it afterwards."""
    table = schema.sandbox_payments
    query = select(table).where(table.c.order_id == order_id).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        return None
    state = row.state
    if close and state == "waiting":
        state = "closed"
        connection.execute(update(table).where(table.c.order_id == order_id).values(state=state))
    back = schema.sandbox_returns
    returns = connection.execute(
        select(back).where(back.c.order_id == order_id).order_by(back.c.at_ms, back.c.return_id)
    )
    return PaymentStatus(
        state,
        row.amount_fen,
        row.currency,
        row.payment_id,
        row.paid_at_ms,
        tuple(ReturnFact(one.return_id, one.kind, one.amount_fen) for one in returns),
    )


def refund(connection: Connection, asked: RefundAsked, event_id: str, now_ms: int) -> RefundAnswer:
    """Give money back, once per refund id; a webhook says so, too."""
    back = schema.sandbox_returns
    known = connection.execute(select(back).where(back.c.return_id == asked.refund_id)).one_or_none()
    if known is not None:
        return "done"
    table = schema.sandbox_payments
    row = _held(connection, table.c.order_id == asked.order_id)
    if row.state != "paid" or asked.amount_fen > row.amount_fen - _returned(connection, row.order_id):
        return "refused"
    _give_back(connection, row, asked.refund_id, "refunded", asked.amount_fen, event_id, now_ms)
    return "done"


def due(connection: Connection, now_ms: int, limit: int) -> Sequence[Row[Any]]:
    """Return webhooks that are to be sent now, oldest first."""
    table = schema.sandbox_deliveries
    query = select(table).where(table.c.done_at_ms == 0, table.c.due_at_ms <= now_ms)
    return connection.execute(query.order_by(table.c.id).limit(limit)).all()


def sent(connection: Connection, delivery_id: int, tries: int, is_taken: bool, now_ms: int) -> None:
    """Note how sending a webhook went; given up after `TRIES_MAX`."""
    table = schema.sandbox_deliveries
    is_over = is_taken or tries >= TRIES_MAX
    connection.execute(
        update(table)
        .where(table.c.id == delivery_id)
        .values(
            tries=tries,
            due_at_ms=now_ms + FIRST_WAIT_MS * 2 ** min(tries, TRIES_MAX),
            done_at_ms=now_ms if is_over else 0,
        )
    )


def _held(connection: Connection, which: Any) -> Row[Any]:
    query = select(schema.sandbox_payments).where(which).with_for_update()
    row = connection.execute(query).one_or_none()
    if row is None:
        raise Refusal("NOT_FOUND", what="payment")
    return row


def _returned(connection: Connection, order_id: str) -> int:
    back = schema.sandbox_returns
    total = func.coalesce(func.sum(back.c.amount_fen), 0)
    return int(connection.execute(select(total).where(back.c.order_id == order_id)).scalar_one())


def _give_back(
    connection: Connection,
    row: Row[Any],
    return_id: str,
    kind: str,
    amount_fen: int,
    event_id: str,
    now_ms: int,
) -> None:
    new = {
        "return_id": return_id,
        "order_id": row.order_id,
        "kind": kind,
        "amount_fen": amount_fen,
        "at_ms": now_ms,
    }
    connection.execute(insert(schema.sandbox_returns), new)
    _owe_webhook(connection, row, event_id, kind, amount_fen, return_id, now_ms)


def _owe_webhook(
    connection: Connection,
    row: Row[Any],
    event_id: str,
    kind: str,
    amount_fen: int,
    return_id: str,
    now_ms: int,
) -> None:
    said = {
        "event_id": event_id,
        "kind": kind,
        "order_id": row.order_id,
        "amount_fen": amount_fen,
        "currency": row.currency,
        "payment_id": row.payment_id,
        "return_id": return_id,
        "at_ms": now_ms,
    }
    body = json.dumps(said, separators=(",", ":")).encode()
    delivery = {"body": body, "tries": 0, "due_at_ms": now_ms, "done_at_ms": 0}
    connection.execute(insert(schema.sandbox_deliveries), delivery)
