"""Expand, deploy, contract: what older processes use stays until somebody says that none of them runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from nats.js.errors import NotFoundError
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import inspect

from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.bus.registry import Consumes, Registry
from services.chassis.bus.streams import drop_consumers, ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import ConfigError
from services.chassis.db import Database, check_schema, contract, migrate
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.launch.catalog import wirings
from tests.support.nats import NatsServer

STEP = """
import sqlalchemy as sa
from alembic import op

revision, down_revision, branch_labels, depends_on = {revision!r}, {after!r}, None, None

def upgrade():
    {does}
"""


def write(folder: Path, name: str, revision: str, after: str | None, does: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.py").write_text(STEP.format(revision=revision, after=after, does=does))


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """Migrations of a service whose table `old` has given way to `new`."""
    made = tmp_path / "bank"
    for number, table in enumerate(("old", "new"), 1):
        does = f'op.create_table("{table}", sa.Column("id", sa.Integer, primary_key=True))'
        write(made / "versions", f"000{number}_{table}", f"000{number}", "0001" if number > 1 else None, does)
    write(made / "contract", "0001_old", "c0001", None, 'op.drop_table("old")')
    return made


async def tables(db: Database) -> set[str]:
    """Return the tables of a database, those of Alembic left out."""
    found = await db.read(lambda connection: inspect(connection).get_table_names())
    return {name for name in found if not name.startswith("alembic_")}


async def test_a_migration_drops_nothing_until_it_is_told_that_no_older_process_runs(
    database_url: str, db: Database, bank: Path
) -> None:
    with pytest.raises(ConfigError, match="is at nothing"):
        contract(database_url, "bank", bank)
    migrate(database_url, "bank", bank)
    migrate(database_url, "bank", bank)
    check_schema(database_url, "bank", bank)
    assert await tables(db) == {"old", "new"}
    for _ in range(2):
        contract(database_url, "bank", bank)
        check_schema(database_url, "bank", bank)
        assert await tables(db) == {"new"}
    write(bank / "versions", "0003_more", "0003", "0002", 'op.add_column("new", sa.Column("n", sa.Integer))')
    with pytest.raises(ConfigError, match="is at 0002, this code needs 0003"):
        contract(database_url, "bank", bank)
    migrate(database_url, "bank", bank)
    check_schema(database_url, "bank", bank)
    assert await tables(db) == {"new"}


@pytest.mark.parametrize("has_steps", [True, False])
async def test_a_release_whose_tables_were_dropped_does_not_start(
    database_url: str, bank: Path, has_steps: bool
) -> None:
    migrate(database_url, "bank", bank)
    write(bank / "contract", "0002_new", "c0002", "c0001", 'op.drop_table("new")')
    contract(database_url, "bank", bank)
    (bank / "contract" / "0002_new.py").unlink()
    if not has_steps:
        shutil.rmtree(bank / "contract")
    with pytest.raises(ConfigError, match=r"a newer release has dropped things .* bank: c0002"):
        check_schema(database_url, "bank", bank)


async def test_progress_keeps_its_first_fold_for_older_processes_and_then_drops_it(
    database_url: str, db: Database
) -> None:
    migrate(database_url, "progress")
    assert {"counted", "statistics", "plays"} <= await tables(db)
    contract(database_url, "progress")
    check_schema(database_url, "progress")
    assert not {"counted", "statistics"} & await tables(db)
    assert {"played_rounds", "plays", "play_days", "sign_ins", "rewards"} <= await tables(db)


async def test_a_consumer_that_nobody_uses_any_more_is_removed_and_no_other(nats_server: NatsServer) -> None:
    progress = wirings(["progress"])[0]
    (retired,) = progress.retired
    assert retired.durable not in {used.durable for wiring in wirings() for used in wiring.hears}
    registry = Registry(consumes=[Consumes("stays", (RoundSettled,)), retired])
    bus = await NatsBus.connect(
        NatsLogin(nats_server.url), registry, SystemClock(), SystemIds(), Metrics(), "test"
    )
    try:
        await ensure_streams(bus.jetstream, registry)
        (stream,) = retired.by_stream()
        assert await drop_consumers(bus.jetstream, progress.retired) == [retired.durable]
        assert await drop_consumers(bus.jetstream, progress.retired) == []
        with pytest.raises(NotFoundError):
            await bus.jetstream.consumer_info(stream, retired.durable)
        assert (await bus.jetstream.consumer_info(stream, "stays")).name == "stays"
    finally:
        await bus.close()
