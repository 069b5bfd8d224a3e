"""Debts that staff no longer asks for: written once per request, with who and why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, select, update

from services.chassis.auth import Staff
from services.chassis.errors import Refusal
from services.economy.core.topup_products import Catalogue
from services.economy.store import topup_orders as orders
from services.economy.store import topup_schema as schema
from services.economy.store.bulk import insert_new
from services.economy.store.topup_refunds import note
from services.economy.store.topup_till import Till


@dataclass(frozen=True, slots=True)
class Waiver:
    """What somebody of the staff wants to waive."""

    request_id: str
    order_id: str
    gems: int
    reason: str
    staff: Staff

    @property
    def request_key(self) -> str:
        """Under which a repeat is known."""
        return f"{self.staff.staff_id}/{self.request_id}"


def waive(connection: Connection, waiver: Waiver, catalogue: Catalogue, now_ms: int) -> tuple[Row[Any], bool]:
    """Ask no longer for gems of a debt; return the debt then, and whether this is new (False: a repeat).

    Nothing moves: the gems were spent, and are now nobody's to pay. Should the bank change its mind after
    all, what was waived is covered by that, and the player is given nothing twice.

    Raises:
        Refusal: ORDER_UNKNOWN; DEBT_SETTLED: less is owed than that; REQUEST_ID_REUSED.
    """
    if orders.order_of(connection, waiver.order_id) is None:
        raise Refusal("ORDER_UNKNOWN")
    # With the till open nobody else pays off, makes void or waives this debt.
    till = Till(connection, waiver.order_id, catalogue, now_ms)
    debt = till.debt()
    table = schema.waivers
    known = connection.execute(select(table).where(table.c.request_key == waiver.request_key)).one_or_none()
    if known is not None:
        same = (waiver.order_id, waiver.gems, waiver.reason)
        if (known.order_id, known.gems, known.reason) != same:
            raise Refusal("REQUEST_ID_REUSED")
        assert debt is not None, "something was waived of it"
        return debt, False
    owed = debt.short_gems - debt.paid_gems - debt.forgiven_gems if debt is not None else 0
    if debt is None or waiver.gems > owed:
        raise Refusal("DEBT_SETTLED", owed=owed)
    row = {
        "request_key": waiver.request_key,
        "order_id": waiver.order_id,
        "gems": waiver.gems,
        "reason": waiver.reason,
        "at_ms": now_ms,
    }
    insert_new(connection, table, row)
    debts = schema.debts
    connection.execute(
        update(debts)
        .where(debts.c.order_id == waiver.order_id)
        .values(forgiven_gems=debt.forgiven_gems + waiver.gems, waived_gems=debt.waived_gems + waiver.gems)
    )
    detail: dict[str, object] = {
        "gems": waiver.gems,
        "player_id": debt.player_id,
        "left": owed - waiver.gems,
        "request_id": waiver.request_id,
    }
    note(connection, waiver.staff, "topup.waive_debt", waiver.order_id, waiver.reason, detail, now_ms)
    after = till.debt()
    assert after is not None, "debts are never deleted"
    return after, True
