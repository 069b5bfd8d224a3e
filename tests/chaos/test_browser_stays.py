"""A browser stays in its seat while its table moves to another process, and the page plays on."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from nats.js import JetStreamContext
from playwright.async_api import Browser, Page

from services.table.core import events as e
from services.table.core.events import decode_batch
from tests.browser.support.chromium import CHROMIUM, DESKTOP, chromium, opened
from tests.browser.support.player import play_until
from tests.chaos.deployment import SMALL, Deployment
from tests.chaos.gather import LOGS, jetstream, names, read

pytestmark = [
    pytest.mark.chaos,
    pytest.mark.browser,
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

WAIT_S = 120.0
PATIENT = {"claim_pause_ms": 200, "turn_ms": 600_000, "claim_ms": 600_000, "between_ms": 600_000}
"""No clock answers for the person at the page, however slow the machine is."""

RESULT = ".result .round-result"
STANDS = f".to-discard, [data-action=pass], {RESULT}"
"""Where the table waits for this person, and nothing changes by itself."""

HAND = """() => JSON.stringify([
  [...document.querySelectorAll('.rack .hand-card')].map((node) => node.dataset.card).sort(),
  [...document.querySelectorAll('.own-melds .meld')].map((node) => node.dataset.meld),
])"""


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    """Two processes for tables, and the others."""
    small = {"table": 2, "gateway": 1}
    size = replace(SMALL, processes=small, postgres=False, timing=PATIENT)
    made = Deployment(tmp_path, size)
    try:
        await made.start()
        yield made
    finally:
        await made.stop()


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A real Chromium."""
    async with chromium() as running:
        yield running


async def only_table(js: JetStreamContext) -> str:
    """Return the id of the table there is."""
    found = [
        table_id
        for name in await names(js)
        if name.startswith(LOGS)
        for entry in await read(js, name)
        for table_id, event in decode_batch(entry.payload)
        if isinstance(event, e.TableCreated)
    ]
    [table_id] = found
    return table_id


async def hand(page: Page) -> str:
    """Return the own cards and melds as the page shows them."""
    return str(await page.evaluate(HAND))


async def test_a_browser_keeps_its_seat_and_its_hand_while_its_table_moves_to_another_process(
    deployment: Deployment, browser: Browser
) -> None:
    async with jetstream(deployment) as js, opened(browser, deployment.pages[0], DESKTOP) as page:
        await page.wait_for_selector(".hall", timeout=WAIT_S * 1000)
        await page.wait_for_function(
            "() => document.querySelector('.gold')?.textContent.includes('20,000')", timeout=WAIT_S * 1000
        )
        await page.click(".hall .plain >> nth=0")
        await page.wait_for_selector(".hand-card", timeout=WAIT_S * 1000)
        await play_until(page, RESULT, answers=1)
        await page.wait_for_selector(STANDS, timeout=WAIT_S * 1000)
        before = await settled_hand(page)
        await page.evaluate("() => { window.sameDocument = true; }")
        table_id = await only_table(js)
        shard = table_id.partition("-")[0]
        owner = await deployment.owner_of(shard, js)
        assert owner in deployment.members

        assert await deployment.members[owner].drain() == 0
        async with asyncio.timeout(WAIT_S):
            while (heir := await deployment.owner_of(shard, js)) in ("", owner):
                await asyncio.sleep(0.1)
        assert deployment.members[heir].service == "table"

        assert await settled_hand(page) == before, "the page shows another hand than before the move"
        assert await page.evaluate("() => window.sameDocument === true"), "the page was loaded again"
        await play_until(page, RESULT)
        await page.wait_for_selector("[data-audit=AGREED]", timeout=WAIT_S * 1000)
        assert await page.evaluate("() => window.sameDocument === true"), "the page was loaded again"
        assert await only_table(js) == table_id, "it was another table"


async def settled_hand(page: Page) -> str:
    """Return the hand once it has looked the same for a while: cards may still be on their way."""
    seen = await hand(page)
    async with asyncio.timeout(WAIT_S):
        while True:
            await page.wait_for_timeout(700)
            again = await hand(page)
            if again == seen:
                return seen
            seen = again
