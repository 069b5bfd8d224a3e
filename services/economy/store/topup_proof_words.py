"""The proof's part about what providers said of orders: what fits none waits for a person, as it was said."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from sqlalchemy import Connection, select

from services.economy.core.money import content_hash
from services.economy.store import topup_schema as schema
from services.economy.store.topup_payments import APPLIED, NOTHING_NEW


def strays(connection: Connection) -> Iterator[str]:
    """Yield what belongs to no order, and webhooks that nobody acted upon and nobody was told of."""
    orders = schema.orders
    for table in (schema.history, schema.returns, schema.debts, schema.waivers):
        lost = (
            select(table.c.order_id)
            .outerjoin(orders, orders.c.order_id == table.c.order_id)
            .where(orders.c.order_id.is_(None))
            .distinct()
            .order_by(table.c.order_id)
        )
        for order_id in connection.scalars(lost):
            yield f"order {order_id}: in {table.name}, but it does not exist"
    events, problems = schema.events, schema.problems
    told = (
        (problems.c.provider == events.c.provider)
        & (problems.c.order_id == events.c.order_id)
        & (problems.c.reason == events.c.outcome)
        & (problems.c.digest == events.c.digest)
    )
    hidden = (
        select(events.c.provider, events.c.event_id, events.c.outcome)
        .outerjoin(problems, told)
        .where(events.c.outcome.not_in((APPLIED, NOTHING_NEW)), problems.c.id.is_(None))
        .order_by(events.c.provider, events.c.event_id)
    )
    for row in connection.execute(hidden):
        yield f"webhook {row.event_id} of {row.provider}: {row.outcome}, but nobody was told"
    yield from _wrong_problems(connection)
    back = schema.returns
    refused = (
        select(back.c.return_id, problems.c.digest)
        .outerjoin(
            problems, (problems.c.order_id == back.c.order_id) & (problems.c.reason == "refund_refused")
        )
        .where(back.c.state == "refused")
    )
    found: dict[str, bool] = {}
    for return_id, digest in connection.execute(refused):
        is_told = digest is not None and bytes(digest) == return_id.encode()
        found[return_id] = found.get(return_id, False) or is_told
    for return_id in sorted(name for name, is_told in found.items() if not is_told):
        yield f"refund {return_id}: refused, but nobody was told"


def _wrong_problems(connection: Connection) -> Iterator[str]:
    """What waits for a person is what was said, and what is kept of that."""
    events, problems, back = schema.events, schema.problems, schema.returns
    query = (
        select(problems, events.c.digest.label("said"), events.c.kind, events.c.amount_fen)
        .outerjoin(
            events, (events.c.provider == problems.c.provider) & (events.c.event_id == problems.c.event_id)
        )
        .order_by(problems.c.id)
    )
    made = select(back).where(back.c.kind == "refund")
    refunds = {
        (row.provider, row.return_id): (row.order_id, row.amount_fen) for row in connection.execute(made)
    }
    for row in connection.execute(query):
        try:
            detail = json.loads(row.detail)
            if row.reason == "refund_refused":
                made_so = refunds.get((row.provider, detail["refund_id"])) == (
                    row.order_id,
                    detail["amount_fen"],
                )
                is_true = made_so and not row.event_id and bytes(row.digest) == detail["refund_id"].encode()
            else:
                said = content_hash(detail["kind"], row.order_id, *(detail[name] for name in _SAID))
                same = (detail["kind"], detail["amount_fen"]) == (row.kind, row.amount_fen)
                is_first = row.said is not None and bytes(row.said) == said
                is_true = bytes(row.digest) == said and (
                    not row.event_id or (is_first and same) or row.reason == "other_content"
                )
        except (ValueError, TypeError, KeyError, AttributeError):
            is_true = False
        if not is_true:
            yield f"problem {row.id} with order {row.order_id}: is not what was said, or that is not kept"


_SAID: Final = ("amount_fen", "currency", "payment_id", "return_id", "at_ms")
