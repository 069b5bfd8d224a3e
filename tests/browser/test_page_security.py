"""Who may come in: the first screen, a password, devices, keys for programs, one's data and its end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from playwright.async_api import Browser, Page, Route

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, look_everywhere
from tests.browser.support.patient import quick_halls
from tests.browser.support.seen import each, each_still, until, until_count, until_is
from tests.support.oidc_provider import OidcProvider
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

PASSWORD = "three blue teapots"
SECURITY = "main.page[data-page=security]"


@pytest.fixture(scope="module")
def provider() -> Iterator[OidcProvider]:
    """A provider of identities, as a process."""
    with OidcProvider() as running:
        yield running


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory, provider: OidcProvider) -> Iterator[Up]:
    """One platform that knows the provider, for the tests of this file; each brings players of its own."""
    folder = tmp_path_factory.mktemp("security")
    known = {"PAIJU_ACCOUNTS_OIDC": json.dumps([provider.setting()])}
    with Up(folder / "data", env={**quick_halls(folder), **known}) as running:
        yield running


def at(up: Up) -> str:
    """Return the address of the page."""
    return up.said.url.rstrip("/") + "/#security"


async def set_password(page: Page, login: str) -> None:
    """Give the guest a login name and a password."""
    await page.wait_for_selector("[data-panel=password] [data-field=login]")
    await page.fill("[data-panel=password] [data-field=login]", login)
    await page.fill("[data-panel=password] [data-field=password]", PASSWORD)
    await page.fill("[data-panel=password] [data-field=again]", PASSWORD)
    await page.click("[data-panel=password] .primary")
    await page.wait_for_selector("[data-way=password]")


async def sign_in(page: Page, login: str, *, remember: bool) -> None:
    """At the first screen: come in by password."""
    await page.click("main.door [data-button=password]")
    await page.fill("[data-field=login]", login)
    await page.fill("[data-field=password]", PASSWORD)
    if not remember:
        await page.uncheck("[name=remember]")
    await page.click("main.door .primary")


async def player_id(page: Page) -> str:
    """Return who the page is signed in as, as its settings say."""
    await page.click("[data-button=pages]")
    await page.click(".pages-menu [data-page=settings]")
    (words,) = await each_still(page, ".dialog .hint:last-child")
    await page.keyboard.press("Escape")
    return str(words).split()[-1]


async def through(page: Page, up: Up, provider: OidcProvider, user: str) -> None:
    """Let the provider sign this person in when the browser comes there, and send it back to the page."""

    async def authorize(route: Route) -> None:
        code, state = await asyncio.to_thread(provider.sign_in, route.request.url, user)
        back = f"{up.said.url}?{urlencode({'code': code, 'state': state})}"
        await route.fulfill(status=302, headers={"Location": back})

    await page.route(f"{provider.issuer}/authorize*", authorize)


async def test_an_identity_is_linked_and_brings_the_same_player_in_on_a_new_device(
    browser: Browser, up: Up, provider: OidcProvider
) -> None:
    async with opened(browser, at(up), UPRIGHT) as old:
        await through(old, up, provider, "xiangyun")
        await old.click("[data-panel=ways] [data-provider=club]")
        await old.wait_for_selector("[data-way=oidc]:has-text('xiangyun@example.com')")
        me = await player_id(old)
        async with opened(browser, at(up), UPRIGHT, stranger=True) as new:
            await through(new, up, provider, "xiangyun")
            await new.click("main.door [data-provider=club]")
            await new.wait_for_selector(".hall")
            await until_is(lambda: new.evaluate("location.search"), "")
            await new.goto(at(up))
            await new.wait_for_selector("[data-session]")
            assert await player_id(new) == me


async def test_a_stranger_is_asked_who_he_is_and_plays_at_one_touch(browser: Browser, up: Up) -> None:
    async with opened(browser, up.said.url, UPRIGHT, stranger=True) as page:
        await page.wait_for_selector("main.door")
        await look(page, "door")
        await page.click("[data-button=guest]")
        await page.wait_for_selector(".hall")
        await page.reload()
        await page.wait_for_selector(".hall")


async def test_the_same_player_comes_in_by_password_on_a_new_device_and_is_known_there(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), UPRIGHT) as old:
        await set_password(old, "lin.daiyu")
        me = await player_id(old)
        async with opened(browser, at(up), UPRIGHT, stranger=True) as new:
            await sign_in(new, "lin.daiyu", remember=True)
            await new.wait_for_selector(SECURITY)
            assert await player_id(new) == me
            await until_count(new, "[data-way=key]", 2)
            await until_count(new, "[data-session]", 2)
            # Tokens gone, key kept: it comes in by itself.
            second = await new.context.new_page()
            await second.goto(at(up))
            await second.wait_for_selector(SECURITY)
            assert await player_id(second) == me
            # The old device signs all others out at once.
            await old.reload()
            await old.click("[data-button=others]")
            await old.click(".confirm .danger")
            await old.wait_for_selector(".toast:has-text('台设备')")
            await new.wait_for_selector(".banner:has-text('登录已失效')")


async def test_a_device_that_is_not_remembered_asks_again_and_a_wrong_password_says_so(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), UPRIGHT) as old:
        await set_password(old, "baochai")
        async with opened(browser, at(up), UPRIGHT, stranger=True) as new:
            await new.click("main.door [data-button=password]")
            await new.fill("[data-field=login]", "baochai")
            await new.fill("[data-field=password]", "not the password")
            await new.click("main.door .primary")
            await new.wait_for_selector("[data-error]:has-text('不正确')")
            await look(new, "door-wrong")
            await new.click("main.door .page-buttons .plain")
            await sign_in(new, "baochai", remember=False)
            await new.wait_for_selector(SECURITY)
            await until_count(new, "[data-way=key]", 1)
            await new.click("[data-button=out]")
            await new.click(".confirm .danger")
            await new.wait_for_selector("main.door")


async def test_the_security_page_fits_and_checks_what_is_typed(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.wait_for_selector("[data-panel=ways] [data-alone]")
        await page.wait_for_selector("[data-session]")
        await page.wait_for_selector("[data-panel=keys] .nothing")
        await look_everywhere(page, "page-security", "[data-panel=ways] [data-way]")
        await page.fill("[data-panel=password] [data-field=login]", "Lin Dai")
        await page.fill("[data-panel=password] [data-field=password]", "short")
        await page.fill("[data-panel=password] [data-field=again]", "shorn")
        await until_count(page, "[data-panel=password] .page-field.bad", 3)
        await look(page, "page-security-wrong")
        await until_is(lambda: page.is_disabled("[data-panel=password] .primary"), True)


async def test_a_key_for_a_program_is_shown_once_renewed_and_revoked(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), DESKTOP) as page:
        await page.click("[data-panel=keys] summary")
        await page.fill("[data-panel=keys] [data-field=name]", "我的机器人")
        await page.click("[data-scope='play']")
        await page.click("[data-scope='wallet.read']")
        await page.click("[data-button=create-key]")
        (secret,) = await until(lambda: each(page, ".secret-text"), len)
        await look(page, "page-security-secret")
        await page.click("[data-button=saved]")
        await page.wait_for_selector(".secret-text", state="detached")
        await page.click("[data-button=rotate]")
        await page.click(".confirm .primary")
        (newer,) = await until(lambda: each(page, ".secret-text"), len)
        assert newer != secret
        await page.reload()
        await page.wait_for_selector("[data-key]")
        assert await each_still(page, ".secret-text") == []
        await page.wait_for_selector("[data-key] .soft:has-text('旧密钥')")
        await page.click("[data-button=revoke-key]")
        await page.click(".confirm .danger")
        await page.wait_for_selector("[data-key].gone:has-text('已停用')")


async def test_all_data_comes_as_one_file(browser: Browser, up: Up) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.wait_for_selector("[data-session]")
        me = await player_id(page)
        async with page.expect_download() as saving:
            await page.click("[data-button=export]")
        data = json.loads(Path(await (await saving.value).path()).read_text("utf-8"))
        assert me in json.dumps(data["accounts"])


async def test_an_account_is_deleted_only_by_its_name_and_coming_back_in_time_cancels_that(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, at(up), UPRIGHT) as page:
        await page.wait_for_selector("[data-session]")
        me = await player_id(page)
        await page.click("[data-button=delete]")
        (label,) = await each_still(page, "[data-panel=data] .field-label")
        await page.fill("[data-panel=data] [data-field=nickname]", "somebody else")
        await page.click("[data-button=delete-yes]")
        await page.wait_for_selector(".toast.bad")
        await look(page, "page-security-delete")
        await page.fill("[data-panel=data] [data-field=nickname]", str(label).split("“")[1].split("”")[0])
        await page.click("[data-button=delete-yes]")
        await page.wait_for_selector("main.door [data-deleted]")
        await page.reload()  # nothing signs in by itself
        await page.wait_for_selector("main.door [data-deleted]")
        await look(page, "door-deleted")
        await page.click("[data-button=guest]")
        await page.wait_for_selector(".toast:has-text('已取消删除')")
        await page.wait_for_selector(".hall")
        await page.goto(at(up))
        await page.wait_for_selector("[data-session]")
        assert await player_id(page) == me
