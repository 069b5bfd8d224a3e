"""Settings of accounts (`PAIJU_ACCOUNTS_*`)."""

from __future__ import annotations

import ipaddress
import json

from pydantic import Field, SecretStr, field_validator

from services.accounts.core.api_keys import QuotaLimits
from services.accounts.core.friends import FriendLimits
from services.accounts.core.limits import CreationLimits
from services.accounts.core.oidc import PROVIDER_ID, Provider, is_safe
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.bus.registry import SESSION_TOKEN_S_MAX
from services.chassis.config import prefixed


class AccountsSettings(ProtectionSettings):
    """What an operator may decide about sign-in, and about protection."""

    model_config = prefixed("PAIJU_ACCOUNTS_")

    signing_keys: SecretStr = SecretStr("")
    """Ed25519 private keys: JSON list of `{"kid": …, "private_key": <base64url of 32 bytes>}`, the one that
    signs first, older ones after it. Empty: a file in the data folder, made at the first start."""
    access_s: int = Field(default=600, ge=60, le=SESSION_TOKEN_S_MAX)
    """Life of an access token."""
    refresh_s: int = Field(default=30 * 86_400, ge=3_600, le=366 * 86_400)
    """Life of a refresh token."""
    challenge_s: int = Field(default=120, ge=10, le=600)
    """Life of a challenge."""
    new_players_per_hour: int = Field(default=20, ge=0)
    """New players from one network (an IPv4 address, an IPv6 /64) in an hour."""
    new_players_per_day: int = Field(default=100, ge=0)
    """The same in a day."""
    welcomes_per_day: int = Field(default=10, ge=0)
    """Of those, how many get the welcome grant."""
    unlimited_networks: str = "127.0.0.0/8,::1/128"
    """Networks without limits on new players, CIDR, separated by commas. Loopback is here for one-machine
    setups; behind a proxy on the same machine, tell the gateway about it, or empty this."""
    rotate_keys_days: int = Field(default=90, ge=0)
    """At a start, a signing key in the data folder older than this gets a successor; 0 = never by itself."""
    oidc: SecretStr = SecretStr("")
    """OpenID Connect providers: JSON list of `{"provider_id": …, "title": …, "issuer": …, "client_id": …,
    "client_secret": …, "redirect_uri": …}`, and `"scope"` where it is another than `openid email profile`.
    Empty: nobody signs in so."""
    password_memory_kib: int = Field(default=19_456, ge=8, le=2**21)
    """Memory of one hash of a password (argon2id)."""
    password_passes: int = Field(default=2, ge=1, le=20)
    """Passes over it. OWASP asks for 19 MiB with 2 passes at least; hashes of other parameters are made anew
    when their owner signs in."""
    password_threads: int = Field(default=2, ge=1, le=64)
    """So many passwords are hashed at once."""
    deletion_grace_s: int = Field(default=7 * 86_400, ge=0, le=90 * 86_400)
    """How long an account waits for its deletion; signing in cancels it."""
    deletion_look_s: float = Field(default=60.0, gt=0, le=86_400)
    """How often it is looked for accounts whose time has come."""
    api_key_per_minute: int = Field(default=300, ge=1)
    """Calls in a minute with one API key, as far as players may grant it themselves."""
    api_key_per_day: int = Field(default=50_000, ge=1)
    """The same in a day (UTC)."""
    friends_max: int = Field(default=200, ge=1, le=1_000)
    """Friends of a player."""
    friend_requests_max: int = Field(default=50, ge=1, le=500)
    """Requests of a player that wait, and requests to one."""
    friend_asks_per_day: int = Field(default=20, ge=1, le=500)
    """Requests that a player may send in a day of the platform."""
    friend_request_days: int = Field(default=30, ge=1, le=365)
    """How long a request waits for its answer."""
    friend_blocks_max: int = Field(default=500, ge=1, le=5_000)
    """People whom a player may block."""
    sign_ins_per_minute: int = Field(default=60, ge=1)
    """Challenges and sign-ins from one network in a minute, and of one key a sixth of it."""

    @field_validator("unlimited_networks")
    @classmethod
    def _networks_are_networks(cls, text: str) -> str:
        for part in filter(None, (part.strip() for part in text.split(","))):
            ipaddress.ip_network(part, strict=False)
        return text

    @field_validator("oidc")
    @classmethod
    def _providers_are_providers(cls, text: SecretStr) -> SecretStr:
        _providers(text.get_secret_value())
        return text

    @property
    def providers(self) -> tuple[Provider, ...]:
        """The OpenID Connect providers."""
        return _providers(self.oidc.get_secret_value())

    @property
    def quota_limits(self) -> QuotaLimits:
        """What players may grant their own API keys."""
        return QuotaLimits(self.api_key_per_minute, self.api_key_per_day)

    @property
    def friend_limits(self) -> FriendLimits:
        """How many friends, requests and blocks a player may have."""
        return FriendLimits(
            self.friends_max, self.friend_requests_max, self.friend_asks_per_day, self.friend_blocks_max
        )

    @property
    def creation(self) -> CreationLimits:
        """The limits on new players."""
        return CreationLimits(self.new_players_per_hour, self.new_players_per_day, self.welcomes_per_day)


def _providers(text: str) -> tuple[Provider, ...]:
    """Return the providers of a setting.

    Raises:
        ValueError: It isn't a list of providers.
    """
    if not text:
        return ()
    try:
        providers = tuple(Provider(**one) for one in json.loads(text))
    except TypeError as error:
        raise ValueError(f"not a list of providers: {error}") from None
    for one in providers:
        if not PROVIDER_ID.fullmatch(one.provider_id):
            raise ValueError(f"provider_id {one.provider_id!r} must match {PROVIDER_ID.pattern}")
        if not (is_safe(one.issuer) and is_safe(one.redirect_uri)):
            raise ValueError(f"{one.provider_id}: issuer and redirect_uri must be https (or on this machine)")
    if len({one.provider_id for one in providers}) != len(providers):
        raise ValueError("two providers of one provider_id")
    return providers
