"""Refunds that staff decide on: the gems first, then the money, and never more than is there to go back."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from paiju.economy.v1.staff_events_pb2 import StaffActed
from sqlalchemy import Connection, Row, and_, func, insert, or_, select, update

from services.chassis import outbox
from services.chassis.auth import Staff
from services.chassis.errors import Refusal
from services.economy.core import topup
from services.economy.core.topup_payments import RefundAnswer
from services.economy.core.topup_products import Catalogue
from services.economy.store import topup_orders as orders
from services.economy.store import topup_schema as schema
from services.economy.store.bulk import insert_new
from services.economy.store.topup_till import Till

ASK_AGAIN_MS: Final = 60_000
"""So long after it was asked for a refund is asked for again, if nothing was heard of it."""


@dataclass(frozen=True, slots=True)
class Wish:
    """A refund that somebody of the staff wants."""

    refund_id: str
    """For the provider, if this is no repeat."""
    request_id: str
    order_id: str
    amount_fen: int
    reason: str
    staff: Staff
    even_if_spent: bool = False
    """Gems that are spent become a debt; otherwise they can't go back."""

    @property
    def request_key(self) -> str:
        """Under which a repeat is known."""
        return f"{self.staff.staff_id}/{self.request_id}"


@dataclass(frozen=True, slots=True)
class Refundable:
    """How much of an order can go back now."""

    unspent_gems: int
    fen: int


def refundable(connection: Connection, order: Row[Any], held_gems: int) -> Refundable:
    """Return how much of an order can go back, its player holding so many gems."""
    if not order.paid_at_ms:
        return Refundable(0, 0)
    gems = order.gems + order.bonus_gems
    c = schema.orders.c
    newer = or_(
        c.paid_at_ms > order.paid_at_ms,
        and_(c.paid_at_ms == order.paid_at_ms, c.order_id > order.order_id),
    )
    later = func.coalesce(func.sum(c.gems + c.bonus_gems - c.returned_gems), 0)
    query = select(later).where(c.player_id == order.player_id, c.paid_at_ms > 0, newer)
    unspent = topup.unspent_of(
        held_gems, int(connection.execute(query).scalar_one()), gems - order.returned_gems
    )
    return Refundable(unspent, topup.refundable_fen(gems, order.price_fen, order.returned_fen, unspent))


def ask(
    connection: Connection, wish: Wish, catalogue: Catalogue, now_ms: int
) -> tuple[Row[Any], Row[Any], bool]:
    """Take the gems of a refund back and write down that the provider is to be asked for it.

    Of gems that are spent, a refund that is made all the same leaves a debt.

    Returns:
        The refund, the order then, and whether this is new (False: a repeat).

    Raises:
        Refusal: ORDER_UNKNOWN, ORDER_NOT_PAID; REFUND_TOO_LARGE: more than was paid and is not yet back;
            REFUND_SPENT: its gems are spent, and it is not wanted all the same; REQUEST_ID_REUSED.
    """
    if orders.order_of(connection, wish.order_id) is None:
        raise Refusal("ORDER_UNKNOWN")
    till = Till(connection, wish.order_id, catalogue, now_ms)
    known = _by_request(connection, wish.request_key)
    if known is not None:
        asked = (known.order_id, known.amount_fen, known.reason, known.even_if_spent)
        if asked != (wish.order_id, wish.amount_fen, wish.reason, wish.even_if_spent):
            raise Refusal("REQUEST_ID_REUSED")
        return known, till.order, False
    order = till.order
    if not order.paid_at_ms:
        raise Refusal("ORDER_NOT_PAID")
    left = order.price_fen - order.returned_fen
    if not 1 <= wish.amount_fen <= left:
        raise Refusal("REFUND_TOO_LARGE", most_fen=left)
    most = refundable(connection, order, till.held_gems)
    if wish.amount_fen > most.fen and not wish.even_if_spent:
        raise Refusal("REFUND_SPENT", most_fen=most.fen, unspent=most.unspent_gems)
    row = {
        "provider": order.provider,
        "return_id": wish.refund_id,
        "order_id": wish.order_id,
        "kind": "refund",
        "state": "asked",
        "amount_fen": wish.amount_fen,
        "staff_id": wish.staff.staff_id,
        "request_key": wish.request_key,
        "reason": wish.reason,
        "even_if_spent": wish.even_if_spent,
        "at_ms": now_ms,
        "look_at_ms": now_ms + ASK_AGAIN_MS,
    }
    insert_new(connection, schema.returns, row)
    till.rebalance("staff", wish.refund_id, "refund")
    till.flush()
    detail = {
        "amount_fen": wish.amount_fen,
        "gems": till.order.returned_gems - order.returned_gems,
        "player_id": order.player_id,
        "refund_id": wish.refund_id,
    }
    note(connection, wish.staff, "topup.refund", wish.order_id, wish.reason, detail, now_ms)
    refund = _by_request(connection, wish.request_key)
    assert refund is not None, "it was written just now"
    return refund, till.order, True


