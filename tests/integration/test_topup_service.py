"""Top-ups as they run: accounts says who may spend, the sandbox is the provider, staff gives back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from paiju.accounts.v1 import protection_service_pb2 as protection
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1 import topup_service_pb2 as pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.staff_events_pb2 import StaffActed
from paiju.economy.v1.topup_events_pb2 import TopUpPaid
from paiju.economy.v1.topup_service_pb2_grpc import SandboxPayServiceStub, TopUpServiceStub
from sqlalchemy import select

from services.chassis import auth
from services.chassis.clock import SystemClock
from services.chassis.config import ConfigError
from services.chassis.errors import Outage, Refusal
from services.economy.app import Economy, wire
from services.economy.core.topup_payments import PaymentStatus, RefundAnswer, RefundAsked
from services.economy.providers.sandbox import SandboxProvider
from services.economy.providers.signing import signed_headers
from services.economy.settings import EconomySettings
from services.economy.store import topup_schema as tables
from services.economy.topup_watch import Watch
from tests.support.accounts import RunningAccounts
from tests.support.process import MemoryProcess, MemoryWorld, system_ids

KEY, OLD = "n" * 32, "o" * 32
MONEY = frozenset({"money"})


class ShiftedClock(SystemClock):
    """The system's clock, which somebody sets."""

    ahead_ms = 0

    def now_ms(self) -> int:
        return super().now_ms() + self.ahead_ms


class Moody(SandboxProvider):
    """The sandbox on a bad day."""

    is_away = False
    refuses = False

    async def create(self, purchase: Any) -> str:
        self._look()
        return await super().create(purchase)

    async def query(self, order_id: str) -> PaymentStatus | None:
        self._look()
        return await super().query(order_id)

    async def refund(self, refund: RefundAsked) -> RefundAnswer:
        self._look()
        return "refused" if self.refuses else await super().refund(refund)

    def _look(self) -> None:
        if self.is_away:
            raise Outage("the provider is away")


class Running:
    """Economy and accounts, each in a process, and a third that talks to them."""

    def __init__(
        self,
        service: Economy,
        process: MemoryProcess,
        other: MemoryProcess,
        clock: ShiftedClock,
        people: RunningAccounts,
    ) -> None:
        self.clock, self.bus, self.people = clock, other.bus, people
        self.desk = service.topups.topups
        self.db = process.parts.db("economy")
        self.provider = Moody(self.db, clock, process.parts.ids, [KEY, OLD])
        self.desk.provider = self.provider
        self.watch = Watch(self.desk, self.provider, self.db, clock, 1.0)
        self.stub = other.rpc.client(TopUpServiceStub, "economy")
        self.pay_desk = other.rpc.client(SandboxPayServiceStub, "economy")
        self.economy = other.rpc.client(EconomyServiceStub, "economy")
        self.accounts = other.rpc.client(ProtectionServiceStub, "accounts")

    async def person(self, band: protection.AgeBand.ValueType) -> str:
        """Return a new player who has said how old he is."""
        player = (await self.people.sign_in()).profile.player_id
        with auth.acting_for(player):
            await self.accounts.DeclareAge(protection.DeclareAgeRequest(band=band))
        return player

    async def order(self, player: str = "p_a", product: str = "gems_60", request_id: str = "r1") -> pb.Order:
        with auth.acting_for(player):
            request = pb.CreateOrderRequest(request_id=request_id, product_id=product)
            return (await self.stub.CreateOrder(request)).order

    async def get(self, order_id: str, player: str = "p_a") -> pb.Order:
        with auth.acting_for(player):
            return (await self.stub.GetOrder(pb.GetOrderRequest(order_id=order_id))).order

    async def press(self, order: pb.Order, act: pb.SandboxAct.ValueType = pb.SANDBOX_ACT_PAY) -> str:
        payment_id = order.pay_url.rpartition("/")[2]
        request = pb.ActOnSandboxPaymentRequest(payment_id=payment_id, act=act)
        return (await self.pay_desk.ActOnSandboxPayment(request)).state

    async def webhooks(self) -> list[bytes]:
        query = select(tables.sandbox_deliveries.c.body).order_by(tables.sandbox_deliveries.c.id)
        return [bytes(body) for body in await self.db.read(lambda c: c.execute(query).scalars().all())]

    async def deliver(self, body: bytes, key: str = KEY) -> str:
        headers = signed_headers(key, self.clock.now_ms() // 1000, body)
        request = pb.ReceivePaymentRequest(
            provider="sandbox",
            headers=[pb.HttpHeader(name=name.title(), value=value) for name, value in headers.items()],
            body=body,
        )
        return (await self.stub.ReceivePayment(request)).outcome

    async def gems(self, player: str = "p_a") -> int:
        wallet = await self.economy.GetWallet(economy_pb.GetWalletRequest(player_id=player))
        return next(money.amount for money in wallet.balances if money.currency == "gem")

    async def is_clean(self) -> bool:
        assert list((await self.economy.Reconcile(economy_pb.ReconcileRequest())).findings) == []
        return True

    async def hear(self, kind: type[Any]) -> list[Any]:
        heard: list[Any] = []

        async def handler(deliveries: Any) -> None:
            heard.extend(one.message for one in deliveries)

        await self.bus.consume(f"test-{kind.__name__}", (kind,), handler)
        return heard


async def until(holds: Callable[[], object], what: str) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)
    assert holds(), what


