"""What providers say, taken in: each event once, applied or kept for a person, never lost."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, select, update

from services.chassis.db.inserts import upsert
from services.chassis.errors import Outage
from services.economy.core import topup
from services.economy.core.money import content_hash
from services.economy.core.topup_payments import PaymentEvent, PaymentStatus
from services.economy.core.topup_products import Catalogue
from services.economy.store import topup_orders as orders
from services.economy.store import topup_schema as schema
from services.economy.store.bulk import insert_new
from services.economy.store.topup_till import Till

APPLIED: Final = "applied"
REPEATED: Final = "repeated"
NOTHING_NEW: Final = "nothing_new"


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of it."""

    outcome: str
    """`applied`, `repeated`, `nothing_new`, or the reason of the problem it is kept under."""
    player_id: str = ""
    """Whose gems moved; empty = nobody's."""


def take_event(
    connection: Connection,
    provider: str,
    event: PaymentEvent,
    body: bytes,
    catalogue: Catalogue,
    now_ms: int,
) -> Taken:
    """Take in a genuine webhook.

    Raises:
        Outage: The same event is taken in elsewhere at this moment; the provider sends it again.
    """
    digest = _digest(event)
    row = orders.order_of(connection, event.order_id)
    # With the order held, nobody else takes in the same event.
    till = Till(connection, event.order_id, catalogue, now_ms) if row is not None else None
    first = _event(connection, provider, event.event_id)
    if first is not None:
        if bytes(first.digest) == digest:
            return Taken(REPEATED)
        _keep_problem(connection, provider, event, "other_content", digest, now_ms)
        return Taken("other_content")
    if till is None or till.order.provider != provider:
        outcome = "unknown_order"
    else:
        outcome = _contradiction(till, event) or _apply(connection, till, event, now_ms)
        till.flush()
    _keep_event(connection, provider, event, digest, body, outcome, now_ms)
    if outcome not in (APPLIED, NOTHING_NEW):
        _keep_problem(connection, provider, event, outcome, digest, now_ms)
    return Taken(outcome, till.order.player_id if till is not None and till.gems_moved else "")


def take_status(
    connection: Connection,
    provider: str,
    order_id: str,
    status: PaymentStatus,
    catalogue: Catalogue,
    now_ms: int,
) -> Taken:
    """Take in what a provider answered when it was asked about an order, as if its webhooks had come."""
    till = Till(connection, order_id, catalogue, now_ms)
    outcomes = [NOTHING_NEW]
    for event in _as_events(order_id, status):
        outcome = _contradiction(till, event) or _apply(connection, till, event, now_ms, cause="query")
        if outcome not in (APPLIED, NOTHING_NEW):
            _keep_problem(connection, provider, event, outcome, _digest(event), now_ms)
        outcomes.append(outcome)
    till.flush()
    worst = next((one for one in outcomes if one not in (APPLIED, NOTHING_NEW)), "")
    outcome = worst or (APPLIED if APPLIED in outcomes else NOTHING_NEW)
    return Taken(outcome, till.order.player_id if till.gems_moved else "")


def _as_events(order_id: str, status: PaymentStatus) -> list[PaymentEvent]:
    def event(kind: Any, amount_fen: int, return_id: str = "", at_ms: int = 0) -> PaymentEvent:
        return PaymentEvent(
            "", kind, order_id, amount_fen, status.currency, status.payment_id, return_id, at_ms
        )

    if status.state == "waiting":
        return []
    found = [event(status.state, status.amount_fen, at_ms=status.paid_at_ms)]
    for one in status.returns:
        if one.kind == "chargeback_reversed":
            found.append(event("charged_back", one.amount_fen, one.return_id))
        found.append(event(one.kind, one.amount_fen, one.return_id))
    return found


def _contradiction(till: Till, event: PaymentEvent) -> str:
    """Return why an event can't be about this order; empty = it can."""
    order = till.order
    if event.kind == "closed":
        return ""
    if event.currency != order.currency:
        return "wrong_currency"
    if event.kind == "paid":
        if event.amount_fen != order.price_fen:
            return "wrong_amount"
        if order.paid_at_ms and event.payment_id != order.payment_id:
            return "paid_twice"
        return ""
    if not event.return_id or not 0 < event.amount_fen <= order.price_fen:
        return "wrong_amount"
    return ""


