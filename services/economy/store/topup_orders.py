"""Orders of gems: made once, moved only along the ways of `core/topup.py`, with every step kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, func, insert, or_, select, tuple_, update

from services.chassis.errors import Refusal
from services.economy.core.money import content_hash, wallet
from services.economy.core.topup import CURRENCY, OPEN, State, check_step
from services.economy.core.topup_products import Catalogue, History, Product
from services.economy.store import topup_schema as schema
from services.economy.store.ledger import Book

_ORDERS = select(schema.orders)


class Changed(Exception):
    """The player ordered something else meanwhile: ask again whether he may spend so much."""


@dataclass(frozen=True, slots=True)
class NewOrder:
    """What is ordered, by whom, of whom."""

    order_id: str
    player_id: str
    request_id: str
    product: Product
    provider: str
    expires_at_ms: int
    look_at_ms: int
    """When the provider is asked about it first."""


def order_of(connection: Connection, order_id: str, *, hold: bool = False) -> Row[Any] | None:
    """Return an order; with `hold` nobody else changes it until the transaction ends."""
    query = _ORDERS.where(schema.orders.c.order_id == order_id)
    return connection.execute(query.with_for_update() if hold else query).one_or_none()


def order_by_request(connection: Connection, player_id: str, request_id: str) -> Row[Any] | None:
    """Return the order that a player made by a request."""
    table = schema.orders
    query = _ORDERS.where(table.c.player_id == player_id, table.c.request_id == request_id)
    return connection.execute(query).one_or_none()


def orders_of(
    connection: Connection, player_id: str, size: int, before: tuple[int, str] | None
) -> Sequence[Row[Any]]:
    """Return a player's orders, newest first, older than `before` (time of making, order id)."""
    table = schema.orders
    query = _ORDERS.where(table.c.player_id == player_id)
    if before is not None:
        query = query.where(tuple_(table.c.created_at_ms, table.c.order_id) < before)
    query = query.order_by(table.c.created_at_ms.desc(), table.c.order_id.desc()).limit(size)
    return connection.execute(query).all()


def owed_of(connection: Connection, order_ids: Sequence[str]) -> dict[str, int]:
    """Return by order what is still owed for it, where anything is."""
    table = schema.debts
    rows = connection.execute(select(table).where(table.c.order_id.in_(order_ids)))
    owed = {row.order_id: row.short_gems - row.paid_gems - row.forgiven_gems for row in rows}
    return {order_id: gems for order_id, gems in owed.items() if gems}


def owed_by(connection: Connection, player_id: str) -> int:
    """Return the gems that a player owes."""
    c = schema.debts.c
    owed = func.coalesce(func.sum(c.short_gems - c.paid_gems - c.forgiven_gems), 0)
    return int(connection.execute(select(owed).where(c.player_id == player_id)).scalar_one())


def history_of(connection: Connection, player_id: str, besides: str = "") -> History:
    """Return what promotions must know of a player, leaving out one order."""
    table = schema.orders
    query = select(table.c.promotion_id, table.c.paid_at_ms).where(
        table.c.player_id == player_id,
        table.c.order_id != besides,
        or_(table.c.paid_at_ms > 0, table.c.state.in_(OPEN)),
    )
    rows = connection.execute(query).all()
    uses = Counter(row.promotion_id for row in rows if row.promotion_id)
    return History(any(row.paid_at_ms for row in rows), uses)


def spent_since(connection: Connection, player_id: str, since_ms: int) -> int:
    """Return what a player paid since then, and may be about to pay, in fen; what went back counts, too."""
    table = schema.orders
    query = select(func.coalesce(func.sum(table.c.price_fen), 0)).where(
        table.c.player_id == player_id,
        or_(table.c.paid_at_ms >= max(1, since_ms), and_(table.c.paid_at_ms == 0, table.c.state.in_(OPEN))),
    )
    return int(connection.execute(query).scalar_one())


