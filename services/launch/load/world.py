"""What all clients of one generator process share."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Coroutine
from typing import Any, Final

import grpc

from services.chassis.clock import Clock
from services.launch.load.audit import Auditor
from services.launch.load.figures import Figures
from services.launch.load.order import Order
from services.launch.load.tape import Tape

PLAYERS_PER_CHANNEL: Final = 50
"""HTTP/2 servers commonly allow 100 streams at once on a connection."""

CHANNEL: Final = {
    "grpc.use_local_subchannel_pool": 1,
    # A gateway that is gone is asked for again as often as over the WebSocket; left alone, the library takes
    # up to two minutes.
    "grpc.initial_reconnect_backoff_ms": 200,
    "grpc.max_reconnect_backoff_ms": 2_000,
}

MOMENTS_KEPT: Final = 64


class Board:
    """One table: when was an answer meant to be given, and when did the others see what it did.

    Frames that tell of one event carry one time; that is how an answer and what others see of it belong
    together. Of two answers in one millisecond the earlier counts.
    """

    __slots__ = ("_acts", "_figures", "_waiting")

    def __init__(self, figures: Figures) -> None:
        self._figures = figures
        self._acts: OrderedDict[int, float] = OrderedDict()
        self._waiting: OrderedDict[int, list[tuple[str, float]]] = OrderedDict()

    def acted(self, at_ms: int, due: float) -> None:
        """An answer, meant to be given at `due`, was taken at `at_ms` of the table's time."""
        due = self._acts[at_ms] = min(due, self._acts.get(at_ms, due))
        for name, heard in self._waiting.pop(at_ms, ()):
            self._figures.time(name, heard - due)
        if len(self._acts) > MOMENTS_KEPT:
            self._acts.popitem(last=False)

    def heard(self, at_ms: int, name: str, now: float) -> None:
        """Somebody else heard now of what happened at `at_ms`."""
        if at_ms in self._acts:
            self._figures.time(name, now - self._acts[at_ms])
            return
        self._waiting.setdefault(at_ms, []).append((name, now))
        if len(self._waiting) > MOMENTS_KEPT:
            self._waiting.popitem(last=False)


class World:
    """See the module.

    Args:
        order: What the test is.
        clock: The time.
        figures: Where everything is counted.
        started: When the test began, on that clock.
        group: Keeps all tasks.
        tape: Keeps what players are told and say; nothing without.
    """

    def __init__(
        self,
        order: Order,
        clock: Clock,
        figures: Figures,
        started: float,
        group: asyncio.TaskGroup,
        tape: Tape | None = None,
    ) -> None:
        self.order = order
        self.clock = clock
        self.figures = figures
        self.started = started
        self.tape = tape or Tape(clock)
        self.auditor = Auditor() if order.check == "full" else None
        self.is_closing = False
        """Nobody begins another match."""
        self.present = 0
        """Players who have come and not left."""
        self.connected = 0
        self._group = group
        self._tasks: set[asyncio.Task[Any]] = set()
        self._boards: dict[str, tuple[Board, int]] = {}
        self._channels: list[grpc.aio.Channel] = []
        self._control: grpc.aio.Channel | None = None
        self._newest: dict[str, tuple[grpc.aio.Channel, int]] = {}
        """By address: the channel that has room for more streams, and how many it has had."""

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run something; a defect in it ends the test."""
        task = self._group.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def end_all(self) -> None:
        """End whatever still runs."""
        for task in tuple(self._tasks):
            task.cancel()

    def channel(self, gateway: int = 0) -> grpc.aio.Channel:
        """Return a channel for one more stream to a gateway."""
        address = self.order.grpcs[gateway % len(self.order.grpcs)]
        newest, streams = self._newest.get(address, (None, 0))
        if newest is None or streams == PLAYERS_PER_CHANNEL:
            newest, streams = grpc.aio.insecure_channel(address, options=list(CHANNEL.items())), 0
            self._channels.append(newest)
        self._newest[address] = newest, streams + 1
        return newest

    def control(self) -> grpc.aio.Channel:
        """Return the channel for calls of an operator."""
        if self._control is None:
            self._control = grpc.aio.insecure_channel(self.order.grpcs[0])
            self._channels.append(self._control)
        return self._control

    async def close(self) -> None:
        """Close the channels."""
        for channel in self._channels:
            await channel.close()

    def sit_at(self, table_id: str) -> Board:
        """Return the board of a table; `rise_from` it in the end."""
        board, people = self._boards.get(table_id, (Board(self.figures), 0))
        self._boards[table_id] = board, people + 1
        return board

    def rise_from(self, table_id: str) -> None:
        """One who sat here has left."""
        board, people = self._boards.pop(table_id)
        if people > 1:
            self._boards[table_id] = board, people - 1
