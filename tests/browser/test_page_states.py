"""Pages when things go wrong: nothing there, no answer, a refusal, a long list; and by keyboard alone."""

from __future__ import annotations

import pytest
from paiju.economy.v1 import dispute_events_pb2 as dispute_events
from paiju.economy.v1 import dispute_service_pb2 as disputes
from paiju.economy.v1 import economy_service_pb2 as economy
from paiju.scoring.v1 import events_pb2 as scoring
from paiju.scoring.v1 import scoring_service_pb2 as scoring_service
from playwright.async_api import Browser

from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, UPRIGHT, staged
from tests.browser.support.seen import change, each, each_still, until, until_count, until_is
from tests.browser.support.stage import Stage, now_ms

pytestmark = pytest.mark.browser

NAME = "node.dataset.page || node.dataset.value || node.className"


async def test_what_did_not_come_says_so_and_comes_when_asked_again(browser: Browser) -> None:
    stage = Stage().with_pages()
    entries = stage.handlers.pop("ListEntries")
    async with staged(browser, stage, UPRIGHT, "#wallet") as page:
        await page.wait_for_selector("[data-panel=entries] .loading:has-text('没有加载出来')")
        await page.wait_for_selector(".balance")  # a part that fails takes no other with it
        await look(page, "page-wallet-failed")
        stage.handlers["ListEntries"] = entries
        await page.click("[data-panel=entries] .loading button")
        await until_count(page, ".entry", 40)


async def test_what_did_not_come_comes_by_itself_once_the_connection_is_back(browser: Browser) -> None:
    stage = Stage().with_pages()
    entries = stage.handlers.pop("ListEntries")
    async with staged(browser, stage, UPRIGHT, "#wallet") as page:
        await page.wait_for_selector("[data-panel=entries] .loading button")
        stage.handlers["ListEntries"] = entries
        assert stage.socket is not None
        await stage.socket.close()
        await until_count(page, ".entry", 40)


async def test_a_round_that_staff_has_decided_shows_the_points_that_count(browser: Browser) -> None:
    stage = Stage(seed=5, pace_s=0.0, rounds=1).with_pages()
    async with staged(browser, stage, UPRIGHT) as page:
        await page.click(".big-bots")
        await page.wait_for_selector(".hand-card")
        await page.click("[data-button=auto]")
        await page.wait_for_selector("[data-audit=AGREED]")
        assert stage.table is not None
        round_id = stage.table.records[0].round_id
        audit = scoring.RoundAudited(
            round_id=round_id,
            verdict=scoring.VERDICT_DISPUTED,
            for_coins=True,
            settlement_json='{"base_stake":10}',
            seats=[scoring.AuditedSeat(seat=seat, points=points) for seat, points in enumerate((7, -3, -4))],
        )
        decided = disputes.DecidedRound(round_id=round_id, outcome=dispute_events.OUTCOME_SCORING)
        stage.handlers |= {
            "GetAudit": lambda _: scoring_service.GetAuditResponse(audit=audit),
            "GetSettlement": lambda _: economy.GetSettlementResponse(
                state="settled", coins=[70, -30, -40], fees=[5, 5, 5]
            ),
            "ListHeldStakes": lambda _: disputes.ListHeldStakesResponse(decided=[decided]),
        }
        await change(page, "(id) => { location.hash = `wallet/round/${encodeURIComponent(id)}`; }", round_id)
        await page.wait_for_selector("[data-audit=DECIDED]")
        await page.wait_for_selector("[data-outcome=OUTCOME_SCORING]")
        shown = {
            column: await each_still(page, f".figures [data-col={column}]")
            for column in ("points", "before", "coins", "net")
        }
        assert shown == {
            "points": ["+7", "−3", "−4"],
            "before": ["+70", "−30", "−40"],
            "coins": ["+70", "−30", "−40"],
            "net": ["+65", "−35", "−45"],
        }
        assert await each_still(page, "[data-capped]") == []
        await look(page, "page-round-decided")


async def test_an_empty_book_and_an_empty_list_of_keys_say_so(browser: Browser) -> None:
    stage = Stage().with_pages(entries=0)
    async with staged(browser, stage, UPRIGHT, "#wallet") as page:
        await page.wait_for_selector("[data-panel=entries] .nothing")
        await look(page, "page-wallet-empty")


async def test_a_kind_that_the_page_does_not_know_is_shown_all_the_same(browser: Browser) -> None:
    stage = Stage().with_pages()
    odd = economy.Entry(transfer_id="t", kind="gift_of_2031", currency="gold", amount=5, account="wallet/p")
    stage.handlers["ListEntries"] = lambda _: economy.ListEntriesResponse(entries=[odd])
    async with staged(browser, stage, UPRIGHT, "#wallet") as page:
        await page.wait_for_selector(".entry:has-text('gift_of_2031') .plus:has-text('+5')")


async def test_every_kind_of_entry_is_told_in_words_of_its_own(browser: Browser) -> None:
    async with staged(browser, Stage().with_pages(), DESKTOP, "#wallet") as page:
        told = await until(lambda: each(page, ".entry-what p:first-child b"), len)
        assert "其他变动" not in told
        assert len(set(told)) >= 10


async def test_all_of_the_wallet_can_be_reached_by_keyboard(browser: Browser) -> None:
    async with staged(browser, Stage().with_pages(), DESKTOP, "#wallet") as page:
        await until_count(page, ".entry", 40)
        await until_is(lambda: page.evaluate("document.activeElement.tagName"), "H1")
        seen: list[str] = []
        for _ in range(20):
            await page.keyboard.press("Tab")
            seen += await each_still(page, ":focus", NAME)
        assert {"wallet", "halls", "profile", "security", "gold", "gem"} <= set(seen)
        assert any("entry-link" in one or "link-button" in one for one in seen)
        await page.focus("[data-chips=currency] [data-value=gem]")
        await page.keyboard.press("Enter")
        await page.wait_for_selector("[data-chips=currency] [data-value=gem][aria-checked=true]")
        await until(lambda: each(page, ".entry-sums .currency", "node.className"), lambda all_: all_)


async def test_relief_is_claimed_each_time_under_an_id_of_its_own(browser: Browser) -> None:
    stage = Stage().with_pages()
    asked: list[str] = []

    def claim(request: economy.ClaimReliefRequest) -> economy.ClaimReliefResponse:
        asked.append(request.request_id)
        return economy.ClaimReliefResponse(gold=3_000)

    stage.handlers["ClaimRelief"] = claim
    async with staged(browser, stage, UPRIGHT, "#halls") as page:
        await page.click("[data-button=relief]")
        await page.wait_for_selector(".toast.good:has-text('3,000')")
        await page.click("[data-button=relief]")
        await until_is(lambda: _told(asked), 2)
        assert len(set(asked)) == 2  # two claims, not one told twice


async def test_who_has_lost_enough_today_reads_why_and_a_closed_hall_says_which_fits(
    browser: Browser,
) -> None:
    stage = Stage().with_pages()
    over = economy.GetDayResponse(
        net=-50_000, loss_cap=50_000, ends_at_ms=now_ms() + 3_600_000, refusal="DAILY_LOSS_CAP"
    )
    stage.handlers["GetDay"] = lambda _: over
    async with staged(browser, stage, UPRIGHT, "#halls") as page:
        await page.wait_for_selector("[data-cap=DAILY_LOSS_CAP]:has-text('50,000')")
        await page.wait_for_selector(".hall-why[data-reason=COINS_TOO_FEW] [data-button=fits]")
        await look(page, "page-halls-cap")


async def _told(asked: list[str]) -> int:
    return len(asked)
