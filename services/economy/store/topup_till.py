"""The till: what a payment or its return does to an order, its gems, and what is owed, in one transaction.

Facts of a provider only add up: paid or not, which amounts went back, which of those were reversed. The gems
follow from all of them together (`rebalance`), so that any order of hearing them, and any repeat, ends in the
same book.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from paiju.economy.v1.topup_events_pb2 import TopUpPaid, TopUpReturned
from sqlalchemy import Connection, Row, insert, select, update

from services.chassis import outbox
from services.economy.core import topup
from services.economy.core.money import Transfer, wallet
from services.economy.core.money import move as postings
from services.economy.core.topup_products import Catalogue
from services.economy.store import topup_orders as orders
from services.economy.store import topup_schema as schema
from services.economy.store.ledger import Book

DAY_MS: Final = 86_400_000

LOOKS_AFTER_PAID_MS: Final = (DAY_MS, 7 * DAY_MS, 30 * DAY_MS)
"""So long after a payment its provider is asked again: word of a refund or a chargeback may be lost, too."""


PROMOTION_USED: Final = "promotion_used_meanwhile"
"""Ends the detail of a payment that came too late for its promotion."""


class Till:
    """One order, held with its player's gems until the transaction ends. `flush` writes what moved."""

    def __init__(self, connection: Connection, order_id: str, catalogue: Catalogue, now_ms: int) -> None:
        self._connection = connection
        self._catalogue = catalogue
        self._now_ms = now_ms
        seen = orders.order_of(connection, order_id)
        assert seen is not None, "whoever holds an order has seen it"
        self._purse = wallet(seen.player_id, "gem")
        debtors = {row.provider for row in _debts_of(connection, seen.player_id)} | {seen.provider}
        self._providers = {name: topup.provider_account(name) for name in sorted(debtors)}
        self._book = Book(connection)
        # The accounts first, then the order: everybody takes them so.
        self._book.lock([self._purse, *self._providers.values()])
        row = orders.order_of(connection, order_id, hold=True)
        assert row is not None, "orders are never deleted"
        self.order: Row[Any] = row
        self.gems_moved = False

    @property
    def held_gems(self) -> int:
        """What is in the player's wallet."""
        return self._book.balance(self._purse)

    def pay(self, payment_id: str, paid_at_ms: int, cause: str, detail: str) -> None:
        """Book the payment of an unpaid order: gems in, debts off, and back what went back already."""
        row = self.order
        bonus, promotion_id = row.bonus_gems, row.promotion_id
        if promotion_id and row.state not in topup.OPEN and self._is_used_up(promotion_id):
            # The order had lapsed and another one took its place in the promotion.
            bonus, promotion_id, detail = 0, "", f"{detail} {PROMOTION_USED}".strip()
        at_ms = paid_at_ms if row.created_at_ms <= paid_at_ms <= self._now_ms else self._now_ms
        changes = {
            "payment_id": payment_id,
            "paid_at_ms": at_ms,
            "bonus_gems": bonus,
            "promotion_id": promotion_id,
        }
        self.order = orders.move(
            self._connection,
            row,
            "paid",
            cause,
            detail,
            self._now_ms,
            **changes,
            content_hash=orders.ordered_hash({**row._mapping, **changes}),
            pay_url="",
            look_at_ms=at_ms + LOOKS_AFTER_PAID_MS[0],
        )
        self._give("topup", f"topup/{row.order_id}", row.gems)
        if bonus:
            self._give("topup_bonus", f"topup_bonus/{row.order_id}", bonus)
        paid = TopUpPaid(
            order_id=row.order_id,
            player_id=row.player_id,
            amount_fen=row.price_fen,
            gems=row.gems + bonus,
            paid_at_ms=at_ms,
        )
        outbox.put(self._connection, paid, f"topup_paid:{row.order_id}")
        self._pay_debts()
        self.rebalance(cause, detail)

    def returns(self) -> Sequence[Row[Any]]:
        """Return everything that went back of this order, or is to."""
        table = schema.returns
        query = select(table).where(table.c.order_id == self.order.order_id).order_by(table.c.at_ms)
        return self._connection.execute(query).all()

    def rebalance(self, cause: str, detail: str, kind: str = "") -> None:
        """Take gems back, or give them again, until they are what all returns together leave of the order.

        Args:
            kind: Of the entries that take back, `refund` or `chargeback`; empty: as the order is.
        """
        row = self.order
        if not row.paid_at_ms:
            return
        active = [one for one in self.returns() if one.state in ("asked", "done")]
        fen = min(row.price_fen, sum(one.amount_fen for one in active))
        charged = sum(one.amount_fen for one in active if one.kind == "chargeback")
        after = topup.state_of_paid(row.price_fen, fen, charged)
        gems = topup.gems_back(row.gems + row.bonus_gems, row.price_fen, fen)
        if (after, fen, gems) == (row.state, row.returned_fen, row.returned_gems):
            return
        self.order = orders.move(
            self._connection,
            row,
            after,
            cause,
            detail,
            self._now_ms,
            returned_fen=fen,
            returned_gems=gems,
        )
        if gems > row.returned_gems:
            self._take(kind or ("chargeback" if charged else "refund"), gems - row.returned_gems)
        elif gems < row.returned_gems:
            self._undo(row.returned_gems - gems)
        if fen != row.returned_fen:
            went = TopUpReturned(
                order_id=row.order_id, player_id=row.player_id, returned_fen=fen, at_ms=self._now_ms
            )
            outbox.put(self._connection, went, f"topup_returned:{row.order_id}:{self.order.version}")

    def flush(self) -> None:
        """Write the entries."""
        self._book.flush()

    def _is_used_up(self, promotion_id: str) -> bool:
        promotion = self._catalogue.promotion(promotion_id)
        if promotion is None:
            return False
        history = orders.history_of(self._connection, self.order.player_id, besides=self.order.order_id)
        return not promotion.is_for(history)

    def _give(self, kind: str, key: str, gems: int) -> None:
        source = self._providers[self.order.provider]
        transfer = Transfer(key, kind, postings(source, self._purse, gems), self._now_ms, self.order.order_id)
        self._book.post(transfer)
        self.gems_moved = True

    def _take(self, kind: str, gems: int) -> None:
        """Take back what is there; the rest is owed."""
        row = self.order
        there = min(gems, self.held_gems)
        if there:
            key = f"topup_{kind}/{row.order_id}/{row.version}"
            target = self._providers[row.provider]
            self._book.post(
                Transfer(key, kind, postings(self._purse, target, there), self._now_ms, row.order_id)
            )
            self.gems_moved = True
        if gems > there:
            self._owe(gems - there)

    def _undo(self, gems: int) -> None:
        """Make void what is owed for this order, and give back the rest."""
        table, row = schema.debts, self.order
        debt = self.debt()
        void = min(gems, debt.short_gems - debt.paid_gems - debt.forgiven_gems) if debt is not None else 0
        # What staff had waived is covered now: those gems were spent, and are given by nobody again.
        covered = min(gems - void, debt.waived_gems) if debt is not None else 0
        if debt is not None and (void or covered):
            self._connection.execute(
                update(table)
                .where(table.c.order_id == row.order_id)
                .values(forgiven_gems=debt.forgiven_gems + void, waived_gems=debt.waived_gems - covered)
            )
        if gems > void + covered:
            self._give("refund_undone", f"topup_undone/{row.order_id}/{row.version}", gems - void - covered)
            self._pay_debts()

    def _owe(self, gems: int) -> None:
        table, row = schema.debts, self.order
        debt = self.debt()
        if debt is not None:
            self._connection.execute(
                update(table)
                .where(table.c.order_id == row.order_id)
                .values(short_gems=debt.short_gems + gems)
            )
            return
        new = {
            "order_id": row.order_id,
            "player_id": row.player_id,
            "provider": row.provider,
            "short_gems": gems,
            "paid_gems": 0,
            "forgiven_gems": 0,
            "waived_gems": 0,
            "since_ms": self._now_ms,
        }
        self._connection.execute(insert(table), new)

    def debt(self) -> Row[Any] | None:
        """Return what is or was owed for the order, if anything ever was."""
        query = select(schema.debts).where(schema.debts.c.order_id == self.order.order_id)
        return self._connection.execute(query).one_or_none()

    def _pay_debts(self) -> None:
        """Let what came in pay what is owed, the oldest first."""
        table = schema.debts
        for debt in _debts_of(self._connection, self.order.player_id):
            pays = min(debt.short_gems - debt.paid_gems - debt.forgiven_gems, self.held_gems)
            if not pays or debt.provider not in self._providers:
                continue
            key = f"topup_debt/{debt.order_id}/{debt.paid_gems}"
            moved = postings(self._purse, self._providers[debt.provider], pays)
            self._book.post(Transfer(key, "debt", moved, self._now_ms, debt.order_id))
            self._connection.execute(
                update(table).where(table.c.order_id == debt.order_id).values(paid_gems=debt.paid_gems + pays)
            )


def _debts_of(connection: Connection, player_id: str) -> Sequence[Row[Any]]:
    """Return a player's open debts, oldest first."""
    table = schema.debts
    query = (
        select(table)
        .where(
            table.c.player_id == player_id,
            table.c.short_gems > table.c.paid_gems + table.c.forgiven_gems,
        )
        .order_by(table.c.since_ms, table.c.order_id)
    )
    return connection.execute(query).all()