def settings(**more: Any) -> EconomySettings:
    values = {"topup_provider": "sandbox", "topup_keys": (KEY, OLD), "topup_look_s": 600, **more}
    return EconomySettings(**values)


@pytest.fixture
async def running(world: MemoryWorld) -> AsyncIterator[Running]:
    clock = ShiftedClock()
    accounts = await RunningAccounts(world).start()
    process = world.process("economy", system_ids())
    process.parts.clock = clock
    service = await wire(settings(), process.parts)
    assert isinstance(service, Economy)
    await process.rpc.start()
    await service.start()
    other = world.process("desk", system_ids())
    await other.rpc.start()
    yield Running(service, process, other, clock, accounts)
    await service.stop()
    await accounts.stop()


async def test_an_order_is_paid_by_a_signed_webhook_and_said_once(running: Running) -> None:
    paid = await running.hear(TopUpPaid)
    order = await running.order()
    assert order.state == pb.ORDER_STATE_WAITING
    assert order.pay_url.startswith("/sandbox-pay/sp_")
    assert await running.order() == order, "a repeat is the same order"
    assert await running.press(order) == "paid"
    assert await running.press(order) == "paid"
    [body] = await running.webhooks()
    assert await running.deliver(body) == "applied"
    assert await running.deliver(body) == "repeated"
    assert await running.deliver(body, OLD) == "repeated", "the key before is still good"
    now = await running.get(order.order_id)
    assert (now.state, now.pay_url, now.bonus_gems) == (pb.ORDER_STATE_PAID, "", 60)
    assert await running.gems() == 120
    await until(lambda: paid, "the fact")
    assert [(one.order_id, one.amount_fen, one.gems) for one in paid] == [(order.order_id, 600, 120)]
    assert await running.is_clean()


