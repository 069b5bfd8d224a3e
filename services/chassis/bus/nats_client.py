"""nats-py's client, with three of its habits cured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg

T = TypeVar("T")

INBOX = "_INBOX"
DELIVERED = "$JS."
"""What a stream delivers is to be acknowledged under such a subject; an answer never is."""
NOBODY = "503"
"""The server's own answer to a request that nobody hears. Its other statuses tell of a pull."""


class PatientClient(Client):
    """Stays able to hear, and lets whoever waits for it be cancelled.

    - A `flush` that is cancelled or times out leaves its future in the queue of PONGs; nats-py then sets the
      result of a future that is done, and what that raises makes the whole connection deaf.
    - nats-py takes whatever arrives where an answer is awaited. The server puts deliveries of a stream
      wherever the puller wants them, and the end of a pull too, also into an inbox that he may not publish
      to: those are no answers.
    - nats-py waits with `asyncio.wait_for`, which before Python 3.12 forgets a cancellation that comes
      together with the answer, and it forgets one while it flushes: the task goes on, and whoever has
      cancelled it waits for its end for ever.
    """

    async def _process_pong(self) -> None:
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

    async def _request_sub_callback(self, msg: Msg) -> None:
        status = (msg.headers or {}).get("Status", NOBODY)
        if not msg.reply.startswith(DELIVERED) and status == NOBODY:
            await super()._request_sub_callback(msg)

    async def request(self, *args: Any, **kwargs: Any) -> Msg:
        """See nats-py's `Client.request`."""
        return await cancellable(super().request(*args, **kwargs))

    async def flush(self, *args: Any, **kwargs: Any) -> None:
        """See nats-py's `Client.flush`."""
        await cancellable(super().flush(*args, **kwargs))

    async def _flush_pending(self, *args: Any, **kwargs: Any) -> asyncio.Future[None] | None:
        return await cancellable(super()._flush_pending(*args, **kwargs))


async def cancellable(awaited: Awaitable[T]) -> T:
    """Return what is awaited, unless a cancellation came meanwhile that it has forgotten.

    Raises:
        asyncio.CancelledError: The task was cancelled meanwhile.
    """
    task = asyncio.current_task()
    assert task is not None, "awaited in a task"
    before = task.cancelling()
    try:
        return await awaited
    finally:
        # One that is forgotten stays counted; those of before are not ours: their task is cleaning up.
        if task.cancelling() > before:
            raise asyncio.CancelledError


def is_inbox(subject: str) -> bool:
    """Return whether a subject is one under which somebody waits for an answer."""
    return subject.startswith((f"{INBOX}.", f"{INBOX}_"))


def is_from_a_stream(message: Msg) -> bool:
    """Return whether the server has delivered this from a stream, or tells of a pull."""
    return message.reply.startswith(DELIVERED) or "Status" in (message.headers or ())
