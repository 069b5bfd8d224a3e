"""`paiju reconcile`: prove the book of coins, and that every round played is paid as it was audited."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import AsyncIterator
from pathlib import Path

from google.protobuf.message import DecodeError, Message
from sqlalchemy import Engine
from sqlalchemy.engine import make_url

from services.chassis.bus import Delivery, dlq, event_of
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.port import KeptFact
from services.chassis.bus.registry import subjects_by_stream
from services.chassis.clock import SystemClock
from services.chassis.db import InlineDatabase, check_schema, open_database
from services.chassis.db.sqlite import sqlite_engine
from services.chassis.ids import SystemIds
from services.chassis.run import run as run_loop
from services.economy.reconcile import Report, prove_everything
from services.economy.reconcile_records import TYPES, Take
from services.economy.store import proof_notes
from services.launch.exits import NO, USAGE, Stop
from services.launch.operator import operator_bus, settings_of
from services.launch.serve import outages_in_one_line

BATCH = 500


def run(data: Path | None, *, grace_s: int, as_json: bool) -> None:
    """Print what was checked and what is wrong.

    Args:
        data: The data folder of a `paiju up`; None: database and broker that the environment names.
        grace_s: A round that ended less long ago may still be on its way to its settlement.
        as_json: One JSON object.

    Raises:
        Stop: There is no book (`USAGE`), it or the broker can't be reached (`OUTAGE`), or it does not add up
            (`NO`).
    """
    url = settings_of(data).database_url_of("economy")
    with outages_in_one_line():
        check_schema(_readable(url), "economy")
        report, put_aside = run_loop(_prove(url, data, grace_s * 1000))
    if as_json:
        said = {"ok": not report.findings, **dataclasses.asdict(report), "put_aside": put_aside}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print("\n".join([*report.findings, *_summary(report, put_aside)]))
    if report.findings:
        raise Stop(NO, f"the book does not add up: {report.findings[0]}")


def _summary(report: Report, put_aside: int | None) -> list[str]:
    lines = [f"{report.transfers} transfers, {report.accounts} accounts checked"]
    if report.records is None:
        lines.append("rounds not held against their records: no broker was named (PAIJU_NATS_URL, or --data)")
    else:
        lines.append(
            f"{report.records} records and audits read: {report.proven} rounds proven, "
            f"{report.under_way} under way, {report.disputed} wait for a person"
        )
    if put_aside:
        lines.append(f"{put_aside} facts were put aside by their consumers: see `paiju dlq list`")
    return lines


def _readable(url: str) -> str | Engine:
    """Return what the schema of the book is read from; looking makes no file.

    Raises:
        Stop: There is no book (`USAGE`).
    """
    if not url.startswith("sqlite"):
        return url
    file = make_url(url).database or ""
    if not Path(file).is_file():
        raise Stop(USAGE, f"there is no book here: {file} is missing; name its folder with --data")
    return sqlite_engine(url, reads_only=True)


async def _prove(url: str, data: Path | None, grace_ms: int) -> tuple[Report, int | None]:
    clock = SystemClock()
    notes = InlineDatabase(clock)
    await notes.run(proof_notes.make)
    book = open_database(url, clock, SystemIds(), connections=1, reads_only=True)
    try:
        async with operator_bus(data) as bus:
            source = _Published(bus) if bus is not None else None
            report = await prove_everything(book, notes, source, clock, grace_ms)
            if bus is None or source is None:
                return report, None
            put_aside = sum(entry.resolution is None for entry in await dlq.entries(bus))
            return dataclasses.replace(report, findings=(*report.findings, *source.unreadable)), put_aside
    finally:
        await book.close()


class _Published:
    """Everything that was ever published of rounds."""

    def __init__(self, bus: NatsBus) -> None:
        self._bus = bus
        self.unreadable: list[str] = []

    async def each(self, take: Take) -> None:
        """See `reconcile_records.Source`."""
        batch: list[Delivery[Message]] = []
        async for delivery in self._all():
            batch.append(delivery)
            if len(batch) == BATCH:
                await take(batch)
                batch = []
        if batch:
            await take(batch)

    async def _all(self) -> AsyncIterator[Delivery[Message]]:
        classes = {event_of(cls).prefix: cls for cls in TYPES}
        for stream, subjects in subjects_by_stream(TYPES).items():
            async for kept in self._bus.kept(stream, subjects):
                try:
                    message = classes[kept.subject.rpartition(".")[0]].FromString(kept.payload)
                except DecodeError as error:
                    self.unreadable.append(f"{stream} {kept.seq}: can't be read: {error}")
                    continue
                yield _delivery(kept, message)


def _delivery(kept: KeptFact, message: Message) -> Delivery[Message]:
    return Delivery(message, kept.headers.get("Paiju-Event-Id", ""), kept.seq, kept.subject, 1, kept.at_ms)
