"""RPCs of accounts."""

from __future__ import annotations

from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceServicer
from sqlalchemy import Row

from services.accounts.core import limits, names, tokens
from services.accounts.keys import Signer
from services.accounts.settings import AccountsSettings
from services.accounts.store import people, sessions
from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.outbox import Outbox
from services.chassis.run import Parts

ACCESS: AccessTable = {
    "CreateChallenge": "public",
    "SignInGuest": "public",
    "RefreshSession": "public",
    "RevokeSession": "player",
    "GetSigningKeys": "public",
    "GetProfile": "player",
    "UpdateProfile": "player",
    "BatchGetProfiles": "player",
    "ListSessions": "player",
    "RevokeOtherSessions": "player",
    "ListWaysIn": "player",
    "RemoveWayIn": "player",
    "AddDeviceKey": "player",
    "SetPassword": "player",
    "SignInPassword": "public",
    "ListOidcProviders": "public",
    "BeginOidc": "public",
    "FinishOidc": "public",
    "ExportMyData": "player",
    "DeleteAccount": "player",
    "CreateApiKey": "player",
    "ListApiKeys": "player",
    "RotateApiKey": "player",
    "RevokeApiKey": "player",
    "ExchangeApiKey": "public",
    "GrantRole": "staff:admin",
    "RevokeRole": "staff:admin",
    "ListStaff": "staff:admin",
    "ListStaffLog": "staff:admin",
    "GetPerson": "staff:support",
    "SuspendPlayer": "staff:admin",
    "LiftSuspension": "staff:admin",
}

KEY_BYTES = 32
SIGNATURE_BYTES = 64
DEVICE_CHARACTERS_MAX = 64
PROFILES_MAX = 100
FIELDS = ("nickname", "avatar")

Context = Any


