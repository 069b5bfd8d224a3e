"""What the gateway reads of an access token beyond its principal."""

from __future__ import annotations

import base64
import binascii
import json
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
        Refusal: TOKEN_INVALID (also for one that is no player's), TOKEN_EXPIRED.
        Outage: The public keys can't be had.
    """
    if not token or len(token) > TOKEN_BYTES_MAX:
        raise Refusal("TOKEN_INVALID")
    principal = await verifier.verify(token)
    if principal.kind != "player" or not principal.id:
        raise Refusal("TOKEN_INVALID")
    return SignedIn(principal.id, _login(token), principal.expires_at * 1000)


def _login(token: str) -> str:
    """Return the claim `sid` of a token that has been verified."""
    try:
        claims = token.split(".")[1]
        read = json.loads(base64.urlsafe_b64decode(claims + "=" * (-len(claims) % 4)))
        return str(read.get("sid", ""))
    except (IndexError, ValueError, binascii.Error, AttributeError):
        return ""
