"""Clients of the players' door: the same over the WebSocket and over gRPC."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import grpc
from paiju.gateway.v1 import gateway_service_pb2_grpc
from paiju.gateway.v1.gateway_service_pb2 import Call, CallResult, Hello, Ping, PlayRequest, PlayResponse
from paiju.table.v1.play_pb2 import CommandAnswer, TableCommand

WAIT_S = 60.0


class Ended(Exception):
    """The connection is over."""


class PlayClient:
    """What tests say and hear. `send_bytes` and `close` are the door's; `hear` is fed by it."""

    def __init__(self) -> None:
        self.heard: deque[PlayResponse] = deque()
        self.ended = False
        self._something = asyncio.Condition()
        self._next_id = 1

    async def send(self, request: PlayRequest) -> None:
        raise NotImplementedError

    async def close(self) -> None:
        raise NotImplementedError

    async def hear(self, response: PlayResponse) -> None:
        async with self._something:
            self.heard.append(response)
            self._something.notify_all()

    async def end(self) -> None:
        async with self._something:
            self.ended = True
            self._something.notify_all()

    async def wait_for(self, is_it: Callable[[PlayResponse], bool], seconds: float = WAIT_S) -> PlayResponse:
        """Return, and forget, the first message that `is_it`; others stay."""
        async with asyncio.timeout(seconds), self._something:
            while True:
                for response in self.heard:
                    if is_it(response):
                        self.heard.remove(response)
                        return response
                if self.ended:
                    raise Ended
                await self._something.wait()

    async def wait_end(self, seconds: float = WAIT_S) -> str:
        """Return the reason of the goodbye, once the connection has ended; empty = none was said."""
        async with asyncio.timeout(seconds), self._something:
            while not self.ended:
                await self._something.wait()
        last = self.heard[-1] if self.heard else PlayResponse()
        return last.goodbye.reason

    async def ask(self, **body: Any) -> PlayResponse:
        request_id = self._next_id
        self._next_id += 1
        await self.send(PlayRequest(id=request_id, **body))
        return await self.wait_for(lambda response: response.reply_to == request_id)

    async def hello(self, token: str) -> PlayResponse:
        return await self.ask(hello=Hello(access_token=token, language="zh-CN", client="test/1"))

    async def command(self, table_id: str, command_id: str = "", **body: Any) -> CommandAnswer:
        answer = await self.ask(table=TableCommand(table_id=table_id, command_id=command_id, **body))
        assert answer.WhichOneof("body") == "command_answer", answer
        return answer.command_answer

    async def call(self, method: str, payload: bytes = b"") -> CallResult:
        return (await self.ask(call=Call(method=method, payload=payload))).call_result

    async def ping(self, at_ms: int = 7) -> int:
        return (await self.ask(ping=Ping(at_ms=at_ms))).pong.at_ms

    async def frames(self, count: int, seconds: float = WAIT_S) -> list[bytes]:
        """Return the next frames of any table, exactly so many."""
        found: list[bytes] = []
        while len(found) < count:
            response = await self.wait_for(lambda r: r.HasField("table_frames"), seconds)
            found += response.table_frames.frames
        assert len(found) == count, found
        return found


class WebSocketClient(PlayClient):
    def __init__(self, http: aiohttp.ClientSession, socket: aiohttp.ClientWebSocketResponse) -> None:
        super().__init__()
        self._http = http
        self.socket = socket
        self._reader = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, url: str, **headers: str) -> WebSocketClient:
        http = aiohttp.ClientSession()
        try:
            socket = await http.ws_connect(url + "play", headers=headers, max_msg_size=0)
        except BaseException:
            await http.close()
            raise
        return cls(http, socket)

    async def send(self, request: PlayRequest) -> None:
        await self.socket.send_bytes(request.SerializeToString())

    async def close(self) -> None:
        await self.socket.close()
        await self._http.close()
        await self._reader

    async def _read(self) -> None:
        async for message in self.socket:
            await self.hear(PlayResponse.FromString(message.data))
        await self.end()


class GrpcClient(PlayClient):
    def __init__(self, address: str) -> None:
        super().__init__()
        self._channel = grpc.aio.insecure_channel(address)
        self._requests: asyncio.Queue[PlayRequest | None] = asyncio.Queue()
        self._stream = gateway_service_pb2_grpc.GatewayServiceStub(self._channel).Play(self._say())
        self._reader = asyncio.create_task(self._read())

    async def send(self, request: PlayRequest) -> None:
        self._requests.put_nowait(request)

    async def close(self) -> None:
        self._requests.put_nowait(None)
        await self._reader
        await self._channel.close()

    async def cut(self) -> None:
        """Break the connection off without a word."""
        self._stream.cancel()
        await self._channel.close()
        await self._reader

    async def _say(self) -> AsyncIterator[PlayRequest]:
        while (request := await self._requests.get()) is not None:
            yield request

    async def _read(self) -> None:
        try:
            async for response in self._stream:
                await self.hear(response)
        except (grpc.RpcError, asyncio.CancelledError):
            pass
        await self.end()