class AccountsApi(AccountsServiceServicer):
    """The servicer."""

    def __init__(self, settings: AccountsSettings, parts: Parts, signer: Signer, outbox: Outbox) -> None:
        self._settings = settings
        self._db = parts.db("accounts")
        self._clock = parts.clock
        self._ids = parts.ids
        self._signer = signer
        self._outbox = outbox
        per_s = settings.sign_ins_per_minute / 60
        self._of_networks = RateLimits(Rate(per_s, settings.sign_ins_per_minute), parts.clock)
        self._of_keys = RateLimits(Rate(per_s / 6, max(4, settings.sign_ins_per_minute / 6)), parts.clock)
        made = parts.metrics.counter("accounts_players_created", "New players", ["welcome"])
        self._made = {True: made.labels("yes"), False: made.labels("no")}
        results = parts.metrics.counter("accounts_sign_ins", "Sign-ins by result", ["result"])
        self._signed_in, self._refused = results.labels("ok"), results.labels("refused")
        uses = ("rotate", "reused", "expired", "revoked", "unknown")
        refreshes = parts.metrics.counter("accounts_refreshes", "Refresh tokens shown", ["use"])
        self._refreshes = {use: refreshes.labels(use) for use in uses}

    async def CreateChallenge(  # noqa: N802 - the proto names it
        self, request: pb.CreateChallengeRequest, context: Context
    ) -> pb.CreateChallengeResponse:
        """Give a challenge to a key."""
        public_key = _public_key(request.public_key)
        self._limit(self._network(context), public_key)
        challenge, now_ms = self._ids.token(KEY_BYTES), self._clock.now_ms()
        expires_at_ms = now_ms + self._settings.challenge_s * 1000
        await self._db.run(
            lambda connection: people.keep_challenge(connection, challenge, public_key, now_ms, expires_at_ms)
        )
        return pb.CreateChallengeResponse(challenge=challenge, expires_at_ms=expires_at_ms)

    async def SignInGuest(  # noqa: N802 - the proto names it
        self, request: pb.SignInGuestRequest, context: Context
    ) -> pb.SignInGuestResponse:
        """Prove a key; make its player the first time."""
        public_key, network = _public_key(request.public_key), self._network(context)
        self._limit(network, public_key)
        if len(request.device) > DEVICE_CHARACTERS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="device")
        try:
            signed_in, session = await self._sign_in(request, public_key, network)
        except Refusal:
            self._refused.inc()
            raise
        self._signed_in.inc()
        if signed_in.created:
            self._made[signed_in.player.welcome].inc()
            self._outbox.poke()
        return pb.SignInGuestResponse(
            tokens=session, profile=_profile(signed_in.player), created=signed_in.created
        )

    async def RefreshSession(  # noqa: N802 - the proto names it
        self, request: pb.RefreshSessionRequest, context: Context
    ) -> pb.RefreshSessionResponse:
        """Exchange a refresh token; the second use of one ends its session."""
        session_id, shown = tokens.split_refresh_token(request.refresh_token)
        secret, now_ms = self._ids.token(tokens.SECRET_BYTES), self._clock.now_ms()
        expires_at_ms = now_ms + self._settings.refresh_s * 1000
        refreshed = await self._db.run(
            lambda connection: sessions.refresh(
                connection, session_id, shown, tokens.hash_of(secret), expires_at_ms, now_ms
            )
        )
        self._refreshes[refreshed.use].inc()
        if refreshed.use == "rotate":
            made = self._tokens(refreshed.player_id, session_id, secret, now_ms, expires_at_ms)
            return pb.RefreshSessionResponse(tokens=made)
        if refreshed.use == "reused":
            self._outbox.poke()
        if refreshed.use in ("reused", "revoked"):
            raise Refusal("SESSION_REVOKED")
        raise Refusal("TOKEN_EXPIRED" if refreshed.use == "expired" else "TOKEN_INVALID")

    async def RevokeSession(  # noqa: N802 - the proto names it
        self, request: pb.RevokeSessionRequest, context: Context
    ) -> pb.RevokeSessionResponse:
        """End a session of one's own (a service: anybody's)."""
        caller = auth.current()
        session_id = request.session_id or caller.session_id
        if not session_id:
            raise Refusal("INVALID_ARGUMENT", field="session_id")
        now_ms = self._clock.now_ms()
        await self._db.run(
            lambda connection: sessions.revoke_session(connection, session_id, caller.player_id, now_ms)
        )
        self._outbox.poke()
        return pb.RevokeSessionResponse()

    async def GetSigningKeys(  # noqa: N802 - the proto names it
        self, request: pb.GetSigningKeysRequest, context: Context
    ) -> pb.GetSigningKeysResponse:
        """The public keys that verify access tokens."""
        return pb.GetSigningKeysResponse(jwks_json=self._signer.jwks())

    async def GetProfile(  # noqa: N802 - the proto names it
        self, request: pb.GetProfileRequest, context: Context
    ) -> pb.GetProfileResponse:
        """A profile; one's own without an id."""
        player_id = request.player_id or auth.player()
        if auth.current().player_id not in ("", player_id):
            raise Refusal("PERMISSION_DENIED")
        found = await self._db.read(lambda connection: people.profiles(connection, [player_id]))
        if not found:
            raise Refusal("NOT_FOUND", what=player_id)
        return pb.GetProfileResponse(profile=_profile(found[0]))

    async def UpdateProfile(  # noqa: N802 - the proto names it
        self, request: pb.UpdateProfileRequest, context: Context
    ) -> pb.UpdateProfileResponse:
        """Change the fields of the mask; with a version, only if nobody was faster."""
        player_id = auth.player()
        if request.profile.player_id not in ("", player_id):
            raise Refusal("PERMISSION_DENIED")
        paths = list(request.update_mask.paths)
        if not paths or any(path not in FIELDS for path in paths):
            raise Refusal("INVALID_ARGUMENT", field="update_mask", known=", ".join(FIELDS))
        if request.profile.version < 0:
            raise Refusal("INVALID_ARGUMENT", field="profile.version")
        changes = {}
        if "nickname" in paths:
            changes["nickname"] = names.nickname_of(request.profile.nickname)
        if "avatar" in paths:
            changes["avatar"] = names.avatar_of(request.profile.avatar)
        changed = await self._db.run(
            lambda connection: people.update_profile(connection, player_id, changes, request.profile.version)
        )
        self._outbox.poke()
        return pb.UpdateProfileResponse(profile=_profile(changed))

    async def BatchGetProfiles(  # noqa: N802 - the proto names it
        self, request: pb.BatchGetProfilesRequest, context: Context
    ) -> pb.BatchGetProfilesResponse:
        """Profiles of several players, unknown ones left out."""
        wanted = list(request.player_ids)
        if len(wanted) > PROFILES_MAX:
            raise Refusal("INVALID_ARGUMENT", field="player_ids", maximum=PROFILES_MAX)
        found = await self._db.read(lambda connection: people.profiles(connection, wanted))
        return pb.BatchGetProfilesResponse(profiles=[_profile(player) for player in found])

    async def _sign_in(
        self, request: pb.SignInGuestRequest, public_key: bytes, network: str
    ) -> tuple[people.SignedIn, pb.SessionTokens]:
        challenge, now_ms = request.challenge, self._clock.now_ms()
        # The challenge is used up whatever the signature is worth: nobody tries twice on one.
        await self._db.run(lambda connection: people.use_challenge(connection, challenge, public_key, now_ms))
        if not _is_signed(public_key, request.signature, tokens.GUEST_LABEL + challenge):
            raise Refusal("SIGNATURE_INVALID")
        player_id, session_id = self._ids.new("p"), self._ids.new("s")
        secret = self._ids.token(tokens.SECRET_BYTES)
        expires_at_ms = now_ms + self._settings.refresh_s * 1000
        creation = self._settings.creation
        if limits.is_unlimited(network, self._settings.unlimited_networks):
            creation = limits.UNLIMITED

        def write(connection: Any) -> people.SignedIn:
            signed_in = people.sign_in(connection, public_key, network, player_id, creation, now_ms)
            sessions.open_session(
                connection,
                session_id,
                signed_in.player.player_id,
                request.device,
                tokens.hash_of(secret),
                expires_at_ms,
                now_ms,
            )
            return signed_in

        signed_in = await self._db.run(write)
        made = self._tokens(signed_in.player.player_id, session_id, secret, now_ms, expires_at_ms)
        return signed_in, made

    def _tokens(
        self, player_id: str, session_id: str, secret: bytes, now_ms: int, refresh_expires_at_ms: int
    ) -> pb.SessionTokens:
        expires_s = now_ms // 1000 + self._settings.access_s
        return pb.SessionTokens(
            access_token=self._signer.access_token(player_id, session_id, now_ms // 1000, expires_s),
            access_expires_at_ms=expires_s * 1000,
            refresh_token=tokens.refresh_token(session_id, secret),
            refresh_expires_at_ms=refresh_expires_at_ms,
            session_id=session_id,
        )

    def _network(self, context: Context) -> str:
        is_trusted = auth.current().kind == "service"
        return limits.address_from(_metadata(context), context.peer() or "", is_trusted)

    def _limit(self, network: str, public_key: bytes) -> None:
        self._of_keys.take(public_key)
        if not limits.is_unlimited(network, self._settings.unlimited_networks):
            self._of_networks.take(network)


def _metadata(context: Context) -> dict[str, str]:
    return {str(key): value for key, value in context.invocation_metadata() or () if isinstance(value, str)}


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


def _profile(player: Row[Any]) -> pb.Profile:
    return pb.Profile(
        player_id=player.player_id,
        nickname=player.nickname,
        avatar=player.avatar,
        created_at_ms=player.created_at_ms,
        version=player.version,
    )
