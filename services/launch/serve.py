"""`paiju serve` and `paiju migrate`: what a deployment runs, with settings from the environment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from services.chassis import db
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.streams import drop_consumers, ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import ConfigError, PaijuSettings, load
from services.chassis.errors import Defect, Outage
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import Wiring, nats_login, registry_of, serve
from services.chassis.run import run as run_loop
from services.launch.catalog import SERVICES, wirings
from services.launch.exits import OUTAGE, USAGE, Stop
from services.launch.permissions import inbox_prefix


def run(names: Sequence[str]) -> None:
    """Run services in this process until SIGTERM.

    Raises:
        Stop: No such service, or settings that can't be used (`USAGE`); something outside failed (`OUTAGE`).
    """
    with outages_in_one_line():
        run_loop(serve(wirings(names), shared_settings()))


def migrate(names: Sequence[str], *, contract: bool = False) -> None:
    """Bring databases, streams, consumers and buckets up to date.

    Args:
        names: The services; all if none is named.
        contract: Drop what only processes of an older release use, too.

    Raises:
        Stop: As `run`.
    """
    with outages_in_one_line():
        run_loop(migrate_all(wirings(names or SERVICES), shared_settings(), contract=contract))


def shared_settings() -> PaijuSettings:
    """Return the shared settings from the environment.

    Raises:
        ConfigError: They can't be used.
    """
    [settings] = load(PaijuSettings)
    assert isinstance(settings, PaijuSettings)
    return settings


async def migrate_all(chosen: Sequence[Wiring], settings: PaijuSettings, *, contract: bool = False) -> None:
    """Make what these services need, and with `contract` drop what they don't any more; twice does no more.

    Raises:
        ConfigError: A database is ahead of this code.
        Outage: Broker or database can't be reached.
    """
    for wiring in chosen:
        if wiring.has_database:
            db.migrate(settings.database_url_of(wiring.name), wiring.name)
            if contract:
                db.contract(settings.database_url_of(wiring.name), wiring.name)
    registry = registry_of(chosen, settings)
    # As its own user it may listen to its own inbox only.
    prefix = inbox_prefix(settings.nats_user) if settings.nats_user else "_INBOX"
    bus = await NatsBus.connect(
        nats_login(settings, prefix), registry, SystemClock(), SystemIds(), Metrics(), "migrate"
    )
    try:
        await ensure_streams(bus.jetstream, registry, settings.stream_replicas)
        if contract:
            await drop_consumers(bus.jetstream, [one for wiring in chosen for one in wiring.retired])
    finally:
        await bus.close()


@contextmanager
def outages_in_one_line() -> Iterator[None]:
    """Turn what can go wrong in a process into `Stop`; defects were logged where they happened."""
    try:
        yield
    except ConfigError as error:
        raise Stop(USAGE, "; ".join(error.problems)) from error
    except Outage as error:
        raise Stop(OUTAGE, str(error)) from error
    except Defect as error:
        raise Stop(OUTAGE, f"ended by a defect: {error}") from error
