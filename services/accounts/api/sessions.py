"""Sessions: refreshed, listed, ended."""

from __future__ import annotations

from functools import partial

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk
from services.accounts.core import tokens
from services.accounts.store import sessions
from services.chassis import auth
from services.chassis.errors import Refusal

USES = ("rotate", "reused", "expired", "revoked", "unknown")


class SessionRpcs:
    """What one may do with sessions."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        refreshes = desk.parts.metrics.counter("accounts_refreshes", "Refresh tokens shown", ["use"])
        self._refreshes = {use: refreshes.labels(use) for use in USES}

    async def RefreshSession(  # noqa: N802 - the proto names it
        self, request: pb.RefreshSessionRequest, context: Context
    ) -> pb.RefreshSessionResponse:
        """Exchange a refresh token; the second use of one ends its session."""
        desk = self._desk
        session_id, shown = tokens.split_refresh_token(request.refresh_token)
        secret, now_ms = desk.ids.token(tokens.SECRET_BYTES), desk.clock.now_ms()
        expires_at_ms = now_ms + desk.settings.refresh_s * 1000
        exchange = partial(
            sessions.refresh,
            session_id=session_id,
            shown_hash=shown,
            new_hash=tokens.hash_of(secret),
            new_expires_at_ms=expires_at_ms,
            now_ms=now_ms,
            network=desk.network(context),
        )
        refreshed = await desk.db.run(exchange)
        self._refreshes[refreshed.use].inc()
        if refreshed.use == "rotate":
            made = desk.tokens_of(
                refreshed.player_id, session_id, secret, now_ms, expires_at_ms, refreshed.roles
            )
            return pb.RefreshSessionResponse(tokens=made)
        if refreshed.use == "reused":
            desk.outbox.poke()
        if refreshed.use in ("reused", "revoked"):
            raise Refusal("SESSION_REVOKED")
        raise Refusal("TOKEN_EXPIRED" if refreshed.use == "expired" else "TOKEN_INVALID")

    async def RevokeSession(  # noqa: N802 - the proto names it
        self, request: pb.RevokeSessionRequest, context: Context
    ) -> pb.RevokeSessionResponse:
        """End a session of one's own (a service: anybody's)."""
        session_id = request.session_id or auth.current().session_id
        if not session_id:
            raise Refusal("INVALID_ARGUMENT", field="session_id")
        player_id, now_ms = auth.current().player_id, self._desk.clock.now_ms()
        await self._desk.db.run(
            lambda connection: sessions.revoke_session(connection, session_id, player_id, now_ms)
        )
        self._desk.outbox.poke()
        return pb.RevokeSessionResponse()

    async def ListSessions(  # noqa: N802 - the proto names it
        self, request: pb.ListSessionsRequest, context: Context
    ) -> pb.ListSessionsResponse:
        """One's own sessions that are not over."""
        player_id, now_ms = auth.player(), self._desk.clock.now_ms()
        here = auth.current().session_id or request.session_id
        found = await self._desk.db.read(lambda connection: sessions.living(connection, player_id, now_ms))
        return pb.ListSessionsResponse(
            sessions=[
                pb.PlayerSession(
                    session_id=row.session_id,
                    device=row.device,
                    created_at_ms=row.created_at_ms,
                    used_at_ms=row.used_at_ms or row.created_at_ms,
                    network=row.network,
                    way=row.way,
                    is_current=row.session_id == here,
                    expires_at_ms=row.refresh_expires_at_ms,
                )
                for row in found
            ]
        )

    async def RevokeOtherSessions(  # noqa: N802 - the proto names it
        self, request: pb.RevokeOtherSessionsRequest, context: Context
    ) -> pb.RevokeOtherSessionsResponse:
        """End all one's own sessions but that of the call."""
        player_id, now_ms = auth.player(), self._desk.clock.now_ms()
        here = auth.current().session_id or request.session_id
        if not here:
            raise Refusal("INVALID_ARGUMENT", field="session_id")
        ended = await self._desk.db.run(
            lambda connection: sessions.revoke_all(connection, player_id, now_ms, here, programs=False)
        )
        self._desk.outbox.poke()
        return pb.RevokeOtherSessionsResponse(revoked=ended)
