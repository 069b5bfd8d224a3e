"""What the gateway reads of an access token beyond its principal."""

from __future__ import annotations

from dataclasses import dataclass

from services.chassis.auth import Verifier
from services.chassis.errors import Refusal

TOKEN_BYTES_MAX = 4096


@dataclass(frozen=True, slots=True)
class SignedIn:
    """Who a token names."""

    player_id: str
    login: str
    """The session of accounts that it rests on (`sid`)."""
    expires_at_ms: int


async def signed_in(verifier: Verifier, token: str) -> SignedIn:
    """Return who a token names.

    Raises:
        Refusal: TOKEN_INVALID (also for one that is no player's), TOKEN_EXPIRED, SESSION_REVOKED.
        Outage: The public keys, or what is revoked, can't be had.
    """
    if not token or len(token) > TOKEN_BYTES_MAX:
        raise Refusal("TOKEN_INVALID")
    principal = await verifier.verify(token)
    if principal.kind != "player" or not principal.id:
        raise Refusal("TOKEN_INVALID")
    return SignedIn(principal.id, principal.session_id, principal.expires_at * 1000)
