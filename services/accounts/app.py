"""Wiring of accounts."""

from __future__ import annotations

from paiju.accounts.v1 import accounts_service_pb2_grpc
from paiju.accounts.v1.events_pb2 import PlayerCreated, ProfileChanged, SessionRevoked, StaffActed
from paiju.gateway.v1.gateway_service_pb2 import Notice

from services.accounts.api import ACCESS, AccountsApi
from services.accounts.bus import REVOCATIONS, Revoker, show_keys
from services.accounts.keys import Signer, keys_in_folder, parse_keys
from services.accounts.protection import Protection
from services.accounts.protection_bus import ROUNDS
from services.accounts.settings import AccountsSettings
from services.chassis.bus import subject_of
from services.chassis.bus.port import Consumer
from services.chassis.bus.registry import KEYS, REVOKED
from services.chassis.outbox import Outbox
from services.chassis.run import Parts, Service, Wiring


class Accounts:
    """Sign-in and profiles, running."""

    name = "accounts"

    def __init__(self, settings: AccountsSettings, parts: Parts) -> None:
        self._parts = parts
        self._signer = _signer(settings, parts)
        self._outbox = Outbox(parts.db("accounts"), parts.bus, parts.clock, parts.metrics, "accounts")
        self._revoker = Revoker(parts.bus, parts.clock, parts.verifier.revocations)
        self._consumer: Consumer | None = None
        self._protection = Protection(settings, parts, self._outbox)
        parts.rpc.serve(
            self.name,
            accounts_service_pb2_grpc.add_AccountsServiceServicer_to_server,
            AccountsApi(settings, parts, self._signer, self._outbox),  # type: ignore[abstract]  # being filled
            ACCESS,
        )

    async def start(self) -> None:
        """Show the public keys and what is revoked to all services, and send what is in the outbox."""
        await show_keys(self._parts.bus, self._signer)
        self._consumer = await self._parts.bus.consume(
            REVOCATIONS.durable, REVOCATIONS.types, self._revoker.on_revoked, batch=50
        )
        self._parts.spawn("accounts-outbox", self._outbox.run())
        await self._protection.start()

    async def stop(self) -> None:
        """Hear no more; what was committed is in the outbox, which goes on until the process ends."""
        await self._protection.stop()
        if self._consumer is not None:
            await self._consumer.stop()


def _signer(settings: AccountsSettings, parts: Parts) -> Signer:
    text = settings.signing_keys.get_secret_value()
    if text:
        return Signer(parse_keys(text, "PAIJU_ACCOUNTS_SIGNING_KEYS"))
    folder, now_ms = parts.settings.data_dir / "keys", parts.clock.now_ms()
    return Signer(keys_in_folder(folder, parts.ids, now_ms, settings.rotate_keys_days, 2 * settings.access_s))


async def wire(settings: AccountsSettings, parts: Parts) -> Service:
    """Make accounts and offer its RPCs."""
    return Accounts(settings, parts)


WIRING = Wiring(
    "accounts",
    wire,
    AccountsSettings,
    says=(PlayerCreated, ProfileChanged, SessionRevoked, StaffActed),
    hears=(REVOCATIONS, ROUNDS),
    tells=(subject_of(Notice, key="*"),),
    buckets=(KEYS, REVOKED),
    has_database=True,
)
