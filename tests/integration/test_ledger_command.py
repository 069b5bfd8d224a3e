"""`paiju reconcile` on a data folder: its broker runs, or does not; the book is doctored."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from paiju.table.v1.events_pb2 import RoundFinished
from sqlalchemy import text

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.db import migrate
from services.chassis.db.sqlite import sqlite_engine
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.economy.store import facts
from services.launch.broker import Broker
from services.launch.exits import NO, OK, OUTAGE
from services.launch.folder import DataFolder
from tests.support.book import Books, audited, seated
from tests.support.full_book import unlocked
from tests.support.process import full_registry
from tests.support.up import servers_on, spawn

pytestmark = [
    pytest.mark.usefixtures("quiet"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc"),
]


@dataclass(frozen=True)
class Done:
    """How a command ended."""

    exit_code: int
    stdout: str
    stderr: str


async def paiju(data: Path, *arguments: str) -> Done:
    """Run a command on a data folder, in a process of its own: a broker that it starts is to end with it."""
    log = data.with_name("command.log")
    log.unlink(missing_ok=True)
    process = spawn(*arguments, "--data", str(data), env={}, log=log)
    stdout, _ = await asyncio.to_thread(process.communicate, timeout=60)
    return Done(process.returncode, stdout.decode(), log.read_text())


class Deployment:
    """A data folder with the broker of a `paiju up`, and a book in which round 0-m/1 is paid."""

    def __init__(self, data: Path) -> None:
        self.data = data
        url = f"sqlite:///{data}/economy.db"
        migrate(url, "economy")
        self.books = seated(Books(sqlite_engine(url)))
        self.books.now_ms = SystemClock().now_ms() - 600_000

    async def fill(self, broker: Broker) -> None:
        """Publish what was played and audited: round 1 is in the book, round 2 has only just ended."""
        bus = await NatsBus.connect(
            NatsLogin(broker.url, broker.user, broker.password),
            full_registry(), SystemClock(), SystemIds(), Metrics(), "test",
        )  # fmt: skip
        await ensure_streams(bus.jetstream, bus.registry)
        for number in (1, 2):
            record = f"record {number}".encode()
            played = RoundFinished(
                round_id=f"0-m/{number}", match_id="0-m", round_no=number, game="paohuzi", record=record
            )
            await bus.publish(played, f"finished:{number}")
        audit = audited()
        audit.record_sha256 = hashlib.sha256(b"record 1").digest()
        await bus.publish(audit, "audited:1")
        self.books.hear(facts.from_audited(audit))
        await bus.close()

    async def reconcile(self, *arguments: str) -> tuple[int, dict[str, Any]]:
        done = await paiju(self.data, "reconcile", "--json", *arguments)
        assert done.stdout, done.stderr
        said: dict[str, Any] = json.loads(done.stdout)
        return done.exit_code, said


@pytest.fixture
async def deployment(tmp_path: Path) -> AsyncIterator[Deployment]:
    """A deployment whose platform has ended in order."""
    data = tmp_path / "data"
    with DataFolder(data).held() as folder:
        broker = Broker(folder.nats, SystemClock(), SystemIds())
        await broker.start()
        made = Deployment(data)
        await made.fill(broker)
        await broker.stop()
    yield made
    assert servers_on(data) == [], "no broker was left behind"
    made.books.engine.dispose()


async def test_a_platform_that_does_not_run_is_proven_with_its_rounds(deployment: Deployment) -> None:
    code, said = await deployment.reconcile()
    assert (code, said["ok"], said["findings"]) == (OK, True, [])
    assert (said["records"], said["proven"], said["under_way"], said["put_aside"]) == (3, 1, 1, 0)
    code, said = await deployment.reconcile("--grace", "0")
    assert code == NO
    assert said["findings"] == [
        "round 0-m/2: waits: it was played to its end, but the book knows no audit of it"
    ]
    shown = await paiju(deployment.data, "dlq", "list")
    assert (shown.exit_code, shown.stdout) == (OK, "0 open entries\n")
    with DataFolder(deployment.data).held():
        assert servers_on(deployment.data) == [], "the folder is free again"


async def test_a_platform_that_runs_is_proven_beside_it(deployment: Deployment) -> None:
    with DataFolder(deployment.data).held() as folder:
        broker = Broker(folder.nats, SystemClock(), SystemIds())
        await broker.start()
        running = servers_on(deployment.data)
        code, said = await deployment.reconcile()
        assert (code, said["proven"], said["under_way"]) == (OK, 1, 1)
        assert servers_on(deployment.data) == running, "its broker was not touched"
        await broker.stop()
        gone = await paiju(deployment.data, "reconcile")
        assert gone.exit_code == OUTAGE
        assert "can't be found" in gone.stderr


async def test_a_doctored_book_is_loud(deployment: Deployment) -> None:
    deployment.books.run(lambda c: c.execute(text("DROP TRIGGER entries_no_update")))
    change = "UPDATE entries SET amount = amount + 5 WHERE account = 'stake/0-m/0' AND amount = 60"
    assert deployment.books.run(lambda c: c.execute(text(change))).rowcount == 1
    done = await paiju(deployment.data, "reconcile")
    assert done.exit_code == NO
    assert "entries in gold sum to 5, not 0" in done.stdout
    assert "account stake/0-m/0 gold: balance 560, entries sum to 565" in done.stdout
    assert "round 0-m/1: its transfer moved" in done.stdout
    assert done.stderr.startswith("paiju: the book does not add up: ")
    assert done.stderr.count("\n") == 1


async def test_a_round_that_lost_its_settlement_is_loud(deployment: Deployment) -> None:
    """All of it is taken out, with every balance put right: only the record in the stream tells of it."""

    def forget(c: Any) -> None:
        moved = "SELECT transfer_id FROM rounds WHERE round_id = '0-m/1'"
        c.execute(
            text(
                "UPDATE accounts SET balance = balance - "
                f"(SELECT amount FROM entries WHERE transfer_id = ({moved}) AND account = accounts.id) "
                f"WHERE id IN (SELECT account FROM entries WHERE transfer_id = ({moved}))"
            )
        )
        with unlocked(c, "entries"), unlocked(c, "transfers"):
            c.execute(text(f"DELETE FROM entries WHERE transfer_id = ({moved})"))
            c.execute(text("DELETE FROM transfers WHERE kind = 'settlement'"))
        c.execute(text("DELETE FROM rounds WHERE round_id = '0-m/1'"))
        c.execute(text("UPDATE matches SET next_round_no = 1"))

    deployment.books.run(forget)
    assert deployment.books.prove().findings == (), "the book alone looks well"
    code, said = await deployment.reconcile("--grace", "0")
    assert code == NO
    assert (
        "round 0-m/1: waits: it was played to its end, but the book knows no audit of it" in said["findings"]
    )
    assert "round 0-m/1: its audit was published, but the book has not taken it in" in said["findings"]
