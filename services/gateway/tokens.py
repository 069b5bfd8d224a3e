"""What the gateway reads of an access token beyond its principal."""

from __future__ import annotations

from dataclasses import dataclass

from services.chassis.auth import Quota, Verifier
from services.chassis.errors import Refusal

TOKEN_BYTES_MAX = 4096


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who a token names."""

    player_id: str
    login: str
    """The session of accounts that it rests on (`sid`)."""
    expires_at_ms: int
    roles: frozenset[str] = frozenset()
    """Staff roles."""
    scopes: frozenset[str] | None = None
    """Of a program that acts for the player with an API key; None = the player himself."""
    quota: Quota | None = None
    """Of that key."""

    def may(self, scope: str) -> bool:
        """Return whether this scope is his: a person has all."""
        return self.scopes is None or scope in self.scopes


async def signed_in(verifier: Verifier, token: str) -> SignedIn:
    """Return who a token names.

    Raises:
        Refusal: TOKEN_INVALID (also for one that is neither a player's nor an integrator's), TOKEN_EXPIRED,
            SESSION_REVOKED.
        Outage: The public keys, or what is revoked, can't be had.
    """
    if not token or len(token) > TOKEN_BYTES_MAX:
        raise Refusal("TOKEN_INVALID")
    principal = await verifier.verify(token)
    if principal.kind not in ("player", "integrator") or not principal.id:
        raise Refusal("TOKEN_INVALID")
    return SignedIn(
        principal.id,
        principal.session_id,
        principal.expires_at * 1000,
        principal.roles,
        principal.scopes if principal.is_program else None,
        principal.quota,
    )
