"""What must hold between orders and the ledger; part of the reconciler's proof."""

from __future__ import annotations

from collections.abc import Iterator

from sqlalchemy import Connection, case, func, select

from services.economy.store import schema as book
from services.economy.store import topup_schema as schema


def orders_unlike_their_entries(connection: Connection) -> Iterator[str]:
    """Find orders whose gems moved otherwise than their state says.

    Of each order the wallet has got what it bought, less what went back, plus what of that is still owed or
    was waived; no order that is not paid has moved anything.
    """
    entries, transfers = book.entries.c, book.transfers.c
    kinds = ("topup", "topup_bonus", "refund", "chargeback", "refund_undone", "debt")
    moved = (
        select(transfers.reference.label("order_id"), func.sum(entries.amount).label("gems"))
        .join_from(book.transfers, book.entries, entries.transfer_id == transfers.id)
        .where(transfers.kind.in_(kinds), entries.owner != "")
        .group_by(transfers.reference)
        .subquery()
    )
    debt = schema.debts.c
    owed = debt.short_gems - debt.paid_gems - debt.forgiven_gems + debt.waived_gems
    order = schema.orders.c
    due = case(
        (order.paid_at_ms > 0, order.gems + order.bonus_gems - order.returned_gems + func.coalesce(owed, 0)),
        else_=0,
    )
    query = (
        select(order.order_id, due.label("due"), func.coalesce(moved.c.gems, 0).label("moved"))
        .outerjoin(moved, moved.c.order_id == order.order_id)
        .outerjoin(schema.debts, debt.order_id == order.order_id)
        .where(due != func.coalesce(moved.c.gems, 0))
        .order_by(order.order_id)
    )
    for row in connection.execute(query):
        yield f"order {row.order_id}: {row.moved} gems moved to its player, {row.due} are due"
    orphans = (
        select(moved.c.order_id)
        .outerjoin(schema.orders, order.order_id == moved.c.order_id)
        .where(order.order_id.is_(None))
        .order_by(moved.c.order_id)
    )
    for orphan in connection.execute(orphans):
        yield f"order {orphan.order_id}: gems moved for it, but it does not exist"


def debtors_with_gems(connection: Connection) -> Iterator[str]:
    """Find players who hold gems and owe some: what comes in pays debts first."""
    account, debt = book.accounts.c, schema.debts.c
    owed = func.sum(debt.short_gems - debt.paid_gems - debt.forgiven_gems)
    query = (
        select(debt.player_id, account.balance, owed.label("owed"))
        .join_from(schema.debts, book.accounts, account.owner == debt.player_id)
        .where(account.kind == "wallet", account.currency == "gem", account.balance > 0)
        .group_by(debt.player_id, account.balance)
        .having(owed > 0)
        .order_by(debt.player_id)
    )
    for row in connection.execute(query):
        yield f"player {row.player_id}: holds {row.balance} gems and owes {row.owed}"
