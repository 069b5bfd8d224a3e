"""Guests: keys made by browsers, proven by signed challenges."""

from __future__ import annotations

from functools import partial
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from paiju.accounts.v1 import accounts_service_pb2 as pb

from services.accounts.api.desk import Context, Desk, NewSession, profile
from services.accounts.api.wire import ways_pb
from services.accounts.core import tokens
from services.accounts.store import people, sessions, ways
from services.chassis import auth
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits

KEY_BYTES = 32
SIGNATURE_BYTES = 64


class SignInRpcs:
    """Sign in with a key."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        per_minute = desk.settings.sign_ins_per_minute
        self._of_keys = RateLimits(Rate(per_minute / 360, max(4, per_minute / 6)), desk.clock)

    async def CreateChallenge(  # noqa: N802 - the proto names it
        self, request: pb.CreateChallengeRequest, context: Context
    ) -> pb.CreateChallengeResponse:
        """Give a challenge to a key."""
        desk, public_key = self._desk, _public_key(request.public_key)
        self._limit(desk.network(context), public_key)
        challenge, now_ms = desk.ids.token(KEY_BYTES), desk.clock.now_ms()
        expires_at_ms = now_ms + desk.settings.challenge_s * 1000
        await desk.db.run(
            lambda connection: people.keep_challenge(connection, challenge, public_key, now_ms, expires_at_ms)
        )
        return pb.CreateChallengeResponse(challenge=challenge, expires_at_ms=expires_at_ms)

    async def SignInGuest(  # noqa: N802 - the proto names it
        self, request: pb.SignInGuestRequest, context: Context
    ) -> pb.SignInGuestResponse:
        """Prove a key; make its player the first time."""
        desk, public_key, network = self._desk, _public_key(request.public_key), self._desk.network(context)
        self._limit(network, public_key)
        session = NewSession(desk, request.device, network, "guest")
        try:
            await self._prove(public_key, request.challenge, request.signature)
            signed_in = await self._enter(public_key, session)
        except Refusal:
            desk.refused.inc()
            raise
        desk.signed_in.inc()
        if signed_in.created:
            desk.made[signed_in.player.welcome].inc()
            desk.outbox.poke()
        return pb.SignInGuestResponse(
            tokens=desk.tokens(session, signed_in.player.player_id, signed_in.roles),
            profile=profile(signed_in.player, is_own=True),
            created=signed_in.created,
            deletion_cancelled=signed_in.deletion_cancelled,
        )

    async def AddDeviceKey(  # noqa: N802 - the proto names it
        self, request: pb.AddDeviceKeyRequest, context: Context
    ) -> pb.AddDeviceKeyResponse:
        """Make the proven key of another device a way into the caller's account."""
        player_id, public_key = auth.player(), _public_key(request.public_key)
        self._limit(self._desk.network(context), public_key)
        await self._prove(public_key, request.challenge, request.signature)
        add = partial(
            ways.add_key, player_id=player_id, public_key=public_key, now_ms=self._desk.clock.now_ms()
        )
        return pb.AddDeviceKeyResponse(ways=ways_pb(await self._desk.db.run(add)))

    async def GetSigningKeys(  # noqa: N802 - the proto names it
        self, request: pb.GetSigningKeysRequest, context: Context
    ) -> pb.GetSigningKeysResponse:
        """The public keys that verify access tokens."""
        return pb.GetSigningKeysResponse(jwks_json=self._desk.signer.jwks())

    async def _prove(self, public_key: bytes, challenge: bytes, signature: bytes) -> None:
        now_ms = self._desk.clock.now_ms()
        # The challenge is used up whatever the signature is worth: nobody tries twice on one.
        await self._desk.db.run(
            lambda connection: people.use_challenge(connection, challenge, public_key, now_ms)
        )
        if not _is_signed(public_key, signature, tokens.GUEST_LABEL + challenge):
            raise Refusal("SIGNATURE_INVALID")

    async def _enter(self, public_key: bytes, session: NewSession) -> people.SignedIn:
        player_id, creation = self._desk.ids.new("p"), self._desk.creation(session.network)

        def write(connection: Any) -> people.SignedIn:
            signed_in = people.sign_in(
                connection, public_key, session.network, player_id, creation, session.now_ms
            )
            sessions.open_session(connection, **session.row(signed_in.player.player_id))
            return signed_in

        return await self._desk.db.run(write)

    def _limit(self, network: str, public_key: bytes) -> None:
        self._of_keys.take(public_key)
        self._desk.limit_network(network)


def _public_key(raw: bytes) -> bytes:
    if len(raw) != KEY_BYTES:
        raise Refusal("INVALID_ARGUMENT", field="public_key")
    return raw


def _is_signed(public_key: bytes, signature: bytes, message: bytes) -> bool:
    if len(signature) != SIGNATURE_BYTES:
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
