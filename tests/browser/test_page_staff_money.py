"""管理 of money on a real platform: an order whole, a refund, a payment that does not fit, a debt."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import jwt
import pytest
from paiju.economy.v1 import topup_service_pb2 as pb
from playwright.async_api import Browser, Page

from services.economy.providers.signing import signed_headers
from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, go
from tests.browser.support.seen import each, still, until, until_count, until_is
from tests.support.person import Person
from tests.support.up import Up
from tests.support.wrong_engine import make_staff

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

KEY = "k" * 40
TOPUPS = "paiju.economy.v1.TopUpService"
WHY = "bought by his little brother"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; its provider's key is known here."""
    folder = tmp_path_factory.mktemp("money")
    with Up(folder / "data", env={"PAIJU_ECONOMY_TOPUP_KEYS": json.dumps([KEY])}) as running:
        yield running


class Payer:
    """A player who buys, and the provider that speaks of it."""

    def __init__(self, up: Up, person: Person, http: aiohttp.ClientSession) -> None:
        self._url, self._person, self._http = up.said.url, person, http
        self.player_id = person.player_id

    async def order(self, request_id: str, product: str = "gems_60") -> pb.Order:
        request = pb.CreateOrderRequest(request_id=request_id, product_id=product)
        return (await self._person.call(f"{TOPUPS}/CreateOrder", request, pb.CreateOrderResponse)).order

    async def buy(self, request_id: str, product: str = "gems_60", fen: int = 600) -> pb.Order:
        order = await self.order(request_id, product)
        await self.say(order, "paid", fen)
        return order

    async def spend(self, request_id: str) -> None:
        request = pb.ExchangeGemsRequest(request_id=request_id, pack_id="gold_60")
        await self._person.call(f"{TOPUPS}/ExchangeGems", request, pb.ExchangeGemsResponse)

    async def say(self, order: pb.Order, kind: str, fen: int, **more: Any) -> str:
        """Send a signed webhook about an order; return what became of it."""
        said = {
            "event_id": f"{kind}/{order.order_id}",
            "kind": kind,
            "order_id": order.order_id,
            "amount_fen": fen,
            "currency": "CNY",
            "payment_id": order.pay_url.rpartition("/")[2] or "sp_elsewhere",
            "return_id": f"back/{order.order_id}" if kind == "charged_back" else "",
            "at_ms": 1,
        }
        body = json.dumps(said | more).encode()
        headers = signed_headers(KEY, int(time.time()), body)
        async with self._http.post(f"{self._url}hooks/pay/sandbox", data=body, headers=headers) as answer:
            return str((await answer.json())["outcome"])


@asynccontextmanager
async def payer(up: Up) -> AsyncIterator[Payer]:
    """Sign a player in over the real door."""
    person = Person(up.said.url)
    await person.sign_in()
    await person.connect()
    async with aiohttp.ClientSession() as http:
        yield Payer(up, person, http)
    await person.close()


@asynccontextmanager
async def desk(browser: Browser, up: Up, size: tuple[int, int], language: str) -> AsyncIterator[Page]:
    """Open 管理 as somebody with the role `money`; the role counts from the next token on."""
    async with opened(browser, up.said.url, size, chosen=language) as page:
        await page.wait_for_selector(".hall")
        token: str = await still(page, "JSON.parse(sessionStorage['paiju.access']).access_token")
        claims = jwt.decode(token, options={"verify_signature": False})
        await make_staff(up, str(claims["sub"]), "money")
        await still(page, "sessionStorage.clear()")
        await page.reload()
        await page.wait_for_selector(".hall")
        await go(page, "staff")
        yield page


async def decide(page: Page, act: str, amount: str = "") -> None:
    """Write how much and why, send it, and say yes."""
    form = f"[data-act={act}]"
    if amount:
        await page.fill(f"{form} [data-field=amount]", amount)
    await page.fill(f"{form} [data-field=act-reason]", WHY)
    await page.click(f"{form} [data-button=send]")
    await page.click(f"{form} .confirm .danger")


