"""OpenID Connect as the one who relies on it: what is sent, and what is believed. No network here."""

from __future__ import annotations

import base64
import hashlib
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import jwt

from services.chassis.errors import Refusal

ALGORITHMS: Final = ("RS256", "PS256", "ES256", "ES384", "RS384", "RS512", "PS384", "PS512", "EdDSA")
"""Signatures by a key that only the provider has; never `none`, never a shared key."""
CLOCKS_APART_S_MAX: Final = 60
ISSUED_AGO_S_MAX: Final = 600
"""An identity token is made for this sign-in."""
SUBJECT_CHARACTERS_MAX: Final = 255
TITLE_CHARACTERS_MAX: Final = 64
CODE_CHARACTERS_MAX: Final = 2048
LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
PROVIDER_ID: Final = re.compile(r"[a-z0-9-]{1,32}")


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, as the settings name it."""

    provider_id: str
    title: str
    issuer: str
    client_id: str
    client_secret: str
    """Empty: a public client, by PKCE alone."""
    redirect_uri: str
    scope: str = "openid email profile"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where a provider answers."""

    authorization: str
    token: str
    keys: str
    takes_basic: bool
    """Whether the client's secret goes into the header `Authorization`."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is at a provider."""

    subject: str
    title: str


def endpoints_of(issuer: str, document: Any) -> Endpoints:
    """Return where a provider answers, from its discovery document.

    Raises:
        Refusal: OIDC_REFUSED: it is another's, or its addresses are not safe.
    """
    if not isinstance(document, dict) or document.get("issuer") != issuer:
        raise Refusal("OIDC_REFUSED")
    urls = [document.get(f"{name}") for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    if not all(isinstance(url, str) and is_safe(url) for url in urls):
        raise Refusal("OIDC_REFUSED")
    methods = document.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    authorization, token, keys = map(str, urls)
    return Endpoints(authorization, token, keys, "client_secret_basic" in methods)


def is_safe(url: str) -> bool:
    """Return whether an address may be called: https, or this very machine."""
    try:
        parts = urlsplit(url)
        return bool(parts.hostname) and (
            parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOOPBACK)
        )
    except ValueError:
        return False


def text_of(secret: bytes) -> str:
    """Return secret bytes as URLs carry them."""
    return base64.urlsafe_b64encode(secret).rstrip(b"=").decode()


def authorization_url(endpoints: Endpoints, provider: Provider, state: str, nonce: str, verifier: str) -> str:
    """Return where the browser goes: authorization code flow, with PKCE by S256 (RFC 7636)."""
    query = {
        "response_type": "code",
        "client_id": provider.client_id,
        "redirect_uri": provider.redirect_uri,
        "scope": provider.scope,
        "state": state,
        "nonce": nonce,
        "code_challenge": text_of(hashlib.sha256(verifier.encode()).digest()),
        "code_challenge_method": "S256",
    }
    joint = "&" if urlsplit(endpoints.authorization).query else "?"
    return f"{endpoints.authorization}{joint}{urlencode(query)}"


def key_id(id_token: str) -> str:
    """Return the name of the key that an identity token says it is signed with; empty = it says none.

    Raises:
        Refusal: OIDC_REFUSED: this is no such token.
    """
    try:
        header = jwt.get_unverified_header(id_token)
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise Refusal("OIDC_REFUSED") from None
    return str(header.get("kid") or "")


def identity_of(id_token: str, key: jwt.PyJWK, provider: Provider, nonce: str, now_s: int) -> Identity:
    """Return who an identity token names (OpenID Connect Core, 3.1.3.7).

    Raises:
        Refusal: OIDC_REFUSED: another's signature, issuer, client or nonce; too old; no subject.
    """
    try:
        claims = jwt.decode(
            id_token,
            key,
            algorithms=list(ALGORITHMS),
            issuer=provider.issuer,
            audience=provider.client_id,
            options={
                "require": ["exp", "iat", "sub", "iss", "aud"],
                # Time is ours to judge, by the clock that was given to us.
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise Refusal("OIDC_REFUSED") from None
    if not _is_for_us(claims, provider, nonce) or not _is_now(claims, now_s):
        raise Refusal("OIDC_REFUSED")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 1 <= len(subject) <= SUBJECT_CHARACTERS_MAX or "\x00" in subject:
        raise Refusal("OIDC_REFUSED")
    return Identity(subject, _title(claims))


def _is_for_us(claims: Mapping[str, Any], provider: Provider, nonce: str) -> bool:
    azp = claims.get("azp")
    is_only_ours = not isinstance(claims["aud"], list) or len(claims["aud"]) == 1 or azp is not None
    return claims.get("nonce") == nonce and azp in (None, provider.client_id) and is_only_ours


def _is_now(claims: Mapping[str, Any], now_s: int) -> bool:
    times = [claims["exp"], claims["iat"], claims.get("nbf", 0)]
    if any(isinstance(time, bool) or not isinstance(time, int | float) for time in times):
        return False
    expires, issued, begins = times
    return bool(
        expires > now_s - CLOCKS_APART_S_MAX
        and now_s - ISSUED_AGO_S_MAX <= issued <= now_s + CLOCKS_APART_S_MAX
        and begins <= now_s + CLOCKS_APART_S_MAX
    )


def _title(claims: Mapping[str, Any]) -> str:
    for name in ("email", "preferred_username", "name", "sub"):
        said = claims.get(name)
        if isinstance(said, str) and said.strip():
            shown = (one for one in said.strip() if unicodedata.category(one)[0] not in "CZ" or one == " ")
            return "".join(shown)[:TITLE_CHARACTERS_MAX]
    return ""
