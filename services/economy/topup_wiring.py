"""Wiring of top-ups: the provider of the settings, the desk, their RPCs, and what runs beside them."""

from __future__ import annotations

from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.economy.v1 import topup_service_pb2_grpc

from services.chassis.config import ConfigError
from services.chassis.db import Database
from services.chassis.run import Parts
from services.economy import sandbox_api, topup_api
from services.economy.bus import Tellers
from services.economy.core.topup_products import Catalogue
from services.economy.providers.sandbox import SandboxProvider
from services.economy.providers.sandbox_courier import Courier
from services.economy.settings import EconomySettings
from services.economy.topup import TopUps, read_catalogue
from services.economy.topup_watch import Watch


class TopUpDesk:
    """Top-ups, running. Made in `wire`; `start` after it.

    Raises:
        ConfigError: The catalogue can't be read, or the sandbox is wanted in production.
    """

    def __init__(self, settings: EconomySettings, parts: Parts, db: Database, tellers: Tellers) -> None:
        catalogue = _catalogue(settings)
        sandbox = _sandbox(settings, parts, db)
        self._parts = parts
        self.topups = TopUps(
            db,
            parts.clock,
            parts.ids,
            settings,
            sandbox,
            catalogue,
            parts.rpc.client(ProtectionServiceStub, "accounts"),
            tellers,
            parts.metrics,
        )
        self._watch = Watch(self.topups, sandbox, db, parts.clock, settings.topup_look_s) if sandbox else None
        self._courier = (
            Courier(db, parts.clock, settings.topup_keys[0].get_secret_value(), settings.sandbox_hook_url)
            if sandbox
            else None
        )
        parts.rpc.serve(
            "economy",
            topup_service_pb2_grpc.add_TopUpServiceServicer_to_server,
            topup_api.TopUpApi(self.topups, db, parts.clock),
            topup_api.ACCESS,
        )
        parts.rpc.serve(
            "economy",
            topup_service_pb2_grpc.add_SandboxPayServiceServicer_to_server,
            sandbox_api.SandboxPayApi(sandbox),
            sandbox_api.ACCESS,
        )

    async def start(self) -> None:
        """Look after orders, and let the sandbox send its webhooks."""
        if self._watch is not None:
            await self.topups.count_problems()
            self._parts.spawn("economy-topup-watch", self._watch.run())
        if self._courier is not None:
            self._parts.spawn("economy-sandbox-courier", self._courier.run())

    def hooks_are_at(self, url: str) -> None:
        """Say where the HTTP door of this platform is, unless the settings did: the sandbox sends there."""
        if self._courier is not None and not self._courier.url:
            self._courier.url = f"{url.rstrip('/')}/hooks/pay/sandbox"


def _catalogue(settings: EconomySettings) -> Catalogue:
    try:
        return read_catalogue(settings.topup_products)
    except ValueError as error:
        raise ConfigError([f"PAIJU_ECONOMY_TOPUP_PRODUCTS: {error}"]) from error


def _sandbox(settings: EconomySettings, parts: Parts, db: Database) -> SandboxProvider | None:
    if settings.topup_provider != "sandbox":
        return None
    if not parts.settings.dev:
        raise ConfigError(
            ["PAIJU_ECONOMY_TOPUP_PROVIDER: the sandbox takes no money; production gives no gems for none"]
        )
    keys = [key.get_secret_value() for key in settings.topup_keys]
    return SandboxProvider(db, parts.clock, parts.ids, keys)
