"""nats-py's client, with two of its habits cured."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from nats.aio.client import Client
from nats.aio.msg import Msg

T = TypeVar("T")


class PatientClient(Client):
    """Stays able to hear, and lets whoever waits for it be cancelled.

    - A `flush` that is cancelled or times out leaves its future in the queue of PONGs; nats-py then sets the
      result of a future that is done, and what that raises makes the whole connection deaf.
    - nats-py waits with `asyncio.wait_for`, which before Python 3.12 forgets a cancellation that comes
      together with the answer, and it forgets one while it flushes: the task goes on, and whoever has
      cancelled it waits for its end for ever.
    """

    async def _process_pong(self) -> None:
        if self._pongs and self._pongs[0].done():
            self._pongs[0] = asyncio.get_running_loop().create_future()
        await super()._process_pong()

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