def _apply(
    connection: Connection, till: Till, event: PaymentEvent, now_ms: int, cause: str = "provider_event"
) -> str:
    order = till.order
    if event.kind == "paid":
        if order.paid_at_ms:
            return NOTHING_NEW
        till.pay(event.payment_id, event.at_ms, cause, event.event_id)
        return APPLIED
    if event.kind == "closed":
        if order.state not in topup.OPEN:
            return NOTHING_NEW
        till.order = orders.move(
            connection, order, "closed", cause, event.event_id, now_ms, look_at_ms=0, pay_url=""
        )
        return APPLIED
    outcome = _take_return(connection, till, event, now_ms)
    if outcome in (APPLIED, "returned_more_than_paid"):
        kind = "refund" if event.kind == "refunded" else "chargeback"
        till.rebalance(cause, event.event_id or event.return_id, kind)
        if not till.order.paid_at_ms:
            # It must have been paid, and that word is late or lost: ask.
            orders.look_again(connection, order.order_id, now_ms)
    return outcome


def _take_return(connection: Connection, till: Till, event: PaymentEvent, now_ms: int) -> str:
    """Write down that money went back, or that a bank changed its mind."""
    order, table = till.order, schema.returns
    state = "reversed" if event.kind == "chargeback_reversed" else "done"
    known = connection.execute(
        select(table).where(table.c.provider == order.provider, table.c.return_id == event.return_id)
    ).one_or_none()
    if known is not None:
        is_same_kind = (known.kind == "chargeback") == (event.kind != "refunded")
        is_same = known.order_id == order.order_id and known.amount_fen == event.amount_fen
        if not (is_same and is_same_kind):
            return "return_contradicts"
        if known.state in (state, "reversed"):
            return NOTHING_NEW
        same = (table.c.provider == order.provider) & (table.c.return_id == event.return_id)
        connection.execute(update(table).where(same).values(state=state, look_at_ms=0))
        return APPLIED
    row = {
        "provider": order.provider,
        "return_id": event.return_id,
        "order_id": order.order_id,
        "kind": "provider_refund" if event.kind == "refunded" else "chargeback",
        "state": state,
        "amount_fen": event.amount_fen,
        "staff_id": "",
        "request_key": None,
        "reason": "",
        "at_ms": now_ms,
        "look_at_ms": 0,
    }
    insert_new(connection, table, row)
    active = sum(one.amount_fen for one in till.returns() if one.state in ("asked", "done"))
    return "returned_more_than_paid" if active > order.price_fen else APPLIED


def _event(connection: Connection, provider: str, event_id: str) -> Row[Any] | None:
    table = schema.events
    query = select(table).where(table.c.provider == provider, table.c.event_id == event_id)
    return connection.execute(query).one_or_none()


def _keep_event(
    connection: Connection,
    provider: str,
    event: PaymentEvent,
    digest: bytes,
    body: bytes,
    outcome: str,
    now_ms: int,
) -> None:
    row = {
        "provider": provider,
        "event_id": event.event_id,
        "order_id": event.order_id,
        "kind": event.kind,
        "amount_fen": event.amount_fen,
        "digest": digest,
        "body": body,
        "outcome": outcome,
        "at_ms": now_ms,
    }
    done = connection.execute(upsert(connection, schema.events).values(row).on_conflict_do_nothing())
    if not done.rowcount:
        # Events of one id that name different orders are not held apart by an order.
        raise Outage(f"event {event.event_id} of {provider} is taken in twice at once")


def _keep_problem(
    connection: Connection, provider: str, event: PaymentEvent, reason: str, digest: bytes, now_ms: int
) -> None:
    """Keep what nobody acted upon, once however often it comes."""
    detail = {
        "kind": event.kind,
        "amount_fen": event.amount_fen,
        "currency": event.currency,
        "payment_id": event.payment_id,
        "return_id": event.return_id,
        "at_ms": event.at_ms,
    }
    row = {
        "provider": provider,
        "event_id": event.event_id,
        "order_id": event.order_id,
        "reason": reason,
        "digest": digest,
        "detail": json.dumps(detail, ensure_ascii=False, separators=(",", ":")),
        "at_ms": now_ms,
        "resolved_at_ms": 0,
    }
    connection.execute(upsert(connection, schema.problems).values(row).on_conflict_do_nothing())


def _digest(event: PaymentEvent) -> bytes:
    return content_hash(
        event.kind,
        event.order_id,
        event.amount_fen,
        event.currency,
        event.payment_id,
        event.return_id,
        event.at_ms,
    )
