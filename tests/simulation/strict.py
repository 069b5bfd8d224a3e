"""A world with further rules: what the logs prove by themselves, without the code that they judge."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.events_pb2 import RoundFinished

from services.chassis.bus.registry import event_of
from services.chassis.clock import VirtualClock
from services.table import journal
from services.table.core import events as e
from services.table.core import fold, frames
from services.table.core.events import decode_batch
from services.table.core.frames import Resumed
from services.table.core.table import Table
from tests.simulation import people
from tests.simulation.calm import Calm
from tests.simulation.checkpoints import judge_checkpoint
from tests.simulation.client import Violation
from tests.simulation.closing import judge_records
from tests.simulation.lobby import Room
from tests.simulation.moments import Moments
from tests.simulation.playing import ANSWER_S, Client
from tests.simulation.processes import changed
from tests.simulation.promises import Promises
from tests.simulation.report import Report
from tests.simulation.sequence import judge_sequence
from tests.simulation.watcher import EARLY_S, Watch, Watcher
from tests.simulation.weather import Weather, weather_of
from tests.simulation.world import HEALED_S, World

FINISHED: Final = event_of(RoundFinished).prefix


class StrictWorld(World):
    """See the module; a contradiction is a `Violation`."""

    def __init__(
        self,
        clock: VirtualClock,
        seed: int,
        *,
        weather: Weather | None = None,
        healed_s: float = HEALED_S,
        style: str | None = None,
        trace: int = 0,
    ) -> None:
        weather = weather or weather_of(seed)
        self._lose_fetch = weather.lose_fetch
        self._room_rounds = weather.room_rounds
        self._writers: dict[str, str] = {}
        """Shard → incarnation that has taken it last."""
        self._granted: dict[str, int] = {}
        """Table → before this no deadline of a seat runs out."""
        self._takings: Counter[str] = Counter()
        """Table → how often it has got another owner, or waited for its log, while its match went on."""
        self._last_at: dict[str, int] = {}
        self._coins: set[str] = set()
        self._settled: dict[str, set[int]] = {}
        self._records: set[bytes] = set()
        super().__init__(clock, seed, healed_s=healed_s, style=style, faulty_s=weather.storm_s, trace=trace)
        self.storm.bus.lose_delivery_ack = weather.lose_delivery_ack
        self._moments = Moments()
        self._promises = Promises(self.logs)
        self._calm = Calm(self, self._moments, is_prompt=weather.is_prompt)
        self._watching = Watch(self)
        self._check_first()
        self._tap_writers()
        self._lose_fetches()

    def _check_first(self) -> None:
        """Look at each event before it is folded."""
        then = self.logs._fold

        def checked(shard: str, table_id: str, event: e.AnyEvent, now: float) -> None:
            self._check(shard, table_id, event)
            self._moments.before(shard, table_id, event, self._table(table_id), now)
            then(shard, table_id, event, now)
            self._moments.after(shard, table_id, event, self._table(table_id), now)
            self._promises.take(table_id, event)

        self.logs._fold = checked  # type: ignore[method-assign]

    def _table(self, table_id: str) -> Table | None:
        told = self.logs.tables.get(table_id)
        return told.table if told is not None else None

    def _tap_writers(self) -> None:
        store = self.broker.store

        def tapped(name: str, subject: str, payload: bytes, headers: Any, msg_id: str, expected: Any) -> Any:
            before = self.broker.stream(name).last_seq
            is_stored, seq = store(name, subject, payload, headers, msg_id, expected)
            if is_stored and seq > before and name.startswith("TABLE_LOG"):
                self._wrote(subject.rpartition(".")[2], payload, msg_id.partition("/")[0])
            return is_stored, seq

        self.broker.store = tapped  # type: ignore[method-assign]

    def _lose_fetches(self) -> None:
        """Let deliveries be lost on their way to a consumer."""
        rng, next_for = random.Random(f"{self.seed}/fetches"), self.broker.next_for

        def lossy(*args: Any) -> Any:
            taken = next_for(*args)
            if taken and self.storm.is_active and rng.random() < self._lose_fetch:
                self.storm.count("fetch lost")
                return []
            return taken

        self.broker.next_for = lossy  # type: ignore[method-assign, assignment]

    def _wrote(self, shard: str, payload: bytes, incarnation: str) -> None:
        taken = [event for _, event in decode_batch(payload) if isinstance(event, e.ShardTaken)]
        if taken:
            self._writers[shard] = incarnation
        elif self._writers.get(shard) != incarnation:
            owner = self._writers.get(shard)
            self.fail(Violation(f"{incarnation} appends without a fence to {shard}: {owner} has taken it"))

    def _stored(self, stream: str, subject: str, payload: bytes) -> None:
        if subject.rpartition(".")[0] == FINISHED:
            fact = RoundFinished.FromString(payload)
            if fact.record not in self._records:
                raise Violation(f"{fact.round_id} is published, and is in no log")
        super()._stored(stream, subject, payload)

    def _check(self, shard: str, table_id: str, event: e.AnyEvent) -> None:
        if event.at < self._last_at.get(shard, 0):
            raise Violation(f"the time of shard {shard} goes back with {type(event).__name__}")
        self._last_at[shard] = event.at
        if (table := self._table(table_id)) is not None:
            judge_sequence(table, event, self._granted.get(table_id, 0))
        match event:
            case e.ShardTaken() | e.ShardStalled():
                for at, told in self.logs.tables.items():
                    if at.startswith(f"{shard}-") and told.table.s.phase != "finished":
                        self._takings[at] += 1
                        self._granted[at] = max(self._granted.get(at, 0), event.at + event.grace_ms)
            case e.TableCreated():
                if event.spec.stake is not None:
                    self._coins.add(table_id)
            case e.Answered(cause="timeout"):
                question = self.logs.tables[table_id].table.questions[event.seat]
                until = max(self._granted.get(table_id, 0), question.deadline if question else 0)
                if event.at < until:
                    raise Violation(f"seat {event.seat} of {table_id} ran out of time too early: {event}")
                shown = self.logs.tables[table_id].table.listener(event.seat).question
                if shown is not None and shown.number == event.question and event.at < shown.deadline:
                    raise Violation(
                        f"seat {event.seat} of {table_id} ran out of time too early: "
                        f"{shown.deadline - event.at} ms before it was shown"
                    )
                writer = self._writers.get(shard)
                for member in self.members:
                    if member.process is not None and member.process.parts.incarnation == writer:
                        self._moments.judge_standing(shard, event, member.process.clock)
            case e.RoundOpened():
                before = event.round_no - 1
                if before and table_id in self._coins and before not in self._settled.get(table_id, ()):
                    raise Violation(
                        f"{table_id}/{event.round_no} is opened before {table_id}/{before} is settled"
                    )
            case e.Settled():
                self._settled.setdefault(table_id, set()).add(event.round_no)
            case e.RoundEnded():
                self._records.add(event.record)
            case e.TableCheckpoint():
                judge_checkpoint(self.logs, event)
            case _:
                pass

    async def run(self) -> Report:
        """See `World.run`."""
        sizes = random.Random(f"{self.seed}/sizes")
        with changed(
            (people, "Room", self._room),
            # What comes to pass in a large system only, because something is full.
            (journal, "BATCH_EVENTS_MAX", sizes.choice((2, 512))),
            (frames, "RING_FRAMES", sizes.choice((2, 16))),
            (frames, "RING_SLACK", sizes.choice((0, 8))),
            (fold, "SINCE_MAX", sizes.choice((25, 512))),
        ):
            return await super().run()

    def _room(self, game: str, preset: str, rounds: int, guests: int, bot: str) -> Room:
        return Room(game, preset, max(rounds, self._room_rounds), guests, bot)

    # People

    def saw_frame(self, player: Client, number: int, data: bytes) -> None:
        """See `person.Neighbourhood`."""
        super().saw_frame(player, number, data)
        self._saw(player, number)

    def saw_view(self, player: Client, view: p.TableView) -> None:
        """See `person.Neighbourhood`."""
        super().saw_view(player, view)
        self._saw(player, view.number)

    def _saw(self, player: Client, number: int) -> None:
        """Who watches sees a frame so late as the table says, unless its owner's clock is another since."""
        if not isinstance(player, Watcher):
            return
        told, shard = self.logs.tables[player.table_id], player.table_id.partition("-")[0]
        at_ms, takings = told.public.get(number, (0, 0))
        late_s = self.clock.monotonic() - self._moments.true_s(shard, at_ms) + EARLY_S
        if takings == self.logs.takings[shard] and late_s < told.table.s.spec.watch_delay_ms / 1000:
            raise Violation(f"{player.player} watches, and is shown frame {number} too early")

    def was_answered(self, player: Client, command: p.TableCommand, reason: str) -> None:
        """See `person.Neighbourhood`."""
        self._promises.answered(player, command, reason)

    def was_left_alone(self, player: Client) -> None:
        """See `person.Neighbourhood`."""
        super().was_left_alone(player)
        pipe, since = player.person.pipe, self.clock.monotonic() - ANSWER_S
        if pipe is None or pipe.is_silent:
            return
        clock = pipe.gateway.process.clock
        if not clock.is_stopped and clock.went_on_s < since:
            self.fail(Violation(f"no answer to a command of {player.player} at {player.table_id}"))

    async def meanwhile(self) -> None:
        """See `World.meanwhile`."""
        await self._watching.run()

    async def after_storm(self) -> None:
        """See `World.after_storm`."""
        await self._calm.run()

    async def _judge(self) -> None:
        await super()._judge()
        self._calm.judge_owners()
        for client in (*self._calm.rivals, *self._watching.seen):
            self.logs.judge_views(client)
        judge_records(self)
        for table_id, told in self.logs.tables.items():
            for listener, shown in told.frames.items():
                resumed = sum(isinstance(frame.body, Resumed) for frame in shown.values())
                if resumed != self._takings[table_id]:
                    raise Violation(
                        f"seat {listener} of {table_id} was not told that its table resumed: "
                        f"{resumed} of {self._takings[table_id]} times"
                    )