def answer(
    connection: Connection, refund: Row[Any], said: RefundAnswer, catalogue: Catalogue, now_ms: int
) -> tuple[Row[Any], Row[Any]]:
    """Take in what the provider answered to a refund: done, or gems go to the player again if it will not be.

    Returns:
        The refund and the order then.
    """
    till = Till(connection, refund.order_id, catalogue, now_ms)
    table = schema.returns
    same = and_(table.c.provider == refund.provider, table.c.return_id == refund.return_id)
    now = connection.execute(select(table).where(same)).one()
    if now.state == "asked":
        look_at_ms = now_ms + ASK_AGAIN_MS if said == "pending" else 0
        state = {"done": "done", "refused": "refused", "pending": "asked"}[said]
        connection.execute(update(table).where(same).values(state=state, look_at_ms=look_at_ms))
        if said == "refused":
            till.rebalance("refund_refused", refund.return_id)
            till.flush()
            _keep_refused(connection, refund, now_ms)
        now = connection.execute(select(table).where(same)).one()
    return now, till.order


def asked(connection: Connection, provider: str, now_ms: int, limit: int) -> Sequence[Row[Any]]:
    """Return refunds that the provider is to be asked for again."""
    table = schema.returns
    query = (
        select(table)
        .where(table.c.provider == provider, table.c.state == "asked", table.c.look_at_ms <= now_ms)
        .order_by(table.c.look_at_ms, table.c.return_id)
        .limit(limit)
    )
    return connection.execute(query).all()


def ask_later(connection: Connection, refund: Row[Any], look_at_ms: int) -> None:
    """Put off asking for a refund again."""
    table = schema.returns
    same = and_(table.c.provider == refund.provider, table.c.return_id == refund.return_id)
    connection.execute(update(table).where(same).values(look_at_ms=look_at_ms))


def note(
    connection: Connection,
    staff: Staff,
    action: str,
    subject: str,
    reason: str,
    detail: dict[str, object],
    now_ms: int,
) -> None:
    """Say what staff did, in the transaction of the deed."""
    acted = StaffActed(
        staff_id=staff.staff_id,
        role=staff.role,
        action=action,
        subject=subject,
        reason=reason,
        detail_json=json.dumps(detail, ensure_ascii=False, separators=(",", ":"), sort_keys=True),
        at_ms=now_ms,
    )
    of = detail.get("refund_id", "") or detail.get("request_id", "")
    outbox.put(connection, acted, f"staff:{action}:{subject}:{of}")


def _by_request(connection: Connection, request_key: str) -> Row[Any] | None:
    table = schema.returns
    return connection.execute(select(table).where(table.c.request_key == request_key)).one_or_none()


def _keep_refused(connection: Connection, refund: Row[Any], now_ms: int) -> None:
    row = {
        "provider": refund.provider,
        "event_id": "",
        "order_id": refund.order_id,
        "reason": "refund_refused",
        "digest": refund.return_id.encode(),
        "detail": json.dumps({"refund_id": refund.return_id, "amount_fen": refund.amount_fen}),
        "at_ms": now_ms,
        "resolved_at_ms": 0,
    }
    connection.execute(insert(schema.problems), row)
