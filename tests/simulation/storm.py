"""What goes wrong in a world, and when; each kind is counted."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from services.chassis.bus.broker import Faults
from tests.simulation.members import drain
from tests.simulation.processes import Process

if TYPE_CHECKING:
    from tests.simulation.members import Member
    from tests.simulation.world import World

STEP_CRASH: Final = 0.0004
"""How often a process dies at one of its awaits (bus, database, RPC)."""
STEP_PAUSE: Final = 0.0004
"""How often it is stopped there, mostly for longer than its lease lives: when it goes on, it is a zombie."""
PAUSE_S: Final = (0.5, 9.0)
JUMP_MS_MAX: Final = 4_500
"""Clocks of a deployment must be less than ten seconds apart (scoring's `SKEW_MS_MAX`): a jump is a
correction by NTP."""


class Storm:
    """See the module."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._rng = random.Random(f"{world.seed}/storm")
        seed = world.seed
        is_cluster = world.style == "r3"
        self.bus = Faults(
            seed=seed,
            lose_store=0.02,
            late_store=0.005,
            slow_store=0.05 if is_cluster else 0.0,
            lose_ack=0.04,
            lose_told=0.02,
            repeat_told=0.01,
            late_told=0.004,
            delay_s=0.02,
            lose_delivery_ack=0.02,
            lose_write=0.01,
            stale_read=0.2 if is_cluster else 0.0,
            stale_last=0.3 if is_cluster else 0.0,
            active=False,
        )
        self.rpc = Faults(seed=seed + 1, lose_told=0.03, delay_s=0.02, active=False)
        self._counts: Counter[str] = Counter()
        self.is_active = False

    def counts(self) -> Counter[str]:
        """Return how often each kind of fault was done."""
        return self._counts + self.bus.counts + self.rpc.counts + self._world.commons.faults.counts

    def begin(self) -> None:
        """Let things go wrong from now on."""
        commons = self._world.commons
        commons.refuse, commons.slow, commons.lose_commit = 0.01, 0.02, 0.005
        self._set(active=True)

    def end(self) -> None:
        """Let the world heal: what is down comes up, what is stopped goes on."""
        self._set(active=False)
        world = self._world
        world.broker.start()
        for database in world.commons.databases.values():
            database.is_up = True
        for member in world.members:
            if member.is_up and member.process is not None:
                member.process.clock.go_on()

    def _set(self, active: bool) -> None:
        self.is_active = active
        self.bus.active = self.rpc.active = self._world.commons.faults.active = active

    def count(self, kind: str, whom: str = "") -> None:
        """Note that something went wrong."""
        self._counts[kind] += 1
        self._world.note(f"FAULT {kind} {whom}")

    # At any await

    def step(self, process: Process, operation: str) -> None:
        """See `Process.on_step`."""
        if not self.is_active or process.is_dead:
            return
        draw = self._rng.random()
        if draw < STEP_CRASH:
            self.count("process crash at an await", f"{process.name} at {operation}")
            self.crash(process)
        elif draw < STEP_CRASH + STEP_PAUSE:
            self.pause(process)

    def crash(self, process: Process) -> None:
        """Kill a process."""
        self._world.note(f"{process.name} dies")
        process.crash()

    def pause(self, process: Process) -> None:
        """Stop a process for a while."""
        if process.clock.is_stopped:
            return
        seconds = self._rng.uniform(*PAUSE_S)
        self.count("process paused beyond its lease" if seconds > 3.5 else "process paused", process.name)
        process.clock.stop()
        clock = self._world.clock
        clock.call_at(clock.monotonic() + seconds, process.clock.go_on)

    # Now and then

    async def run(self) -> None:
        """Do something bad every few seconds, until cancelled."""
        rng, world = self._rng, self._world
        kinds: list[tuple[Callable[[], None], float]] = [
            (self._crash_some, 1.0),
            (self._pause_table, 1.0),
            (self._drain_some, 0.7),
            (self._kill_gateway, 0.7),
            (self._cut_some, 2.0),
            (self._silence_some, 1.0),
            (self._database_down, 1.0),
            (self._clock_jump, 1.0),
            (self._broker_restart, 0.5 if world.style == "r1" else 0.15),
            (self._leader_change, 0.0 if world.style == "r1" else 2.0),
        ]
        while True:
            await world.clock.sleep(rng.uniform(0.3, 4.0))
            if not self.is_active:
                return
            (what,) = rng.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])
            what()

    def _up(self, prefix: str = "") -> list[Process]:
        found = [m for m in self._world.members if m.is_up and m.name.startswith(prefix)]
        return [member.process for member in found if member.process is not None]

    def _crash_some(self) -> None:
        if found := self._up():
            process = self._rng.choice(found)
            self.count("process crash", process.name)
            self.crash(process)

    def _drain_some(self) -> None:
        if found := [member for member in self._world.members if member.is_up and member.services]:
            member = self._rng.choice(found)
            self.count("process drained", member.name)
            self._world.run_errand(drain(self._world, member))

    def _pause_table(self) -> None:
        if found := self._up("table"):
            self.pause(self._rng.choice(found))

    def _kill_gateway(self) -> None:
        if found := self._up("gateway"):
            process = self._rng.choice(found)
            self.count("gateway killed", process.name)
            self.crash(process)

    def _connected(self) -> list[Member]:
        return [m for m in self._world.members if m.is_up and m.gateway is not None and m.gateway.pipes]

    def _cut_some(self) -> None:
        if found := self._connected():
            gateway = self._rng.choice(found).gateway
            assert gateway is not None
            self.count("player connection cut")
            self._rng.choice(gateway.pipes).cut()

    def _silence_some(self) -> None:
        if found := self._connected():
            gateway = self._rng.choice(found).gateway
            assert gateway is not None
            self.count("player connection half-open")
            self._rng.choice(gateway.pipes).silence()

    def _database_down(self) -> None:
        world = self._world
        if not world.commons.databases:
            return
        name = self._rng.choice(sorted(world.commons.databases))
        database = world.commons.databases[name]
        self.count("database down", name)
        database.is_up = False

        def up() -> None:
            database.is_up = True

        world.clock.call_at(world.clock.monotonic() + self._rng.uniform(0.2, 4.0), up)

    def _clock_jump(self) -> None:
        if found := self._up():
            process = self._rng.choice(found)
            self.count("clock jump", process.name)
            process.clock.skew_ms = self._rng.randrange(-JUMP_MS_MAX, JUMP_MS_MAX)

    def _broker_restart(self) -> None:
        world = self._world
        if not world.broker.is_up:
            return
        self.count("broker restart")
        world.broker.stop()
        world.clock.call_at(world.clock.monotonic() + self._rng.uniform(0.5, 5.0), world.broker.start)

    def _leader_change(self) -> None:
        self.count("leader change")
        self._world.broker.change_leader(self._rng.uniform(0.2, 2.5))
