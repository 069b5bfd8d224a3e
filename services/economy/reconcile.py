"""The reconciler: proves the book, and that what was played is what was paid. Never mends what is wrong.

`paiju reconcile` runs `prove_everything` once, from the beginning, with notes that it throws away. In economy
the `Reconciler` runs every hour, in one process at a time, over what is new, and once a day over everything.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Final

from google.protobuf.message import Message

from services.chassis import log
from services.chassis.bus.port import Bus, Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.chassis.run import Consumes
from services.economy.reconcile_records import TYPES, Rounds, Source, Take
from services.economy.settings import EconomySettings
from services.economy.store import proof_notes
from services.economy.store.proof import Proof, prove
from services.economy.store.proof_notes import Standing

READ: Final = Consumes("economy-proof", TYPES)
"""What the hourly proof reads, once each: all that was said of rounds."""

FIRST_S = 600.0
"""A process that has just started has better things to do."""
LOOK_S = 60.0
"""So often a process looks whether a proof is due, and shows what the last one said."""
HELD_MS = 120_000
"""Who proves and says nothing for so long may be gone: another may begin."""
MARK_MS = 120_000
"""What was written so long ago is committed, or never will be: a later proof may begin after it."""
BATCH = 100
LOGGED_MAX = 20


@dataclass(frozen=True, slots=True)
class Report:
    """What a run checked, and what is wrong."""

    is_whole: bool
    """True: everything; False: what is new since the last run."""
    transfers: int
    accounts: int
    records: int | None
    """Facts about rounds that were read; None: only the book was proven."""
    proven: int
    """Records accounted for in this run."""
    under_way: int
    disputed: int
    findings: tuple[str, ...]


async def reconcile(db: Database, clock: Clock) -> Proof:
    """Return the proof of the book alone, from one snapshot; changes nothing."""
    now_ms = clock.now_ms()
    return await db.scan(partial(prove, now_ms=now_ms))


async def prove_everything(
    book: Database, notes: Database, source: Source | None, clock: Clock, grace_ms: int
) -> Report:
    """Prove the whole book, and every round against what was published of it.

    Args:
        book: Economy's database; it may be one that can only be read.
        notes: A database with the tables of `proof_notes`, empty.
        source: What was published from the beginning on; None: prove the book alone.
        clock: Tells the time.
        grace_ms: Rounds that ended less long ago may still be under way.
    """
    report, _ = await _run(book, notes, source, clock, grace_ms, 0, _nothing)
    return report


async def _run(
    book: Database,
    notes: Database,
    source: Source | None,
    clock: Clock,
    grace_ms: int,
    since: int,
    go_on: Callable[[], Awaitable[None]],
) -> tuple[Report, Proof]:
    """Return the report, and the part of it that is the book's alone."""
    rounds = Rounds(book, notes, clock, grace_ms)
    if source is not None:

        async def take(deliveries: Sequence[Delivery[Message]]) -> None:
            await rounds.take(deliveries)
            await go_on()

        await source.each(take)
        await rounds.judge(go_on)
        await rounds.unrecorded(since, go_on)
    now_ms = clock.now_ms()
    proof = await book.scan(partial(prove, now_ms=now_ms, since=since))
    tally = rounds.tally
    report = Report(
        is_whole=not since,
        transfers=proof.transfers,
        accounts=proof.accounts,
        records=tally.read if source is not None else None,
        proven=tally.proven,
        under_way=tally.under_way,
        disputed=tally.disputed,
        findings=(*proof.findings, *tally.findings),
    )
    return report, proof


async def _nothing() -> None:
    return


class TakenOver(Outage):
    """Another process proves now: this run is over, and what it held is given back."""


