"""Wiring of accounts."""

from __future__ import annotations

from paiju.accounts.v1 import accounts_service_pb2_grpc, friend_service_pb2_grpc, presence_service_pb2_grpc
from paiju.accounts.v1.events_pb2 import (
    AccountDeleted,
    PlayerCreated,
    ProfileChanged,
    SessionRevoked,
    StaffActed,
)
from paiju.gateway.v1.gateway_service_pb2 import Notice, PeopleHere

from services.accounts.api import ACCESS, AccountsApi
from services.accounts.api.desk import Desk
from services.accounts.bus import REVOCATIONS, STAFF_LOG, Revoker, StaffLog, show_keys
from services.accounts.deletions import Deletions
from services.accounts.friends_api import ACCESS as FRIEND_ACCESS
from services.accounts.friends_api import FriendApi
from services.accounts.invitations import Invitations
from services.accounts.keys import Signer, keys_in_folder, parse_keys
from services.accounts.presence import Presence
from services.accounts.presence_api import ACCESS as PRESENCE_ACCESS
from services.accounts.presence_api import PresenceApi
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
        self._staff_log = StaffLog(parts.db("accounts"))
        self._consumers: list[Consumer] = []
        self._desk = Desk(settings, parts, self._signer, self._outbox)
        self._deletions = Deletions(parts.db("accounts"), parts.clock, self._outbox, settings.deletion_look_s)
        self._protection = Protection(settings, parts, self._outbox)
        self._presence = Presence(parts.bus, parts.clock)
        invitations = Invitations(parts)
        parts.rpc.serve(
            self.name,
            accounts_service_pb2_grpc.add_AccountsServiceServicer_to_server,
            AccountsApi(self._desk),
            ACCESS,
        )
        parts.rpc.serve(
            self.name,
            friend_service_pb2_grpc.add_FriendServiceServicer_to_server,
            FriendApi(settings, parts, invitations),
            FRIEND_ACCESS,
        )
        parts.rpc.serve(
            self.name,
            presence_service_pb2_grpc.add_PresenceServiceServicer_to_server,
            PresenceApi(parts, self._presence, invitations),
            PRESENCE_ACCESS,
        )

    async def start(self) -> None:
        """Show the public keys and what is revoked to all services, and send what is in the outbox."""
        await show_keys(self._parts.bus, self._signer)
        for heard, handler in (
            (REVOCATIONS, self._revoker.on_revoked),
            (STAFF_LOG, self._staff_log.on_acted),
        ):
            self._consumers.append(
                await self._parts.bus.consume(heard.durable, heard.types, handler, batch=50)
            )
        self._parts.spawn("accounts-outbox", self._outbox.run())
        self._parts.spawn("accounts-deletions", self._deletions.run())
        await self._protection.start()
        await self._presence.start()

    async def stop(self) -> None:
        """Hear no more; what was committed is in the outbox, which goes on until the process ends."""
        await self._presence.stop()
        await self._protection.stop()
        for consumer in self._consumers:
            await consumer.stop()
        await self._desk.close()


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
    says=(PlayerCreated, ProfileChanged, SessionRevoked, AccountDeleted, StaffActed),
    hears=(REVOCATIONS, STAFF_LOG, ROUNDS),
    tells=(subject_of(Notice, key="*"),),
    listens=(subject_of(PeopleHere, key="*"),),
    buckets=(KEYS, REVOKED),
    has_database=True,
)
