"""Identities of others: OpenID Connect, authorization code flow with PKCE."""

from __future__ import annotations

from functools import partial
from typing import Any

from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk, NewSession, profile
from services.accounts.core import oidc, tokens
from services.accounts.store import flows, people, sessions, ways
from services.chassis import auth
from services.chassis.errors import Refusal

SECRET_BYTES = 32
FLOW_S = 600


class OidcRpcs:
    """Sign in with a provider, or link an identity of it."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    async def ListOidcProviders(  # noqa: N802 - the proto names it
        self, request: pb.ListOidcProvidersRequest, context: Context
    ) -> pb.ListOidcProvidersResponse:
        """The providers of the settings."""
        return pb.ListOidcProvidersResponse(
            providers=[
                pb.OidcProvider(provider_id=one.provider_id, title=one.title)
                for one in self._desk.oidc.providers.values()
            ]
        )

    async def BeginOidc(  # noqa: N802 - the proto names it
        self, request: pb.BeginOidcRequest, context: Context
    ) -> pb.BeginOidcResponse:
        """Say where to send the browser."""
        desk = self._desk
        desk.limit_network(desk.network(context))
        provider = desk.oidc.provider(request.provider_id)
        player_id = auth.player() if request.link else ""
        if auth.current().is_program:
            raise Refusal("PERMISSION_DENIED")
        endpoints = await desk.oidc.endpoints(provider)
        flow = desk.ids.token(SECRET_BYTES)
        state, nonce, verifier = (oidc.text_of(desk.ids.token(SECRET_BYTES)) for _ in range(3))
        now_ms = desk.clock.now_ms()
        expires_at_ms = now_ms + FLOW_S * 1000
        row = {
            "flow_hash": tokens.hash_of(flow),
            "provider_id": provider.provider_id,
            "state": state,
            "nonce": nonce,
            "verifier": verifier,
            "player_id": player_id,
            "expires_at_ms": expires_at_ms,
        }
        await desk.db.run(lambda connection: flows.keep(connection, row, now_ms))
        return pb.BeginOidcResponse(
            authorization_url=oidc.authorization_url(endpoints, provider, state, nonce, verifier),
            flow=flow,
            expires_at_ms=expires_at_ms,
        )

    async def FinishOidc(  # noqa: N802 - the proto names it
        self, request: pb.FinishOidcRequest, context: Context
    ) -> pb.FinishOidcResponse:
        """Exchange the code, and sign in or link."""
        desk, network = self._desk, self._desk.network(context)
        desk.limit_network(network)
        if len(request.flow) != SECRET_BYTES or not 1 <= len(request.code) <= oidc.CODE_CHARACTERS_MAX:
            raise Refusal("OIDC_FLOW_INVALID")
        caller = auth.current().player_id
        use = partial(
            flows.use,
            flow_hash=tokens.hash_of(request.flow),
            state=request.state,
            player_id=caller,
            now_ms=desk.clock.now_ms(),
        )
        flow = await desk.db.run(use)
        provider = desk.oidc.provider(flow.provider_id)
        identity = await desk.oidc.identity(provider, request.code, flow.verifier, flow.nonce)
        if flow.player_id:
            link = partial(
                ways.link_identity,
                player_id=flow.player_id,
                provider_id=provider.provider_id,
                subject=identity.subject,
                title=identity.title,
                now_ms=desk.clock.now_ms(),
            )
            linked = await desk.db.run(link)
            return pb.FinishOidcResponse(profile=profile(linked, is_own=True), linked=True)
        session = NewSession(desk, request.device, network, f"oidc:{provider.provider_id}")
        return await self._enter(provider.provider_id, identity, session)

    async def _enter(
        self, provider_id: str, identity: oidc.Identity, session: NewSession
    ) -> pb.FinishOidcResponse:
        desk = self._desk
        new_player_id, creation = desk.ids.new("p"), desk.creation(session.network)

        def write(connection: Any) -> people.SignedIn:
            signed_in = ways.sign_in_identity(
                connection,
                provider_id,
                identity.subject,
                identity.title,
                session.network,
                new_player_id,
                creation,
                session.now_ms,
            )
            sessions.open_session(connection, **session.row(signed_in.player.player_id))
            return signed_in

        try:
            signed_in = await desk.db.run(write)
        except Refusal:
            desk.refused.inc()
            raise
        desk.signed_in.inc()
        if signed_in.created:
            desk.made[signed_in.player.welcome].inc()
            desk.outbox.poke()
        return pb.FinishOidcResponse(
            tokens=desk.tokens(session, signed_in.player.player_id, signed_in.roles),
            profile=profile(signed_in.player, is_own=True),
            created=signed_in.created,
            deletion_cancelled=signed_in.deletion_cancelled,
        )
