"""Who connects: the web site in whose name, and the address from where."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from aiohttp import web


def is_origin_allowed(request: web.Request, allowed: Sequence[str]) -> bool:
    """Return whether a browser may connect in the name of the web site it names.

    Allowed are this very host, those listed, and clients that name none (no browser leaves it out).
    """
    origin = request.headers.get("Origin")
    if origin is None or origin in allowed:
        return True
    return bool(origin) and urlsplit(origin).netloc == request.host


def address_of(request: web.Request, trusted_proxies: int) -> str:
    """Return the client's address: of the connection, or as the outermost trusted proxy saw it."""
    address = request.remote or "unknown"
    if trusted_proxies:
        seen = [part.strip() for part in ",".join(request.headers.getall("X-Forwarded-For", [])).split(",")]
        seen = [part for part in seen if part]
        if seen:
            address = seen[-min(trusted_proxies, len(seen))]
    return address[:64]
