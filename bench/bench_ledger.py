"""Rounds settled per second: many rounds per transaction against one, on the same book in the same run.

    python -m bench.bench_ledger [--rounds 4000] [--batch 200] [--json]

SQLite runs with `synchronous=FULL`; PostgreSQL (if installed) with its default durable commits, one
connection at a time. Each round is an audit of three seats at a coin table, so it writes a round, a transfer,
three entries, three balances, a match and an event.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
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
from tests.support.postgres import PostgresServer, postgres_binaries

ROUNDS_PER_MATCH = 8
BUY_IN = 3_000


async def seat_players(db: Database, matches: list[str], now_ms: int) -> None:
    """Open three stakes per match."""

    def seat(connection: Any) -> None:
        for match in matches:
            players = [f"p_{match}x{seat}" for seat in range(3)]
            grants = [(f"bench/{player}", "task", player, "gold", BUY_IN, "") for player in players]
            wallets.grant_many(connection, grants, now_ms)
            for number, player in enumerate(players):
                stakes.open_stake(connection, match, number, player, "gold", BUY_IN, 1, now_ms)

    await db.run(seat)


def facts_of(matches: list[str]) -> list[RoundFact]:
    """Return the audits of all rounds, as they arrive when all matches play side by side."""
    return [
        agreed(
            match,
            number,
            points=((6, -3, -3), (-3, 6, -3), (-3, -3, 6))[number % 3],
            players=[f"p_{match}x{seat}" for seat in range(3)],
        )
        for number in range(1, ROUNDS_PER_MATCH + 1)
        for match in matches
    ]


async def settled_per_s(db: Database, facts: list[RoundFact], batch: int, clock: SystemClock) -> float:
    """Settle everything in batches, and return rounds per second."""
    began = clock.monotonic()
    for start in range(0, len(facts), batch):
        part, now_ms = facts[start : start + batch], clock.now_ms()
        heard = await db.run(partial(rounds.hear, batch=part, now_ms=now_ms))
        assert heard.settled == len(part)
    return len(facts) / (clock.monotonic() - began)


async def measure(db: Database, count: int, batch: int) -> dict[str, float]:
    """Return rounds per second batched and one by one, after proving the book."""
    clock, result = SystemClock(), {}
    for name, size, share in (("batched", batch, 1), ("one_by_one", 1, 8)):
        wanted = max(1, count // share // ROUNDS_PER_MATCH)
        matches = [f"{name}-{number}" for number in range(wanted)]
        await seat_players(db, matches, clock.now_ms())
        result[f"{name}_rounds_per_s"] = round(await settled_per_s(db, facts_of(matches), size, clock), 1)
    proof = await db.read(partial(prove, now_ms=clock.now_ms()))
    assert not proof.findings, proof.findings[:3]
    result["ratio"] = round(result["batched_rounds_per_s"] / result["one_by_one_rounds_per_s"], 2)
    return result


async def main(count: int, batch: int) -> dict[str, dict[str, float]]:
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
        finally:
            server.remove()
    return figures


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=4_000)
    parser.add_argument("--batch", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    found = asyncio.run(main(asked.rounds, asked.batch))
    if asked.json:
        sys.stdout.write(json.dumps(found) + "\n")
    else:
        for database, row in found.items():
            line = "  ".join(f"{name} {value:,}" for name, value in row.items())
            sys.stdout.write(f"{database:10} {line}\n")