@pytest.mark.parametrize(
    ("size", "language"), [(DESKTOP, "zh-CN"), (UPRIGHT, "en")], ids=["desktop", "phone"]
)
async def test_staff_gives_money_back_settles_a_problem_and_waives_a_debt(
    browser: Browser, up: Up, size: tuple[int, int], language: str
) -> None:
    async with payer(up) as player:
        kept = await player.buy("r1")
        spent = await player.buy("r2", "gems_300", 3_000)
        for number in range(7):
            await player.spend(f"x{number}")
        # 120 + 300 came, 420 are gone: what a bank takes back now is owed.
        assert await player.say(spent, "charged_back", 3_000) == "applied"
        owed = (await player.buy("r3")).order_id
        assert (
            await player.say(kept, "paid", 600, event_id=f"again/{kept.order_id}", payment_id="sp_x")
            == "paid_twice"
        )
        stranger = pb.Order(order_id=f"o_nobody_{player.player_id}")
        assert await player.say(stranger, "paid", 600, event_id=f"e/{player.player_id}") == "unknown_order"
        async with desk(browser, up, size, language) as page:
            # Only what is this role's is there, and the first of it is open.
            tabs = ["orders", "problems", "debts"]
            await until_is(lambda: each(page, ".staff-tab", "node.dataset.tab"), tabs)
            await page.fill("[data-field=search]", "who is he")
            await page.click(".staff-search button")
            await page.wait_for_selector("[data-field=search][aria-invalid=true]")
            await page.fill("[data-field=search]", player.player_id)
            await page.click(".staff-search button")
            await until_is(lambda: each(page, "[data-order] [data-state]", "node.dataset.state"), [
                "PAID", "CHARGED_BACK", "PAID",
            ])  # fmt: skip
            await look(page, f"staff-orders-{language}")
            await page.click(f"[data-order='{owed}'] a")
            await page.wait_for_selector(f"[data-shown='{owed}']")
            # Its 60 gems paid a debt at once: money goes back only if they are to be owed.
            await page.click("[data-button=refund]")
            await page.fill("[data-field=act-reason]", WHY)
            await page.wait_for_selector("[data-act=refund] [data-button=send]:disabled")
            await page.check("[data-field=even]")
            await look(page, f"staff-refund-spent-{language}")
            await page.wait_for_selector("[data-act=refund] [data-button=send]:enabled")
            await page.click("[data-act=refund] .plain >> nth=0")
            await page.click("[data-panel=order] dd a")
            await until_count(page, "[data-order]", 3)
            await page.click("[data-tab=debts]")
            debt = f"[data-debt='{spent.order_id}']"
            await page.wait_for_selector(debt)
            await look(page, f"staff-debts-{language}")
            await page.click(f"{debt} [data-button=waive]")
            await page.fill(f"{debt} [data-field=amount]", "9999")
            await page.wait_for_selector(f"{debt} [data-field=amount][aria-invalid=true]")
            await decide(page, "waive", "100")
            await until_is(lambda: each(page, f"{debt} [data-owed]", "node.dataset.owed"), ["140"])
            await page.click("[data-tab=problems]")
            await page.wait_for_selector("[data-problem=paid_twice]")
            await page.click("[data-problem=unknown_order] [data-button=resolve]")
            await look(page, f"staff-problems-{language}")
            await decide(page, "resolve")
            await until_count(page, "[data-problem=unknown_order]", 0)
            await page.click("[data-chips=resolved] [data-value=true]")
            await page.wait_for_selector(f"[data-problem=unknown_order] .notice.is-good:has-text('{WHY}')")
        # Paid once more, so that something is unspent: half of it goes back.
        await player.buy("r4")
        await player.buy("r5")
        last = await player.order("r6", "gems_680")
        async with desk(browser, up, size, language) as page:
            # This one is paid at the sandbox's own desk, which gives money back for what it was paid.
            pay = await page.context.new_page()
            await pay.goto(f"{up.said.url.rstrip('/')}{last.pay_url}")
            await pay.click("button[data-act=pay]")
            await pay.wait_for_selector(".state[data-state=paid]")
            await pay.close()

            async def paid() -> list[str]:
                """List what was paid; the sandbox's webhook may still be on its way."""
                await page.click("[data-chips=filter] [data-value=WAITING]")
                await page.click("[data-chips=filter] [data-value=PAID]")
                await page.wait_for_selector("[data-order]")
                return await each(page, "[data-order]", "node.dataset.order")

            await until(paid, lambda seen: last.order_id in seen)
            await page.fill("[data-field=search]", last.order_id)
            await page.click(".staff-search button")
            await page.wait_for_selector(f"[data-shown='{last.order_id}']")
            await page.click("[data-button=refund]")
            await page.fill("[data-field=amount]", "6800")
            await page.wait_for_selector("[data-field=amount][aria-invalid=true]")
            await page.fill("[data-field=amount]", "10.5")
            await page.fill("[data-field=act-reason]", WHY)
            await look(page, f"staff-refund-{language}")
            await decide(page, "refund", "10.5")
            await page.wait_for_selector("[data-return=refund] [data-state]")
            returned = await until(
                lambda: each(page, "[data-return=refund]", "node.textContent"), lambda seen: len(seen) == 1
            )
            assert "¥10.50" in returned[0]
            assert WHY in returned[0]
            await page.wait_for_selector("[data-panel=order] [data-state=PART_REFUNDED]")
            await look(page, f"staff-order-{language}")
