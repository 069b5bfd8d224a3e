"""The body of a request: not too long, not too slow, and unpacked by nobody."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError

from services.chassis.clock import Clock
from services.chassis.errors import Refusal

BODY_WAIT_S: Final = 10.0
"""A body takes no longer to arrive."""


async def body_of(request: web.Request, clock: Clock, most: int) -> bytes:
    """Return the body of a request, of so many bytes at most.

    Raises:
        Refusal: MESSAGE_TOO_LARGE, BODY_TOO_SLOW; BAD_MESSAGE: it is packed, or not framed as it says.
    """
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise Refusal("BAD_MESSAGE")
    if (request.content_length or 0) > most:
        raise Refusal("MESSAGE_TOO_LARGE")
    body = bytearray()
    try:
        async with clock.timeout(BODY_WAIT_S):
            async for chunk in request.content.iter_any():
                body += chunk
                if len(body) > most:
                    raise Refusal("MESSAGE_TOO_LARGE")
    except TimeoutError:
        raise Refusal("BODY_TOO_SLOW") from None
    except (HttpProcessingError, web.RequestPayloadError) as error:
        raise Refusal("BAD_MESSAGE") from error
    return bytes(body)
