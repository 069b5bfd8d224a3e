"""API keys: their text, their scopes, their quotas."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from services.accounts.core.tokens import hash_of
from services.chassis.access import SCOPES
from services.chassis.errors import Refusal

SECRET_BYTES: Final = 32
HEAD: Final = "pjk_"
"""What a secret begins with, so that scanners of published code find it."""
PREFIX_CHARACTERS: Final = 10
NAME_CHARACTERS_MAX: Final = 64
OVERLAP_S: Final = 7 * 86_400
OVERLAP_S_MAX: Final = 30 * 86_400
QUOTA_MAX: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class QuotaLimits:
    """What players may take themselves."""

    per_minute: int
    per_day: int


def secret_of(raw: bytes) -> str:
    """Return the text of a secret.

    >>> secret_of(bytes(32))
    'pjk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'
    """
    return HEAD + base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def hash_of_secret(text: str) -> bytes:
    """Return what is kept of a secret.

    Raises:
        Refusal: API_KEY_INVALID: it is not of this form.
    """
    body = text.removeprefix(HEAD)
    if len(text) > 128 or body == text or not body.isascii():
        raise Refusal("API_KEY_INVALID")
    try:
        raw = base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))
    except ValueError:
        raise Refusal("API_KEY_INVALID") from None
    if len(raw) != SECRET_BYTES or secret_of(raw) != text:
        raise Refusal("API_KEY_INVALID")
    return hash_of(raw)


def scopes_of(wanted: Iterable[str]) -> str:
    """Return scopes as they are kept.

    Raises:
        Refusal: SCOPE_UNKNOWN: also for none at all.
    """
    scopes = sorted(set(wanted))
    if not scopes or not set(scopes) <= set(SCOPES):
        raise Refusal("SCOPE_UNKNOWN", known=", ".join(SCOPES))
    return ",".join(scopes)


def name_of(text: str) -> str:
    """Return a key's name.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    name = " ".join(text.split())
    if not 1 <= len(name) <= NAME_CHARACTERS_MAX or not name.isprintable():
        raise Refusal("INVALID_ARGUMENT", field="name")
    return name


def quota_of(per_minute: int, per_day: int, limits: QuotaLimits, *, by_staff: bool) -> tuple[int, int]:
    """Return a key's quota; 0 = what players may take.

    Raises:
        Refusal: QUOTA_TOO_HIGH. INVALID_ARGUMENT.
    """
    minute, day = per_minute or limits.per_minute, per_day or limits.per_day
    for field, value in (("per_minute", minute), ("per_day", day)):
        if not 1 <= value <= QUOTA_MAX:
            raise Refusal("INVALID_ARGUMENT", field=field)
    if not by_staff and (minute > limits.per_minute or day > limits.per_day):
        raise Refusal("QUOTA_TOO_HIGH", per_minute=limits.per_minute, per_day=limits.per_day)
    return minute, day


def overlap_ms_of(overlap_s: int) -> int:
    """Return how long a replaced secret stays good; -1 = a week.

    Raises:
        Refusal: INVALID_ARGUMENT.
    """
    chosen = OVERLAP_S if overlap_s == -1 else overlap_s
    if not 0 <= chosen <= OVERLAP_S_MAX:
        raise Refusal("INVALID_ARGUMENT", field="overlap_s")
    return chosen * 1000
