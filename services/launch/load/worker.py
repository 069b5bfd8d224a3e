"""One process of the generator: an event loop, its share of the arrivals, and what it measures."""

from __future__ import annotations

import asyncio
import resource
import traceback
from collections import Counter
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any, Final

import uvloop

from services.chassis.clock import Clock, SystemClock
from services.launch.load.chance import Stream
from services.launch.load.figures import PHASES, Figures
from services.launch.load.order import Order
from services.launch.load.plan import Arrival, arrivals, share
from services.launch.load.player import Player, Watchers
from services.launch.load.seating import Party
from services.launch.load.tape import Tape
from services.launch.load.world import World

LAG_EVERY_S: Final = 0.05
LOOK_AFTER_EVERY_S: Final = 5.0

STOPPED_DRAIN_S: Final = 3.0
"""After Ctrl-C nobody waits for matches to end."""


@dataclass(frozen=True, slots=True)
class Progress:
    """What a process tells of itself once a second."""

    arrived: int
    present: int
    connected: int
    actions: int
    frames: int
    rounds: int
    errors: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Broken:
    """What a process says last that a defect has ended."""

    why: str
    traceback: str


class Worker:
    """See the module.

    Args:
        order: What the test is.
        job: Which of the processes this is.
        clock: The time.
        pipe: To the parent; None in tests.
    """

    def __init__(self, order: Order, job: int, clock: Clock, pipe: Connection | None) -> None:
        self.figures = Figures()
        self._order = order
        self._job = job
        self._clock = clock
        self._pipe = pipe
        self._plan = share(arrivals(order), job, order.jobs)
        self._sizes = Counter(arrival.party for arrival in self._plan)
        self._room = _shared(order.seats, job, order.jobs)
        self._storms = Stream(order.seed, "storms", job)
        self._players: dict[Player, asyncio.Task[Any]] = {}
        self._parties: dict[int, Party | None] = {}
        self._arrived = 0
        self._is_told_to_stop = False

    async def run(self) -> Figures:
        """Live through the whole test and return what was measured."""
        started = self._clock.monotonic()
        folder = self._order.transcripts
        tape = Tape(self._clock, folder / f"{self._job}.jsonl" if folder is not None else None)
        async with asyncio.TaskGroup() as group:
            world = World(self._order, self._clock, self.figures, started, group, tape)
            watchers = Watchers(world, self._order.watch)
            for work in (self._measure_lag(), self._keep_time(world), self._look_after(world, watchers)):
                world.spawn(work)
            if self._order.drop_every_s:
                world.spawn(self._storm(world))
            await self._let_in(world, watchers)
            world.is_closing = True
            await self._see_out()
            await watchers.go()
            world.end_all()
        await world.close()
        tape.close()
        return self.figures

    async def _let_in(self, world: World, watchers: Watchers) -> None:
        for arrival in self._plan:
            wait_s = world.started + arrival.at_s - self._clock.monotonic()
            if wait_s > 0:
                await self._clock.sleep(wait_s)
            if self._is_told_to_stop:
                return
            party = self._admit(world, arrival)
            if party is None:
                self.figures.count("turned_away")
                continue
            self._arrived += 1
            self.figures.count("arrived")
            player = Player(world, arrival, party, watchers)
            world.present += 1
            task = self._players[player] = world.spawn(player.visit())
            task.add_done_callback(partial(self._gone, world, player))
        while self._clock.monotonic() < world.started + self._order.until_s and not self._is_told_to_stop:
            await self._clock.sleep(0.1)

    def _admit(self, world: World, arrival: Arrival) -> Party | None:
        """Return the party of one who arrives; a whole party is let in, or none of it."""
        if arrival.party not in self._parties:
            expected = self._sizes[arrival.party]
            has_room = world.present + expected <= self._room
            self._parties[arrival.party] = Party(expected, self._clock) if has_room else None
        return self._parties[arrival.party]

    def _gone(self, world: World, player: Player, _: asyncio.Task[Any]) -> None:
        world.present -= 1
        del self._players[player]

    async def _see_out(self) -> None:
        """Let those who play finish their match, for a while."""
        drain_s = min(self._order.drain_s, STOPPED_DRAIN_S) if self._is_told_to_stop else self._order.drain_s
        until = self._clock.monotonic() + drain_s
        while self._players and self._clock.monotonic() < until:
            await self._clock.sleep(0.1)
        tasks = list(self._players.values())
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    async def _storm(self, world: World) -> None:
        """Cut many connections at once, again and again."""
        order = self._order
        while not world.is_closing:
            await self._clock.sleep(order.drop_every_s)
            hit = [player for player in self._players if self._storms.uniform() < order.drop_share]
            for player in hit:
                world.spawn(player.drop(order.drop_spread_ms / 1000))

    async def _measure_lag(self) -> None:
        """Measure how late this very loop is: its own part of every time above."""
        due = self._clock.monotonic() + LAG_EVERY_S
        while True:
            await self._clock.sleep(due - self._clock.monotonic())
            now = self._clock.monotonic()
            self.figures.time("lag", now - due)
            due = max(due + LAG_EVERY_S, now)

    async def _look_after(self, world: World, watchers: Watchers) -> None:
        while True:
            await self._clock.sleep(LOOK_AFTER_EVERY_S)
            for client in [*self._players, *watchers.all]:
                world.spawn(client.look_after())

    async def _keep_time(self, world: World) -> None:
        """Switch phases, and tell the parent how it goes."""
        cpu_s, since, phase = _cpu_s(), world.started, PHASES[0]
        told_at = world.started
        try:
            while True:
                await self._clock.sleep(0.1)
                now = self._clock.monotonic()
                is_ramp = now < world.started + self._order.ramp_s
                next_phase = PHASES[2] if world.is_closing else PHASES[0] if is_ramp else PHASES[1]
                if next_phase != phase:
                    self._close_phase(phase, cpu_s, since)
                    cpu_s, since, phase = _cpu_s(), now, next_phase
                    self.figures.enter(phase)
                if self._pipe is not None and now - told_at >= 1:
                    told_at = now
                    self._pipe.send(self._progress(world))
                    self._is_told_to_stop |= self._pipe.poll()
        finally:
            self._close_phase(phase, cpu_s, since)

    def _close_phase(self, name: str, cpu_s: float, since: float) -> None:
        phase = self.figures.phases[name]
        phase.seconds = self._clock.monotonic() - since
        phase.cpu_s = _cpu_s() - cpu_s
        if name == PHASES[1] and phase.seconds:
            self.figures.busiest = phase.cpu_s / phase.seconds

    def _progress(self, world: World) -> Progress:
        total, figures = self.figures.total, self.figures
        return Progress(
            arrived=self._arrived,
            present=world.present,
            connected=world.connected,
            actions=total("actions"),
            frames=total("frames"),
            rounds=sum(len(phase.rounds) for phase in figures.phases.values()),
            errors=figures.errors.total(),
            wrong=figures.wrong.total(),
        )


def _shared(seats: int, job: int, jobs: int) -> int:
    """Return one process's share of the seats; together they have all."""
    return seats // jobs + (job < seats % jobs)


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def main(order: Order, job: int, pipe: Connection) -> None:
    """Be such a process: say that we are ready, wait for the word, and send what was measured."""
    # A connection is an open file, and shells often allow a thousand.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    worker = Worker(order, job, SystemClock(), pipe)
    pipe.send("ready")
    pipe.recv()
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            pipe.send(runner.run(worker.run()))
    except BaseException as error:  # noqa: BLE001 - whatever ends the process, its parent is told
        pipe.send(Broken(_innermost(error), traceback.format_exc()))


def _innermost(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return f"{type(error).__name__}: {error}"
