"""管理 of people on a real platform: found, looked at, kept out, let in; each deed stands in the log."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import jwt
import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as pb
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, go
from tests.browser.support.seen import each, each_still, still, until, until_count, until_is
from tests.support.person import ACCOUNTS, Person
from tests.support.up import Up
from tests.support.wrong_engine import make_staff

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

DONE = [
    "role.revoke", "role.grant", "api_key.revoke", "set_age_band", "suspension.lift", "player.suspend",
]  # fmt: skip
WHY = "他在牌桌上骂人 three times"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    with Up(tmp_path_factory.mktemp("people") / "data") as running:
        yield running


@asynccontextmanager
async def player(up: Up, nickname: str) -> AsyncIterator[Person]:
    """Sign a player in who is called so, and has a key for a program."""
    person = Person(up.said.url)
    await person.sign_in()
    await person.connect()
    rename = pb.UpdateProfileRequest(
        profile=pb.Profile(nickname=nickname), update_mask=FieldMask(paths=["nickname"])
    )
    await person.call(f"{ACCOUNTS}/UpdateProfile", rename, pb.UpdateProfileResponse)
    key = pb.CreateApiKeyRequest(name="my bot", scopes=["play"])
    await person.call(f"{ACCOUNTS}/CreateApiKey", key, pb.CreateApiKeyResponse)
    yield person
    await person.close()


@asynccontextmanager
async def desk(
    browser: Browser, up: Up, size: tuple[int, int], language: str, role: str
) -> AsyncIterator[Page]:
    """Open 管理 as somebody with a role; it counts from the next token on."""
    async with opened(browser, up.said.url, size, chosen=language) as page:
        await page.wait_for_selector(".hall")
        token: str = await still(page, "JSON.parse(sessionStorage['paiju.access']).access_token")
        await make_staff(up, str(jwt.decode(token, options={"verify_signature": False})["sub"]), role)
        await still(page, "sessionStorage.clear()")
        await page.reload()
        await page.wait_for_selector(".hall")
        await go(page, "staff")
        await page.click("[data-tab=people]")
        yield page


async def find(page: Page, query: str, player_id: str) -> None:
    """From what is known of somebody to all about him."""
    await page.fill("[data-field=search]", query)
    await page.click(".staff-search button")
    await page.click(f"[data-person='{player_id}'] a")
    await page.wait_for_selector(f"[data-shown='{player_id}']")


async def do(page: Page, what: str, choice: str = "") -> None:
    """Begin a deed, choose, say why, and say yes."""
    form = f"[data-act={what}]"
    await page.click(f"[data-button={what}]")
    if choice:
        await page.click(f"{form} [data-value='{choice}']")
    await page.fill(f"{form} [data-field=act-reason]", WHY)
    await page.click(f"{form} [data-button=send]")
    await page.click(f"{form} .confirm .danger")
    await until_count(page, form, 0)


@pytest.mark.parametrize(
    ("size", "language"),
    [(DESKTOP, "zh-CN"), pytest.param(UPRIGHT, "en", marks=pytest.mark.long)],
    ids=["desktop", "phone"],
)
async def test_an_admin_finds_somebody_and_whatever_is_done_to_him_stands_in_the_log(
    browser: Browser, up: Up, size: tuple[int, int], language: str
) -> None:
    async with player(up, "出牌慢") as one, desk(browser, up, size, language, "admin") as page:
        await find(page, "出牌", one.player_id)
        await page.wait_for_selector("[data-standing=good]")
        await look(page, f"staff-person-{language}")
        await page.click("[data-button=suspend]")
        await page.fill("[data-field=act-reason]", "no")
        await page.wait_for_selector("[data-act=suspend] [data-button=send]:disabled")
        await look(page, f"staff-suspend-{language}")
        await page.click("[data-act=suspend] .plain >> nth=0")
        await do(page, "suspend", "30")
        await page.wait_for_selector("[data-standing=suspended]")
        await page.wait_for_selector(f"[data-panel=person]:has-text('{WHY}')")
        await do(page, "lift")
        await page.wait_for_selector("[data-standing=good]")
        await do(page, "band", "2")
        await page.wait_for_selector("[data-panel=protection] [data-band='2']")
        await do(page, "unkey")
        await page.wait_for_selector("[data-panel=keys] [data-state=revoked]")
        await do(page, "grant", "money")
        await page.wait_for_selector("[data-button=ungrant]")
        await until_count(page, "[data-button=suspend]", 0)
        await do(page, "ungrant")

        async def deeds() -> list[str]:
            """Ask again for what the log has of him: it hears of deeds over the bus."""
            await page.click("[data-button=again]")
            return await each(page, "[data-panel=deeds] [data-deed]", "node.dataset.deed")

        await until(deeds, lambda seen: seen == DONE)
        await look(page, f"staff-person-log-{language}")


@pytest.mark.long
async def test_support_looks_and_changes_nothing(browser: Browser, up: Up) -> None:
    async with player(up, "手气好") as one, desk(browser, up, UPRIGHT, "zh-CN", "support") as page:
        assert await each_still(page, ".staff-tab", "node.dataset.tab") == ["people"]
        await page.fill("[data-field=search]", "没有这个人")
        await page.click(".staff-search button")
        await page.wait_for_selector(".nothing")
        await find(page, one.player_id, one.player_id)
        await page.wait_for_selector("[data-panel=keys] [data-key]")
        await page.wait_for_selector("[data-panel=protection]")
        await look(page, "staff-person-support")
        for button in ("suspend", "lift", "grant", "ungrant", "band", "unkey"):
            await until_count(page, f"[data-button={button}]", 0)
        await until_is(
            lambda: each(page, "[data-panel]", "node.dataset.panel"), ["person", "protection", "keys"]
        )
