"""管理 on a platform whose engine is wrong by one line: players are told plainly, staff sees all, decides."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from urllib.parse import unquote

import jwt
import pytest
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, go
from tests.browser.support.patient import QUICK
from tests.browser.support.seen import attribute, each, each_still, still, until, until_count, until_is
from tests.support.up import Up
from tests.support.wrong_engine import contradict, make_staff, wrong_platform

pytestmark = [
    pytest.mark.long,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

MATCH_MS = 120_000
FIGURE = "Number(node.firstChild.textContent.replaceAll(',', '').replace('−', '-'))"
WHY = "the bid was counted twice"
MAY_LEAVE = {"zh-CN": "可以离开", "en": "You may leave"}


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file; each brings players of its own."""
    with wrong_platform(tmp_path_factory.mktemp("staff"), QUICK) as running:
        yield running


async def leave_a_disputed_round(page: Page, language: str = "zh-CN") -> str:
    """Play until a round waits for a person, leave, look into the wallet; return the round's id."""
    await page.wait_for_selector(".hall")
    await page.click(".game-tab[data-game=doudizhu]")
    await page.click(".hall .plain >> nth=0")
    await page.wait_for_selector("[data-audit=DISPUTED]", timeout=MATCH_MS)
    await page.wait_for_selector(f".result-foot .footer-words:has-text('{MAY_LEAVE[language]}')")
    await look(page, "disputed-round")
    await page.click(".result-foot [data-action=leave]")
    await page.wait_for_selector(".hall")
    await page.click(".gold")
    await page.wait_for_selector(".stake.is-held")
    await look(page, "disputed-wallet")
    href = await attribute(page.locator(".stake.is-held a"), "href")
    return unquote(str(href).removeprefix("#wallet/round/"))


async def sign_in_anew(page: Page, up: Up, role: str = "disputes") -> None:
    """Become staff: the role counts from the next token on."""
    await page.wait_for_selector(".hall")
    token: str = await still(page, "JSON.parse(sessionStorage['paiju.access']).access_token")
    await make_staff(up, str(jwt.decode(token, options={"verify_signature": False})["sub"]), role)
    await still(page, "sessionStorage.clear()")
    await page.reload()
    await page.wait_for_selector(".hall")


@asynccontextmanager
async def staff_page(browser: Browser, up: Up, size: tuple[int, int], language: str) -> AsyncIterator[Page]:
    """Open the page as somebody of the staff."""
    async with opened(browser, up.said.url, size, chosen=language) as page:
        await sign_in_anew(page, up)
        await go(page, "staff")
        yield page


async def open_dispute(page: Page, round_id: str) -> None:
    """From the list to one dispute."""
    await page.click(f"[data-dispute='{round_id}'] a")
    await page.wait_for_selector("[data-panel=deal] [data-fair=ok]")


async def figures(page: Page, row: str, side: str) -> list[int]:
    """Return the numbers one side has in some rows of the comparison."""
    cells = f"[data-panel=sides] [data-row^={row}-] [data-side={side}]"
    found: list[int] = await each_still(page, cells, FIGURE)
    return found


async def decide(page: Page, way: str) -> None:
    """Decide the dispute that is open."""
    await page.click(f"[data-chips=outcome] [data-value={way}]")
    await page.wait_for_selector(f"[data-means={way}]")
    await page.fill("[data-field=reason]", WHY)
    await page.click("[data-button=decide]")
    await page.click(".confirm .danger")


async def decide_both_at_once(browser: Browser, up: Up, first: Page, round_id: str) -> None:
    """Let two people decide who both see the dispute open: the second is told who was first."""
    async with staff_page(browser, up, DESKTOP, "zh-CN") as second:
        await open_dispute(second, round_id)
        await decide(first, "SCORING")
        await first.wait_for_selector("[data-decided=SCORING]")
        await decide(second, "VOID")
        await second.wait_for_selector(".toast:has-text('不能再改')")
        await second.wait_for_selector("[data-decided=SCORING]")


