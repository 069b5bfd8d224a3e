"""The proof's part about what was told: of every stake that closed, of every order that was paid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from google.protobuf.message import DecodeError, Message
from paiju.economy.v1.events_pb2 import StakeClosed
from paiju.economy.v1.topup_events_pb2 import TopUpPaid
from sqlalchemy import Connection, Text, and_, cast, select

from services.economy.store import schema, topup_schema
from services.economy.store.proof_rounds import EVENT_MS

_OUTBOX, _OF, _ENTRIES = schema.outbox, schema.transfers, schema.entries


def wrong_tales(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield what happened within the last day and was not told, or told otherwise, to the other services."""
    since = now_ms - EVENT_MS
    closed = (
        select(
            _OF.c.reference.label("what"), _ENTRIES.c.owner.label("whose"), _ENTRIES.c.amount.label("much"),
            _OUTBOX.c.payload, _OUTBOX.c.type,
        )
        .join(_ENTRIES, and_(_ENTRIES.c.transfer_id == _OF.c.id, _ENTRIES.c.amount > 0))
        .outerjoin(_OUTBOX, _OUTBOX.c.event_id == cast("stake_closed:" + _OF.c.reference, Text))
        .where(_OF.c.kind == "stake_close", _OF.c.at_ms > since)
        .order_by(_OF.c.reference)
    )  # fmt: skip
    orders, steps = topup_schema.orders, topup_schema.history
    paid = (
        select(
            orders.c.order_id.label("what"), orders.c.player_id.label("whose"),
            (orders.c.gems + orders.c.bonus_gems).label("much"), _OUTBOX.c.payload, _OUTBOX.c.type,
        )
        .join(steps, and_(steps.c.order_id == orders.c.order_id, steps.c.after == "paid"))
        .outerjoin(_OUTBOX, _OUTBOX.c.event_id == cast("topup_paid:" + orders.c.order_id, Text))
        .where(steps.c.before.in_(_UNPAID), steps.c.at_ms > since)
        .order_by(orders.c.order_id)
    )  # fmt: skip
    for query, kind in ((closed, StakeClosed), (paid, TopUpPaid)):
        for row in connection.execute(query.execution_options(yield_per=1_000)):
            problem = _problem(row, kind)
            if problem:
                yield f"{'stake' if kind is StakeClosed else 'order'} {row.what}: {problem}"


_UNPAID: Final = ("created", "waiting", "expired", "closed")


def _problem(row: Any, kind: type[Message]) -> str:
    done = "closed" if kind is StakeClosed else "paid"
    if row.payload is None:
        return f"{done}, but nobody was told"
    if row.type != kind.DESCRIPTOR.full_name:
        return f"{done}, told as a {row.type}"
    try:
        event: Any = kind.FromString(row.payload)
    except DecodeError as error:
        return f"what was told of it can't be read: {error}"
    if kind is StakeClosed:
        whose = "" if event.player_id.startswith("bot:") else event.player_id
        said, much = (f"{event.match_id}/{event.seat}", whose), event.amount
    else:
        said, much = (event.order_id, event.player_id), event.gems
    if (*said, much) != (row.what, row.whose, row.much):
        return f"{done} with {row.much} of {row.whose!r}, told as {much} of {said[1]!r}"
    return ""
