"""API keys: how programs act for players."""

from __future__ import annotations

from functools import partial
from typing import Any

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk
from services.accounts.api.wire import api_key_pb
from services.accounts.core import api_keys as rules
from services.accounts.store import api_keys, staff
from services.accounts.store.api_keys import Kept, NewSecret
from services.accounts.store.staff import Deed
from services.chassis import auth
from services.chassis.limits import Rate, RateLimits

OF_KEY = Rate(per_s=1 / 30, burst=10)
"""Exchanges of one secret: a token lives ten minutes, and a program has few processes."""


class ProgramRpcs:
    """Make, list, rotate, end and exchange API keys."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._of_secrets = RateLimits(OF_KEY, desk.clock)

    async def CreateApiKey(  # noqa: N802 - the proto names it
        self, request: pb.CreateApiKeyRequest, context: Context
    ) -> pb.CreateApiKeyResponse:
        """Make a key; its secret is shown this once."""
        desk, player_id = self._desk, request.player_id or auth.player()
        deed = self._deed(player_id, request.reason)
        minute, day = rules.quota_of(
            request.per_minute, request.per_day, desk.settings.quota_limits, by_staff=deed is not None
        )
        key = {
            "key_id": desk.ids.new("k"),
            "player_id": player_id,
            "name": rules.name_of(request.name),
            "scopes": rules.scopes_of(request.scopes),
            "per_minute": minute,
            "per_day": day,
        }
        secret, kept = self._secret()
        now_ms = desk.clock.now_ms()

        def write(connection: Any) -> Kept:
            made = api_keys.create(connection, key, kept, now_ms)
            if deed is not None:
                told = {"key_id": key["key_id"], "scopes": key["scopes"]}
                staff.tell(
                    connection, deed, "api_key.create", player_id, **told, per_minute=minute, per_day=day
                )
            return made

        made = await desk.db.run(write)
        desk.outbox.poke()
        return pb.CreateApiKeyResponse(key=api_key_pb(made), secret=secret)

    async def ListApiKeys(  # noqa: N802 - the proto names it
        self, request: pb.ListApiKeysRequest, context: Context
    ) -> pb.ListApiKeysResponse:
        """The keys of a player."""
        player_id, now_ms = request.player_id or auth.player(), self._desk.clock.now_ms()
        if player_id != auth.current().player_id:
            auth.staff("support")
        found = await self._desk.db.read(lambda connection: api_keys.of(connection, player_id, now_ms))
        return pb.ListApiKeysResponse(keys=[api_key_pb(kept) for kept in found])

    async def RotateApiKey(  # noqa: N802 - the proto names it
        self, request: pb.RotateApiKeyRequest, context: Context
    ) -> pb.RotateApiKeyResponse:
        """Give a key of one's own a new secret."""
        secret, kept = self._secret()
        rotate = partial(
            api_keys.rotate,
            player_id=auth.player(),
            key_id=request.key_id,
            secret=kept,
            overlap_ms=rules.overlap_ms_of(request.overlap_s),
            now_ms=self._desk.clock.now_ms(),
        )
        return pb.RotateApiKeyResponse(key=api_key_pb(await self._desk.db.run(rotate)), secret=secret)

    async def RevokeApiKey(  # noqa: N802 - the proto names it
        self, request: pb.RevokeApiKeyRequest, context: Context
    ) -> pb.RevokeApiKeyResponse:
        """End a key; another's only as staff."""
        caller, now_ms = auth.current(), self._desk.clock.now_ms()
        as_staff = bool(request.reason) and caller.staff("admin") is not None
        deed = self._desk.deed("admin", request.reason) if as_staff else None
        whose = "" if as_staff else auth.player()

        def write(connection: Any) -> None:
            key = api_keys.revoke(connection, request.key_id, whose, now_ms)
            if deed is not None and key.revoked_at_ms is None and key.player_id != caller.player_id:
                staff.tell(connection, deed, "api_key.revoke", key.player_id, key_id=key.key_id)

        await self._desk.db.run(write)
        self._desk.outbox.poke()
        return pb.RevokeApiKeyResponse()

    async def ExchangeApiKey(  # noqa: N802 - the proto names it
        self, request: pb.ExchangeApiKeyRequest, context: Context
    ) -> pb.ExchangeApiKeyResponse:
        """Exchange a secret for an access token."""
        desk, network = self._desk, self._desk.network(context)
        desk.limit_network(network)
        secret_hash = rules.hash_of_secret(request.secret)
        self._of_secrets.take(secret_hash)
        now_ms, session_id = desk.clock.now_ms(), desk.ids.new("s")
        expires_s = now_ms // 1000 + desk.settings.access_s
        exchange = partial(
            api_keys.exchange,
            secret_hash=secret_hash,
            session_id=session_id,
            expires_at_ms=expires_s * 1000,
            network=network,
            now_ms=now_ms,
        )
        key = await desk.db.run(exchange)
        scopes = key.scopes.split(",")
        return pb.ExchangeApiKeyResponse(
            access_token=desk.signer.program_token(
                key.player_id,
                session_id,
                now_ms // 1000,
                expires_s,
                scopes,
                (key.key_id, key.per_minute, key.per_day),
            ),
            access_expires_at_ms=expires_s * 1000,
            player_id=key.player_id,
            scopes=scopes,
        )

    def _deed(self, player_id: str, reason: str) -> Deed | None:
        """Return the deed if staff makes a key: for another, or for himself with a reason given."""
        caller = auth.current()
        if player_id == caller.player_id and not (reason and caller.staff("admin")):
            return None
        return self._desk.deed("admin", reason)

    def _secret(self) -> tuple[str, NewSecret]:
        text = rules.secret_of(self._desk.ids.token(rules.SECRET_BYTES))
        return text, NewSecret(rules.hash_of_secret(text), text[: rules.PREFIX_CHARACTERS])
