"""A world on a faulty bus and a virtual clock: people, gateways, matchmaking, tables, scoring, economy.

Everything comes from one seed: what is lost, late, doubled; which process dies or sleeps at which await; what
people play, and where they connect. After a while the world heals, every match must come to its end, and the
book must add up. `docs/simulation.md` says what is real and what is judged.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, Final

from paiju.accounts.v1.events_pb2 import PlayerCreated

from engine import GAMES
from engine.face import Game
from services.chassis import outbox
from services.chassis.auth import KEYS_BUCKET
from services.chassis.bus.broker import Faults, MemoryBroker
from services.chassis.clock import VirtualClock
from services.chassis.errors import Outage
from services.chassis.rpc.memory import MemoryNetwork
from services.chassis.run import Wiring
from services.economy.app import WIRING as ECONOMY
from services.gateway.bus.tables import Tables as GatewayTables
from services.gateway.calls import Calls
from services.gateway.hub import Hub
from services.gateway.settings import GatewaySettings
from services.matchmaking import placer
from services.matchmaking.app import WIRING as MATCHMAKING
from services.matchmaking.settings import MatchmakingSettings
from services.scoring.app import WIRING as SCORING
from services.table import tables
from services.table.app import WIRING as TABLE
from services.table.core.table import Table
from services.table.settings import TableSettings
from tests.simulation.closing import judge_money, judge_tickets
from tests.simulation.ledger import Facts
from tests.simulation.lobby import Room, find_match, hall_of, halls_file
from tests.simulation.logs import Logs
from tests.simulation.person import KID, Client, Person, key
from tests.simulation.pipe import Gateway
from tests.simulation.processes import Commons, Process, changed
from tests.simulation.report import Report
from tests.simulation.storm import Storm
from tests.support.process import full_registry, settings_for_tests

OPEN = TableSettings().games
"""The games of the world: each seed has tables of several."""

FAULTY_S = 40.0
HEALED_S = 1_200.0
IDLE_LOOK_S = 2.0
SHARDS = 2
STYLES: Final = ("r1", "r3")
"""One server, or a cluster of three."""


def played_at(seed: int, number: int) -> tuple[Game, str]:
    """Return the game and the preset of a table of a world: one after another, seed by seed."""
    game = GAMES[OPEN[(seed + number) % len(OPEN)]]
    presets = list(game.presets)
    return game, presets[(seed // len(OPEN) + number) % len(presets)]


def style_of(seed: int) -> str:
    """Return the style of broker that a seed picks."""
    return STYLES[(seed // 3) % 2]


@dataclass
class Member:
    """A process of the world that may die and be started again."""

    name: str
    wirings: tuple[Wiring, ...]
    process: Process | None = None
    services: dict[str, Any] = field(default_factory=dict)
    gateway: Gateway | None = None
    starts: int = 0

    @property
    def is_up(self) -> bool:
        """Whether it was started and has not died since."""
        return self.process is not None and not self.process.is_dead


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
            consumes=tuple(
                consumes for wiring in (TABLE, ECONOMY, SCORING, MATCHMAKING) for consumes in wiring.hears
            ),
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
        self.members = [
            Member("table-a", (TABLE,)),
            Member("table-b", (TABLE,)),
            Member("money", (ECONOMY, SCORING)),
            Member("match-a", (MATCHMAKING,)),
            Member("match-b", (MATCHMAKING,)),
            Member("gateway-a", ()),
            Member("gateway-b", ()),
        ]
        self.is_closing = False
        """All is settled: people may go."""
        self._playing = 0
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

    def saw_frame(self, player: Client, number: int, data: bytes) -> None:
        """See `person.Neighbourhood`."""
        self.note(f"{player.player} is shown frame {number} of {player.table_id} {hash_of(data)}")
        self.logs.saw(player, number, data)

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

    # Processes

    async def _keep_alive(self, member: Member) -> None:
        """Start a process, and again whenever it has died."""
        while True:
            if not member.is_up:
                if member.starts:
                    await self.clock.sleep(self.rng.uniform(0.1, 4.0))
                await self._start(member)
            await self.clock.sleep(0.25)

    async def _start(self, member: Member) -> None:
        member.starts += 1
        # Every machine's wall clock is wrong in its own way.
        process = member.process = Process(self.commons, member.name, self.rng.randrange(-1_500, 1_500))
        self.note(f"{member.name} starts")
        process.on_step = self.storm.step
        member.services, member.gateway = {}, None
        try:
            for wiring in member.wirings:
                member.services[wiring.name] = await wiring.wire(_settings(wiring), process.parts)
            if not member.wirings:
                member.services["gateway"] = member.gateway = _gateway(process)
            await process.rpc.start()
            for service in member.services.values():
                await service.start()
        except Outage:
            self.storm.crash(process)

    # People

    def _lives(self) -> list[Coroutine[Any, Any, None]]:
        """Return what people do: quick matches, a room of friends, bots at once, and perhaps once more."""
        rng = self.rng
        hall, room, bots = (played_at(self.seed, number) for number in range(3))
        lives: list[Coroutine[Any, Any, None]] = []
        for _ in range(1 + rng.randrange(min(2, hall[0].seats))):
            person = self._person()
            lives.append(self._live(person, [self._hall(person, *hall, bots_now=False)]))
        guests = rng.randrange(2)
        bot = ("random", "normal")[self.seed % 2]
        friends = Room(room[0].name, room[1], 1, guests, bot)
        self.rooms.append(friends)
        owner = self._person()
        lives.append(self._live(owner, [partial(friends.open, owner)]))
        for _ in range(guests):
            guest = self._person()
            lives.append(self._live(guest, [partial(friends.join, guest)]))
        person = self._person()
        finds = [self._hall(person, *bots, bots_now=True)]
        if rng.random() < 0.3:
            finds.append(self._hall(person, *bots, bots_now=True))
        lives.append(self._live(person, finds))
        return lives

    def _person(self) -> Person:
        person = Person(self, f"p_{self.seed}_{len(self.persons)}", self.seed)
        self.persons.append(person)
        return person

    def _hall(
        self, person: Person, game: Game, preset: str, *, bots_now: bool
    ) -> Callable[[], Coroutine[Any, Any, str]]:
        cancels = 0.3 * self.rng.random()
        return partial(find_match, person, hall_of(game.name, preset), bots_now, cancels)

    async def _live(self, person: Person, finds: list[Callable[[], Coroutine[Any, Any, str]]]) -> None:
        await self.people.bus.publish(
            PlayerCreated(player_id=person.player_id, welcome=True, created_at_ms=self.clock.now_ms()),
            f"created:{person.player_id}",
        )
        await self.clock.sleep(self.rng.random() * 3)
        for find in finds:
            table_id = await find()
            if table_id:
                self.note(f"{person.player_id} plays at {table_id}")
                client = Client(person, table_id, nags=0.3)
                person.players[table_id] = client
                await client.play()
                if find is finds[-1]:
                    # Stay and see what else comes: settlements, and who leaves.
                    self._playing -= 1
                    await client.play(until=lambda _: self.is_closing)
                del person.players[table_id]
            elif find is finds[-1]:
                self._playing -= 1
        person.drop()

    # Running

    async def run(self) -> Report:
        """Live through the faults, heal, come to the end, and judge.

        Raises:
            Violation: Something happened that must not.
            TimeoutError: Somebody waits for ever.
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
            keepers = [tasks.create_task(self._keep_alive(member)) for member in self.members]
            keepers.append(tasks.create_task(self._watch()))
            self.storm.begin()
            keepers.append(tasks.create_task(self.storm.run()))
            lives = [tasks.create_task(life) for life in self._lives()]
            self._playing = len(lives)
            await self.clock.sleep(self.faulty_s)
            self.storm.end()
            self.note("the world heals")
            async with self.clock.timeout(self.healed_s):
                while self._playing or not self._is_settled():
                    await self.clock.sleep(1.0)
                self.is_closing = True
                await asyncio.wait(lives)
            for keeper in keepers:
                keeper.cancel()
        await self._judge()
        for member in self.members:
            if member.process is not None:
                member.process.crash()
        self.people.crash()

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

    def _is_settled(self) -> bool:
        logs, facts = self.logs, self.facts
        live = self.live_tables()
        return (
            logs.is_over()
            and all(told.is_closed or table_id in live for table_id, told in logs.tables.items())
            and set(facts.finished) <= set(facts.settled)
            and set(facts.matches) == set(logs.tables)
            and all(self._has_seen_all(person) for person in self.persons)
            and judge_tickets(self, only_look=True)
            and judge_money(self, only_look=True)
        )

    def _has_seen_all(self, person: Person) -> bool:
        """Return whether a person has been shown the last frame of the table he stays at."""
        for table_id, client in person.players.items():
            told = self.logs.tables[table_id]
            seat = told.table.seat_of(person.player_id)
            if seat is None or client.last < told.table.listener(seat).number:
                return False
        return True

    def waiting(self) -> str:
        """Say what is not over yet."""
        logs, facts = self.logs, self.facts
        live = self.live_tables()
        return "; ".join(
            f"{what}: {found}"
            for what, found in {
                "matches": [
                    f"{table_id} {told.table.s.phase} {[owed.key for owed in told.table.s.owed]}"
                    for table_id, told in logs.tables.items()
                    if not told.is_closed and (told.table.s.phase != "finished" or told.table.s.owed)
                ],
                "without an owner": [
                    t for t, told in logs.tables.items() if not told.is_closed and t not in live
                ],
                "not settled": sorted(set(facts.finished) - set(facts.settled)),
                "matches not told": sorted(set(logs.tables) - set(facts.matches)),
                "playing": self._playing,
                "have not seen all": [p.player_id for p in self.persons if not self._has_seen_all(p)],
                "tickets, rooms, stakes": not (
                    judge_tickets(self, only_look=True) and judge_money(self, only_look=True)
                ),
            }.items()
            if found
        )

    async def _judge(self) -> None:
        assert self._failed is not None
        if self._failed.done():
            self._failed.result()
        clients = [client for person in self.persons for client in person.clients]
        staying = [person.clients[-1] for person in self.persons if person.clients]
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


def _settings(wiring: Wiring) -> Any:
    if wiring is MATCHMAKING:
        return MatchmakingSettings(
            halls_file=halls_file(), bots_after_ms=4_000, match_every_ms=int(IDLE_LOOK_S * 1000)
        )
    return wiring.settings()


def _gateway(process: Process) -> Gateway:
    settings, parts = GatewaySettings(), process.parts
    through = GatewayTables(
        parts,
        f"gw-{parts.incarnation}",
        shards=parts.settings.log_shards,
        tables_per_session_max=settings.tables_per_session_max,
    )
    return Gateway(Hub(settings, parts, Calls(parts), through), process)


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
