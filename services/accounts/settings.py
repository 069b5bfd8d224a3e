"""Settings of accounts (`PAIJU_ACCOUNTS_*`)."""

from __future__ import annotations

import ipaddress

from pydantic import Field, SecretStr, field_validator

from services.accounts.core.limits import CreationLimits
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
    sign_ins_per_minute: int = Field(default=60, ge=1)
    """Challenges and sign-ins from one network in a minute, and of one key a sixth of it."""

    @field_validator("unlimited_networks")
    @classmethod
    def _networks_are_networks(cls, text: str) -> str:
        for part in filter(None, (part.strip() for part in text.split(","))):
            ipaddress.ip_network(part, strict=False)
        return text

    @property
    def creation(self) -> CreationLimits:
        """The limits on new players."""
        return CreationLimits(self.new_players_per_hour, self.new_players_per_day, self.welcomes_per_day)
