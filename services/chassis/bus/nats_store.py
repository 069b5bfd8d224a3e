"""Sending to streams: many stores in flight over one inbox, and none that waits for a connection that is
gone.
"""

from __future__ import annotations

import asyncio
from itertools import count

import orjson
from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import Error as NatsError

from services.chassis.bus.base import EXPECTED, StoreAnswer, Stored, WrongLast
from services.chassis.bus.port import Unknown
from services.chassis.clock import Clock

STORE_WAIT_S = 2.0
WRONG_LAST_SEQUENCE = 10071
EXPECTED_STREAM = "Nats-Expected-Stream"


class NatsStore:
    """The stores of one connection.

    nats-py's own `publish` waits its whole timeout for an answer that went down with the connection, and
    costs twice as much.
    """

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._numbers = count(1)
        self._waiting: dict[str, asyncio.Future[Msg | None]] = {}
        self._inbox = ""
        self._back = asyncio.Event()

    async def begin(self) -> None:
        """Subscribe to the inbox of all answers; once, when connected."""
        self._inbox = self._client.new_inbox()
        await self._client.subscribe(f"{self._inbox}.*", cb=self._arrived)
        self._back.set()

    def down(self) -> None:
        """Say that the connection is gone: what was under way has no answer any more."""
        self._back.clear()
        for future in self._waiting.values():
            if not future.done():
                future.set_result(None)

    def up(self) -> None:
        """Say that the connection is back."""
        self._back.set()

    async def store(self, stream: str, subject: str, payload: bytes, headers: dict[str, str]) -> StoreAnswer:
        """Send once, and say what is known."""
        reply = f"{self._inbox}.{next(self._numbers)}"
        future: asyncio.Future[Msg | None] = asyncio.get_running_loop().create_future()
        try:
            async with self._clock.timeout(STORE_WAIT_S):
                await self._back.wait()
                self._waiting[reply] = future
                await self._client.publish(subject, payload, reply, headers | {EXPECTED_STREAM: stream})
                message = await future
        except TimeoutError:
            return Unknown("no answer in time")
        except (NatsError, OSError) as error:
            return Unknown(repr(error))
        finally:
            self._waiting.pop(reply, None)
        if message is None:
            return Unknown("the connection broke")
        return _read(message, EXPECTED in headers)

    async def _arrived(self, message: Msg) -> None:
        future = self._waiting.get(message.subject)
        if future is not None and not future.done():
            future.set_result(message)


def _read(message: Msg, is_expecting: bool) -> StoreAnswer:
    if message.headers and message.headers.get("Status"):
        return Unknown(f"no stream answers: {message.headers['Status']}")
    try:
        answer = orjson.loads(message.data)
    except orjson.JSONDecodeError:
        return Unknown("the answer can't be read")
    error = answer.get("error")
    if error is None:
        return Stored(int(answer["seq"]))
    if is_expecting and error.get("err_code") == WRONG_LAST_SEQUENCE:
        return WrongLast()
    return Unknown(f"{error.get('err_code')} {error.get('description')}")
