"""How a command of an operator reaches the bus of a deployment, or of a `paiju up` that runs or does not."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from services.chassis import log
from services.chassis.bus.nats import NatsBus, NatsLogin
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.run import nats_login, registry_of
from services.launch.broker import Broker, login_of
from services.launch.catalog import wirings
from services.launch.exits import HELD, Stop
from services.launch.folder import DataFolder
from services.launch.permissions import inbox_prefix


def settings_of(data: Path | None) -> PaijuSettings:
    """Return the shared settings: those of the environment, with this data folder if one is named."""
    # Reading needs no keys.
    return PaijuSettings(dev=True) if data is None else PaijuSettings(dev=True, data_dir=data.resolve())


@asynccontextmanager
async def operator_bus(data: Path | None) -> AsyncIterator[NatsBus | None]:
    """Connect as the operator; None: nobody said where a broker is.

    It is the one that `PAIJU_NATS_URL` names (with `PAIJU_NATS_USER` and `_PASSWORD`). Otherwise that of the
    `paiju up` that holds the data folder; if none does, its broker is started for the length of the block.

    Raises:
        Outage: It can't be reached.
        Stop: It does not start.
    """
    log.configure("error", as_json=False)
    settings = settings_of(data)
    async with AsyncExitStack() as held:
        if "nats_url" in settings.model_fields_set:
            prefix = inbox_prefix(settings.nats_user) if settings.nats_user else "_INBOX"
            login = nats_login(settings, prefix)
        elif data is not None and (data / "nats" / "store").is_dir():
            login = await _embedded(data, held)
        else:
            yield None
            return
        registry = registry_of(wirings(), settings)
        bus = await NatsBus.connect(login, registry, SystemClock(), SystemIds(), Metrics(), "operator")
        held.push_async_callback(bus.close)
        yield bus


async def _embedded(data: Path, held: AsyncExitStack) -> NatsLogin:
    """Return the login of the broker of a data folder, which runs as long as `held` is open."""
    try:
        folder = held.enter_context(DataFolder(data).held())
    except Stop as stop:
        if stop.code != HELD:
            raise
        url, user, password = login_of(DataFolder(data).nats)
        return NatsLogin(url, user, password)
    broker = Broker(folder.nats, SystemClock(), SystemIds())
    await broker.start()
    held.push_async_callback(broker.stop)
    return NatsLogin(broker.url, broker.user, broker.password)
