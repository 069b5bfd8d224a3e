"""Who is calling: tokens are verified here and made elsewhere (by accounts), but for the services' own.

A player's or integrator's token is a JWT signed with EdDSA by accounts; its public key is looked up by
`kid`. A service's or operator's token is a JWT under the key that all services share.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Literal, cast

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from services.chassis.access import ROLES, Access, AccessTable, Kind, Role
from services.chassis.bus.port import Bus
from services.chassis.bus.registry import SESSION_TOKEN_S_MAX
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal
from services.chassis.principals import (
    ANONYMOUS,
    Principal,
    Quota,
    Staff,
    acting,
    acting_for,
    calling,
    current,
    on_behalf,
    player,
    staff,
)
from services.chassis.quotas import Quotas
from services.chassis.revocations import Revocations

__all__ = [
    "ANONYMOUS",
    "Access",
    "AccessTable",
    "KeySource",
    "Kind",
    "Principal",
    "Quota",
    "Role",
    "ServiceTokens",
    "Staff",
    "Verifier",
    "acting",
    "acting_for",
    "calling",
    "current",
    "keys_on_bus",
    "no_keys",
    "on_behalf",
    "player",
    "service_token",
    "staff",
]

KeySource = Callable[[], Awaitable[Mapping[str, bytes]]]
"""Returns all public keys as they are now: `kid` → 32 raw bytes of Ed25519."""

ISSUER = "paiju"
AUDIENCE = "paiju"
SERVICE_KID = "service"
"""`kid` of tokens under the shared key; accounts never uses it."""
SERVICE_TOKEN_S = 600
RENEW_S = 120
"""A service makes itself a new token when the old one has less than this left."""
KEYS_BUCKET = "keys"
REFRESH_S_MIN = 1.0
"""An unknown `kid` makes the keys be read again, but not more often than this."""
CACHED_MAX = 20_000
TOKEN_CHARS_MAX = 4096
CLOCKS_APART_S_MAX = 60
"""So far may the clocks of two machines be apart."""
TIME_S_MAX = 2**40
SESSION_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


def service_token(key: str, name: str, now_s: int, kind: Literal["service", "operator"] = "service") -> str:
    """Return a token of a service or an operator, good for ten minutes."""
    claims = {
        "iss": ISSUER,
        "aud": AUDIENCE,
        "sub": name,
        "kind": kind,
        "iat": now_s,
        "exp": now_s + SERVICE_TOKEN_S,
    }
    return jwt.encode(claims, key, algorithm="HS256", headers={"kid": SERVICE_KID})


class ServiceTokens:
    """A service's own token, renewed before it ends."""

    def __init__(self, key: str, name: str, clock: Clock) -> None:
        self._key = key
        self._name = name
        self._clock = clock
        self._token = ""
        self._renew_at = 0

    def token(self) -> str:
        """Return a token with at least two minutes left."""
        now = self._clock.now_ms() // 1000
        if now >= self._renew_at:
            self._token = service_token(self._key, self._name, now)
            self._renew_at = now + SERVICE_TOKEN_S - RENEW_S
        return self._token


