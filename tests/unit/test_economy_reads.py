"""Wallet reads that come together share a question; each answer is newer than its call."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from sqlalchemy import Executable

from services.chassis.errors import Outage
from services.economy.reads import READ_MAX, WalletReads
from tests.support.book import Books


class SlowDatabase:
    """A book whose reads begin when they are let, counted."""

    dialect = "sqlite"

    def __init__(self) -> None:
        self.books = Books()
        self.go = asyncio.Event()
        self.reads = 0
        self.error: Exception | None = None

    async def fetch(self, statement: Executable, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
        self.reads += 1
        found = self.books.run(lambda c: [tuple(row) for row in c.execute(statement, parameters)])
        await self.go.wait()
        if self.error is not None:
            raise self.error
        return found


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_who_comes_while_a_read_runs_is_answered_by_the_next_one_all_at_once() -> None:
    db = SlowDatabase()
    reads = WalletReads(db)  # type: ignore[arg-type] # it only reads
    db.books.grant("p_a", 5)
    first = asyncio.ensure_future(reads.read("p_a"))
    await settle()
    db.books.grant("p_a", 2, "more")
    later = [asyncio.ensure_future(reads.read(player)) for player in ("p_a", "p_b", "p_a")]
    await settle()
    assert db.reads == 1
    db.go.set()
    assert (await first).balances[0].amount == 5
    assert [(await one).balances[0].amount for one in later] == [7, 0, 7]
    assert db.reads == 2
    assert (await reads.read("p_a")).balances[0].amount == 7
    assert db.reads == 3


async def test_an_outage_is_told_to_all_who_waited_for_that_read_and_to_nobody_else() -> None:
    db = SlowDatabase()
    db.error = Outage("the database is away")
    reads = WalletReads(db)  # type: ignore[arg-type] # it only reads
    both = [asyncio.ensure_future(reads.read("p_a")) for _ in range(2)]
    await settle()
    db.go.set()
    for one in both:
        with pytest.raises(Outage):
            await one
    db.error = None
    assert (await reads.read("p_a")).balances[0].amount == 0


async def test_who_no_longer_waits_disturbs_nobody() -> None:
    db = SlowDatabase()
    reads = WalletReads(db)  # type: ignore[arg-type] # it only reads
    gone, stays = (asyncio.ensure_future(reads.read("p_a")) for _ in range(2))
    await settle()
    gone.cancel()
    db.go.set()
    assert (await stays).balances[0].amount == 0


async def test_a_question_is_bounded() -> None:
    db = SlowDatabase()
    db.go.set()
    reads = WalletReads(db)  # type: ignore[arg-type] # it only reads
    found = await asyncio.gather(*(reads.read(f"p_{number}") for number in range(2 * READ_MAX + 1)))
    assert len(found) == 2 * READ_MAX + 1
    assert db.reads == 3
