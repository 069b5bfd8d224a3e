"""`POST /call/<package.Service/Method>`: one call in binary protobuf, answered by a `CallResult`."""

from __future__ import annotations

from typing import Final

from aiohttp import web
from paiju.gateway.v1.gateway_service_pb2 import CallError, CallResult

from services.chassis.errors import Outage, Refusal
from services.gateway.calls import Caller
from services.gateway.core.methods import MESSAGE_BYTES_MAX, METHODS
from services.gateway.core.refusals import failed
from services.gateway.doors.body import body_of
from services.gateway.doors.origin import address_of, is_origin_allowed
from services.gateway.hub import Hub
from services.gateway.tokens import SignedIn

CONTENT_TYPE: Final = "application/x-protobuf"

STATUSES: Final = {
    0: 200,
    3: 400,
    4: 504,
    5: 404,
    6: 409,
    7: 403,
    8: 429,
    9: 409,
    10: 409,
    11: 400,
    12: 404,
    13: 500,
    14: 503,
    16: 401,
}
"""`google.rpc.Code` → HTTP status, for proxies and operators; clients read the `CallResult`."""

STATUSES_OF_REASONS: Final = {
    "BODY_TOO_SLOW": 408,
    "MESSAGE_TOO_LARGE": 413,
    "RECORD_TOO_LARGE": 413,
    **dict.fromkeys(("ROOM_CODES_EXHAUSTED", "SHARD_BUSY", "SIGN_IN_BUSY"), 503),
    **dict.fromkeys(
        (
            "FAVOURITES_FULL",
            "FRIENDS_FULL",
            "FRIEND_BLOCKS_FULL",
            "FRIEND_HAS_ENOUGH",
            "FRIEND_INBOX_FULL",
            "FRIEND_REQUESTS_FULL",
            "SHARES_FULL",
            "TOO_MANY_API_KEYS",
            "TOO_MANY_KEYS",
            "TOO_MANY_ORDERS",
        ),
        409,
    ),
}
"""Only too many requests are 429: libraries repeat those by themselves after a while, which is of no use
where something is full until its owner empties it, nor where a request is too large.
"""


def status_of(error: CallError) -> int:
    """Return the HTTP status for what went wrong; 200 if nothing did."""
    return STATUSES_OF_REASONS.get(error.reason) or STATUSES.get(error.code, 500)


class CallDoor:
    """The handler of `/call/…`."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def call(self, request: web.Request) -> web.Response:
        """Answer one call."""
        try:
            result = await self._answer(request)
        except Refusal as refusal:
            result = failed(refusal)
        except Outage:
            result = failed(Refusal("SERVICE_UNAVAILABLE"))
        return web.Response(
            body=result.SerializeToString(),
            status=status_of(result.error),
            content_type=CONTENT_TYPE,
            headers={"Cache-Control": "no-store"},
        )

    async def _answer(self, request: web.Request) -> CallResult:
        settings = self._hub.settings
        if not is_origin_allowed(request, settings.allowed_origins):
            raise Refusal("ORIGIN_NOT_ALLOWED")
        address = address_of(request, settings.trusted_proxies)
        self._hub.check_address(address)
        who = await self._who(request)
        payload = await body_of(request, self._hub.clock, _most(request.match_info["method"], who))
        caller = Caller.of(who, address) if who else Caller("", address)
        if who is not None:
            self._hub.player_limits.take(who.player_id)
        return await self._hub.calls.call(caller, request.match_info["method"], payload)

    async def _who(self, request: web.Request) -> SignedIn | None:
        header = request.headers.get("Authorization", "")
        if not header:
            return None
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise Refusal("TOKEN_INVALID")
        return await self._hub.sign_in(token.strip())


def _most(path: str, who: SignedIn | None) -> int:
    """Return how long a body may be; strangers may send no more than anywhere else."""
    method = METHODS.get(path)
    return method.bytes_max if method is not None and who is not None else MESSAGE_BYTES_MAX
