"""A world on a faulty bus and a virtual clock: people, gateways, matchmaking, tables, scoring, economy.

Everything comes from one seed: what is lost, late, doubled; which process dies or sleeps at which await; what
people play, and where they connect. After a while the world heals, every match must come to its end, and the
book must add up. `docs/simulation.md` says what is real and what is judged.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from hashlib import blake2b
from typing import Any, Final

from paiju.table.v1 import play_pb2 as p

from services.chassis import outbox
from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus.broker import Faults, MemoryBroker
from services.chassis.clock import VirtualClock
from services.chassis.errors import Outage
from services.chassis.rpc.memory import MemoryNetwork
from services.matchmaking import placer
from services.table import tables
from services.table.core.table import Table
from tests.simulation.client import Violation
from tests.simulation.closing import is_settled, judge_money, judge_tickets, waiting
from tests.simulation.ledger import Facts
from tests.simulation.lobby import Room
from tests.simulation.logs import Logs
from tests.simulation.members import IDLE_LOOK_S, WIRINGS, keep_alive, members
from tests.simulation.people import lives_of
from tests.simulation.person import KID, Person, key
from tests.simulation.pipe import Gateway
from tests.simulation.playing import Client
from tests.simulation.processes import Commons, Process, changed
from tests.simulation.report import Report
from tests.simulation.storm import Storm
from tests.support.process import full_registry, settings_for_tests

FAULTY_S = 40.0
HEALED_S = 1_200.0
SHARDS = 2
STYLES: Final = ("r1", "r3")
"""One server, or a cluster of three."""


def style_of(seed: int) -> str:
    """Return the style of broker that a seed picks."""
    return STYLES[(seed // 3) % 2]


class World:
    """One run from one seed.

    Args:
        clock: Of the virtual loop.
        seed: Of everything.
        healed_s: Virtual seconds for all matches to end, once the faults have.
        style: `r1` or `r3`; None = as the seed says.
        faulty_s: Virtual seconds of faults.
        trace: Keep so many last lines of what happened, in `lines`.
    """

    def __init__(
        self,
        clock: VirtualClock,
        seed: int,
        *,
        healed_s: float = HEALED_S,
        style: str | None = None,
        faulty_s: float = FAULTY_S,
        trace: int = 0,
    ) -> None:
        self.clock = clock
        self.seed = seed
        self.rng = random.Random(seed)
        self.style = style or style_of(seed)
        self.healed_s = healed_s
        self.faulty_s = faulty_s
        self.trace = trace
        self.lines: list[str] = []
        self.logs = Logs()
        self.facts = Facts()
        self.persons: list[Person] = []
        self.rooms: list[Room] = []
        self.storm = Storm(self)
        registry = full_registry(
            log_shards=SHARDS,
            log_streams=1,
            consumes=tuple(consumes for wiring in WIRINGS for consumes in wiring.hears),
        )
        self.broker = MemoryBroker(registry, clock, 1 if self.style == "r1" else 3, self.storm.bus)
        self.commons = Commons(
            clock,
            seed,
            self.broker,
            MemoryNetwork(self.storm.rpc),
            registry,
            settings_for_tests(log_shards=SHARDS, log_streams=1),
            Faults(seed + 2, active=False),
        )
        self.members = members()
        self.is_closing = False
        """All is settled: people may go."""
        self.playing = 0
        self._errands: set[asyncio.Task[None]] = set()
        self._digest = blake2b(digest_size=16)
        self._failed: asyncio.Future[None] | None = None
        self._tap()

    # Watching

    def note(self, what: str) -> None:
        """See `person.Neighbourhood`."""
        line = f"{self.clock.monotonic():10.4f} {what}"
        self._digest.update(line.encode())
        if self.trace:
            self.lines.append(line)
            if len(self.lines) > 2 * self.trace:
                del self.lines[: -self.trace]

    def fail(self, violation: BaseException) -> None:
        """See `person.Neighbourhood`."""
        assert self._failed is not None
        if not self._failed.done():
            self._failed.set_exception(violation)

    def run_errand(self, errand: Coroutine[Any, Any, None]) -> None:
        """Do something beside everything else; what it raises ends the run."""
        task = asyncio.get_running_loop().create_task(errand)
        self._errands.add(task)

        def done(ended: asyncio.Task[None]) -> None:
            self._errands.discard(ended)
            if not ended.cancelled() and (error := ended.exception()) is not None:
                self.fail(error)

        task.add_done_callback(done)

    def saw_frame(self, player: Client, number: int, data: bytes) -> None:
        """See `person.Neighbourhood`."""
        self.note(f"{player.player} is shown frame {number} of {player.table_id} {hash_of(data)}")
        self.logs.saw(player, number, data)

    def saw_view(self, player: Client, view: p.TableView) -> None:
        """See `person.Neighbourhood`."""
        self.note(f"{player.player} is shown view {view.number} of {player.table_id}")
        self.logs.saw_view(player, view)

    def was_answered(self, player: Client, command: p.TableCommand, reason: str) -> None:
        """See `person.Neighbourhood`."""

    def was_left_alone(self, player: Client) -> None:
        """See `person.Neighbourhood`."""
        self.note(f"{player.player} gets no answer")

    def questions_since(self, player: Client, question: int) -> int:
        """See `person.Neighbourhood`."""
        table = self.logs.tables[player.table_id].table
        return table.s.seats[player.view.seat].questions - question

    def gateways(self) -> list[Gateway]:
        """See `person.Neighbourhood`."""
        return [member.gateway for member in self.members if member.is_up and member.gateway is not None]

    def _tap(self) -> None:
        """See every message that a stream keeps in the moment it is kept."""
        broker, store = self.broker, self.broker.store

        def tapped(
            name: str,
            subject: str,
            payload: bytes,
            headers: dict[str, str],
            msg_id: str,
            expected: int | None,
        ) -> tuple[bool, int]:
            before = broker.stream(name).last_seq
            is_stored, seq = store(name, subject, payload, headers, msg_id, expected)
            self.note(f"{subject} {msg_id} expects {expected}: {is_stored} {seq} {hash_of(payload)}")
            if is_stored and seq > before:
                try:
                    self._stored(name, subject, payload)
                except AssertionError as violation:
                    self.fail(violation)
            return is_stored, seq

        broker.store = tapped  # type: ignore[method-assign]

    def _stored(self, stream: str, subject: str, payload: bytes) -> None:
        if stream.startswith("TABLE_LOG"):
            self.logs.take(subject.rpartition(".")[2], payload, self.clock.monotonic())
        elif stream == "DLQ":
            raise AssertionError(f"a consumer met a defect: {subject}")
        else:
            self.facts.take(subject, payload)

    # Running

    async def run(self) -> Report:
        """Live through the faults, heal, come to the end, and judge.

        Raises:
            Violation: Something happened that must not, or somebody waits for ever.
        """
        self._failed = asyncio.get_running_loop().create_future()
        checkpoints = self.rng.choice((15, 60, 1_000))
        with changed(
            (tables, "CHECKPOINT_AFTER", checkpoints),
            (tables, "PURGE_AFTER", max(5, checkpoints // 3)),
            # Whoever writes pokes them: looking more often than this only costs time.
            (placer, "RETRY_S", IDLE_LOOK_S),
            (outbox, "LOOK_S", IDLE_LOOK_S),
        ):
            await self._run()
        return self.report()

    async def _run(self) -> None:
        self.people = Process(self.commons, "people")
        await self.people.rpc.start()
        bucket = await self.people.bus.bucket(KEYS_BUCKET)
        await until_done(self.clock, lambda: bucket.put(KID, key().public_key().public_bytes_raw()))
        async with asyncio.TaskGroup() as tasks:
            keepers = [tasks.create_task(keep_alive(self, member)) for member in self.members]
            keepers.append(tasks.create_task(self._watch()))
            self.storm.begin()
            keepers.append(tasks.create_task(self.storm.run()))
            lives = [tasks.create_task(life) for life in lives_of(self)]
            keepers.append(tasks.create_task(self.meanwhile()))
            self.playing = len(lives)
            await self.clock.sleep(self.faulty_s)
            self.storm.end()
            self.note("the world heals")
            keepers.append(tasks.create_task(self.after_storm()))
            try:
                async with self.clock.timeout(self.healed_s):
                    while self.playing or not is_settled(self):
                        await self.clock.sleep(1.0)
                    self.is_closing = True
                    await asyncio.wait(lives)
            except TimeoutError:
                raise Violation(f"somebody waits for ever: {waiting(self)}") from None
            for keeper in keepers:
                keeper.cancel()
        await self._judge()
        for member in self.members:
            if member.process is not None:
                member.process.crash()
        self.people.crash()

    async def meanwhile(self) -> None:
        """Do what is done beside all lives, to their end."""

    async def after_storm(self) -> None:
        """Do what is still to be done to a world that has healed."""

    async def _watch(self) -> None:
        """End the run at once when something happened that must not."""
        assert self._failed is not None
        while not self._failed.done():
            for member in self.members:
                if member.process is not None and member.process.defects:
                    error = member.process.defects[0]
                    raise AssertionError(f"{member.name} crashed of itself: {error!r}") from error
            await asyncio.wait([self._failed], timeout=1.0)
        self._failed.result()

    def live_tables(self) -> dict[str, Table]:
        """Return the tables as the present owners have them."""
        found: dict[str, Table] = {}
        for member in self.members:
            service = member.services.get("table")
            if not member.is_up or service is None:
                continue
            for number in range(SHARDS):
                shard = service.owner.shard(format(number, "x"))
                if shard is not None and not shard.is_dropped:
                    found |= shard.tables.live
        return found

    async def _judge(self) -> None:
        assert self._failed is not None
        if self._failed.done():
            self._failed.result()
        clients = [client for person in self.persons for client in person.clients]
        staying = [person.staying for person in self.persons if person.staying is not None]
        self.logs.judge(clients, staying, self.live_tables())
        self.logs.judge_seats([person.player_id for person in self.persons])
        judge_tickets(self)
        judge_money(self)

    def report(self) -> Report:
        """Return what this run was."""
        made = Report(self.seed, self.style)
        made.tables = len(self.logs.tables)
        made.rounds = len(self.facts.finished)
        made.actions = len(self.logs.answers)
        made.appends = self.logs.appends
        made.checkpoints = self.logs.checkpoints
        made.purges = self.broker.purges
        made.frames = self.logs.shown
        made.takeovers = sum(self.logs.takings.values()) - len(self.logs.takings)
        made.connections = sum(person.reconnects for person in self.persons)
        made.virtual_s = self.clock.monotonic()
        made.faults.update(self.storm.counts())
        made.digest = self._digest.hexdigest()
        return made


async def until_done(clock: VirtualClock, call: Callable[[], Awaitable[Any]]) -> Any:
    """Return what a call returns, once it can be made."""
    while True:
        try:
            return await call()
        except Outage:
            await clock.sleep(0.5)


def hash_of(data: bytes) -> str:
    """Return a short name of some bytes, the same in every run."""
    return blake2b(data, digest_size=4).hexdigest()
