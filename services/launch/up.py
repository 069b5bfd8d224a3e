"""`paiju up`: the whole platform in one process, on one machine."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
import webbrowser
from dataclasses import dataclass
from pathlib import Path

from services.chassis import log
from services.chassis.bus.registry import SHARDS
from services.chassis.clock import Clock, SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from services.chassis.run import Running, serve
from services.chassis.run import run as run_loop
from services.economy.app import Economy
from services.gateway.app import Gateway
from services.launch.broker import Broker
from services.launch.catalog import wirings
from services.launch.exits import OUTAGE, USAGE, Stop
from services.launch.folder import DataFolder
from services.launch.serve import migrate_all, outages_in_one_line

BROKER_RESTARTS_MAX = 5
"""In a row, each within `HEALTHY_S` of the one before: then a restart does not cure it."""

HEALTHY_S = 60.0

OWNED_S_MAX = 10.0

PAGE_PORT = 8080
"""Where the page is unless told otherwise, or unless somebody else is there."""


@dataclass(frozen=True)
class Doors:
    """Where a single-machine installation listens.

    Attributes:
        host: The address of page and gRPC; metrics stay on the loopback.
        page_port: None = 8080, or any free one where that is taken; 0 = any free one.
        grpc_port: 0 = any free one; so the metrics' port.
        metrics_port: See `grpc_port`.
    """

    host: str
    page_port: int | None
    grpc_port: int
    metrics_port: int


def run(data: Path, doors: Doors, *, open_page: bool, as_json: bool) -> None:
    """Run until SIGTERM, SIGINT or a failure; return after everything has ended in order.

    Raises:
        Stop: The host is none of this machine's (`USAGE`); the folder is held (`HELD`); a port is taken or
            something outside failed (`OUTAGE`).
    """
    page_port = _page_port(doors)
    for host, port in ((doors.host, doors.grpc_port), ("127.0.0.1", doors.metrics_port)):
        if not _is_free(host, port):
            raise Stop(OUTAGE, f"port {port} of {host} is taken; choose another one, or 0 for any")
    with DataFolder(data).held() as folder, outages_in_one_line():
        run_loop(_run(folder, doors, page_port, open_page=open_page, as_json=as_json))


async def _run(folder: DataFolder, doors: Doors, page_port: int, *, open_page: bool, as_json: bool) -> None:
    clock, ids = SystemClock(), SystemIds()
    broker = Broker(folder.nats, clock, ids)
    service_key = folder.key("service", ids.token(32).hex().encode()).decode()
    await broker.start()
    try:
        settings = PaijuSettings(
            dev=True,
            data_dir=folder.path,
            nats_url=broker.url,
            nats_user=broker.user,
            nats_password=broker.password,
            grpc_host=doors.host,
            grpc_port=doors.grpc_port,
            http_port=doors.metrics_port,
            service_key=service_key,
            log_level=os.environ.get("PAIJU_LOG_LEVEL", "warning"),
        )
        # Each service's own settings come from the environment; what the command line says stands above it.
        os.environ |= {"PAIJU_GATEWAY_HTTP_HOST": doors.host, "PAIJU_GATEWAY_HTTP_PORT": str(page_port)}
        _set_up_sandbox(folder, ids.token(32).hex())
        chosen = wirings()
        # The folder is ours alone: no process of an older release runs.
        await migrate_all(chosen, settings, contract=True)

        async def ready(running: Running) -> None:
            running.parts.spawn("embedded-broker", keep(broker, clock))
            _let_sandbox_send(running)
            await tables_are_owned(running)
            _announce(running, folder, open_page=open_page, as_json=as_json)

        await serve(chosen, settings, on_ready=ready)
    finally:
        await broker.stop()


def _set_up_sandbox(folder: DataFolder, fresh_key: str) -> None:
    """Let gems be bought of the sandbox, which takes no money, unless the environment says otherwise."""
    provider = os.environ.setdefault("PAIJU_ECONOMY_TOPUP_PROVIDER", "sandbox")
    if provider == "sandbox":
        key = folder.key("sandbox-pay", fresh_key.encode()).decode()
        os.environ.setdefault("PAIJU_ECONOMY_TOPUP_KEYS", json.dumps([key]))


def _let_sandbox_send(running: Running) -> None:
    """Tell the sandbox where the HTTP door is: its port may be any."""
    economy, gateway = running.services["economy"], running.services["gateway"]
    assert isinstance(economy, Economy)
    assert isinstance(gateway, Gateway)
    economy.topups.hooks_are_at(gateway.url)


async def tables_are_owned(running: Running) -> None:
    """Return once this process serves every shard of tables, so that whoever reads the address can sit down.

    After a kill they may still belong to the process that is gone; longer than `OWNED_S_MAX` nobody waits.
    """
    parts = running.parts
    wanted = {f"table.{shard}" for shard in parts.registry.shards()}
    deadline = parts.clock.monotonic() + OWNED_S_MAX
    while parts.clock.monotonic() < deadline:
        try:
            entries = await (await parts.bus.bucket(SHARDS.name)).entries()
        except Outage:
            entries = []
        mine = {entry.key for entry in entries if json.loads(entry.value)["incarnation"] == parts.incarnation}
        if wanted <= mine:
            return
        await parts.clock.sleep(0.05)


async def keep(broker: Broker, clock: Clock) -> None:
    """Start the broker again whenever it ends by itself.

    Raises:
        Outage: It keeps ending.
    """
    failures, began = 0, clock.monotonic()
    while True:
        status = await broker.died()
        failures = failures + 1 if clock.monotonic() - began < HEALTHY_S else 1
        log.get().error("embedded_broker_ended", status=status, failures=failures, why=broker.tail())
        if failures > BROKER_RESTARTS_MAX:
            raise Outage(f"nats-server keeps ending: {broker.tail()}")
        began = clock.monotonic()
        try:
            await broker.start()
        except Stop as stop:
            raise Outage(stop.line) from stop


def _announce(running: Running, folder: DataFolder, *, open_page: bool, as_json: bool) -> None:
    gateway = running.services["gateway"]
    assert isinstance(gateway, Gateway)
    said = {
        "url": gateway.url,
        "grpc": f"127.0.0.1:{running.grpc_port}",
        "metrics": f"http://127.0.0.1:{running.http_port}/metrics",
        "data": str(folder.path),
        "pid": os.getpid(),
    }
    if as_json:
        print(json.dumps(said), flush=True)
    else:
        lines = [f"{name:8} {said[name]}" for name in ("url", "grpc", "metrics", "data")]
        print("\n".join(["Paiju is running. Ctrl-C ends it.", *lines]), flush=True)
    if open_page and _has_screen():
        webbrowser.open(gateway.url)


def _has_screen() -> bool:
    """Return whether a browser would open a window; in a bare terminal a text browser would take it over."""
    return sys.platform == "darwin" or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _page_port(doors: Doors) -> int:
    if doors.page_port is None:
        return PAGE_PORT if _is_free(doors.host, PAGE_PORT) else 0
    if not _is_free(doors.host, doors.page_port):
        raise Stop(OUTAGE, f"port {doors.page_port} is taken; choose another one with --port, or 0 for any")
    return doors.page_port


def _is_free(host: str, port: int) -> bool:
    """Return whether nobody listens there.

    Raises:
        Stop: No such host (`USAGE`), or the system does not let us listen there (`OUTAGE`).
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
    except (OSError, UnicodeError) as error:
        raise Stop(USAGE, f"host {host!r} can't be found ({_why(error)}); name one with --host") from error
    try:
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return False
        if error.errno == errno.EADDRNOTAVAIL:
            raise Stop(USAGE, f"host {host!r} is no address of this machine; name one with --host") from error
        raise Stop(OUTAGE, f"can't listen on port {port} of {host}: {_why(error)}") from error
    return True


def _why(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
