"""Rounds settled per second: batched and one by one, with hot wallets, by eight processes at once.

    python -m bench.bench_ledger [--rounds 4000] [--batch 200] [--processes 8] [--json]

SQLite runs with `synchronous=FULL`; PostgreSQL (if installed) with its default durable commits. Each round is
an audit of three seats at a coin table, so it writes a round, a transfer, three entries, three balances, a
match and an event; with the last of the eight rounds of a match its three stakes go back to their wallets.
*spread*: each player sits at one table. *hot*: 100 players sit at all of them. After each measurement the
whole book is proven, and how long that took is told.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from services.chassis.clock import SystemClock
from services.chassis.db import Database, PostgresDatabase, SqliteDatabase, migrate
from services.chassis.ids import SystemIds
from services.economy.core.rounds import RoundFact
from services.economy.store import rounds, stakes, wallets
from services.economy.store.proof import prove
from tests.support.book import agreed
from tests.support.forked import Forked
from tests.support.postgres import PostgresServer, postgres_binaries

ROUNDS_PER_MATCH = 8
BUY_IN = 3_000
HOT = 100
SEATING = 50
"""Matches whose players sit down in one transaction."""

Players = Callable[[int, int], str]


def spread(match: int, seat: int) -> str:
    """Return a player who sits nowhere else."""
    return f"p_{match}x{seat}"


def hot(match: int, seat: int) -> str:
    """Return one of a hundred players."""
    return f"p_hot{(match * 3 + seat) % HOT}"


async def seat_players(db: Database, name: str, matches: range, players: Players, now_ms: int) -> None:
    """Open three stakes per match, each to be closed with its last round."""

    def seat(connection: Any, part: range) -> None:
        for match in part:
            match_id = f"{name}-{match}"
            here = [players(match, seat) for seat in range(3)]
            grants = [(f"{match_id}/{one}", "task", one, "gold", BUY_IN, "") for one in here]
            wallets.grant_many(connection, grants, now_ms)
            for number, player in enumerate(here):
                stakes.open_stake(connection, match_id, number, player, "gold", BUY_IN, 1, now_ms)
                stakes.close_stake(connection, match_id, number, ROUNDS_PER_MATCH, now_ms)

    for start in range(matches.start, matches.stop, SEATING):
        await db.run(partial(seat, part=range(start, min(start + SEATING, matches.stop))))


def facts_of(name: str, matches: range, players: Players) -> list[RoundFact]:
    """Return the audits of all rounds, as they arrive when all matches play side by side."""
    return [
        agreed(
            f"{name}-{match}",
            number,
            points=((6, -3, -3), (-3, 6, -3), (-3, -3, 6))[number % 3],
            players=[players(match, seat) for seat in range(3)],
        )
        for number in range(1, ROUNDS_PER_MATCH + 1)
        for match in matches
    ]


async def settle(db: Database, facts: list[RoundFact], batch: int, clock: SystemClock) -> None:
    """Settle everything in batches."""
    for start in range(0, len(facts), batch):
        part, now_ms = facts[start : start + batch], clock.now_ms()
        heard = await db.run(partial(rounds.hear, batch=part, now_ms=now_ms))
        assert heard.settled == len(part)


async def proven_s(db: Database, clock: SystemClock) -> float:
    """Prove the whole book, and return how long that took."""
    began = clock.monotonic()
    proof = await db.scan(partial(prove, now_ms=clock.now_ms()))
    assert not proof.findings, proof.findings[:3]
    return clock.monotonic() - began


async def measure(db: Database, count: int, batch: int) -> dict[str, float]:
    """Return rounds per second by one process: batched, with hot wallets, and one by one."""
    clock, result = SystemClock(), {}
    for name, players, size, share in (
        ("spread", spread, batch, 1),
        ("hot", hot, batch, 1),
        ("one_by_one", spread, 1, 8),
    ):
        matches = range(max(1, count // share // ROUNDS_PER_MATCH))
        await seat_players(db, name, matches, players, clock.now_ms())
        facts = facts_of(name, matches, players)
        began = clock.monotonic()
        await settle(db, facts, size, clock)
        result[f"{name}_rounds_per_s"] = round(len(facts) / (clock.monotonic() - began), 1)
    result["batched_over_one_by_one"] = round(
        result["spread_rounds_per_s"] / result["one_by_one_rounds_per_s"], 2
    )
    result["hot_over_spread"] = round(result["hot_rounds_per_s"] / result["spread_rounds_per_s"], 2)
    result["whole_proof_s"] = round(await proven_s(db, clock), 2)
    return result


async def settled_by_many(url: str, name: str, players: Players, each: range, batch: int) -> float:
    """Return rounds per second by several processes, each with matches of its own (`each`: their numbers)."""
    clock, processes, count = SystemClock(), len(each), each.step // ROUNDS_PER_MATCH
    db = PostgresDatabase(url, clock, SystemIds(), connections=1)
    await seat_players(db, name, range(processes * count), players, clock.now_ms())
    await db.close()
    ready, go = os.pipe(), os.pipe()

    def work(number: int) -> None:
        async def main() -> None:
            mine = PostgresDatabase(url, clock, SystemIds(), connections=1)
            facts = facts_of(name, range(number * count, (number + 1) * count), players)
            await mine.read(lambda connection: connection.exec_driver_sql("SELECT 1"))
            os.write(ready[1], b"r")
            os.read(go[0], 1)
            await settle(mine, facts, batch, clock)

        asyncio.run(main())

    running = [Forked(partial(work, number)) for number in range(processes)]
    for _ in running:
        os.read(ready[0], 1)
    began = clock.monotonic()
    os.write(go[1], b"g" * processes)
    codes = [one.wait() for one in running]
    seconds = clock.monotonic() - began
    for end in (*ready, *go):
        os.close(end)
    assert codes == [0] * processes, codes
    return processes * count * ROUNDS_PER_MATCH / seconds


async def measure_many(url: str, count: int, batch: int, processes: int) -> dict[str, float]:
    """Return rounds per second by several processes at once, and the proof of what they left."""
    clock, result = SystemClock(), {}
    each = range(0, count, max(ROUNDS_PER_MATCH, count // processes))
    for name, players in (("spread", spread), ("hot", hot)):
        rate = await settled_by_many(url, f"many-{name}", players, each, batch)
        result[f"{name}_rounds_per_s"] = round(rate, 1)
    result["hot_over_spread"] = round(result["hot_rounds_per_s"] / result["spread_rounds_per_s"], 2)
    db = PostgresDatabase(url, clock, SystemIds(), connections=1)
    result["whole_proof_s"] = round(await proven_s(db, clock), 2)
    await db.close()
    return result


async def main(count: int, batch: int, processes: int) -> dict[str, dict[str, float]]:
    """Return the figures by database."""
    figures = {}
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder)}/ledger.db"
        migrate(url, "economy")
        sqlite = SqliteDatabase(url)
        figures["sqlite"] = await measure(sqlite, count, batch)
        await sqlite.close()
    binaries = postgres_binaries()
    if binaries is not None:
        server = PostgresServer(binaries).start()
        try:
            url = server.database()
            migrate(url, "economy")
            postgres = PostgresDatabase(url, SystemClock(), SystemIds())
            figures["postgresql"] = await measure(postgres, count, batch)
            await postgres.close()
            url = server.database()
            migrate(url, "economy")
            figures[f"postgresql, {processes} processes"] = await measure_many(url, count, batch, processes)
        finally:
            server.remove()
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=4_000)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(main(asked.rounds, asked.batch, asked.processes))
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        for database, row in found.items():
            line = "  ".join(f"{name} {value:,}" for name, value in row.items())
            sys.stdout.write(f"{database:24} {line}\n")
