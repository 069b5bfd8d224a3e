"""Gems on the real platform: from a product, over the sandbox's pay page, into the wallet, and spent."""

from __future__ import annotations

from collections.abc import Iterator

import aiohttp
import pytest
from paiju.accounts.v1 import protection_service_pb2 as protection
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, go
from tests.browser.support.seen import attribute, each, still, until, until_count, until_is
from tests.support.up import Up

QUICK = {"PAIJU_ECONOMY_TOPUP_LOOK_S": "0.5", "PAIJU_ECONOMY_TOPUP_ASK_AFTER_S": "2"}
"""The provider is asked soon; else half a minute after an order was made."""

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    with Up(tmp_path_factory.mktemp("topup") / "data", env=QUICK) as running:
        yield running


async def to_shop(page: Page) -> None:
    """Go to the page of top-ups."""
    await go(page, "topup")
    await page.wait_for_selector(".product[data-product=gems_60]")


async def buy(page: Page, product: str, act: str) -> Page:
    """Order a product, and press a button of the pay page that opens; return that page."""
    await page.click(f".product[data-product={product}] .product-buy")
    async with page.expect_popup() as opens:
        await page.click("[data-pay]")
    pay = await opens.value
    await pay.click(f"button[data-act={act}]")
    return pay


async def declare(page: Page, up: Up, band: protection.AgeBand.ValueType) -> None:
    """Say how old the player of this page is, in his name, over the door for single calls."""
    token = await still(page, "JSON.parse(sessionStorage.getItem('paiju.access')).access_token")
    async with aiohttp.ClientSession(headers={"Authorization": f"Bearer {token}"}) as http:
        url = f"{up.said.url}call/paiju.accounts.v1.ProtectionService/DeclareAge"
        async with http.post(url, data=protection.DeclareAgeRequest(band=band).SerializeToString()) as answer:
            assert answer.status == 200, await answer.read()


async def states(page: Page) -> list[str]:
    """Return the states of the orders shown, newest first."""
    found: list[str] = await each(page, ".order", "node.dataset.state")
    return found


async def held(page: Page) -> str:
    """Return the gems that the page says one has."""
    return await attribute(page.locator(".packs-held .gems"), "data-held")


@pytest.mark.parametrize(
    ("size", "language"), [(LYING, "zh-CN"), (UPRIGHT, "zh-CN")], ids=["lying", "upright"]
)
async def test_products_and_an_order_that_waits_fit_every_phone(
    browser: Browser, up: Up, size: tuple[int, int], language: str
) -> None:
    async with opened(browser, up.said.url, size, chosen=language) as page:
        await page.wait_for_selector(".hall")
        await to_shop(page)
        await page.click(".product[data-product=gems_60] .product-buy")
        await page.wait_for_selector(".panel[data-panel=waiting] [data-pay]")
        await look(page, f"page-topup-waiting-{language}")


@pytest.mark.parametrize(
    ("size", "language"), [(DESKTOP, "zh-CN"), (UPRIGHT, "en")], ids=["desktop", "upright-english"]
)
async def test_a_product_is_paid_in_the_sandbox_and_its_gems_come_and_are_exchanged(
    browser: Browser, up: Up, size: tuple[int, int], language: str
) -> None:
    async with opened(browser, up.said.url, size, chosen=language) as page:
        await page.wait_for_selector(".hall")
        await to_shop(page)
        await page.wait_for_selector("[data-notice=sandbox]")
        await until_is(lambda: held(page), "0")
        await until_count(page, ".product.has-bonus", 5)
        await page.click(".product[data-product=gems_60] .product-buy")
        await page.wait_for_selector(".panel[data-panel=waiting] [data-pay]")
        await until_is(lambda: states(page), ["WAITING"])
        await look(page, f"page-topup-waiting-{language}")
        async with page.expect_popup() as opens:
            await page.click("[data-pay]")
        pay = await opens.value
        await pay.wait_for_selector(".state[data-state=waiting]")
        await look(pay, f"sandbox-pay-{language}")
        await pay.click("button[data-act=pay]")
        await pay.wait_for_selector(".state[data-state=paid]")
        # The sandbox's webhook goes over HTTP to the gateway; the page hears of the wallet.
        await until_is(lambda: states(page), ["PAID"])
        await until_is(lambda: held(page), "120")
        await until_count(page, ".panel[data-panel=waiting]", 0)
        # The first top-up was doubled once: only the two large packs still have something on top.
        await until_count(page, ".product.has-bonus", 2)
        await page.click(".product[data-pack=gold_60] .product-buy")
        await page.click(".confirm .primary")
        await until_is(lambda: held(page), "60")
        await look(page, f"page-topup-{language}")
        await page.click(".page-head [data-button=back]")
        await go(page, "wallet")
        await page.wait_for_selector(".entry[data-kind=exchange]")
        kinds = await until(lambda: each(page, ".entry", "node.dataset.kind"), lambda seen: len(seen) == 5)
        assert sorted(kinds) == ["exchange", "topup", "topup_bonus", "welcome", "welcome"]


async def test_a_payment_whose_notification_is_lost_is_found_by_asking(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await page.wait_for_selector(".hall")
        await to_shop(page)
        pay = await buy(page, "gems_300", "pay_silently")
        await pay.wait_for_selector(".state[data-state=paid]")
        await until_is(lambda: states(page), ["PAID"])
        await until_is(lambda: held(page), "600")
        # A bank takes it back; nothing was spent, so nothing is owed.
        await pay.click("button[data-act=charge_back]")
        await until_is(lambda: states(page), ["CHARGED_BACK"])
        await until_is(lambda: held(page), "0")


async def test_a_declined_payment_closes_the_order_and_costs_nothing(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT, chosen="en") as page:
        await page.wait_for_selector(".hall")
        await to_shop(page)
        pay = await buy(page, "gems_60", "decline")
        await pay.wait_for_selector(".state[data-state=closed]")
        await until_is(lambda: states(page), ["CLOSED"])
        await until_is(lambda: held(page), "0")
        # The promotion was not used up by an order that nobody paid.
        await page.reload()
        await page.wait_for_selector(".product[data-product=gems_60].has-bonus")


async def test_a_minor_is_told_why_and_how_much(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as page:
        await page.wait_for_selector(".hall")
        await declare(page, up, protection.AGE_BAND_8_15)
        await to_shop(page)
        await page.click(".product[data-product=gems_680] .product-buy")
        await page.wait_for_selector("[data-refused=SPENDING_TOO_MUCH_AT_ONCE]")
        said = page.locator("[data-refused] p >> nth=1")
        await until_is(said.inner_text, "一次最多 ¥50，本月还可以充 ¥200。")
        await look(page, "page-topup-minor")
        await until_is(lambda: states(page), [])
        # What is within his limit can be bought.
        pay = await buy(page, "gems_60", "pay")
        await pay.wait_for_selector(".state[data-state=paid]")
        await until_is(lambda: states(page), ["PAID"])