async def test_a_forged_a_stale_and_a_malformed_webhook_are_refused_and_kept_nowhere(
    running: Running, quiet: None
) -> None:
    order = await running.order()
    await running.press(order)
    [body] = await running.webhooks()
    with pytest.raises(Refusal, match="WEBHOOK_FORGED"):
        await running.deliver(body, "x" * 32)
    headers = signed_headers(KEY, running.clock.now_ms() // 1000 - 301, body)
    named = [pb.HttpHeader(name=name, value=value) for name, value in headers.items()]
    request = pb.ReceivePaymentRequest(provider="sandbox", headers=named, body=body)
    with pytest.raises(Refusal, match="WEBHOOK_STALE"):
        await running.stub.ReceivePayment(request)
    with pytest.raises(Refusal, match="WEBHOOK_MALFORMED"):
        await running.deliver(b"{}")
    with pytest.raises(Refusal, match="MESSAGE_TOO_LARGE"):
        await running.deliver(b"x" * 65_537)
    with pytest.raises(Refusal, match="PROVIDER_UNKNOWN"):
        await running.stub.ReceivePayment(pb.ReceivePaymentRequest(provider="elsewhere", body=body))
    assert await running.gems() == 0
    with auth.acting_for("p_s", MONEY):
        found = await running.stub.ListPaymentProblems(pb.ListPaymentProblemsRequest())
        assert not found.problems
    assert await running.deliver(body) == "applied"


async def test_a_payment_whose_webhook_is_lost_is_found_by_asking(running: Running) -> None:
    order = await running.order()
    await running.press(order, pb.SANDBOX_ACT_PAY_SILENTLY)
    assert await running.watch.look_once() == 0, "it is not due yet"
    running.clock.ahead_ms = 31_000
    running.provider.is_away = True
    await running.watch.look_once()
    assert (await running.get(order.order_id)).state == pb.ORDER_STATE_WAITING
    running.provider.is_away = False
    running.clock.ahead_ms = 120_000
    await running.watch.look_once()
    assert (await running.get(order.order_id)).state == pb.ORDER_STATE_PAID
    assert await running.gems() == 120
    # A chargeback whose word is lost, too, is found a day later.
    await running.press(order, pb.SANDBOX_ACT_CHARGE_BACK)
    running.clock.ahead_ms = 86_400_000 + 130_000
    await running.watch.look_once()
    assert (await running.get(order.order_id)).state == pb.ORDER_STATE_CHARGED_BACK
    assert await running.gems() == 0
    assert await running.is_clean()


async def test_an_order_that_nobody_pays_is_closed_at_the_provider_and_lapses(running: Running) -> None:
    order = await running.order()
    running.clock.ahead_ms = 31 * 60_000
    await running.watch.look_once()
    assert (await running.get(order.order_id)).state == pb.ORDER_STATE_EXPIRED
    running.clock.ahead_ms = 0
    assert await running.press(order) == "closed", "nobody can pay it any more"
    assert await running.gems() == 0
    # Its bonus is free for the next order.
    assert (await running.order(request_id="r2")).bonus_gems == 60


async def test_an_order_paid_in_its_last_second_is_paid(running: Running) -> None:
    order = await running.order()
    await running.press(order, pb.SANDBOX_ACT_PAY_SILENTLY)
    running.clock.ahead_ms = 31 * 60_000
    await running.watch.look_once()
    assert (await running.get(order.order_id)).state == pb.ORDER_STATE_PAID
    assert await running.gems() == 120


async def test_an_outage_of_the_provider_leaves_an_order_that_the_repeat_finishes(running: Running) -> None:
    running.provider.is_away = True
    with pytest.raises(Outage):
        await running.order()
    with auth.acting_for("p_a"):
        [made] = (await running.stub.ListOrders(pb.ListOrdersRequest())).orders
    assert made.state == pb.ORDER_STATE_CREATED
    running.provider.is_away = False
    order = await running.order()
    assert (order.order_id, order.state) == (made.order_id, pb.ORDER_STATE_WAITING)


async def test_who_may_not_spend_orders_nothing_and_is_told_why(running: Running) -> None:
    kid = await running.person(protection.AGE_BAND_UNDER_8)
    teen = await running.person(protection.AGE_BAND_8_15)
    with pytest.raises(Refusal, match="SPENDING_NOT_ALLOWED"):
        await running.order(kid)
    with pytest.raises(Refusal, match="SPENDING_TOO_MUCH_AT_ONCE"):
        await running.order(teen, "gems_680")
    # 50 yuan at once, 200 in a month: six times 30, and no seventh; what waits counts as what is paid.
    for number in range(4):
        order = await running.order(teen, "gems_300", f"r{number}")
        await running.press(order)
    for body in await running.webhooks():
        assert await running.deliver(body) == "applied"
    for number in range(4, 6):
        await running.order(teen, "gems_300", f"r{number}")
    with pytest.raises(Refusal, match="SPENDING_MONTH_REACHED") as reached:
        await running.order(teen, "gems_300", "r6")
    assert reached.value.details["left_month_fen"] == "2000"
    await running.order(teen, "gems_60", "r7")
    with auth.acting_for(kid):
        assert not (await running.stub.ListOrders(pb.ListOrdersRequest())).orders


async def test_orders_made_at_once_are_counted_together(running: Running) -> None:
    teen = await running.person(protection.AGE_BAND_8_15)
    made = await asyncio.gather(
        *(running.order(teen, "gems_300", f"r{number}") for number in range(9)), return_exceptions=True
    )
    refusals = [one.reason for one in made if isinstance(one, Refusal)]
    assert len(made) - len(refusals) <= 5
    assert set(refusals) <= {"TOO_MANY_ORDERS", "SPENDING_MONTH_REACHED"}
    orders = [one for one in made if isinstance(one, pb.Order)]
    assert sum(order.price_fen for order in orders) <= 20_000
    assert len({order.order_id for order in orders}) == len(orders)


async def test_staff_with_the_role_refunds_and_it_is_a_fact(running: Running) -> None:
    acted = await running.hear(StaffActed)
    order = await running.order()
    await running.press(order)
    for body in await running.webhooks():
        await running.deliver(body)
    request = pb.RefundOrderRequest(
        request_id="f1", order_id=order.order_id, amount_fen=300, reason="bought by mistake"
    )
    for roles in (frozenset[str](), frozenset({"support"}), frozenset({"disputes"})):
        with auth.acting_for("p_s", roles), pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await running.stub.RefundOrder(request)
    with auth.acting_for("p_s", MONEY):
        answer = await running.stub.RefundOrder(request)
        assert (answer.refund.state, answer.order.state) == ("done", pb.ORDER_STATE_PART_REFUNDED)
        assert (await running.stub.RefundOrder(request)).refund == answer.refund
        for field, value in (("reason", "x"), ("amount_fen", 0), ("amount_fen", -5), ("request_id", "")):
            bad = pb.RefundOrderRequest()
            bad.CopyFrom(request)
            setattr(bad, field, value)
            with pytest.raises(Refusal):
                await running.stub.RefundOrder(bad)
        whole = await running.stub.InspectOrder(pb.InspectOrderRequest(order_id=order.order_id))
    assert await running.gems() == 60
    # The provider's own word about it changes nothing more.
    assert await running.deliver((await running.webhooks())[-1]) == "nothing_new"
    assert [step.cause for step in whole.history] == ["player", "provider", "provider_event", "staff"]
    assert [(one.kind, one.state, one.staff_id) for one in whole.returns] == [("refund", "done", "p_s")]
    assert (whole.unspent_gems, whole.refundable_fen) == (60, 300)
    await until(lambda: acted, "the fact")
    [fact] = acted
    assert (fact.staff_id, fact.role, fact.action, fact.subject) == (
        "p_s",
        "money",
        "topup.refund",
        order.order_id,
    )
    assert await running.is_clean()


async def test_a_refund_that_the_provider_does_not_answer_is_asked_for_again(running: Running) -> None:
    order = await running.order()
    await running.press(order)
    for body in await running.webhooks():
        await running.deliver(body)
    running.provider.is_away = True
    ask = partial(pb.RefundOrderRequest, order_id=order.order_id, amount_fen=600, reason="asked for")
    with auth.acting_for("p_s", MONEY):
        answer = await running.stub.RefundOrder(ask(request_id="f1"))
    assert (answer.refund.state, await running.gems()) == ("asked", 0)
    running.provider.is_away = False
    running.provider.refuses = True
    running.clock.ahead_ms = 61_000
    assert await running.watch.look_once() == 1
    # The provider will not: the gems are there again, and a person is told.
    assert await running.gems() == 120
    with auth.acting_for("p_s", MONEY):
        [problem] = (await running.stub.ListPaymentProblems(pb.ListPaymentProblemsRequest())).problems
        assert problem.reason == "refund_refused"
        await running.stub.ResolvePaymentProblem(
            pb.ResolvePaymentProblemRequest(problem_id=problem.problem_id, reason="paid by bank transfer")
        )
        assert not (await running.stub.ListPaymentProblems(pb.ListPaymentProblemsRequest())).problems
        debts = await running.stub.ListDebts(pb.ListDebtsRequest())
        assert not debts.debts
    assert await running.is_clean()


async def test_the_desk_of_money_is_for_its_role_alone_and_every_deed_is_a_fact(running: Running) -> None:
    acted = await running.hear(StaffActed)
    order = await running.order()
    await running.press(order)
    for number in range(2):
        with auth.acting_for("p_a"):
            request = pb.ExchangeGemsRequest(request_id=f"x{number}", pack_id="gold_60")
            if not number:
                for body in await running.webhooks():
                    await running.deliver(body)
            await running.stub.ExchangeGems(request)
    await running.press(order, pb.SANDBOX_ACT_CHARGE_BACK)
    for body in await running.webhooks():
        await running.deliver(body)
    waive = pb.WaiveDebtRequest(request_id="w1", order_id=order.order_id, gems=20, reason="a good customer")
    calls: list[Any] = [
        (running.stub.WaiveDebt, waive),
        (running.stub.FindOrders, pb.FindOrdersRequest()),
        (running.stub.ListDebts, pb.ListDebtsRequest()),
        (running.stub.ListPaymentProblems, pb.ListPaymentProblemsRequest(with_resolved=True)),
    ]
    for roles in (frozenset[str](), frozenset({"support"}), frozenset({"disputes"})):
        for call, request in calls:
            with auth.acting_for("p_s", roles), pytest.raises(Refusal, match="PERMISSION_DENIED"):
                await call(request)
    with auth.acting_for("p_s", MONEY):
        debts = await running.stub.ListDebts(pb.ListDebtsRequest())
        assert (debts.open, debts.owed_gems, debts.debts[0].short_gems) == (1, 120, 120)
        for _ in range(2):
            debt = (await running.stub.WaiveDebt(waive)).debt
            assert (debt.owed_gems, debt.waived_gems, debt.player_id) == (100, 20, "p_a")
        for field, value in (("gems", 0), ("gems", -1), ("gems", 101), ("reason", " x "), ("request_id", "")):
            bad = pb.WaiveDebtRequest(request_id="w2", order_id=order.order_id, gems=1, reason="for a test")
            setattr(bad, field, value)
            with pytest.raises(Refusal):
                await running.stub.WaiveDebt(bad)
        found = await running.stub.FindOrders(
            pb.FindOrdersRequest(player_id="p_a", filter=pb.ORDER_FILTER_RETURNED)
        )
        assert [(one.order_id, one.owed_gems) for one in found.orders] == [(order.order_id, 100)]
        for wrong in ({"player_id": "bot:normal"}, {"filter": 99}, {"page_size": 101}, {"page_token": "x"}):
            with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
                await running.stub.FindOrders(pb.FindOrdersRequest(**wrong))
    await until(lambda: acted, "the fact")
    [fact] = acted
    assert (fact.action, fact.subject, fact.reason) == (
        "topup.waive_debt",
        order.order_id,
        "a good customer",
    )
    assert await running.is_clean()


async def test_a_player_sees_his_own_orders_only_page_by_page(running: Running) -> None:
    mine = [await running.order(request_id=f"r{number}") for number in range(3)]
    other = await running.order("p_b")
    with pytest.raises(Refusal, match="ORDER_UNKNOWN"):
        await running.get(other.order_id)
    with auth.acting_for("p_a"):
        first = await running.stub.ListOrders(pb.ListOrdersRequest(page_size=2))
        rest = await running.stub.ListOrders(
            pb.ListOrdersRequest(page_size=2, page_token=first.next_page_token)
        )
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await running.stub.ListOrders(pb.ListOrdersRequest(page_token="'; DROP"))
    assert {one.order_id for one in (*first.orders, *rest.orders)} == {one.order_id for one in mine}
    assert (len(first.orders), rest.next_page_token) == (2, "")


async def test_gems_buy_packs_and_nothing_buys_gems(running: Running) -> None:
    order = await running.order()
    await running.press(order)
    for body in await running.webhooks():
        await running.deliver(body)
    with auth.acting_for("p_a"):
        request = pb.ExchangeGemsRequest(request_id="x1", pack_id="cards_20")
        first = await running.stub.ExchangeGems(request)
        assert await running.stub.ExchangeGems(request) == first
        assert first.balance_after == 10
        with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
            await running.stub.ExchangeGems(pb.ExchangeGemsRequest(request_id="x1", pack_id="gold_10"))
        with pytest.raises(Refusal, match="PACK_UNKNOWN"):
            await running.stub.ExchangeGems(pb.ExchangeGemsRequest(request_id="x2", pack_id="gems_60"))
    assert await running.gems() == 100
    for kind in ("task", "topup", "refund_undone"):
        grant = economy_pb.GrantRewardRequest(
            request_id="g", player_id="p_a", kind=kind, money=economy_pb.Money(currency="gem", amount=5)
        )
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await running.economy.GrantReward(grant)


async def test_production_refuses_the_sandbox_and_without_a_provider_nothing_is_sold(
    world: MemoryWorld,
) -> None:
    process = world.process("economy", system_ids())
    process.parts.settings = process.parts.settings.model_copy(update={"dev": False})
    with pytest.raises(ConfigError, match="production"):
        await wire(settings(), process.parts)
    closed = world.process("closed", system_ids())
    await wire(EconomySettings(), closed.parts)
    await closed.rpc.start()
    stub = closed.rpc.client(TopUpServiceStub, "economy")
    with auth.acting_for("p_a"):
        assert not (await stub.ListProducts(pb.ListProductsRequest())).is_open
        with pytest.raises(Refusal, match="TOPUP_CLOSED"):
            await stub.CreateOrder(pb.CreateOrderRequest(request_id="r", product_id="gems_60"))
    desk = closed.rpc.client(SandboxPayServiceStub, "economy")
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await desk.GetSandboxPayment(pb.GetSandboxPaymentRequest(payment_id="sp_" + "0" * 32))


async def test_a_catalogue_that_makes_no_sense_stops_the_start(world: MemoryWorld, tmp_path: Path) -> None:
    file = tmp_path / "products.json"
    file.write_text('{"products": [{"id": "p", "gems": 0}]}', encoding="utf-8")
    process = world.process("economy", system_ids())
    with pytest.raises(ConfigError, match=r"PAIJU_ECONOMY_TOPUP_PRODUCTS: .*gems"):
        await wire(settings(topup_products=file), process.parts)
