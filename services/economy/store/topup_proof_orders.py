"""The proof's part about orders of gems: each is what its steps, returns, entries and webhooks say."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, Row, Table, and_, case, func, literal, or_, select

from services.economy.core import topup
from services.economy.core.topup_payments import EVENT_KINDS
from services.economy.store import schema as book
from services.economy.store import topup_schema as schema
from services.economy.store.bulk import among
from services.economy.store.topup_orders import ordered_hash
from services.economy.store.topup_payments import APPLIED
from services.economy.store.topup_till import PROMOTION_USED

PAGE: Final = 500

_GEMS: Final = ("topup", "topup_bonus", "refund", "chargeback", "refund_undone", "debt")

Rows = Sequence[Row[Any]]


@dataclass(frozen=True, slots=True)
class _Whole:
    """An order, and all that belongs to it."""

    order: Row[Any]
    steps: Rows
    returns: Rows
    events: Rows
    debt: Row[Any] | None
    waived: int


def wrong_orders(connection: Connection) -> Iterator[str]:
    """Yield the orders that are not what all that is kept of them comes to."""
    after = ""
    while page := _page(connection, after):
        after = page[-1].order.order_id
        for one in page:
            for problem in _problems(one):
                yield f"order {one.order.order_id}: {problem}"


def orders_of_other_entries(connection: Connection) -> Iterator[str]:
    """Yield the orders whose gems came to somebody else, from somewhere else, or not once; one scan."""
    of, line, order, debt = book.transfers.c, book.entries.c, schema.orders.c, schema.debts.c
    purse, source = literal("wallet/") + order.player_id, literal("provider/") + order.provider
    is_his = line.account == purse

    def came(kind: str) -> ColumnElement[int]:
        return func.sum(case((and_(of.kind == kind, is_his), line.amount), else_=0)).label(kind)

    moved = (
        select(
            order.order_id,
            came("topup"),
            came("topup_bonus"),
            came("debt"),
            func.sum(case((or_(is_his, line.account == source), 0), else_=1)).label("elsewhere"),
        )
        .join_from(book.transfers, book.entries, line.transfer_id == of.id)
        .join(schema.orders, order.order_id == of.reference)
        .where(of.kind.in_(_GEMS))
        .group_by(order.order_id)
        .subquery()
    )
    came_in, on_top, paid_off = (func.coalesce(moved.c[kind], 0) for kind in ("topup", "topup_bonus", "debt"))
    is_paid, paid_gems = order.paid_at_ms > 0, func.coalesce(debt.paid_gems, 0)
    wrong = or_(
        came_in != case((is_paid, order.gems), else_=0),
        on_top != case((is_paid, order.bonus_gems), else_=0),
        paid_off != -paid_gems,
        moved.c.elsewhere > 0,
    )
    query = (
        select(
            schema.orders,
            came_in.label("came"),
            on_top.label("on_top"),
            paid_off.label("paid_off"),
            paid_gems.label("paid"),
        )
        .outerjoin(moved, moved.c.order_id == order.order_id)
        .outerjoin(schema.debts, debt.order_id == order.order_id)
        .where(wrong)
        .order_by(order.order_id)
    )
    for row in connection.execute(query):
        due = (row.gems, row.bonus_gems) if row.paid_at_ms else (0, 0)
        yield (
            f"order {row.order_id}: {row.came} and {row.on_top} gems came to {row.player_id} "
            f"of {row.provider}, {due[0]} and {due[1]} are due; "
            f"{-row.paid_off} paid its debt, that says {row.paid}"
        )


def _problems(one: _Whole) -> Iterator[str]:
    if one.order.content_hash is not None and bytes(one.order.content_hash) != ordered_hash(
        one.order._mapping
    ):
        yield "is not what was ordered"
    yield from _wrong_steps(one)
    yield from _wrong_state(one)
    yield from _wrong_debt(one)
    yield from _wrong_returns(one)
    yield from _unasked(one)
    yield from _wrong_payment(one)


def _wrong_steps(one: _Whole) -> Iterator[str]:
    """From the first step to where it is: each follows from the one before, and none is missing."""
    order, steps = one.order, one.steps
    ways = [(step.before, step.after) for step in steps]
    if not ways or ways[0] != ("", "created") or ways[-1][1] != order.state:
        yield f"{order.state}, its steps are {ways}"
        return
    for (_, came), (before, after) in pairwise(ways):
        if came != before or (after != before and after not in topup.NEXT[before]):
            yield f"its steps lead from {came} by {before} to {after}"
    if len(steps) != order.version + 1:
        yield f"{len(steps)} steps are kept of {order.version + 1}"
    if steps[0].at_ms != order.created_at_ms:
        yield f"made at {order.created_at_ms}, its first step is of {steps[0].at_ms}"
    if steps[0].detail != order.product_id:
        yield f"of {order.product_id}, {steps[0].detail} was ordered"
    if bool(order.promotion_id) != bool(order.bonus_gems):
        yield f"{order.bonus_gems} gems on top by promotion {order.promotion_id!r}"


def _wrong_state(one: _Whole) -> Iterator[str]:
    """Where it is, and what went back, follows from its returns alone."""
    order = one.order
    if not order.paid_at_ms:
        if order.state in topup.PAID or order.payment_id or order.returned_fen or order.returned_gems:
            yield f"{order.state} of payment {order.payment_id!r}, but it was never paid"
        return
    active = [row for row in one.returns if row.state in ("asked", "done")]
    fen = min(order.price_fen, sum(row.amount_fen for row in active))
    charged = sum(row.amount_fen for row in active if row.kind == "chargeback")
    state = topup.state_of_paid(order.price_fen, fen, charged)
    gems = topup.gems_back(order.gems + order.bonus_gems, order.price_fen, fen)
    if (order.state, order.returned_fen, order.returned_gems) != (state, fen, gems):
        yield (
            f"{order.state}, {order.returned_fen} fen and {order.returned_gems} gems went back; "
            f"its returns come to {state}, {fen} and {gems}"
        )


def _wrong_debt(one: _Whole) -> Iterator[str]:
    order, debt = one.order, one.debt
    if debt is None:
        if one.waived:
            yield f"{one.waived} gems of a debt were waived, but there is none"
        return
    if (debt.player_id, debt.provider) != (order.player_id, order.provider):
        yield f"of {order.player_id} and {order.provider}, its debt of {debt.player_id} and {debt.provider}"
    covered = one.waived - debt.waived_gems
    is_undone = any(row.state in ("reversed", "refused") for row in one.returns)
    # What was waived is less only where a bank or a provider changed its mind.
    if covered < 0 or (covered and not is_undone) or one.waived > debt.forgiven_gems:
        yield (
            f"{one.waived} gems of its debt were waived, it says {debt.waived_gems} "
            f"of {debt.forgiven_gems} forgiven"
        )


def _unasked(one: _Whole) -> Iterator[str]:
    """Each refund of staff has its step under the id the provider is asked by, each step has its refund."""
    asked = {step.detail for step in one.steps if step.cause == "staff"}
    refunds = {row.return_id for row in one.returns if row.kind == "refund"}
    for return_id in sorted(asked ^ refunds):
        yield f"refund {return_id}: " + ("no step is of it" if return_id in refunds else "is not kept")


def _wrong_returns(one: _Whole) -> Iterator[str]:
    for row in one.returns:
        said = f"{row.kind} {row.return_id}"
        if row.provider != one.order.provider:
            yield f"{said} is of {row.provider}"
        is_ours = row.kind == "refund"
        if (
            is_ours != (row.request_key is not None)
            or is_ours != bool(row.staff_id)
            or is_ours != bool(row.reason)
        ):
            yield f"{said} was decided by {row.staff_id!r} under {row.request_key!r}: {row.reason!r}"
        elif is_ours and not str(row.request_key).startswith(f"{row.staff_id}/"):
            yield f"{said} was decided by {row.staff_id!r} under {row.request_key!r}"
        if row.state in ("asked", "refused") and not is_ours:
            yield f"{said} is {row.state}"
        if row.state == "reversed" and row.kind != "chargeback":
            yield f"{said} is {row.state}"
        if (row.state == "asked") != (row.look_at_ms > 0):
            yield f"{said} is {row.state}, the provider is asked again at {row.look_at_ms}"


def _wrong_payment(one: _Whole) -> Iterator[str]:
    """What a webhook did is what it said: to this order, of this payment, of this price."""
    order = one.order
    events = {row.event_id: row for row in one.events if row.provider == order.provider}
    unnamed = dict(events)
    for step in one.steps:
        event_id = step.detail.removesuffix(f" {PROMOTION_USED}")
        if step.cause != "provider_event":
            continue
        event = events.get(event_id)
        unnamed.pop(event_id, None)
        is_first = step.before in _UNPAID and step.after in ("paid", "closed")
        kinds = (step.after,) if is_first else EVENT_KINDS
        if event is None or event.kind not in kinds or event.outcome not in _ACTED_UPON:
            yield f"{step.after} by webhook {event_id!r}, which is not kept as such"
        elif is_first and step.after == "paid" and event.amount_fen != order.price_fen:
            yield f"costs {order.price_fen} fen, {event.amount_fen} were paid"
    sums = [(row.kind == "chargeback", row.amount_fen) for row in one.returns]
    for event in events.values():
        if event.outcome != APPLIED:
            continue
        if event.kind in ("paid", "closed"):
            if event.event_id in unnamed:
                yield f"webhook {event.event_id!r} was applied, but no step is of it"
        elif (event.kind != "refunded", event.amount_fen) not in sums:
            yield f"webhook {event.event_id!r} was applied, but nothing that went back is of it"


_ACTED_UPON: Final = (APPLIED, "returned_more_than_paid")
_UNPAID: Final = frozenset(topup.STATES) - frozenset(topup.PAID)


def _page(connection: Connection, after: str) -> list[_Whole]:
    orders = schema.orders
    query = select(orders).where(orders.c.order_id > after).order_by(orders.c.order_id).limit(PAGE)
    rows = connection.execute(query).all()
    ids = [row.order_id for row in rows]
    if not ids:
        return []
    steps = _by_order(connection, schema.history, ids, schema.history.c.id)
    returns = _by_order(connection, schema.returns, ids, schema.returns.c.return_id)
    events = _by_order(connection, schema.events, ids, schema.events.c.event_id)
    debts = _by_order(connection, schema.debts, ids, schema.debts.c.order_id)
    waivers = _by_order(connection, schema.waivers, ids, schema.waivers.c.request_key)
    return [
        _Whole(
            row,
            steps[row.order_id],
            returns[row.order_id],
            events[row.order_id],
            next(iter(debts[row.order_id]), None),
            sum(one.gems for one in waivers[row.order_id]),
        )
        for row in rows
    ]


def _by_order(
    connection: Connection, table: Table, ids: Sequence[str], order: Any
) -> dict[str, list[Row[Any]]]:
    found: dict[str, list[Row[Any]]] = defaultdict(list)
    for row in connection.execute(
        select(table).where(among(connection, table.c.order_id, ids)).order_by(order)
    ):
        found[row.order_id].append(row)
    return found
