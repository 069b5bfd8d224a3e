"""战绩 on the real platform: settled rounds of two months as figures, plots and names; public or not."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

import jwt
import pytest
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from playwright.async_api import Browser, Page

from services.chassis.days import DAY_MS, day_of
from services.launch.operator import operator_bus
from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, go, look_everywhere
from tests.browser.support.seen import attribute, each, each_still, still, until, until_count, until_is
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

NAMES = (
    "红胡",
    "点胡",
    "黑胡",
    "海底胡",
    "天胡",
    "对子胡",
    "大字胡",
    "小字胡",
    "碰碰胡",
    "红乌",
    "飘胡",
    "地胡",
)


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests of this file."""
    with Up(tmp_path_factory.mktemp("statistics") / "data") as running:
        yield running


def rounds_of(player_id: str, now_ms: int) -> list[RoundSettled]:
    """Return what somebody played on most evenings of two months, and a few of another game."""
    chance = random.Random(6)
    found: list[RoundSettled] = []
    for day in range(60):
        for number in range(chance.choice((0, 0, 1, 2, 3, 4, 6, 9))):
            game, preset = (
                ("kawuxing", "xiaogan@1") if chance.random() < 0.15 else ("paohuzi", "tongyi-qmt@1")
            )
            winner = chance.choice((0, 0, 1, 2, -1))
            worth = 0 if winner < 0 else chance.choice((2, 4, 4, 8, 12, 30))
            points = [2 * worth if seat == winner else -worth for seat in range(3)]
            how = chance.choice(("zimo", "wall", "discard"))
            names = {name: 2 for name in NAMES if chance.random() < 0.3}
            match = f"0-{player_id}-{day}"
            found.append(
                RoundSettled(
                    round_id=f"{match}/{number + 1}",
                    match_id=match,
                    round_no=number + 1,
                    game=game,
                    preset=preset,
                    seats=[
                        SettledSeat(
                            seat=seat, player_id=who, is_bot=seat > 0, points=points[seat], won=seat == winner
                        )
                        for seat, who in enumerate((player_id, "bot:normal", "bot:normal"))
                    ],
                    ended_at_ms=now_ms - day * DAY_MS - number * 60_000,
                    end="draw" if winner < 0 else "hu",
                    how="" if winner < 0 else how,
                    huxi=0 if winner < 0 else chance.randrange(15, 60),
                    fan=chance.choice((1, 2, 4)),
                    names_json=str(names).replace("'", '"') if winner >= 0 else "{}",
                    from_seat=(winner + 1) % 3 if winner >= 0 and how == "discard" else -1,
                )
            )
    return found


async def player_of(page: Page) -> str:
    """Return who the page is signed in as."""
    await page.wait_for_selector(".hall")
    token: str = await still(page, "JSON.parse(sessionStorage['paiju.access']).access_token")
    return str(jwt.decode(token, options={"verify_signature": False})["sub"])


async def figure(page: Page, name: str) -> str:
    """Return one figure, as it is shown."""
    [shown] = await each_still(page, f"[data-figure={name}] dd b")
    return str(shown).strip()


async def test_what_was_played_is_shown_in_figures_and_plots_and_to_others_unless_kept_private(
    browser: Browser, up: Up
) -> None:
    now_ms = int(time.time() * 1000)
    async with opened(browser, up.said.url, UPRIGHT) as page:
        player_id = await player_of(page)
        await go(page, "statistics")
        await page.wait_for_selector("[data-panel=who] .nothing")
        rounds = rounds_of(player_id, now_ms)
        async with operator_bus(up.data) as bus:
            assert bus is not None, "the platform runs"
            for one in rounds:
                await bus.publish(one, f"settled:{one.round_id}")
        mine = [one for one in rounds if one.game == "paohuzi"]

        async def counted() -> bool:
            await page.reload()
            await page.wait_for_selector("[data-panel=figures], [data-panel=who] .nothing")
            shown = await each(page, "[data-figure=rounds] dd b", "node.textContent")
            return shown == [str(len(mine))]

        await until(counted, bool)
        won = [one.seats[0].points for one in mine if one.seats[0].won]
        assert await figure(page, "rate") == f"{round(100 * len(won) / len(mine))}%"
        dealt_in = [one for one in mine if one.how == "discard" and one.from_seat == 0 and one.seats[1:]]
        dealt_in = [one for one in dealt_in if not one.seats[0].won]
        assert await figure(page, "deal_in") == f"{round(100 * len(dealt_in) / len(mine))}%"
        await page.wait_for_selector("[data-plot=points] .plot-line")
        today = str(day_of(now_ms))
        assert await attribute(page.locator(".statistics-readout"), "data-day") == "all"
        # By the keyboard, day by day; what is looked at is read out.
        await page.focus("[data-plot=points] .plot-room")
        await page.keyboard.press("End")
        await until_is(lambda: attribute(page.locator(".statistics-readout"), "data-day"), today)
        await page.keyboard.press("ArrowLeft")
        await until_is(
            lambda: attribute(page.locator(".statistics-readout"), "data-day"), str(int(today) - 1)
        )
        await page.wait_for_selector("[data-plot=points] .plot-cursor")
        await look(page, "page-statistics-day")
        await page.click("[data-chips=span] [data-value='90']")
        in_all = sum(one.seats[0].points for one in mine)
        words = f"{'+' if in_all > 0 else '−'}{abs(in_all):,}"
        await until(lambda: page.inner_text(".statistics-readout"), lambda text: words in text)
        await until_count(page, ".statistics-names li", 10)
        await page.click("[data-button=names]")
        await until(lambda: each(page, ".statistics-names li"), lambda seen: len(seen) == len(NAMES))
        best = min(
            (one for one in mine if one.seats[0].won),
            key=lambda one: (-one.seats[0].points, one.ended_at_ms, one.round_id),
        )
        assert await attribute(page.locator("[data-panel=best]"), "data-round") == best.round_id
        await look_everywhere(page, "page-statistics", "[data-plot=points] .plot-line")
        await page.click("[data-chips=preset] [data-value='kawuxing xiaogan@1']")
        await page.wait_for_selector("[data-panel=figures][data-game=kawuxing]")

        at = f"{up.said.url.rstrip('/')}/#statistics/{player_id}"
        async with opened(browser, at, DESKTOP) as other:
            await other.wait_for_selector("[data-panel=figures]")
            await until_count(other, "[data-button=public]", 0)
            await look(other, "page-statistics-of-another")
            await page.click("[data-button=public]")
            await page.wait_for_selector("[data-button=public][aria-checked=false]")
            await other.reload()
            await other.wait_for_selector("[data-refused=STATISTICS_PRIVATE]")
            await until_count(other, "[data-panel=figures]", 0)
            await look(other, "page-statistics-private")
