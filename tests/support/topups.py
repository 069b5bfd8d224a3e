"""Orders of gems in a book, and a provider's word about them; for tests of top-ups."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import Connection, Row, select

from services.chassis.auth import Staff
from services.economy.core.topup_payments import EventKind, PaymentEvent, PaymentStatus, RefundAnswer
from services.economy.core.topup_products import Catalogue, parse_catalogue
from services.economy.store import (
    schema,
    topup_desk,
    topup_exchange,
    topup_orders,
    topup_payments,
    topup_refunds,
)
from services.economy.store import topup_schema as tables
from services.economy.store.proof import prove

NOW_MS = 1_790_000_000_000
PROVIDER = "sandbox"
STAFF = Staff("p_staff", "money")

CATALOGUE: Catalogue = parse_catalogue(
    {
        "products": [
            {"id": "small", "gems": 60, "price_fen": 600, "title": {"zh": "小", "en": "small"}},
            {"id": "large", "gems": 700, "price_fen": 6_801, "title": {"zh": "大", "en": "large"}},
        ],
        "promotions": [
            {
                "id": "first",
                "title": {"zh": "首充", "en": "first"},
                "products": ["small"],
                "bonus_percent": 50,
                "first_only": True,
            }
        ],
        "packs": [
            {
                "id": "gold",
                "gems": 20,
                "currency": "gold",
                "amount": 1_000,
                "title": {"zh": "金币", "en": "gold"},
            }
        ],
    }
)


def new_order(
    connection: Connection,
    order_id: str,
    player_id: str = "p_a",
    product_id: str = "small",
    now_ms: int = NOW_MS,
) -> Row[Any]:
    """Write an order that the provider waits for."""
    product = CATALOGUE.product(product_id)
    assert product is not None
    new = topup_orders.NewOrder(
        order_id, player_id, f"request of {order_id}", product, PROVIDER, now_ms + 1_800_000, now_ms + 30_000
    )
    spent = topup_orders.spent_since(connection, player_id, 0)
    topup_orders.make_order(connection, new, CATALOGUE, (0, spent), 100, now_ms)
    return topup_orders.open_at_provider(connection, order_id, "/sandbox-pay/x", now_ms)


def event(
    event_id: str,
    kind: EventKind = "paid",
    order_id: str = "o_1",
    amount_fen: int = 600,
    return_id: str = "",
    currency: str = "CNY",
    payment_id: str = "",
) -> PaymentEvent:
    """Return what a provider says."""
    return PaymentEvent(
        event_id, kind, order_id, amount_fen, currency, payment_id or f"pay_{order_id}", return_id, NOW_MS
    )


def take(connection: Connection, said: PaymentEvent, now_ms: int = NOW_MS) -> str:
    """Take in a webhook, and return what became of it."""
    return topup_payments.take_event(connection, PROVIDER, said, b"{}", CATALOGUE, now_ms).outcome


def ask(connection: Connection, order_id: str, status: PaymentStatus, now_ms: int = NOW_MS) -> str:
    """Take in what the provider answered about an order, and return what became of it."""
    return topup_payments.take_status(connection, PROVIDER, order_id, status, CATALOGUE, now_ms).outcome


def refund(
    connection: Connection,
    order_id: str,
    amount_fen: int,
    request_id: str = "r",
    answer: RefundAnswer | None = "done",
    even_if_spent: bool = False,
) -> tuple[Row[Any], Row[Any]]:
    """Refund as staff does; `answer` None: the provider was not reached."""
    wish = topup_refunds.Wish(
        f"r_{request_id}", request_id, order_id, amount_fen, "asked by the player", STAFF, even_if_spent
    )
    asked, order, _ = topup_refunds.ask(connection, wish, CATALOGUE, NOW_MS)
    if answer is None:
        return asked, order
    return topup_refunds.answer(connection, asked, answer, CATALOGUE, NOW_MS)


def spend(connection: Connection, player_id: str = "p_a", request_id: str = "x") -> None:
    """Spend 20 gems."""
    pack = CATALOGUE.pack("gold")
    assert pack is not None
    topup_exchange.exchange(connection, player_id, request_id, pack, NOW_MS)


def gems(connection: Connection, player_id: str = "p_a") -> int:
    """Return the gems in a wallet."""
    c = schema.accounts.c
    query = select(c.balance).where(c.id == f"wallet/{player_id}", c.currency == "gem")
    return int(connection.execute(query).scalar_one_or_none() or 0)


def state(connection: Connection, order_id: str = "o_1") -> str:
    """Return where an order is."""
    row = topup_orders.order_of(connection, order_id)
    assert row is not None
    return str(row.state)


def entries(connection: Connection, player_id: str = "p_a") -> list[tuple[str, int]]:
    """Return the gems that came and went: (kind, amount), oldest first."""
    line, of = schema.entries.c, schema.transfers.c
    query = (
        select(of.kind, line.amount)
        .join_from(schema.entries, schema.transfers, of.id == line.transfer_id)
        .where(line.owner == player_id, line.currency == "gem")
        .order_by(line.id)
    )
    return [(row.kind, row.amount) for row in connection.execute(query)]


def problems(connection: Connection) -> list[tuple[str, str]]:
    """Return what waits for a person: (reason, order)."""
    return [(row.reason, row.order_id) for row in topup_desk.open_problems(connection, 100, 0)]


def steps(connection: Connection, order_id: str = "o_1") -> list[str]:
    """Return the states an order was in."""
    table = tables.history
    query = select(table.c.after).where(table.c.order_id == order_id).order_by(table.c.id)
    return list(connection.execute(query).scalars())


def findings(connection: Connection) -> Sequence[str]:
    """Prove the whole book."""
    return partial(prove, now_ms=NOW_MS)(connection).findings
