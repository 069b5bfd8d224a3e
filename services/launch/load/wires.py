"""The doors, as a client uses them: messages out, messages in, and two ways to end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Protocol, TypeVar

import aiohttp
import grpc
from google.protobuf.message import DecodeError, Message
from paiju.gateway.v1 import gateway_service_pb2_grpc
from paiju.gateway.v1.gateway_service_pb2 import CallResult, PlayRequest, PlayResponse

M = TypeVar("M", bound=Message)

OPEN_S_MAX = 30.0


class Lost(Exception):
    """The connection is over, or could not be made; the text is the reason."""


class Refused(Exception):
    """The platform said no; the text is its reason."""


class Wire(Protocol):
    """One connection of a player."""

    async def send(self, request: PlayRequest) -> None:
        """Send one message.

        Raises:
            Lost: The connection is over.
        """

    async def receive(self) -> PlayResponse | None:
        """Return the next message; None once the connection is over."""

    async def close(self) -> None:
        """End it in order."""

    async def cut(self) -> None:
        """End it as a lost network would: without a word."""


def session_for(source: str) -> aiohttp.ClientSession:
    """Return what one player needs for HTTP; with a source address, from there."""
    connector = aiohttp.TCPConnector(local_addr=(source, 0) if source else None, limit=0)
    return aiohttp.ClientSession(
        connector=connector,
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=OPEN_S_MAX),
    )


async def post(http: aiohttp.ClientSession, url: str, method: str, request: Message, response: type[M]) -> M:
    """Make a call that needs no connection.

    Raises:
        Refused: The service, or the gateway, said no.
        Lost: Nobody answered, or somebody who is not the gateway.
    """
    try:
        async with http.post(f"{url}call/{method}", data=request.SerializeToString()) as answer:
            try:
                result = CallResult.FromString(await answer.read())
            except DecodeError as error:
                # A proxy, or somebody else's server: it is not the gateway who speaks.
                raise Lost(f"HTTP_{answer.status}") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Lost(type(error).__name__) from error
    return taken(result, response)


def taken(result: CallResult, response: type[M]) -> M:
    """Return what a call answered.

    Raises:
        Refused: It said no.
    """
    if result.HasField("error"):
        raise Refused(result.error.reason)
    return response.FromString(result.payload)


class WebSocketWire:
    """The door of browsers."""

    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._http = http
        self._socket = socket

    @classmethod
    async def open(cls, url: str, source: str) -> WebSocketWire:
        """Connect.

        Raises:
            Lost: Nobody is there, or the door is shut.
        """
        http = session_for(source)
        try:
            return cls(http, await http.ws_connect(f"{url}play", max_msg_size=0))
        except (aiohttp.ClientError, OSError, TimeoutError) as error:
            await http.close()
            raise Lost(_why(error)) from error
        except BaseException:
            await http.close()
            raise

    async def send(self, request: PlayRequest) -> None:
        """See `Wire.send`."""
        try:
            await self._socket.send_bytes(request.SerializeToString())
        except (aiohttp.ClientError, OSError) as error:
            raise Lost(type(error).__name__) from error

    async def receive(self) -> PlayResponse | None:
        """See `Wire.receive`."""
        message = await self._socket.receive()
        if message.type is not aiohttp.WSMsgType.BINARY:
            return None
        return PlayResponse.FromString(message.data)

    async def close(self) -> None:
        """See `Wire.close`."""
        await self._socket.close()
        await self._http.close()

    async def cut(self) -> None:
        """See `Wire.cut`; closing the session ends the socket below the WebSocket."""
        await self._http.close()


def _why(error: Exception) -> str:
    return (
        f"HTTP_{error.status}" if isinstance(error, aiohttp.WSServerHandshakeError) else type(error).__name__
    )


class GrpcWire:
    """The door of integrators; many players share a channel."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stream = gateway_service_pb2_grpc.GatewayServiceStub(channel).Play()
        self._is_over = False

    async def send(self, request: PlayRequest) -> None:
        """See `Wire.send`."""
        if self._is_over:
            raise Lost("CLOSED")
        try:
            await self._stream.write(request)
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError) as error:
            raise Lost(type(error).__name__) from error
        except asyncio.CancelledError:
            # The library says so too when it is the stream that was cancelled, not us.
            task = asyncio.current_task()
            if task is None or task.cancelling() or not self._is_over:
                raise
            raise Lost("CLOSED") from None

    async def receive(self) -> PlayResponse | None:
        """See `Wire.receive`."""
        try:
            response = await self._stream.read()
        except (grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            return None
        except asyncio.CancelledError:
            if not self._is_over:
                raise
            return None
        return response if isinstance(response, PlayResponse) else None

    async def close(self) -> None:
        """See `Wire.close`."""
        with suppress(grpc.RpcError, grpc.aio.BaseError, asyncio.InvalidStateError):
            await self._stream.done_writing()
        await self.cut()

    async def cut(self) -> None:
        """See `Wire.cut`."""
        self._is_over = True
        self._stream.cancel()
