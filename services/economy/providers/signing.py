"""Signatures of webhooks: HMAC-SHA256 over a timestamp and the raw body."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping, Sequence
from typing import Final

from services.chassis.errors import Refusal

TIMESTAMP: Final = "paiju-pay-timestamp"
"""Header: Unix seconds of the signing. A repeat is signed anew."""
SIGNATURE: Final = "paiju-pay-signature"
"""Header: `v1=<64 hex digits>`; several, separated by commas, while the sender changes its key."""

WINDOW_S: Final = 300
"""So old a signature may be, and so far ahead of our clock: what was recorded can't be sent for ever."""

KEY_CHARACTERS_MIN: Final = 32
KEYS_MAX: Final = 2
"""The one that signs now, and the one before or after it."""

_SIGNATURES_MAX: Final = 4
_SECONDS: Final = re.compile(r"[0-9]{1,12}")


def sign(key: str, timestamp_s: int, body: bytes) -> str:
    """Return the signature of a body that is sent at a time, as hex digits."""
    return hmac.new(key.encode(), b"%d." % timestamp_s + body, hashlib.sha256).hexdigest()


def signed_headers(key: str, timestamp_s: int, body: bytes) -> dict[str, str]:
    """Return the headers that a signed body is sent with."""
    return {TIMESTAMP: str(timestamp_s), SIGNATURE: f"v1={sign(key, timestamp_s, body)}"}


def check_signature(keys: Sequence[str], headers: Mapping[str, str], body: bytes, now_ms: int) -> None:
    """See that a body was signed by one of these keys, not long ago.

    Every key is compared with every signature in constant time, and the age is looked at only afterwards: who
    has no key learns nothing from answers or their times.

    Raises:
        Refusal: WEBHOOK_FORGED, WEBHOOK_STALE.
    """
    stamp = headers.get(TIMESTAMP, "")
    given = [
        part.strip().removeprefix("v1=").encode("utf-8", "replace")
        for part in headers.get(SIGNATURE, "").split(",")[:_SIGNATURES_MAX]
        if part.strip().startswith("v1=")
    ]
    if not (_SECONDS.fullmatch(stamp) and given and keys):
        raise Refusal("WEBHOOK_FORGED")
    is_genuine = False
    for key in keys:
        wanted = sign(key, int(stamp), body).encode()
        for one in given:
            is_genuine |= hmac.compare_digest(wanted, one)
    if not is_genuine:
        raise Refusal("WEBHOOK_FORGED")
    if abs(now_ms - int(stamp) * 1000) > WINDOW_S * 1000:
        raise Refusal("WEBHOOK_STALE", window_s=WINDOW_S)
