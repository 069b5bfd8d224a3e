"""A process with real parts for tests: NATS, gRPC on a free port, wired services; ended in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from services.chassis.auth import AUDIENCE, ISSUER, KEYS_BUCKET, Verifier, keys_on_bus
from services.chassis.bus.base import Keeper
from services.chassis.bus.nats import NatsBus
from services.chassis.bus.streams import ensure_streams
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings, ServiceSettings
from services.chassis.db import Database, migrate, open_database
from services.chassis.health import Health
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.revocations import Revocations, revoked_on_bus
from services.chassis.rpc.server import GrpcRpc
from services.chassis.run import Parts, Process, Wiring, nats_login, registry_of

SERVICE_KEY = "a key that all services of a test share, long enough"
KID = "test-1"


class Tokens:
    """Makes access tokens as accounts does."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.generate()

    @property
    def public(self) -> bytes:
        return self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def now_s(self) -> int:
        """The seconds that `token` counts from."""
        return SystemClock().now_ms() // 1000

    def token(
        self,
        player_id: str,
        sid: str = "",
        seconds: int = 600,
        kind: str = "player",
        scopes: Sequence[str] = (),
    ) -> str:
        now = self.now_s()
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": player_id,
            "sid": sid or f"sid-{player_id}",
            "kind": kind,
            "exp": now + seconds,
            "scopes": list(scopes),
        }
        return jwt.encode(claims, self._key, algorithm="EdDSA", headers={"kid": KID})


class World:
    """A running process: `parts`, `services` by name, and what signs tokens for it."""

    def __init__(self, process: Process, tokens: Tokens, rpc: GrpcRpc, crashes: list[BaseException]) -> None:
        self.process = process
        self.parts: Parts = process.parts
        self.services = process.services
        self.tokens = tokens
        self.rpc = rpc
        self.crashes = crashes


@asynccontextmanager
async def running(
    nats_url: str,
    folder: Path,
    wirings: Sequence[Wiring],
    own: Mapping[str, ServiceSettings] | None = None,
    tokens: Tokens | None = None,
) -> AsyncIterator[World]:
    """Run services until the block ends; a task that crashed fails the test."""
    settings = PaijuSettings(dev=True, data_dir=folder, nats_url=nats_url, service_key=SERVICE_KEY)
    tokens = tokens or Tokens()
    clock, ids, metrics, health, keeper = SystemClock(), SystemIds(), Metrics(), Health(), Keeper()
    registry = registry_of(wirings, settings)
    bus = await NatsBus.connect(nats_login(settings), registry, clock, ids, metrics, "test")
    await ensure_streams(bus.jetstream, registry)
    await (await bus.bucket(KEYS_BUCKET)).put(KID, tokens.public)
    verifier = Verifier(SERVICE_KEY, keys_on_bus(bus), clock, Revocations(revoked_on_bus(bus), clock))
    rpc = GrpcRpc(settings, verifier, health, clock, ids, metrics, "test")
    crashes: list[BaseException] = []
    keeper.on_crash = bus.keeper.on_crash = crashes.append
    databases: dict[str, Database] = {}

    def database(name: str) -> Database:
        if name not in databases:
            url = settings.database_url_of(name)
            migrate(url, name)
            databases[name] = open_database(url, clock, ids)
        return databases[name]

    def spawn(name: str, coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return keeper.keep(coro, name)

    incarnation = ids.new("i")
    parts = Parts(
        settings=settings,
        clock=clock,
        ids=ids,
        bus=bus,
        rpc=rpc,
        metrics=metrics,
        health=health,
        verifier=verifier,
        process=incarnation,
        incarnation=incarnation,
        db=database,
        spawn=spawn,
        registry=registry,
    )
    settings_of = {w.name: (own or {}).get(w.name) or w.settings() for w in wirings}
    process = Process(parts, wirings, settings_of, keeper)
    try:
        await process.start()
        yield World(process, tokens, rpc, crashes)
    finally:
        await process.stop()
        for opened in databases.values():
            await opened.close()
    assert not crashes, crashes
