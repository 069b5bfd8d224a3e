"""Payments, refunds and chargebacks in the book, on SQLite and PostgreSQL: each word once, nothing lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any, TypeVar

import pytest
from sqlalchemy import delete, select, update
from sqlalchemy.exc import DatabaseError, IntegrityError

from services.chassis.clock import SystemClock
from services.chassis.db import Database, PostgresDatabase, migrate, schema_differences
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.ids import SystemIds
from services.economy.core.topup_payments import PaymentStatus, RefundAnswer, ReturnFact
from services.economy.store import schema, topup_desk, topup_orders, topup_waivers
from services.economy.store import topup_schema as tables
from tests.support import topups
from tests.support.topups import CATALOGUE, NOW_MS, event

T = TypeVar("T")


class Shop:
    """The functions of `tests.support.topups`, each a transaction on one database."""

    def __init__(self, db: Database) -> None:
        self.db = db

    async def __call__(self, fn: Callable[..., T], *args: Any, **named: Any) -> T:
        return await self.db.run(lambda connection: fn(connection, *args, **named))

    async def is_clean(self) -> bool:
        assert list(await self(topups.findings)) == []
        return True


@pytest.fixture
async def shop(database_url: str, db: Database) -> Shop:
    migrate(database_url, "economy")
    return Shop(db)


@pytest.fixture
async def busy(postgres_url: str) -> AsyncIterator[Shop]:
    """PostgreSQL with eight connections, each in a thread of its own."""
    migrate(postgres_url, "economy")
    database = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=8)
    yield Shop(database)
    await database.close()


async def test_the_migrations_make_exactly_the_tables_of_the_code(shop: Shop) -> None:
    assert await shop(schema_differences, tables.metadata) == []


@pytest.mark.parametrize("name", ["topup_history", "topup_events"])
async def test_what_was_said_and_done_can_not_be_changed_or_removed(shop: Shop, name: str) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    table = tables.metadata.tables[name]
    with pytest.raises(DatabaseError, match="immutable"):
        await shop(lambda c: c.execute(delete(table)))
    with pytest.raises(DatabaseError, match="immutable"):
        await shop(lambda c: c.execute(update(table).values(order_id="x")))


async def test_a_payment_brings_its_gems_and_the_bonus_that_was_promised_once(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    assert await shop(topups.take, event("e1")) == "applied"
    assert await shop(topups.take, event("e1")) == "repeated"
    # The provider tells the same payment under another id, and when asked.
    assert await shop(topups.take, event("e2")) == "nothing_new"
    assert await shop(topups.ask, "o_1", PaymentStatus("paid", 600, "CNY", "pay_o_1")) == "nothing_new"
    assert await shop(topups.gems) == 90
    assert await shop(topups.entries) == [("topup", 60), ("topup_bonus", 30)]
    assert await shop(topups.steps) == ["created", "waiting", "paid"]
    assert await shop(topups.problems) == []
    assert await shop.is_clean()


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (event("e", order_id="o_none"), "unknown_order"),
        (event("e", amount_fen=599), "wrong_amount"),
        (event("e", amount_fen=601), "wrong_amount"),
        (event("e", amount_fen=0), "wrong_amount"),
        (event("e", currency="USD"), "wrong_currency"),
        (event("e", "refunded", amount_fen=601, return_id="x"), "wrong_amount"),
        (event("e", "refunded", amount_fen=0, return_id="x"), "wrong_amount"),
        (event("e", "charged_back", amount_fen=600), "wrong_amount"),
    ],
)
async def test_what_does_not_fit_moves_nothing_and_waits_for_a_person(
    shop: Shop, said: Any, reason: str
) -> None:
    await shop(topups.new_order, "o_1")
    assert await shop(topups.take, said) == reason
    assert await shop(topups.take, said) == "repeated"
    assert await shop(topups.problems) == [(reason, said.order_id)]
    assert await shop(topups.gems) == 0
    assert await shop(topups.state) == "waiting"
    # The right word is heard all the same.
    assert await shop(topups.take, event("right")) == "applied"
    assert await shop(topups.gems) == 90
    assert await shop.is_clean()


async def test_another_content_under_the_id_of_an_event_is_kept_and_moves_nothing(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.new_order, "o_2")
    await shop(topups.take, event("e1"))
    assert await shop(topups.take, event("e1", order_id="o_2")) == "other_content"
    assert await shop(topups.take, event("e1", "charged_back", return_id="c")) == "other_content"
    assert await shop(topups.state, "o_2") == "waiting"
    assert await shop(topups.problems) == [("other_content", "o_2"), ("other_content", "o_1")]
    assert await shop(topups.gems) == 90


async def test_two_payments_for_one_order_are_one_top_up_and_one_problem(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    assert await shop(topups.take, event("e2", payment_id="pay_again")) == "paid_twice"
    assert await shop(topups.gems) == 90
    assert await shop(topups.problems) == [("paid_twice", "o_1")]


async def test_a_payment_of_another_provider_is_none_of_this_order(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(lambda c: c.execute(update(tables.orders).values(provider="elsewhere")))
    assert await shop(topups.take, event("e1")) == "unknown_order"
    assert await shop(topups.gems) == 0


async def test_money_that_comes_after_an_order_lapsed_still_counts(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topup_orders.lapse, "o_1", "expired", "expiry", NOW_MS)
    # The promotion went to another order meanwhile: it is given once.
    other = await shop(topups.new_order, "o_2")
    assert other.bonus_gems == 30
    assert await shop(topups.take, event("late")) == "applied"
    assert await shop(topups.gems) == 60
    assert await shop(topups.take, event("e2", order_id="o_2")) == "applied"
    assert await shop(topups.gems) == 150
    assert await shop(topups.steps) == ["created", "waiting", "expired", "paid"]
    assert await shop.is_clean()


async def test_a_declined_payment_closes_its_order_and_one_that_was_made_does_not(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.new_order, "o_2")
    assert await shop(topups.take, event("c1", "closed")) == "applied"
    assert await shop(topups.state) == "closed"
    await shop(topups.take, event("e2", order_id="o_2"))
    assert await shop(topups.take, event("c2", "closed", order_id="o_2")) == "nothing_new"
    assert await shop(topups.state, "o_2") == "paid"


async def test_a_refund_takes_back_what_is_unspent_and_never_more_than_was_paid(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.spend)
    with pytest.raises(Refusal, match="REFUND_TOO_LARGE"):
        await shop(topups.refund, "o_1", 601)
    with pytest.raises(Refusal, match="REFUND_SPENT") as spent:
        await shop(topups.refund, "o_1", 467)
    assert spent.value.details == {"most_fen": 466, "unspent": 70}
    refund, order = await shop(topups.refund, "o_1", 466)
    assert (refund.state, order.state, order.returned_gems) == ("done", "part_refunded", 70)
    assert await shop(topups.gems) == 0
    with pytest.raises(Refusal, match="REFUND_SPENT"):
        await shop(topups.refund, "o_1", 134, "more")
    assert await shop(topups.entries) == [
        ("topup", 60),
        ("topup_bonus", 30),
        ("exchange", -20),
        ("refund", -70),
    ]
    whole = await shop(topup_desk.inspect, "o_1")
    assert (whole.refundable.unspent_gems, whole.refundable.fen) == (0, 0)
    assert await shop.is_clean()


async def test_the_gems_of_older_orders_are_spent_first(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.new_order, "o_2")
    await shop(topups.take, event("e2", order_id="o_2"), NOW_MS + 1)
    for number in range(3):
        await shop(topups.spend, request_id=str(number))
    # 150 came, 60 were spent: of the first order 30 are left, of the second all.
    first, second = await shop(topup_desk.inspect, "o_1"), await shop(topup_desk.inspect, "o_2")
    assert (first.refundable.unspent_gems, first.refundable.fen) == (30, 200)
    assert (second.refundable.unspent_gems, second.refundable.fen) == (60, 600)


async def test_money_for_spent_gems_goes_back_if_staff_wants_it_so_and_leaves_a_debt(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.spend)
    with pytest.raises(Refusal, match="REFUND_TOO_LARGE"):
        await shop(topups.refund, "o_1", 601, even_if_spent=True)
    first, order = await shop(topups.refund, "o_1", 300, even_if_spent=True)
    # 45 of the 70 that are left go back, and nothing is owed: spent gems count last.
    assert (order.state, order.returned_gems, await shop(topups.gems)) == ("part_refunded", 45, 25)
    assert (await shop(topup_desk.inspect, "o_1")).owed_gems == 0
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await shop(topups.refund, "o_1", 300)
    again, _ = await shop(topups.refund, "o_1", 300, even_if_spent=True)
    assert again == first
    _, order = await shop(topups.refund, "o_1", 300, "rest", even_if_spent=True)
    whole = await shop(topup_desk.inspect, "o_1")
    assert (order.state, order.returned_gems, whole.owed_gems, await shop(topups.gems)) == (
        "refunded",
        90,
        20,
        0,
    )
    assert [(row.amount_fen, row.even_if_spent) for row in whole.returns] == [(300, True), (300, True)]
    assert await shop.is_clean()
    # What he buys next pays it first.
    await shop(topups.new_order, "o_2")
    await shop(topups.take, event("e2", order_id="o_2"), NOW_MS + 1)
    assert (await shop(topup_desk.inspect, "o_1")).owed_gems == 0
    assert await shop.is_clean()


@pytest.mark.parametrize("answer", ["refused", None])
async def test_a_refund_of_spent_gems_that_is_not_made_owes_nothing(
    shop: Shop, answer: RefundAnswer | None
) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.spend)
    await shop(topups.refund, "o_1", 600, answer=answer, even_if_spent=True)
    is_refused = answer == "refused"
    assert await shop(topups.gems) == (70 if is_refused else 0)
    assert (await shop(topup_desk.inspect, "o_1")).owed_gems == (0 if is_refused else 20)
    assert await shop.is_clean()


async def test_a_refund_is_asked_for_once_and_a_repeat_gets_the_first_answer(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    first, _ = await shop(topups.refund, "o_1", 300, answer=None)
    again, _ = await shop(topups.refund, "o_1", 300, answer=None)
    assert first == again
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await shop(topups.refund, "o_1", 301)
    # The provider's own word about it is the same refund, not another.
    told = event("e2", "refunded", amount_fen=300, return_id=first.return_id)
    assert await shop(topups.take, told) == "applied"
    assert await shop(topups.gems) == 45
    whole = await shop(topup_desk.inspect, "o_1")
    assert [(row.kind, row.state) for row in whole.returns] == [("refund", "done")]
    acted = await shop(lambda c: c.execute(select(schema.outbox.c.type)).scalars().all())
    assert acted.count("paiju.economy.v1.StaffActed") == 1
    assert await shop.is_clean()


async def test_a_refund_that_the_provider_refuses_gives_the_gems_again(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    refund, order = await shop(topups.refund, "o_1", 600, answer="refused")
    assert (refund.state, order.state) == ("refused", "paid")
    assert await shop(topups.gems) == 90
    assert await shop(topups.problems) == [("refund_refused", "o_1")]
    assert await shop(topups.entries) == [
        ("topup", 60),
        ("topup_bonus", 30),
        ("refund", -90),
        ("refund_undone", 90),
    ]
    assert await shop(topups.steps) == ["created", "waiting", "paid", "refunded", "paid"]
    assert await shop.is_clean()


async def test_an_order_that_was_not_paid_is_not_refunded(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    with pytest.raises(Refusal, match="ORDER_NOT_PAID"):
        await shop(topups.refund, "o_1", 1)
    with pytest.raises(Refusal, match="ORDER_UNKNOWN"):
        await shop(topups.refund, "o_2", 1)


async def test_a_chargeback_of_spent_gems_is_a_debt_that_the_next_top_up_pays(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    for number in range(4):
        await shop(topups.spend, request_id=str(number))
    back = event("c1", "charged_back", return_id="cb1")
    assert await shop(topups.take, back) == "applied"
    assert await shop(topups.gems) == 0
    assert await shop(topups.state) == "charged_back"
    assert await shop(topup_orders.owed_by, "p_a") == 80
    [debt] = await shop(topup_desk.open_debts, 10, (-1, ""))
    assert (debt.order_id, debt.short_gems) == ("o_1", 80)
    # 60 gems come in and pay; there is no first bonus a second time.
    await shop(topups.new_order, "o_2")
    await shop(topups.take, event("e2", order_id="o_2"))
    assert await shop(topups.gems) == 0
    assert await shop(topup_orders.owed_by, "p_a") == 20
    await shop(topups.new_order, "o_3")
    await shop(topups.take, event("e3", order_id="o_3"))
    assert await shop(topups.gems) == 40
    assert await shop(topup_orders.owed_by, "p_a") == 0
    assert (await shop(topups.entries))[-4:] == [("topup", 60), ("debt", -60), ("topup", 60), ("debt", -20)]
    assert await shop.is_clean()


async def test_a_chargeback_that_a_bank_takes_back_gives_again_what_was_taken(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.spend)
    await shop(topups.take, event("c1", "charged_back", return_id="cb1"))
    assert (await shop(topups.gems), await shop(topup_orders.owed_by, "p_a")) == (0, 20)
    reversed_ = event("c2", "chargeback_reversed", return_id="cb1")
    assert await shop(topups.take, reversed_) == "applied"
    assert (await shop(topups.gems), await shop(topup_orders.owed_by, "p_a")) == (70, 0)
    assert await shop(topups.state) == "paid"
    assert await shop.is_clean()


async def test_what_went_back_before_its_payment_was_heard_of_is_taken_off_it(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    assert await shop(topups.take, event("r1", "refunded", amount_fen=200, return_id="x")) == "applied"
    assert (await shop(topups.state), await shop(topups.gems)) == ("waiting", 0)
    assert await shop(topups.take, event("e1")) == "applied"
    assert (await shop(topups.state), await shop(topups.gems)) == ("part_refunded", 60)
    assert await shop(topups.entries) == [("topup", 60), ("topup_bonus", 30), ("refund", -30)]
    assert await shop.is_clean()


async def test_more_back_than_was_paid_takes_all_gems_and_waits_for_a_person(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.take, event("r1", "refunded", amount_fen=400, return_id="x"))
    assert await shop(topups.take, event("c1", "charged_back", return_id="y")) == "returned_more_than_paid"
    assert await shop(topups.gems) == 0
    order = await shop(topup_orders.order_of, "o_1")
    assert order is not None
    assert (order.state, order.returned_fen, order.returned_gems) == ("charged_back", 600, 90)
    assert await shop(topups.problems) == [("returned_more_than_paid", "o_1")]
    assert await shop.is_clean()


async def test_a_return_that_contradicts_an_earlier_one_waits_for_a_person(shop: Shop) -> None:
    for order_id in ("o_1", "o_2"):
        await shop(topups.new_order, order_id)
        await shop(topups.take, event(f"e{order_id}", order_id=order_id))
    await shop(topups.take, event("r1", "refunded", amount_fen=100, return_id="x"))
    for said in (
        event("r2", "refunded", amount_fen=101, return_id="x"),
        event("r3", "refunded", amount_fen=100, return_id="x", order_id="o_2"),
        event("r4", "chargeback_reversed", amount_fen=100, return_id="x"),
    ):
        assert await shop(topups.take, said) == "return_contradicts"
    assert await shop(topups.gems) == 135
    assert await shop.is_clean()


async def test_a_provider_that_is_asked_tells_everything_at_once(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    status = PaymentStatus(
        "paid",
        600,
        "CNY",
        "pay_o_1",
        NOW_MS,
        (ReturnFact("x", "refunded", 200), ReturnFact("y", "charged_back", 100)),
    )
    assert await shop(topups.ask, "o_1", status) == "applied"
    assert await shop(topups.ask, "o_1", status) == "nothing_new"
    assert await shop(topups.gems) == 45
    assert await shop(topups.state) == "charged_back"
    assert await shop(topups.ask, "o_1", PaymentStatus("paid", 700, "CNY", "pay_o_1")) == "wrong_amount"
    assert await shop(topups.ask, "o_1", PaymentStatus("paid", 700, "CNY", "pay_o_1")) == "wrong_amount"
    assert await shop(topups.problems) == [("wrong_amount", "o_1")]
    assert await shop.is_clean()


async def test_a_problem_is_dealt_with_once_and_staff_s_word_is_a_fact(shop: Shop) -> None:
    await shop(topups.take, event("e", order_id="o_none"))
    [problem] = await shop(topup_desk.open_problems, 10, 0)
    for _ in range(2):
        await shop(topup_desk.resolve_problem, problem.id, topups.STAFF, "paid back by hand", NOW_MS)
    assert await shop(topups.problems) == []
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await shop(topup_desk.resolve_problem, 999, topups.STAFF, "no such", NOW_MS)
    acted = await shop(lambda c: c.execute(select(schema.outbox.c.type)).scalars().all())
    assert acted == ["paiju.economy.v1.StaffActed"]


async def test_orders_are_counted_and_repeated_under_one_lock(shop: Shop) -> None:
    product = CATALOGUE.product("small")
    assert product is not None

    def new(number: int) -> topup_orders.NewOrder:
        return topup_orders.NewOrder(
            f"o_{number}", "p_a", f"r{number}", product, "sandbox", NOW_MS + 1, NOW_MS
        )

    make = partial(topup_orders.make_order, catalogue=CATALOGUE, open_max=2, now_ms=NOW_MS)
    await shop(make, new(1), spent=(0, 0))
    with pytest.raises(topup_orders.Changed):
        await shop(make, new(2), spent=(0, 0))
    second = await shop(make, new(2), spent=(0, 600))
    # The first order waits with the first-top-up bonus: it is promised once.
    assert second.bonus_gems == 0
    with pytest.raises(Refusal, match="TOO_MANY_ORDERS"):
        await shop(make, new(3), spent=(0, 1200))
    assert (await shop(make, new(2), spent=(0, 0))).order_id == "o_2"
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await shop(topup_orders.same_order, "p_a", "r2", "large")
    assert await shop(topup_orders.spent_since, "p_a", NOW_MS) == 1200


async def test_an_exchange_is_made_once_and_never_without_gems(shop: Shop) -> None:
    with pytest.raises(Refusal, match="INSUFFICIENT_FUNDS"):
        await shop(topups.spend)
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    await shop(topups.spend)
    await shop(topups.spend)
    assert await shop(topups.gems) == 70
    assert await shop.is_clean()


async def test_an_order_only_goes_where_its_states_lead(shop: Shop) -> None:
    row = await shop(topups.new_order, "o_1")
    with pytest.raises(Defect):
        await shop(topup_orders.move, row, "refunded", "test", "", NOW_MS)
    await shop(topups.take, event("e1"))
    paid = await shop(topup_orders.order_of, "o_1")
    with pytest.raises(Defect):
        await shop(topup_orders.move, paid, "expired", "test", "", NOW_MS)
    assert (await shop(topup_orders.lapse, "o_1", "expired", "expiry", NOW_MS)).state == "paid"
    with pytest.raises(IntegrityError):
        await shop(lambda c: c.execute(update(tables.orders).values(returned_fen=601)))


async def test_the_reconciler_finds_orders_that_were_doctored(shop: Shop) -> None:
    await shop(topups.new_order, "o_1")
    await shop(topups.take, event("e1"))
    assert await shop.is_clean()
    await shop(lambda c: c.execute(update(tables.orders).values(gems=61)))
    found = await shop(topups.findings)
    assert "order o_1: 90 gems moved to its player, 91 are due" in found
    assert "order o_1: is not what was ordered" in found
    await shop(lambda c: c.execute(update(tables.orders).values(gems=60, returned_fen=5)))
    assert list(await shop(topups.findings)) == [
        "order o_1: paid, 5 fen and 0 gems went back; its returns come to paid, 0 and 0"
    ]
    await shop(lambda c: c.execute(delete(tables.orders)))
    found = await shop(topups.findings)
    assert "order o_1: gems moved for it, but it does not exist" in found
    assert "order o_1: in topup_history, but it does not exist" in found


@pytest.mark.postgres
async def test_eight_at_once_book_one_payment_once(busy: Shop) -> None:
    await busy(topups.new_order, "o_1")
    said = [event("same")] * 6 + [event("other"), event("third")]
    outcomes = await asyncio.gather(*(busy(topups.take, one) for one in said))
    assert sorted(outcomes) == ["applied", *["nothing_new"] * 2, *["repeated"] * 5]
    assert await busy(topups.gems) == 90
    assert await busy.is_clean()


@pytest.mark.postgres
async def test_eight_at_once_make_and_pay_and_take_back_without_a_deadlock(busy: Shop) -> None:
    async def life(number: int) -> None:
        player, order_id = f"p_{number % 2}", f"o_{number}"
        while True:
            try:
                await busy(topups.new_order, order_id, player)
                break
            except topup_orders.Changed:
                continue
        await busy(topups.take, event(f"e{number}", order_id=order_id))
        await busy(topups.take, event(f"c{number}", "charged_back", order_id, 300, return_id=f"cb{number}"))
        await busy(topups.spend, player, f"x{number}")

    await asyncio.gather(*(life(number) for number in range(8)))
    firsts = await busy(lambda c: c.execute(select(tables.orders.c.promotion_id)).scalars().all())
    assert firsts.count("first") == 2, "one promotion for each of two players"
    # 4 orders of 60, one with 30 on top; half of each went back, 4 × 20 were spent.
    assert [await busy(topups.gems, player) for player in ("p_0", "p_1")] == [55, 55]
    assert await busy.is_clean()


@pytest.mark.postgres
async def test_eight_of_the_staff_at_once_give_back_no_more_than_was_paid(busy: Shop) -> None:
    await busy(topups.new_order, "o_1")
    await busy(topups.take, event("e1"))
    await busy(topups.spend)

    async def give(number: int) -> str:
        try:
            await busy(topups.refund, "o_1", 100, f"r{number}", even_if_spent=True)
        except Refusal as refusal:
            return refusal.reason
        return ""

    said = await asyncio.gather(*(give(number) for number in range(8)))
    assert sorted(said) == [""] * 6 + ["REFUND_TOO_LARGE"] * 2
    whole = await busy(topup_desk.inspect, "o_1")
    assert (whole.order.state, whole.order.returned_fen, whole.owed_gems) == ("refunded", 600, 20)
    assert await busy(topups.gems) == 0
    assert await busy.is_clean()


@pytest.mark.postgres
async def test_one_event_id_for_two_orders_at_once_is_taken_in_once(busy: Shop) -> None:
    for number in range(4):
        await busy(topups.new_order, f"o_{number}")
    said = [event("same", order_id=f"o_{number}") for number in range(4)]
    outcomes = await asyncio.gather(*(busy(topups.take, one) for one in said), return_exceptions=True)
    assert outcomes.count("applied") == 1
    assert all(one in ("applied", "other_content") or isinstance(one, Outage) for one in outcomes)
    again = [await busy(topups.take, one) for one in said]
    assert sorted(again) == ["other_content"] * 3 + ["repeated"]
    assert await busy.is_clean()


@pytest.mark.postgres
async def test_one_request_for_two_orders_at_once_is_done_once_and_refused_once(busy: Shop) -> None:
    """Nobody is told of an internal error: who lost looks again, and finds what the other has written."""
    waiver = topup_waivers.Waiver
    for number in range(8):
        await busy(topups.new_order, f"o_{number}", f"p_{number}")
        await busy(topups.take, event(f"e{number}", order_id=f"o_{number}"))
    for pair in range(2):
        orders = [f"o_{2 * pair}", f"o_{2 * pair + 1}"]
        refunds = [busy(topups.refund, order, 600, f"same{pair}") for order in orders]
        said = await asyncio.gather(*refunds, return_exceptions=True)
        assert [one.reason for one in said if isinstance(one, Refusal)] == ["REQUEST_ID_REUSED"]
        assert sum(not isinstance(one, BaseException) for one in said) == 1
    for number in range(4, 8):
        for at in range(3):
            await busy(topups.spend, f"p_{number}", f"x{at}")
        back = event(f"b{number}", "charged_back", f"o_{number}", 600, return_id=f"b{number}")
        await busy(topups.take, back)
    for pair in range(2, 4):
        waivers = [waiver(f"w{pair}", f"o_{2 * pair + at}", 5, "let be", topups.STAFF) for at in range(2)]
        waived = [busy(topup_waivers.waive, one, CATALOGUE, NOW_MS) for one in waivers]
        done = await asyncio.gather(*waived, return_exceptions=True)
        assert [one.reason for one in done if isinstance(one, Refusal)] == ["REQUEST_ID_REUSED"]
        assert sum(not isinstance(one, BaseException) for one in done) == 1
    assert await busy.is_clean()