async def test_who_is_no_staff_has_no_such_page(browser: Browser, up: Up) -> None:
    async with opened(browser, f"{up.said.url}#staff", DESKTOP) as page:
        await page.wait_for_selector(".hall")
        await page.click(".who")
        await page.wait_for_selector(".pages-menu [data-page=wallet]")
        await until_count(page, "[data-page=staff]", 0)


@pytest.mark.parametrize(
    ("way", "size", "language"),
    [("ENGINE", DESKTOP, "zh-CN"), ("SCORING", UPRIGHT, "zh-CN"), ("VOID", LYING, "en")],
)
async def test_staff_sees_a_dispute_whole_and_decides_it(
    browser: Browser, up: Up, way: str, size: tuple[int, int], language: str
) -> None:
    async with opened(browser, up.said.url, UPRIGHT, chosen=language) as player:
        round_id = await leave_a_disputed_round(player, language)
        async with staff_page(browser, up, size, language) as staff:
            await staff.wait_for_selector("[data-dispute]")
            await look(staff, "staff-disputes")
            await open_dispute(staff, round_id)
            await look(staff, "staff-dispute")
            engine, scoring = [await figures(staff, "points", side) for side in ("engine", "scoring")]
            assert engine == [2 * points for points in scoring]
            assert sum(map(abs, scoring)) > 0
            assert await each_still(staff, "[data-panel=sides] .differs") != []
            assert "points" in await each_still(staff, ".staff-difference", "node.dataset.field")
            for side in ("engine", "scoring"):
                assert len(await each_still(staff, f"[data-explains={side}] li")) > 1
            await staff.wait_for_selector("[data-kept=true]")
            await staff.wait_for_selector("[data-judged=true]")
            coins = {
                "ENGINE": await figures(staff, "coins", "engine"),
                "SCORING": await figures(staff, "coins", "scoring"),
                "VOID": [0, 0, 0],
            }[way]
            seats = await each_still(staff, "[data-panel=seats] li .soft")
            mine = next(coins[seat] for seat, name in enumerate(seats) if name.startswith("p_"))
            if way == "SCORING":
                await decide_both_at_once(browser, up, staff, round_id)
            else:
                await decide(staff, way)
            await staff.wait_for_selector(f"[data-decided={way}]:has-text('{WHY}')")
            await look(staff, "staff-decided")
        # The player's page follows by itself: the stake is home, with what the decision moved.
        await until_count(player, ".stake.is-held", 0)
        await player.wait_for_selector(".entry[data-kind=stake_close]")
        moved = await each_still(player, ".entry[data-kind=settlement] .entry-sums b", FIGURE)
        assert moved == ([mine] if mine else [])
        await look(player, "decided-wallet")


async def test_a_contradiction_is_listed_and_acknowledged_and_an_admin_reads_the_log(
    browser: Browser, up: Up
) -> None:
    async with opened(browser, up.said.url, UPRIGHT) as player:
        round_id = await leave_a_disputed_round(player)
    await contradict(up, round_id)
    async with opened(browser, up.said.url, UPRIGHT) as staff:
        await sign_in_anew(staff, up, "admin")
        await go(staff, "staff")
        await staff.click("[data-tab=alerts]")
        alert = "[data-alert=audit_contradicts]"
        await staff.wait_for_selector(alert)
        await look(staff, "staff-alerts")
        await staff.click(f"{alert} [data-button=look]")
        await staff.fill("[data-field=look-reason]", WHY)
        await staff.click(f"{alert} form .primary")
        await staff.wait_for_selector(f"{alert} .notice.is-good:has-text('{WHY}')")
        await staff.click("[data-tab=log]")
        await until(lambda: each(staff, ".staff-deed", "node.dataset.deed"), is_logged)
        await look(staff, "staff-log")
        await staff.click("[data-tab=disputes]")
        await until_is(
            lambda: each(staff, f"[data-dispute='{round_id}'] .staff-tag", "node.dataset.outcome"), ["open"]
        )


def is_logged(deeds: list[str]) -> bool:
    """Return whether the log has what was done just now, newest first."""
    return deeds[:1] == ["acknowledge_alert"] and "role.grant" in deeds
