"""Who connects: the web site in whose name, and the address from where."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable, Sequence
from urllib.parse import urlsplit

from aiohttp import web

from services.gateway.settings import GatewaySettings

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


def is_origin_allowed(request: web.Request, allowed: Sequence[str]) -> bool:
    """Return whether a browser may connect in the name of the web site it names.

    Allowed are this very host, those listed, and clients that name none (no browser leaves it out).
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in allowed:
        return True
    return bool(origin) and urlsplit(origin).netloc == request.host


class Hosts:
    """The names under which this door may be reached.

    A name that somebody else's DNS points at a player's own machine (rebinding) would make that site's pages
    pages of this host; a browser sends it as `Host`.
    """

    def __init__(self, settings: GatewaySettings) -> None:
        self._allowed = {name.lower() for name in settings.allowed_hosts}
        self._loopback_too = is_loopback(settings.http_host)
        self._is_open = not self._allowed and (not self._loopback_too or settings.trusted_proxies > 0)
        self._allowed.add(settings.http_host.lower())

    def allows(self, host: str | None) -> bool:
        """Return whether a request for this `Host` is for us; one without is no browser's."""
        if self._is_open or host is None:
            return True
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self._allowed or (self._loopback_too and is_loopback(name))

    @web.middleware
    async def middleware(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Turn requests for other hosts away."""
        if not self.allows(request.headers.get("Host")):
            raise web.HTTPMisdirectedRequest(text="HOST_NOT_ALLOWED")
        return await handler(request)


def is_loopback(host: str) -> bool:
    """Return whether a name or address is this machine's own."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        name = host.lower().rstrip(".")
        return name == "localhost" or name.endswith(".localhost")


def address_of(request: web.Request, trusted_proxies: int) -> str:
    """Return the client's address: of the connection, or as the outermost trusted proxy saw it."""
    address = request.remote or "unknown"
    if trusted_proxies:
        seen = [part.strip() for part in ",".join(request.headers.getall("X-Forwarded-For", [])).split(",")]
        seen = [part for part in seen if part]
        if seen:
            address = seen[-min(trusted_proxies, len(seen))]
    return address[:64]