def make_order(
    connection: Connection,
    new: NewOrder,
    catalogue: Catalogue,
    spent: tuple[int, int],
    open_max: int,
    now_ms: int,
) -> Row[Any]:
    """Write an order, with the promotion that holds for its player now, and return it.

    Args:
        spent: Since when, and how much the player had spent since then when it was decided that he may.

    Raises:
        Refusal: REQUEST_ID_REUSED; TOO_MANY_ORDERS: so many of his are open.
        Changed: He has spent another amount by now.
    """
    # Orders of one player are made one after the other: promotions and limits count them.
    Book(connection).lock([wallet(new.player_id, "gem")])
    known = order_by_request(connection, new.player_id, new.request_id)
    if known is not None:
        return _same(known, new.product.id)
    if spent_since(connection, new.player_id, spent[0]) != spent[1]:
        raise Changed
    table = schema.orders
    is_open = (table.c.player_id == new.player_id) & table.c.state.in_(OPEN)
    if connection.execute(select(func.count()).where(is_open)).scalar_one() >= open_max:
        raise Refusal("TOO_MANY_ORDERS", most=open_max)
    promotion = catalogue.best(new.product, history_of(connection, new.player_id), now_ms)
    row: dict[str, Any] = {
        "order_id": new.order_id,
        "player_id": new.player_id,
        "request_id": new.request_id,
        "product_id": new.product.id,
        "title_zh": new.product.title.zh,
        "title_en": new.product.title.en,
        "provider": new.provider,
        "price_fen": new.product.price_fen,
        "currency": CURRENCY,
        "gems": new.product.gems,
        "bonus_gems": promotion.bonus_on(new.product) if promotion else 0,
        "promotion_id": promotion.id if promotion else "",
        "state": "created",
        "pay_url": "",
        "payment_id": "",
        "created_at_ms": now_ms,
        "expires_at_ms": new.expires_at_ms,
        "look_at_ms": new.look_at_ms,
        "paid_at_ms": 0,
        "returned_fen": 0,
        "returned_gems": 0,
        "version": 0,
    }
    row["content_hash"] = ordered_hash(row)
    connection.execute(insert(table), row)
    _keep_step(connection, new.order_id, "", "created", "player", new.product.id, now_ms)
    found = order_of(connection, new.order_id)
    assert found is not None, "it was written just now"
    return found


_ORDERED: Final = (
    "order_id", "player_id", "request_id", "product_id", "title_zh", "title_en", "provider", "price_fen",
    "currency", "gems", "bonus_gems", "promotion_id", "created_at_ms", "expires_at_ms", "payment_id",
    "paid_at_ms",
)  # fmt: skip


def ordered_hash(row: Mapping[Any, Any]) -> bytes:
    """Return what names an order's content, and its payment: what no step but that changes."""
    return content_hash(*(row[name] for name in _ORDERED))


def same_order(connection: Connection, player_id: str, request_id: str, product_id: str) -> Row[Any] | None:
    """Return the order that was made by this very request before, if any.

    Raises:
        Refusal: REQUEST_ID_REUSED: it was for another product.
    """
    known = order_by_request(connection, player_id, request_id)
    return None if known is None else _same(known, product_id)


def move(
    connection: Connection,
    row: Row[Any],
    after: State,
    cause: str,
    detail: str,
    now_ms: int,
    **changes: object,
) -> Row[Any]:
    """Bring a held order to a state (or leave it in its own), change what else is given, and keep the step.

    Raises:
        Defect: There is no such way.
    """
    if after != row.state:
        check_step(row.order_id, row.state, after)
    table = schema.orders
    values = {**changes, "state": after, "version": row.version + 1}
    connection.execute(update(table).where(table.c.order_id == row.order_id).values(values))
    _keep_step(connection, row.order_id, row.state, after, cause, detail, now_ms)
    found = order_of(connection, row.order_id)
    assert found is not None, "it is held"
    return found


def open_at_provider(connection: Connection, order_id: str, pay_url: str, now_ms: int) -> Row[Any]:
    """Note that the provider waits for the player now; an order that went on meanwhile stays as it is."""
    row = order_of(connection, order_id, hold=True)
    assert row is not None, "orders are never deleted"
    if row.state != "created":
        return row
    return move(connection, row, "waiting", "provider", "", now_ms, pay_url=pay_url)


def due(connection: Connection, provider: str, now_ms: int, limit: int) -> Sequence[Row[Any]]:
    """Return orders that the provider is to be asked about now."""
    table = schema.orders
    query = (
        _ORDERS.where(table.c.provider == provider, table.c.look_at_ms > 0, table.c.look_at_ms <= now_ms)
        .order_by(table.c.look_at_ms, table.c.order_id)
        .limit(limit)
    )
    return connection.execute(query).all()


def look_again(connection: Connection, order_id: str, look_at_ms: int) -> None:
    """Set when the provider is to be asked next; 0 = never again."""
    table = schema.orders
    connection.execute(update(table).where(table.c.order_id == order_id).values(look_at_ms=look_at_ms))


def lapse(connection: Connection, order_id: str, after: State, cause: str, now_ms: int) -> Row[Any]:
    """Give up an order that nobody paid; one that was paid meanwhile stays as it is."""
    row = order_of(connection, order_id, hold=True)
    assert row is not None, "orders are never deleted"
    if row.state not in OPEN:
        return row
    return move(connection, row, after, cause, "", now_ms, look_at_ms=0, pay_url="")


def _same(known: Row[Any], product_id: str) -> Row[Any]:
    if known.product_id != product_id:
        raise Refusal("REQUEST_ID_REUSED")
    return known


def _keep_step(
    connection: Connection, order_id: str, before: str, after: str, cause: str, detail: str, now_ms: int
) -> None:
    row = {
        "order_id": order_id,
        "before": before,
        "after": after,
        "cause": cause,
        "detail": detail,
        "at_ms": now_ms,
    }
    connection.execute(insert(schema.history), row)