class _Streams:
    """What the bus holds and was not read before."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus

    async def each(self, take: Take) -> None:
        await self._bus.sweep(READ.durable, READ.types, take, BATCH)


class Reconciler:
    """Proves when it is due, and shows what the last proof said: `parts.spawn("…", reconciler.run())`."""

    def __init__(
        self, db: Database, bus: Bus, clock: Clock, settings: EconomySettings, metrics: Metrics, process: str
    ) -> None:
        self._db = db
        self._bus = bus
        self._clock = clock
        self._settings = settings
        self._process = process
        self._log = log.get(service="economy")
        self._findings = metrics.gauge("economy_proof_findings", "What the last proof found wrong")
        self._age = metrics.gauge("economy_proof_age_seconds", "Since the last proof was done; -1 = never")
        self._under_way = metrics.gauge(
            "economy_proof_under_way", "Rounds played and not settled, at the last"
        )
        self._seconds = metrics.histogram("economy_proof_seconds", "Duration of a proof")

    async def run(self) -> None:
        """Look every minute, until cancelled."""
        if not self._settings.proof_every_s:
            return
        await self._clock.sleep(FIRST_S)
        while True:
            try:
                await self.look()
            except Outage as outage:
                self._log.warning("proof_interrupted", why=str(outage))
            await self._clock.sleep(LOOK_S)

    async def look(self) -> Report | None:
        """Prove if it is due and nobody else does; return the report then.

        Raises:
            Outage: Bus or database can't be reached, or another has begun: the next look tries again.
        """
        found = await self._db.read(proof_notes.standing)
        is_due = self._clock.now_ms() - found.done_at_ms >= self._settings.proof_every_s * 1000
        report = await self._prove(found) if is_due and await self._claim() else None
        self._show(await self._db.read(proof_notes.standing) if report else found)
        return report

    async def _claim(self) -> bool:
        now_ms = self._clock.now_ms()
        return await self._db.run(
            lambda connection: proof_notes.claim(connection, self._process, now_ms, now_ms + HELD_MS)
        )

    async def _prove(self, found: Standing) -> Report:
        started_ms, began = self._clock.now_ms(), self._clock.monotonic()
        is_whole = started_ms - found.whole_at_ms >= self._settings.proof_whole_every_s * 1000
        renewed = began

        async def go_on() -> None:
            nonlocal renewed
            # Between two pages others have their turn.
            await self._clock.sleep(0)
            if self._clock.monotonic() - renewed > HELD_MS / 4000:
                if not await self._claim():
                    raise TakenOver("another process proves now")
                renewed = self._clock.monotonic()

        report, proof = await self._once(0 if is_whole else found.mark, go_on)
        if proof.findings and not report.is_whole:
            # The book is wrong: what else is, and where, only a whole proof says.
            report, proof = await self._once(0, go_on)
        changes: dict[str, object] = {
            "started_at_ms": started_ms,
            "done_at_ms": self._clock.now_ms(),
            "report": json.dumps(asdict(report), ensure_ascii=False),
            "until_ms": 0,
        }
        if report.is_whole:
            changes["whole_at_ms"] = started_ms
        if started_ms - found.next_mark_at_ms >= MARK_MS:
            changes |= {"mark": found.next_mark, "next_mark": proof.mark, "next_mark_at_ms": started_ms}
        await self._db.run(lambda connection: proof_notes.save(connection, self._process, changes))
        self._seconds.observe(self._clock.monotonic() - began)
        self._tell(report, self._clock.monotonic() - began)
        return report

    async def _once(self, since: int, go_on: Callable[[], Awaitable[None]]) -> tuple[Report, Proof]:
        grace_ms = self._settings.proof_grace_s * 1000
        return await _run(self._db, self._db, _Streams(self._bus), self._clock, grace_ms, since, go_on)

    def _tell(self, report: Report, seconds: float) -> None:
        said = asdict(report)
        findings = said.pop("findings")
        self._log.info("book_proven", findings=len(findings), seconds=round(seconds, 3), **said)
        for finding in findings[:LOGGED_MAX]:
            self._log.error("book_does_not_add_up", finding=finding, findings=len(findings))

    def _show(self, found: Standing) -> None:
        if not found.done_at_ms:
            self._age.set(-1)
            return
        said = proof_notes.report_of(found)
        findings, under_way = said["findings"], said["under_way"]
        assert isinstance(findings, list)
        assert isinstance(under_way, int)
        self._age.set(max(0.0, (self._clock.now_ms() - found.done_at_ms) / 1000))
        self._findings.set(len(findings))
        self._under_way.set(under_way)
