"""What all RPCs of accounts share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paiju.accounts.v1 import accounts_service_pb2 as pb
from sqlalchemy import Row

from services.accounts.core import limits, tokens
from services.accounts.hashing import Hasher
from services.accounts.keys import Signer
from services.accounts.oidc import OidcClient
from services.accounts.settings import AccountsSettings
from services.accounts.store.staff import Deed
from services.chassis import auth
from services.chassis.access import reason_of
from services.chassis.auth import Role
from services.chassis.errors import Refusal
from services.chassis.limits import Rate, RateLimits
from services.chassis.outbox import Outbox
from services.chassis.run import Parts

DEVICE_CHARACTERS_MAX = 64

Context = Any


class NewSession:
    """A session about to be opened: its names and its secret."""

    def __init__(self, desk: Desk, device: str, network: str, way: str) -> None:
        if len(device) > DEVICE_CHARACTERS_MAX or "\x00" in device:
            raise Refusal("INVALID_ARGUMENT", field="device")
        self.session_id = desk.ids.new("s")
        self.secret = desk.ids.token(tokens.SECRET_BYTES)
        self.now_ms = desk.clock.now_ms()
        self.expires_at_ms = self.now_ms + desk.settings.refresh_s * 1000
        self.device, self.network, self.way = device, network, way

    def row(self, player_id: str) -> dict[str, Any]:
        """Return the arguments of `sessions.open_session`."""
        return {
            "session_id": self.session_id,
            "player_id": player_id,
            "device": self.device,
            "refresh_hash": tokens.hash_of(self.secret),
            "refresh_expires_at_ms": self.expires_at_ms,
            "now_ms": self.now_ms,
            "network": self.network,
            "way": self.way,
        }


class Desk:
    """Settings, parts and limits."""

    def __init__(self, settings: AccountsSettings, parts: Parts, signer: Signer, outbox: Outbox) -> None:
        self.settings = settings
        self.parts = parts
        self.db = parts.db("accounts")
        self.clock = parts.clock
        self.ids = parts.ids
        self.signer = signer
        self.outbox = outbox
        self.hasher = Hasher(
            settings.password_memory_kib, settings.password_passes, settings.password_threads
        )
        self.oidc = OidcClient(settings.providers, parts.clock)
        per_s = settings.sign_ins_per_minute / 60
        self._of_networks = RateLimits(Rate(per_s, settings.sign_ins_per_minute), parts.clock)
        results = parts.metrics.counter("accounts_sign_ins", "Sign-ins by result", ["result"])
        self.signed_in, self.refused = results.labels("ok"), results.labels("refused")
        made = parts.metrics.counter("accounts_players_created", "New players", ["welcome"])
        self.made = {True: made.labels("yes"), False: made.labels("no")}

    def network(self, context: Context) -> str:
        """Return the network a call comes from."""
        is_trusted = auth.current().kind == "service"
        metadata = {
            str(key): value for key, value in context.invocation_metadata() or () if isinstance(value, str)
        }
        return limits.address_from(metadata, context.peer() or "", is_trusted)

    def is_limited(self, network: str) -> bool:
        """Return whether limits by network count for this one."""
        return not limits.is_unlimited(network, self.settings.unlimited_networks)

    def limit_network(self, network: str) -> None:
        """Count a try to sign in.

        Raises:
            Refusal: RATE_LIMITED.
        """
        if self.is_limited(network):
            self._of_networks.take(network)

    def creation(self, network: str) -> limits.CreationLimits:
        """Return how many players a network may make."""
        return self.settings.creation if self.is_limited(network) else limits.UNLIMITED

    def tokens(self, session: NewSession, player_id: str, roles: Sequence[str]) -> pb.SessionTokens:
        """Return the tokens of a session that was just opened."""
        return self.tokens_of(
            player_id, session.session_id, session.secret, session.now_ms, session.expires_at_ms, roles
        )

    def tokens_of(
        self,
        player_id: str,
        session_id: str,
        secret: bytes,
        now_ms: int,
        refresh_expires_at_ms: int,
        roles: Sequence[str],
    ) -> pb.SessionTokens:
        """Return new tokens of a session."""
        expires_s = now_ms // 1000 + self.settings.access_s
        return pb.SessionTokens(
            access_token=self.signer.access_token(player_id, session_id, now_ms // 1000, expires_s, roles),
            access_expires_at_ms=expires_s * 1000,
            refresh_token=tokens.refresh_token(session_id, secret),
            refresh_expires_at_ms=refresh_expires_at_ms,
            session_id=session_id,
            roles=roles,
        )

    def deed(self, role: Role, reason: str) -> Deed:
        """Return what the caller does as staff.

        Raises:
            Refusal: PERMISSION_DENIED. REASON_REQUIRED.
        """
        return Deed(auth.staff(role), reason_of(reason), self.ids.new("d"), self.clock.now_ms())

    async def close(self) -> None:
        """End the threads that hash, and the connections to providers."""
        self.hasher.close()
        await self.oidc.close()


def profile(player: Row[Any], *, is_own: bool = False) -> pb.Profile:
    """Return a profile as others see it, or as its owner does."""
    return pb.Profile(
        player_id=player.player_id,
        nickname=player.nickname,
        avatar=player.avatar,
        created_at_ms=player.created_at_ms,
        version=player.version,
        homepage=player.homepage,
        region=player.region,
        city=player.city,
        dialect=player.dialect,
        theme=player.theme if is_own else "",
        is_deleted=player.deleted_at_ms is not None,
    )
