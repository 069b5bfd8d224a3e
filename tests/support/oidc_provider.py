"""A small OpenID Connect provider, as a process: authorization code flow, PKCE, RS256; and it can lie.

`python -m tests.support.oidc_provider` prints its issuer. `/authorize` signs in whom `user` names and sends
the browser back; `/lie?how=…` chooses what is wrong with the next identity tokens.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import jwt
from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import rsa

CLIENT, SECRET, REDIRECT = "paiju", "a secret: with % and +", "https://paiju.example.com/signed-in"
ROOT = Path(__file__).resolve().parents[2]


class Provider:
    """The endpoints."""

    def __init__(self) -> None:
        self.issuer = ""
        self.lie = ""
        self.codes: dict[str, dict[str, str]] = {}
        self.key, self.kid = self._new_key(), "one"
        self.asked = {"discovery": 0, "jwks": 0, "token": 0}

    @staticmethod
    def _new_key() -> rsa.RSAPrivateKey:
        return rsa.generate_private_key(65537, 2048)

    def app(self) -> web.Application:
        """Return the application."""
        app = web.Application()
        app.router.add_get("/.well-known/openid-configuration", self.discovery)
        app.router.add_get("/jwks", self.jwks)
        app.router.add_get("/authorize", self.authorize)
        app.router.add_post("/token", self.token)
        app.router.add_get("/lie", self.choose)
        app.router.add_get("/asked", self.count)
        return app

    async def discovery(self, request: web.Request) -> web.Response:
        """What it says of itself."""
        self.asked["discovery"] += 1
        return web.json_response(
            {
                "issuer": self.issuer + ("/other" if self.lie == "issuer" else ""),
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": (
                    "http://169.254.169.254/token" if self.lie == "endpoint" else f"{self.issuer}/token"
                ),
                "jwks_uri": f"{self.issuer}/jwks",
                "token_endpoint_auth_methods_supported": ["client_secret_basic"],
            }
        )

    async def jwks(self, request: web.Request) -> web.Response:
        """Its keys."""
        self.asked["jwks"] += 1
        public = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self.key.public_key()))
        return web.json_response({"keys": [public | {"kid": self.kid, "use": "sig"}]})

    async def authorize(self, request: web.Request) -> web.Response:
        """Sign in whom `user` names, and send the browser back."""
        query = dict(request.query)
        if query["client_id"] != CLIENT or query["redirect_uri"] != REDIRECT:
            return web.Response(status=400, text="unknown client")
        if query["response_type"] != "code" or query["code_challenge_method"] != "S256":
            return web.Response(status=400, text="unknown flow")
        code = f"code-{len(self.codes)}-{time.monotonic_ns()}"
        self.codes[code] = query
        back = urllib.parse.urlencode({"code": code, "state": query["state"]})
        return web.Response(status=302, headers={"Location": f"{REDIRECT}?{back}"})

    async def token(self, request: web.Request) -> web.Response:
        """Exchange a code, once, for who holds the verifier."""
        self.asked["token"] += 1
        if self.lie == "broken":
            return web.Response(status=500)
        if self.lie == "junk":
            return web.Response(text="<html>hello</html>" * 10)
        if self.lie == "huge":
            return web.Response(body=b"x" * 1_000_000)
        if self.lie == "redirect":
            return web.Response(status=302, headers={"Location": f"{self.issuer}/jwks"})
        login = base64.b64decode(request.headers["Authorization"].removeprefix("Basic ")).decode()
        name, _, secret = login.partition(":")
        form = await request.post()
        asked = self.codes.pop(str(form["code"]), None)
        challenge = hashlib.sha256(str(form["code_verifier"]).encode()).digest()
        if (
            asked is None
            or (urllib.parse.unquote(name), urllib.parse.unquote(secret)) != (CLIENT, SECRET)
            or form["redirect_uri"] != REDIRECT
            or base64.urlsafe_b64encode(challenge).rstrip(b"=").decode() != asked["code_challenge"]
        ):
            return web.json_response({"error": "invalid_grant"}, status=400)
        return web.json_response({"access_token": "unused", "token_type": "Bearer"} | self._identity(asked))

    def _identity(self, asked: dict[str, str]) -> dict[str, str]:
        now = int(time.time())
        claims: dict[str, Any] = {
            "iss": self.issuer,
            "aud": CLIENT,
            "sub": f"subject of {asked['user']}",
            "email": f"{asked['user']}@example.com",
            "nonce": asked["nonce"],
            "iat": now,
            "exp": now + 300,
        }
        lies: dict[str, dict[str, Any]] = {
            "nonce": {"nonce": "another"},
            "no_nonce": {"nonce": None},
            "iss": {"iss": "https://another.example.com"},
            "aud": {"aud": "another"},
            "auds": {"aud": [CLIENT, "another"]},
            "azp": {"azp": "another"},
            "expired": {"exp": now - 3600, "iat": now - 4000},
            "old": {"iat": now - 4000},
            "future": {"iat": now + 4000},
            "no_sub": {"sub": ""},
            "long_sub": {"sub": "x" * 256},
            "sub_number": {"sub": 7},
        }
        claims |= lies.get(self.lie, {})
        key: Any = self.key
        algorithm, kid = "RS256", self.kid
        if self.lie == "none":
            key, algorithm = None, "none"
        elif self.lie == "hs256":
            key, algorithm = "a shared secret, long enough to be one", "HS256"
        elif self.lie == "key":
            key = self._new_key()
        elif self.lie == "kid":
            kid = "unknown"
        elif self.lie == "no_token":
            return {}
        return {"id_token": jwt.encode(claims, key, algorithm=algorithm, headers={"kid": kid})}

    async def choose(self, request: web.Request) -> web.Response:
        """Lie from now on; `rotate` takes a new key and tells the truth."""
        self.lie = request.query["how"]
        if self.lie == "rotate":
            self.key, self.kid = self._new_key(), "two"
        return web.Response()

    async def count(self, request: web.Request) -> web.Response:
        """How often it was asked."""
        return web.json_response(self.asked)


class OidcProvider:
    """The process; `with OidcProvider() as provider`."""

    issuer: str

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.oidc_provider"], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.issuer = self._process.stdout.readline().strip()
        assert self.issuer, "the provider did not start"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()

    def setting(self, provider_id: str = "club") -> dict[str, str]:
        """Return what the settings of accounts say of it."""
        return {
            "provider_id": provider_id,
            "title": "The club",
            "issuer": self.issuer,
            "client_id": CLIENT,
            "client_secret": SECRET,
            "redirect_uri": REDIRECT,
        }

    def lie(self, how: str) -> None:
        """Lie from now on; empty = no longer."""
        self._get(f"/lie?how={how}")

    def asked(self) -> dict[str, int]:
        """Return how often its endpoints were asked."""
        found: dict[str, int] = json.loads(self._get("/asked"))
        return found

    def sign_in(self, authorization_url: str, user: str) -> tuple[str, str]:
        """Go there as a browser would; return the code and the state that come back."""
        request = urllib.request.Request(f"{authorization_url}&user={user}")
        try:
            urllib.request.build_opener(_Stay).open(request, timeout=20)
        except urllib.error.HTTPError as back:
            if back.code != 302:
                raise AssertionError(back.read()) from back
            query = urllib.parse.parse_qs(urllib.parse.urlsplit(back.headers["Location"]).query)
            return query["code"][0], query["state"][0]
        raise AssertionError("the provider did not send the browser back")

    def _get(self, path: str) -> str:
        with urllib.request.urlopen(self.issuer + path, timeout=20) as answer:
            text: str = answer.read().decode()
            return text


class _Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


def main() -> None:
    """Serve until killed."""

    async def run() -> None:
        provider = Provider()
        runner = web.AppRunner(provider.app())
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        provider.issuer = f"http://127.0.0.1:{port}"
        print(provider.issuer, flush=True)
        await asyncio.Event().wait()

    asyncio.run(run())


if __name__ == "__main__":
    main()
