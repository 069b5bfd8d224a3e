"""Alembic without its files: `services/<name>/migrations/versions/*.py` are all a service writes.

Expand, deploy, contract: `versions/` only adds, so that processes of the release before go on. What no
process of this release uses any more goes by `contract/*.py`, steps of their own that are run when none of
the older ones is left.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, Engine, MetaData
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from services.chassis.config import ConfigError
from services.chassis.db.port import file_of, translate
from services.chassis.db.postgres import postgres_engine
from services.chassis.db.sqlite import sqlite_engine


def migrate(target: str | Engine, service: str, folder: Path | None = None) -> None:
    """Bring a service's database up to date; run twice, it does nothing the second time.

    Args:
        target: The database's URL (a SQLite file is made, a PostgreSQL database must exist), or an engine.
        service: Its folder's name.
        folder: Where `versions/` is, if not in `services/<service>/migrations`.

    Raises:
        ConfigError: The database is ahead of this code, or on another branch.
        Outage: It can't be reached, or is damaged.
    """
    _bring(target, service, _scripts(service, folder), _version_table(service))


def contract(target: str | Engine, service: str, folder: Path | None = None) -> None:
    """Drop what no process of this release uses, once none of an older release runs; twice does nothing more.

    Raises:
        ConfigError: The database is not as this code wants it (`migrate` comes first).
        Outage: As `migrate`.
    """
    check_schema(target, service, folder)
    scripts = _contract_scripts(service, folder)
    if scripts is not None:
        _bring(target, service, scripts, _contract_table(service))


def _bring(target: str | Engine, service: str, scripts: ScriptDirectory, version_table: str) -> None:
    engine = _engine(target)
    try:
        with engine.begin() as connection:
            _lock(connection, service)

            def steps(revision: Any, context: Any) -> Any:
                return scripts._upgrade_revs("head", revision)

            environment = EnvironmentContext(Config(), scripts, fn=steps)
            with environment:
                environment.configure(
                    connection=connection, version_table=version_table, transaction_per_migration=False
                )
                environment.run_migrations()
    except CommandError as error:
        raise ConfigError([f"the database of {service} doesn't fit this code: {error}"]) from error
    except DBAPIError as error:
        raise translate(error, file_of(engine.url)) from error
    finally:
        if engine is not target:
            engine.dispose()


def check_schema(target: str | Engine, service: str, folder: Path | None = None) -> None:
    """Refuse a database that isn't exactly as this code wants it.

    Raises:
        ConfigError: It is behind, ahead, or on another branch; or a newer release has dropped things in it.
        Outage: It can't be reached, or is damaged.
    """
    wanted = set(_scripts(service, folder).get_heads())
    dropping = _contract_scripts(service, folder)
    known = {step.revision for step in dropping.walk_revisions()} if dropping is not None else set()
    engine = _engine(target)
    try:
        with engine.connect() as connection:
            found = _heads(connection, _version_table(service))
            dropped = _heads(connection, _contract_table(service))
    except DBAPIError as error:
        raise translate(error, file_of(engine.url)) from error
    finally:
        if engine is not target:
            engine.dispose()
    if found != wanted:
        have, needs = ", ".join(sorted(found)) or "nothing", ", ".join(sorted(wanted))
        raise ConfigError(
            [f"the database of {service} is at {have}, this code needs {needs}: run `paiju migrate`"]
        )
    if unknown := ", ".join(sorted(dropped - known)):
        raise ConfigError([f"a newer release has dropped things from the database of {service}: {unknown}"])


def schema_differences(connection: Connection, metadata: MetaData) -> list[Any]:
    """Return where a migrated database differs from a service's tables (a test keeps this empty)."""
    ignored = set(metadata.tables)

    def is_ours(name: str | None, kind: str, parents: Any) -> bool:
        return kind != "table" or name in ignored

    context = MigrationContext.configure(connection, opts={"include_name": is_ours, "compare_type": True})
    return list(compare_metadata(context, metadata))


def _scripts(service: str, folder: Path | None) -> ScriptDirectory:
    where = folder or _folder(service)
    return ScriptDirectory(str(where), version_locations=[str(where / "versions")])


def _contract_scripts(service: str, folder: Path | None) -> ScriptDirectory | None:
    where = folder or _folder(service)
    if not (where / "contract").is_dir():
        return None
    return ScriptDirectory(str(where), version_locations=[str(where / "contract")])


def _folder(service: str) -> Path:
    package = import_module(f"services.{service}.migrations")
    assert package.__path__, f"services.{service}.migrations is no package"
    return Path(next(iter(package.__path__)))


def _heads(connection: Connection, version_table: str) -> set[str]:
    context = MigrationContext.configure(connection, opts={"version_table": version_table})
    return set(context.get_current_heads())


def _version_table(service: str) -> str:
    return f"alembic_version_{service}"


def _contract_table(service: str) -> str:
    return f"alembic_version_{service}_contract"


def _engine(target: str | Engine) -> Engine:
    if isinstance(target, Engine):
        return target
    if target.startswith("sqlite"):
        file = make_url(target).database
        if file:
            Path(file).parent.mkdir(parents=True, exist_ok=True)
        return sqlite_engine(target)
    return postgres_engine(target, connections=1)


def _lock(connection: Connection, service: str) -> None:
    """Let one process migrate at a time (SQLite: the transaction is already the only writer)."""
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(
            "SELECT pg_advisory_xact_lock(hashtext(%s))", (f"paiju-migrate-{service}",)
        )
