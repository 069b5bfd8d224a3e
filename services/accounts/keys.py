"""The keys that sign access tokens: private ones live here and nowhere else."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.chassis.auth import AUDIENCE, ISSUER, SERVICE_KID
from services.chassis.config import ConfigError
from services.chassis.ids import Ids

KEY_FILE = "accounts_signing_keys.json"
DAY_MS = 86_400_000
PRIVATE_BYTES = 32


@dataclass(frozen=True, slots=True)
class SigningKey:
    """One key pair."""

    kid: str
    private: Ed25519PrivateKey
    created_at_ms: int = 0
    """0 = not known (keys of the settings)."""

    @property
    def public_bytes(self) -> bytes:
        """The public half, 32 bytes."""
        return self.private.public_key().public_bytes_raw()

    def as_json(self) -> dict[str, object]:
        """Return what a key file holds of it."""
        secret = base64.urlsafe_b64encode(self.private.private_bytes_raw()).rstrip(b"=").decode()
        return {"kid": self.kid, "private_key": secret, "created_at_ms": self.created_at_ms}


class Signer:
    """Signs with the first key; all keys verify.

    Raises:
        ConfigError: No key, or two of one name.
    """

    def __init__(self, keys: Sequence[SigningKey]) -> None:
        if not keys or len({key.kid for key in keys}) != len(keys):
            raise ConfigError(["accounts needs signing keys with different names"])
        self.keys = tuple(keys)

    def access_token(
        self, player_id: str, session_id: str, now_s: int, expires_s: int, roles: Sequence[str] = ()
    ) -> str:
        """Return the access token of a player's session, with his staff roles."""
        more = {"roles": sorted(roles)} if roles else {}
        return self._token({"sub": player_id, "kind": "player", "sid": session_id, **more}, now_s, expires_s)

    def program_token(
        self,
        player_id: str,
        session_id: str,
        now_s: int,
        expires_s: int,
        scopes: Sequence[str],
        quota: tuple[str, int, int],
    ) -> str:
        """Return the access token of a program that acts for a player.

        Args:
            scopes: What it may do.
            quota: The API key's id, and how often it may call in a minute and in a day.
        """
        claims = {
            "sub": player_id,
            "kind": "integrator",
            "sid": session_id,
            "scopes": list(scopes),
            "quota": list(quota),
        }
        return self._token(claims, now_s, expires_s)

    def _token(self, claims: Mapping[str, object], now_s: int, expires_s: int) -> str:
        key = self.keys[0]
        whole = {"iss": ISSUER, "aud": AUDIENCE, **claims, "iat": now_s, "exp": expires_s}
        return jwt.encode(whole, key.private, algorithm="EdDSA", headers={"kid": key.kid})

    def jwks(self) -> str:
        """Return the public keys as a JWK set (RFC 7517, RFC 8037)."""
        keys = [
            {
                "kty": "OKP",
                "crv": "Ed25519",
                "alg": "EdDSA",
                "use": "sig",
                "kid": key.kid,
                "x": base64.urlsafe_b64encode(key.public_bytes).rstrip(b"=").decode(),
            }
            for key in self.keys
        ]
        return json.dumps({"keys": keys}, separators=(",", ":"))


def parse_keys(text: str, where: str) -> list[SigningKey]:
    """Return the keys of a JSON list.

    Raises:
        ConfigError: It isn't one; says where, never what.
    """
    try:
        found = []
        for item in json.loads(text):
            secret = base64.urlsafe_b64decode(item["private_key"] + "=" * (-len(item["private_key"]) % 4))
            private = Ed25519PrivateKey.from_private_bytes(secret)
            kid = str(item["kid"])
            if not kid.isascii() or not kid.replace("-", "").replace("_", "").isalnum() or kid == SERVICE_KID:
                raise ValueError
            found.append(SigningKey(kid, private, int(item.get("created_at_ms", 0))))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ConfigError(
            [f"{where}: not a JSON list of {{kid, private_key}} with 32-byte Ed25519 keys in base64url"]
        ) from None
    return found


def keys_in_folder(folder: Path, ids: Ids, now_ms: int, rotate_days: int, keep_s: int) -> list[SigningKey]:
    """Return the keys of the data folder, making the first, or a successor to one that has grown old.

    Args:
        rotate_days: Age at which the signing key gets a successor; 0 = never.
        keep_s: How long a key verifies after its successor has come: at least the life of an access token.

    Raises:
        ConfigError: The file is damaged, or others may read it.
    """
    file = folder / KEY_FILE
    keys = _read(file) if file.exists() else []
    signing = keys[:1]
    is_old = rotate_days > 0 and signing and now_ms - signing[0].created_at_ms > rotate_days * DAY_MS
    if signing and not is_old:
        return _still_needed(keys, now_ms, keep_s)
    private = Ed25519PrivateKey.from_private_bytes(ids.token(PRIVATE_BYTES))
    fresh = SigningKey(ids.new("k"), private, now_ms)
    made = [fresh, *_still_needed(keys, now_ms, keep_s)]
    _write(file, made)
    return made


def _still_needed(keys: Sequence[SigningKey], now_ms: int, keep_s: int) -> list[SigningKey]:
    """Drop keys whose successor came so long ago that no token of theirs can still live."""
    kept = list(keys[:1])
    for successor, key in pairwise(keys):
        if now_ms - successor.created_at_ms <= keep_s * 1000:
            kept.append(key)
    return kept


def _read(file: Path) -> list[SigningKey]:
    if file.stat().st_mode & 0o077:
        raise ConfigError([f"{file}: others may read it; it must be for its owner only (chmod 600)"])
    return parse_keys(file.read_text(encoding="utf-8"), str(file))


def _write(file: Path, keys: Sequence[SigningKey]) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    part = file.with_suffix(".part")
    part.unlink(missing_ok=True)
    descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as target:
        target.write(json.dumps([key.as_json() for key in keys]))
        target.flush()
        os.fsync(target.fileno())
    part.replace(file)
