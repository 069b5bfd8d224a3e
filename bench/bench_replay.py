"""A replay in a real Chromium: how soon the page of the longest round is there, how long a seek takes.

    python -m bench.bench_replay [--rounds 60] [--seeks 200] [--json]

For each game the longest of many rounds (bots that choose at random claim most and play longest) is kept by a
real `paiju up` and opened by its link, from above, at 1280 by 800: once in a browser that has nothing of the
page yet (it loads all of it and signs in with its key), then again. `ready` is from the navigation to the
first frame in which the table stands. A seek is from the input event of the bar until the frame in which
the table stands at that step is painted. Before it, the engine alone: a whole replay from above, and the
slowest lesson, in milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from paiju.table.v1.events_pb2 import RoundFinished, RoundSeat
from playwright.async_api import Browser, Page

from engine import GAMES, fair_deal
from engine.record import Record, RecordedAction, full_result
from services.chassis.db import SqliteDatabase
from services.table.records_store import FROM_ABOVE, HistoryStore
from services.table.replays import lesson_of, replay_of
from services.table.store import RecordStore
from tests.browser.support.chromium import CHROMIUM, DESKTOP, chromium
from tests.support.up import Up

STARTED_MS = 1_790_000_000_000
READY_MS_MAX = 1_000.0
SEEK_MS_MAX = 50.0

WATCH = """
window.replayReady = 0;
new MutationObserver(() => {
  if (window.replayReady || !document.querySelector(".replay[data-step='0']")) return;
  window.replayReady = -1;
  requestAnimationFrame(() => requestAnimationFrame(() => (window.replayReady = performance.now())));
}).observe(document, { childList: true, subtree: true, attributes: true });
"""

READY = """async () => {
  while (window.replayReady <= 0) await new Promise((done) => requestAnimationFrame(done));
  return window.replayReady;
}"""

SEEK = """async (to) => {
  const bar = document.querySelector(".replay-seek");
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  // A message that is sent in a frame arrives when that frame has been painted.
  const painted = () => new Promise((done) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = done;
    port2.postMessage(0);
  });
  await frame();
  await painted();
  const began = performance.now();
  bar.value = to;
  bar.dispatchEvent(new Event("input"));
  while (document.querySelector(".replay").dataset.step !== String(to)) await frame();
  await painted();
  return performance.now() - began;
}"""


def longest(game_name: str, rounds: int) -> bytes:
    """Return the record with the most answers of many rounds between bots that choose at random."""
    game, chance = GAMES[game_name], random.Random(7)
    rules = game.ruleset(next(iter(game.presets)))
    best: Record | None = None
    for number in range(1, rounds + 1):
        seed, round_id = chance.randbytes(32), f"0-{game_name}/{number}"
        deck, nonces = game.deck(), [b""] * game.seats
        wall = [deck[place] for place in fair_deal.wall_order(seed, round_id, nonces, len(deck))]
        position = game.deal(rules, wall, 0)
        actions: list[RecordedAction] = []
        while position.outcome() is None:
            seat = position.to_act()[0]
            action = game.bots["random"](position.view(seat), chance)
            position.apply(seat, action)
            actions.append(RecordedAction(seat, action, 900 * len(actions)))
        if best is not None and len(actions) <= len(best.actions):
            continue
        best = Record(
            round_id=round_id,
            game=game_name,
            preset=rules.title,
            options=rules.as_json(),
            seats=tuple(f"p_{seat}" for seat in range(game.seats)),
            dealer=0,
            draws_in_row=0,
            commitment=fair_deal.commit(round_id, seed).hex(),
            seed=seed.hex(),
            nonces=("-",) * game.seats,
            started_ms=STARTED_MS,
            actions=tuple(actions),
            result=full_result(game_name, rules, 0, 0, position.outcome()),
        )
    assert best is not None, "at least one round"
    return best.text.encode()


async def keep(data: Path, records: dict[str, bytes]) -> dict[str, str]:
    """Put rounds where the platform keeps them; return a link to each."""
    db = SqliteDatabase(f"sqlite:///{data / 'table.db'}")
    now_ms = time.time_ns() // 1_000_000
    links = {}
    for game, record in records.items():
        round_id = record.split(b"\n")[1].decode().removeprefix("Round: ")
        seats = [RoundSeat(seat=seat, player_id=f"p_{seat}") for seat in range(GAMES[game].seats)]
        fact = RoundFinished(
            round_id=round_id,
            game=game,
            preset=record.split(b"\n")[3].decode().removeprefix("Preset: "),
            seats=seats,
            record=record,
            ended_at_ms=now_ms,
        )
        await RecordStore(db).keep(fact)
        token = f"{game:-<22}"
        await HistoryStore(db).share("p_0", round_id, FROM_ABOVE, token, now_ms, now_ms + 86_400_000)
        links[game] = token
    await db.close()
    return links


async def ready(page: Page, address: str) -> float:
    """Open an address anew; return when the replay stood, milliseconds after the navigation began."""
    await page.goto("about:blank")
    await page.goto(address)
    await page.wait_for_selector(".replay")
    found: float = await page.evaluate(READY)
    return found


async def measure(browser: Browser, url: str, links: dict[str, str], seeks: int) -> dict[str, Any]:
    """Open each replay, first with an empty cache and then again, and seek at random."""
    found: dict[str, Any] = {}
    size: Any = {"width": DESKTOP[0], "height": DESKTOP[1]}
    guest = await browser.new_context(viewport=size)
    door = await guest.new_page()
    await door.goto(url)
    await door.click("[data-button=guest]")
    await door.wait_for_selector(".hall")
    key: Any = await guest.storage_state()
    await guest.close()
    for game, token in links.items():
        context = await browser.new_context(viewport=size, storage_state=key)
        page = await context.new_page()
        await page.add_init_script(WATCH)
        address = f"{url.rstrip('/')}/#/replay/{token}"
        first = await ready(page, address)
        again = [await ready(page, address) for _ in range(5)]
        last = int(await page.get_attribute(".replay-seek", "max") or 0)
        chance = random.Random(3)
        places = [chance.randrange(last + 1) for _ in range(seeks)]
        took = sorted([await page.evaluate(SEEK, place) for place in places])
        found[game] = {
            "steps": last + 1,
            "first_ready_ms": round(first),
            "ready_ms": round(statistics.median(again)),
            "seek_ms": round(statistics.median(took), 1),
            "seek_p99_ms": round(took[int(0.99 * (len(took) - 1))], 1),
            "seek_max_ms": round(took[-1], 1),
        }
        await context.close()
    return found


def by_engine(record: bytes) -> dict[str, float]:
    """Return the milliseconds of a whole replay from above, and of the slowest lesson."""
    began = time.perf_counter()
    replay = replay_of(GAMES, record, None)
    whole = time.perf_counter() - began
    slowest = 0.0
    for number in range(1, len(replay.answers) + 1):
        began = time.perf_counter()
        lesson_of(GAMES, record, number)
        slowest = max(slowest, time.perf_counter() - began)
    return {
        "replay_ms": round(1e3 * whole, 2),
        "lesson_max_ms": round(1e3 * slowest, 2),
        "record_bytes": len(record),
        "response_bytes": replay.ByteSize(),
    }


async def run(rounds: int, seeks: int) -> dict[str, Any]:
    """Measure every game."""
    records = {game: longest(game, rounds) for game in GAMES}
    figures: dict[str, Any] = {game: by_engine(record) for game, record in records.items()}
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with Up(data) as up:
            links = await keep(data, records)
            async with chromium() as browser:
                for game, seen in (await measure(browser, up.said.url, links, seeks)).items():
                    figures[game] |= seen
    return figures


def main() -> None:
    """Print the figures; the exit status is 1 if one is above its limit."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--seeks", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    if CHROMIUM is None:
        parser.exit(2, "Chromium is not installed\n")
    load = os.getloadavg()[0]
    figures = asyncio.run(run(chosen.rounds, chosen.seeks))
    if chosen.json:
        print(json.dumps({"load": load, **figures}))
    else:
        print(f"load before: {load:.1f}")
        for game, values in figures.items():
            print(game, ", ".join(f"{name} {value}" for name, value in values.items()))
    slow = [
        game
        for game, one in figures.items()
        if one["ready_ms"] > READY_MS_MAX or one["seek_p99_ms"] > SEEK_MS_MAX
    ]
    if slow:
        parser.exit(1, f"too slow: {', '.join(slow)}\n")


if __name__ == "__main__":
    main()
