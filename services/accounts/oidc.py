"""The network side of OpenID Connect: discovery, keys, and the exchange of a code."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

import aiohttp
import jwt

from services.accounts.core import oidc
from services.accounts.core.oidc import Endpoints, Identity, Provider
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal

ANSWER_BYTES_MAX: Final = 256 * 1024
ANSWER_WAIT_S: Final = 5.0
DISCOVERED_S: Final = 3_600.0
"""What a provider says of itself is read anew after this."""
KEYS_AGAIN_S: Final = 10.0
"""An unknown key makes the keys be read again, but not more often than this."""
KEYS_MAX: Final = 100


@dataclass(slots=True)
class _Known:
    """What was read of a provider."""

    endpoints: Endpoints
    keys: dict[str, jwt.PyJWK]
    read_at: float


class OidcClient:
    """Talks to the providers of the settings; `close` at the end."""

    def __init__(self, providers: tuple[Provider, ...], clock: Clock) -> None:
        self.providers = {provider.provider_id: provider for provider in providers}
        self._clock = clock
        self._known: dict[str, _Known] = {}
        self._reading = {provider.provider_id: asyncio.Lock() for provider in providers}
        self._http: aiohttp.ClientSession | None = None

    def provider(self, provider_id: str) -> Provider:
        """Return a provider of the settings.

        Raises:
            Refusal: OIDC_UNKNOWN.
        """
        found = self.providers.get(provider_id)
        if found is None:
            raise Refusal("OIDC_UNKNOWN")
        return found

    async def endpoints(self, provider: Provider) -> Endpoints:
        """Return where a provider answers.

        Raises:
            Refusal: OIDC_REFUSED: it says what can't be.
            Outage: It can't be reached.
        """
        return (await self._read(provider, DISCOVERED_S)).endpoints

    async def identity(self, provider: Provider, code: str, verifier: str, nonce: str) -> Identity:
        """Exchange a code, and return who its identity token names.

        Raises:
            Refusal: OIDC_REFUSED.
            Outage: The provider can't be reached.
        """
        known = await self._read(provider, DISCOVERED_S)
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": provider.redirect_uri,
            "code_verifier": verifier,
        }
        headers = {"Accept": "application/json"}
        if provider.client_secret and known.endpoints.takes_basic:
            # RFC 6749, 2.3.1: both are form-encoded first.
            login = quote(provider.client_id, ""), quote(provider.client_secret, "")
            headers["Authorization"] = aiohttp.encode_basic_auth(*login)
        else:
            form["client_id"] = provider.client_id
            if provider.client_secret:
                form["client_secret"] = provider.client_secret
        answer = await self._ask("POST", known.endpoints.token, form, headers)
        id_token = answer.get("id_token") if isinstance(answer, dict) else None
        if not isinstance(id_token, str):
            raise Refusal("OIDC_REFUSED")
        key = await self._key(provider, oidc.key_id(id_token))
        return oidc.identity_of(id_token, key, provider, nonce, self._clock.now_ms() // 1000)

    async def close(self) -> None:
        """Close its connections."""
        if self._http is not None:
            await self._http.close()

    async def _key(self, provider: Provider, kid: str) -> jwt.PyJWK:
        known = await self._read(provider, DISCOVERED_S)
        found = _chosen(known.keys, kid)
        if found is None:
            known = await self._read(provider, KEYS_AGAIN_S)
            found = _chosen(known.keys, kid)
        if found is None:
            raise Refusal("OIDC_REFUSED")
        return found

    async def _read(self, provider: Provider, age_s_max: float) -> _Known:
        async with self._reading[provider.provider_id]:
            known = self._known.get(provider.provider_id)
            now = self._clock.monotonic()
            if known is not None and now - known.read_at < age_s_max:
                return known
            try:
                document = await self._ask(
                    "GET", f"{provider.issuer.rstrip('/')}/.well-known/openid-configuration"
                )
                endpoints = oidc.endpoints_of(provider.issuer, document)
                keys = _keys(await self._ask("GET", endpoints.keys))
            except Outage:
                # What was read an hour ago is most likely still so.
                if known is not None and age_s_max == DISCOVERED_S:
                    return known
                raise
            made = self._known[provider.provider_id] = _Known(endpoints, keys, now)
            return made

    async def _ask(
        self, method: str, url: str, form: dict[str, str] | None = None, headers: dict[str, str] | None = None
    ) -> Any:
        if self._http is None:
            self._http = aiohttp.ClientSession(auto_decompress=False)
        try:
            async with (
                self._clock.timeout(ANSWER_WAIT_S),
                self._http.request(
                    method, url, data=form, headers=headers, allow_redirects=False
                ) as response,
            ):
                body = await response.content.read(ANSWER_BYTES_MAX + 1)
                while not response.content.at_eof() and len(body) <= ANSWER_BYTES_MAX:
                    body += await response.content.read(ANSWER_BYTES_MAX + 1 - len(body))
                status = response.status
        except (aiohttp.ClientError, TimeoutError, OSError) as error:
            raise Outage(f"the sign-in provider can't be reached: {error!r}") from error
        if status >= 500 or status == 429:
            raise Outage(f"the sign-in provider answers {status}")
        if status != 200 or len(body) > ANSWER_BYTES_MAX:
            raise Refusal("OIDC_REFUSED")
        try:
            return json.loads(body)
        except (ValueError, RecursionError):
            raise Refusal("OIDC_REFUSED") from None


def _keys(document: Any) -> dict[str, jwt.PyJWK]:
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise Refusal("OIDC_REFUSED")
    found: dict[str, jwt.PyJWK] = {}
    for one in listed[:KEYS_MAX]:
        if not isinstance(one, dict) or one.get("use", "sig") != "sig" or one.get("kty") == "oct":
            continue
        try:
            key = jwt.PyJWK.from_dict(one)
        except (jwt.PyJWTError, ValueError, TypeError):
            continue  # of a kind that we don't know
        found[str(one.get("kid") or "")] = key
    return found


def _chosen(keys: dict[str, jwt.PyJWK], kid: str) -> jwt.PyJWK | None:
    """Return the key of a name; a token may leave it out where there is only one key."""
    if not kid and len(keys) == 1:
        return next(iter(keys.values()))
    return keys.get(kid)
