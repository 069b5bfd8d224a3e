"""The desk of staff with the role `money`, on SQLite and PostgreSQL: debts waived, problems, orders found."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Connection, delete, select, update
from sqlalchemy.exc import DatabaseError

from services.chassis.db import Database, migrate
from services.chassis.errors import Refusal
from services.economy.core.topup import OPEN, PAID
from services.economy.store import schema, topup_desk, topup_orders
from services.economy.store import topup_schema as tables
from services.economy.store.topup_waivers import Waiver, waive
from tests.integration.test_topup_book import Shop
from tests.support import topups
from tests.support.topups import CATALOGUE, NOW_MS, STAFF, event


@pytest.fixture
async def shop(database_url: str, db: Database) -> Shop:
    migrate(database_url, "economy")
    made = Shop(db)
    # 90 gems bought, 80 spent, all of the money taken back by a bank: 80 are owed.
    await made(topups.new_order, "o_1")
    await made(topups.take, event("e1"))
    for number in range(4):
        await made(topups.spend, request_id=str(number))
    await made(topups.take, event("c1", "charged_back", return_id="cb1"))
    return made


def waived(
    connection: Connection, gems: int, request_id: str = "w1", order_id: str = "o_1", reason: str = "a gift"
) -> tuple[int, int, bool]:
    """Waive as staff does; return what is owed, what was waived, and whether this was new."""
    debt, is_new = waive(connection, Waiver(request_id, order_id, gems, reason, STAFF), CATALOGUE, NOW_MS)
    return debt.short_gems - debt.paid_gems - debt.forgiven_gems, debt.waived_gems, is_new


async def acts(shop: Shop) -> list[str]:
    kinds = await shop(lambda c: c.execute(select(schema.outbox.c.type)).scalars().all())
    return [kind for kind in kinds if kind.endswith("StaffActed")]


async def test_a_debt_is_waived_once_per_request_and_moves_no_coin(shop: Shop) -> None:
    entries = await shop(topups.entries)
    assert await shop(waived, 30) == (50, 30, True)
    assert await shop(waived, 30) == (50, 30, False)
    assert await shop(topups.entries) == entries
    assert await acts(shop) == ["paiju.economy.v1.StaffActed"]
    for other in ({"gems": 31}, {"gems": 30, "reason": "another"}):
        with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
            await shop(waived, **other)
    with pytest.raises(Refusal, match="DEBT_SETTLED") as found:
        await shop(waived, 51, "w2")
    assert found.value.details["owed"] == 50
    assert await shop(topup_desk.sum_debts) == (1, 50)
    assert await shop(waived, 50, "w3") == (0, 80, True)
    assert await shop(topup_desk.sum_debts) == (0, 0)
    assert await shop(topup_orders.owed_by, "p_a") == 0
    with pytest.raises(Refusal, match="DEBT_SETTLED"):
        await shop(waived, 1, "w4")
    with pytest.raises(Refusal, match="ORDER_UNKNOWN"):
        await shop(waived, 1, "w5", "o_none")
    assert await shop.is_clean()


async def test_who_was_let_off_keeps_what_he_buys_next(shop: Shop) -> None:
    await shop(waived, 60)
    await shop(topups.new_order, "o_2")
    await shop(topups.take, event("e2", order_id="o_2"))
    assert await shop(topups.gems) == 40, "20 of 60 paid what was left of the debt"
    assert await shop(topup_orders.owed_by, "p_a") == 0
    assert await shop.is_clean()


@pytest.mark.parametrize(("gems", "again"), [(0, 10), (30, 10), (80, 10)])
async def test_a_bank_that_changes_its_mind_after_a_waiver_gives_nothing_twice(
    shop: Shop, gems: int, again: int
) -> None:
    # Of 90 gems 10 were there to be taken back: those come again, whatever was waived of the rest.
    if gems:
        await shop(waived, gems)
    assert await shop(topups.take, event("c2", "chargeback_reversed", return_id="cb1")) == "applied"
    assert await shop(topups.gems) == again
    assert await shop(topup_orders.owed_by, "p_a") == 0
    [debt] = await shop(lambda c: c.execute(select(tables.debts)).all())
    assert (debt.forgiven_gems, debt.waived_gems) == (80, 0)
    assert await shop.is_clean()
    # And once more the other way: the same gems are short again.
    assert await shop(topups.take, event("c3", "charged_back", return_id="cb2")) == "applied"
    assert await shop(topup_orders.owed_by, "p_a") == 80
    assert await shop.is_clean()


async def test_many_who_waive_at_once_waive_no_more_than_is_owed(shop: Shop) -> None:
    async def one(number: int) -> int:
        try:
            await shop(waived, 30, f"w{number}")
        except Refusal as refusal:
            return {"DEBT_SETTLED": 0}[refusal.reason]
        return 30

    assert sum(await asyncio.gather(*(one(number) for number in range(6)))) == 60
    assert await shop(topup_desk.sum_debts) == (1, 20)
    assert await shop.is_clean()


async def test_a_waiver_can_not_be_changed_or_removed_and_a_doctored_one_is_found(shop: Shop) -> None:
    await shop(waived, 30)
    for change in (delete(tables.waivers), update(tables.waivers).values(gems=1)):
        with pytest.raises(DatabaseError, match="immutable"):
            await shop(lambda c, change=change: c.execute(change))
    await shop(lambda c: c.execute(update(tables.debts).values(waived_gems=0)))
    assert list(await shop(topups.findings)) == [
        "order o_1: 80 gems moved to its player, 50 are due",
        "order o_1: 30 gems of its debt were waived, it says 0 of 30 forgiven",
    ]
    # Nor is one made up by whoever keeps the sums right.
    more = {"waived_gems": 35, "forgiven_gems": 35}
    await shop(lambda c: c.execute(update(tables.debts).values(more)))
    assert list(await shop(topups.findings)) == [
        "order o_1: 30 gems of its debt were waived, it says 35 of 35 forgiven"
    ]


async def test_what_was_done_about_a_problem_stands_beside_it(shop: Shop) -> None:
    for number in range(3):
        await shop(topups.take, event(f"n{number}", order_id=f"o_none{number}"))
    first, second, third = await shop(topup_desk.open_problems, 10, 0)
    await shop(topup_desk.resolve_problem, second.id, STAFF, "paid back by hand", NOW_MS)
    # Another who comes later changes neither who nor what.
    await shop(topup_desk.resolve_problem, second.id, STAFF, "did it again", NOW_MS + 5)
    assert [row.id for row in await shop(topup_desk.open_problems, 10, 0)] == [first.id, third.id]
    rows = await shop(topup_desk.all_problems, 10, 0)
    assert [row.id for row in rows] == [third.id, second.id, first.id]
    assert [(row.resolved_by, row.resolution) for row in rows] == [
        ("", ""),
        ("p_staff", "paid back by hand"),
        ("", ""),
    ]
    assert [row.id for row in await shop(topup_desk.all_problems, 10, second.id)] == [first.id]


async def test_orders_are_found_by_player_and_by_what_became_of_them(shop: Shop) -> None:
    await shop(topups.new_order, "o_2", "p_b", now_ms=NOW_MS + 1)
    await shop(topups.new_order, "o_3", now_ms=NOW_MS + 2)
    await shop(topups.take, event("e3", order_id="o_3"))

    async def found(*asked: Any) -> list[str]:
        return [row.order_id for row in await shop(topup_desk.find_orders, *asked)]

    assert await found("", (), 10, None) == ["o_3", "o_2", "o_1"]
    assert await found("p_a", (), 10, None) == ["o_3", "o_1"]
    assert await found("", OPEN, 10, None) == ["o_2"]
    assert await found("", PAID, 10, None) == ["o_3", "o_1"]
    assert await found("", (), 1, (NOW_MS + 2, "o_3")) == ["o_2"]
    assert await found("p_c", (), 10, None) == []
