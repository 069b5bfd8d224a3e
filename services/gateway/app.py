"""Wiring of the gateway."""

from __future__ import annotations

import asyncio
import resource
from pathlib import Path

from aiohttp import web
from paiju.gateway.v1 import gateway_service_pb2_grpc
from paiju.gateway.v1.gateway_service_pb2 import PeopleHere

from services.chassis import log
from services.chassis.bus import subject, subject_of
from services.chassis.clock import SystemClock
from services.chassis.errors import Outage
from services.chassis.memory import set_aside
from services.chassis.run import Parts, Service, Wiring
from services.gateway.api import Api
from services.gateway.bus.tables import Tables
from services.gateway.calls import Calls
from services.gateway.doors.call import CallDoor
from services.gateway.doors.files import FOLDER, SECURITY, FilesDoor
from services.gateway.doors.origin import Hosts
from services.gateway.doors.qr import ROUTE as QR
from services.gateway.doors.qr import QrDoor
from services.gateway.doors.watch import KEEP_ALIVE_S, JunkLog, Watch
from services.gateway.doors.websocket import WebSocketDoor
from services.gateway.hooks import Hooks
from services.gateway.hub import Hub
from services.gateway.settings import GatewaySettings

FILES_BESIDES = 512
"""Files open besides the connections of players: databases, the broker, the other services."""

_log = log.get(service="gateway")


class Gateway:
    """The service; `port` is where HTTP listens once started."""

    name = "gateway"

    def __init__(self, settings: GatewaySettings, parts: Parts, hub: Hub, folder: Path = FOLDER) -> None:
        self.hub = hub
        self.port = 0
        self._settings = settings
        self._parts = parts
        # Behind a proxy all connections are the proxy's.
        silent_max = 0 if settings.trusted_proxies else settings.strangers_per_address_max
        self._watch = Watch(parts.clock, settings.head_s, silent_max)
        hosts = Hosts(settings)
        app = web.Application(
            client_max_size=64 * 1024, middlewares=[self._watch.middleware, hosts.middleware]
        )
        app.on_response_prepare.append(_add_security)
        app.router.add_get("/play", WebSocketDoor(hub).play)
        app.router.add_post("/call/{method:.+}", CallDoor(hub).call)
        Hooks(hub, parts).add_to(app)
        app.router.add_get(QR, QrDoor().get)
        app.router.add_get("/{path:.*}", FilesDoor(folder).get)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            handle_signals=False,
            shutdown_timeout=1.0,
            keepalive_timeout=2 * KEEP_ALIVE_S,
            auto_decompress=False,
            logger=JunkLog(),
        )
        self._listener: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """The page."""
        host = self._settings.http_host
        return f"http://{f'[{host}]' if ':' in host else host}:{self.port}/"

    async def start(self) -> None:
        """Hear the bus, then open the doors.

        Raises:
            Outage: The port is taken.
        """
        settings = self._settings
        allow_files(settings.connections_max + FILES_BESIDES)
        clock = self._parts.clock
        if isinstance(clock, SystemClock):
            self._parts.spawn("gateway-memory", set_aside(clock, self._looks))
        await self.hub.tables.start()
        await self.hub.start()
        self._parts.spawn("gateway-presence", self.hub.presence.run())
        await self._runner.setup()
        server = self._runner.server
        assert server is not None, "it is set up"
        try:
            self._listener = await asyncio.get_running_loop().create_server(
                self._watch.factory(server), settings.http_host, settings.http_port, backlog=1024
            )
        except OSError as error:
            raise Outage(
                f"HTTP can't listen on {settings.http_host}:{settings.http_port}: {error}"
            ) from error
        self.port = self._listener.sockets[0].getsockname()[1]
        _log.info("page_served", url=self.url)

    async def stop(self) -> None:
        """Say goodbye to every client, leave the tables, close the doors."""
        await self.hub.stop()
        await self.hub.presence.farewell()
        await self.hub.tables.stop()
        if self._listener is not None:
            self._listener.close()
        await self._runner.cleanup()

    def _looks(self) -> int:
        return self.hub.leftovers.looks(self._parts.clock.monotonic())


async def _add_security(request: web.Request, response: web.StreamResponse) -> None:
    for header, value in SECURITY.items():
        response.headers.setdefault(header, value)


def allow_files(wanted: int) -> None:
    """Let this process open so many files, as far as it may: a connection is one, and shells allow 1,024."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    allowed = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
        soft = allowed
    if soft != resource.RLIM_INFINITY and soft < wanted:
        _log.warning("files_limited", allowed=soft, wanted=wanted)


def make(settings: GatewaySettings, parts: Parts, name: str, folder: Path = FOLDER) -> Gateway:
    """Return the service under the name that tables answer to."""
    tables = Tables(
        parts,
        name,
        shards=parts.settings.log_shards,
        tables_per_session_max=settings.tables_per_session_max,
    )
    return Gateway(settings, parts, Hub(settings, parts, Calls(parts, settings), tables), folder)


async def wire(settings: GatewaySettings, parts: Parts) -> Service:
    """Make the service, and offer its stream."""
    gateway = make(settings, parts, f"gw-{parts.incarnation}")
    parts.rpc.serve(
        "gateway",
        gateway_service_pb2_grpc.add_GatewayServiceServicer_to_server,
        Api(gateway.hub),
        {"Play": "public"},
    )
    return gateway


WIRING = Wiring(
    "gateway",
    wire,
    GatewaySettings,
    tells=(subject("table", "cmd", "*"), subject_of(PeopleHere, key="*")),
    listens=(
        subject("gateway", "out", "*"),
        subject("gateway", "notice", "*"),
        subject("table", "shard_owned", "*"),
        subject("accounts", "session_revoked", "*"),
        subject("chat", "message_posted", "*"),
    ),
    has_database=False,
)
