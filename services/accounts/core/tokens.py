"""Refresh tokens: opaque, kept as hashes, each good for one exchange."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import Final, Literal

from services.chassis.errors import Refusal

SECRET_BYTES: Final = 32
GUEST_LABEL: Final = b"paiju-guest-1"
"""What a signed challenge begins with, so that the signature means nothing elsewhere."""

Use = Literal["rotate", "reused", "expired", "revoked", "unknown"]


@dataclass(frozen=True, slots=True)
class KeptSession:
    """What is known of a session when one of its refresh tokens is shown."""

    current_hash: bytes
    expires_at_ms: int
    is_revoked: bool


def refresh_token(session_id: str, secret: bytes) -> str:
    """Return the text of a refresh token."""
    return f"{session_id}.{base64.urlsafe_b64encode(secret).rstrip(b'=').decode()}"


def split_refresh_token(token: str) -> tuple[str, bytes]:
    """Return session id and hash of the secret.

    Raises:
        Refusal: TOKEN_INVALID.
    """
    session_id, dot, text = token.partition(".")
    if not (dot and session_id and len(token) <= 128):
        raise Refusal("TOKEN_INVALID")
    try:
        secret = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raise Refusal("TOKEN_INVALID") from None
    if len(secret) != SECRET_BYTES or refresh_token(session_id, secret) != token:
        raise Refusal("TOKEN_INVALID")
    return session_id, hash_of(secret)


def hash_of(secret: bytes) -> bytes:
    """Return what is kept of a secret: it has 256 bits, so a plain hash can't be turned back."""
    return hashlib.sha256(secret).digest()


def judge_use(session: KeptSession | None, shown_hash: bytes, now_ms: int) -> Use:
    """Return what showing a refresh token means.

    A token of a living session that isn't its newest was used before: somebody has a copy, and nobody can
    tell who. The whole session ends.
    """
    if session is None:
        return "unknown"
    if session.is_revoked:
        return "revoked"
    if shown_hash != session.current_hash:
        return "reused"
    if now_ms >= session.expires_at_ms:
        return "expired"
    return "rotate"