class Verifier:
    """Turns tokens into principals, and remembers them until they end; of a revoked session none is good."""

    def __init__(
        self,
        service_key: str,
        source: KeySource,
        clock: Clock,
        revocations: Revocations,
        quotas: Quotas | None = None,
    ) -> None:
        self.revocations = revocations
        self.quotas = quotas or Quotas(clock)
        """Counts the calls of programs; the doors take from it."""
        self._service_key = service_key
        self._source = source
        self._clock = clock
        self._keys: dict[str, Ed25519PublicKey] = {}
        self._read_at = float("-inf")
        self._cached: OrderedDict[bytes, Principal] = OrderedDict()

    def set_source(self, source: KeySource) -> None:
        """Read the public keys from here from now on."""
        self._source = source
        self._read_at = float("-inf")

    async def verify(self, token: str) -> Principal:
        """Return whose token this is.

        Raises:
            Refusal: TOKEN_INVALID, TOKEN_EXPIRED, SESSION_REVOKED.
            Outage: The public keys, or what is revoked, can't be had.
        """
        if len(token) > TOKEN_CHARS_MAX or not token.isascii():
            raise Refusal("TOKEN_INVALID")
        digest = hashlib.sha256(token.encode()).digest()
        principal = self._cached.get(digest)
        if principal is None:
            principal = await self._decode(token)
            self._cached[digest] = principal
            if len(self._cached) > CACHED_MAX:
                self._cached.popitem(last=False)
        if principal.expires_at <= self._clock.now_ms() // 1000:
            raise Refusal("TOKEN_EXPIRED")
        if principal.session_id:
            await self.revocations.check(principal.session_id)
        return principal

    def forget(self) -> None:
        """Forget all keys and tokens: a key was withdrawn."""
        self._cached.clear()
        self._keys.clear()
        self._read_at = float("-inf")

    async def _decode(self, token: str) -> Principal:
        now_s = self._clock.now_ms() // 1000
        try:
            header = jwt.get_unverified_header(token)
            kid = header.get("kid")
            if kid == SERVICE_KID:
                claims = self._claims(token, self._service_key, "HS256")
                allowed = ("service", "operator")
            else:
                claims = self._claims(token, await self._key(str(kid)), "EdDSA")
                allowed = ("player", "integrator")
        except (jwt.PyJWTError, ValueError, TypeError, RecursionError) as error:
            # PyJWT lets through what reading the parts of a token made on purpose raises.
            raise Refusal("TOKEN_INVALID") from error
        kind, subject = claims.get("kind"), claims["sub"]
        scopes, roles = claims.get("scopes", []), claims.get("roles", [])
        if kind not in allowed or not isinstance(subject, str) or not subject or not _is_now(claims, now_s):
            raise Refusal("TOKEN_INVALID")
        if not isinstance(scopes, list) or not isinstance(roles, list):
            raise Refusal("TOKEN_INVALID")
        return Principal(
            cast(Kind, kind),
            subject,
            frozenset(map(str, scopes)),
            claims["exp"],
            session_id="" if kid == SERVICE_KID else _session_id(claims, now_s),
            roles=frozenset(ROLES).intersection(map(str, roles)) if kind == "player" else frozenset(),
            quota=_quota(claims) if kind == "integrator" else None,
        )

    def _claims(self, token: str, key: Any, algorithm: str) -> dict[str, Any]:
        # Expiry is ours to judge, by the clock that was given to us.
        return jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=ISSUER,
            audience=AUDIENCE,
            options={
                "require": ["exp", "sub", "iss", "aud"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )

    async def _key(self, kid: str) -> Ed25519PublicKey:
        if kid not in self._keys and self._clock.monotonic() - self._read_at >= REFRESH_S_MIN:
            raw = await self._source()
            self._keys = {name: Ed25519PublicKey.from_public_bytes(value) for name, value in raw.items()}
            self._read_at = self._clock.monotonic()
        if kid not in self._keys:
            raise Refusal("TOKEN_INVALID")
        return self._keys[kid]


def _is_now(claims: Mapping[str, Any], now_s: int) -> bool:
    """Return whether the times of a token are whole seconds, and its beginning is past; not its end."""
    times = [claims["exp"], *(claims[name] for name in ("nbf", "iat") if name in claims)]
    if any(type(time) is not int or not 0 <= time <= TIME_S_MAX for time in times):
        return False
    return bool(claims.get("nbf", 0) <= now_s + CLOCKS_APART_S_MAX)


def _session_id(claims: Mapping[str, Any], now_s: int) -> str:
    """Return the session a token rests on.

    Raises:
        Refusal: TOKEN_INVALID: none, or the token would live longer than a revocation is remembered.
    """
    session_id = claims.get("sid")
    if not isinstance(session_id, str) or not SESSION_ID.fullmatch(session_id):
        raise Refusal("TOKEN_INVALID")
    if claims["exp"] > now_s + SESSION_TOKEN_S_MAX + CLOCKS_APART_S_MAX:
        raise Refusal("TOKEN_INVALID")
    return session_id


def _quota(claims: Mapping[str, Any]) -> Quota | None:
    """Return how often a program may call; None = its token says nothing of it.

    Raises:
        Refusal: TOKEN_INVALID: it says something else.
    """
    said = claims.get("quota")
    if said is None:
        return None
    match said:
        case [str(key_id), int(per_minute), int(per_day)] if SESSION_ID.fullmatch(key_id):
            return Quota(key_id, per_minute, per_day)
    raise Refusal("TOKEN_INVALID")


def keys_on_bus(bus: Bus) -> KeySource:
    """Return a source that reads the public keys accounts has put into the bucket `keys`, one key per
    `kid`.
    """

    async def read() -> Mapping[str, bytes]:
        bucket = await bus.bucket(KEYS_BUCKET)
        return {entry.key: entry.value for entry in await bucket.entries()}

    return read


async def no_keys() -> Mapping[str, bytes]:
    """Be the source of a process without a bus: no player can be verified."""
    raise Outage("there is no source of public keys")
