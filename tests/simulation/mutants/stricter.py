"""A world with further rules: what the logs prove by themselves, without the code that they judge."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any, Final

from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.events_pb2 import RoundFinished

from services.chassis.bus.registry import event_of
from services.chassis.clock import VirtualClock
from services.table.core import events as e
from services.table.core.events import decode_batch
from services.table.core.frames import Resumed
from tests.simulation import people
from tests.simulation.client import Violation
from tests.simulation.lobby import Room
from tests.simulation.mutants.planting import Weather
from tests.simulation.person import Client
from tests.simulation.processes import changed
from tests.simulation.report import Report
from tests.simulation.world import World

FINISHED: Final = event_of(RoundFinished).prefix


class StricterWorld(World):
    """See the module; a contradiction is a `Violation`."""

    def __init__(self, clock: VirtualClock, seed: int, weather: Weather, healed_s: float) -> None:
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
        super().__init__(clock, seed, healed_s=healed_s, faulty_s=weather.storm_s)
        self.storm.bus.lose_delivery_ack = weather.lose_delivery_ack
        self._check_first()
        self._tap_writers()
        self._lose_fetches()

    def _check_first(self) -> None:
        """Look at each event before it is folded."""
        fold = self.logs._fold

        def checked(shard: str, table_id: str, event: e.AnyEvent, now: float) -> None:
            self._check(shard, table_id, event)
            fold(shard, table_id, event, now)

        self.logs._fold = checked  # type: ignore[method-assign]

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
            return [] if taken and self.storm.is_active and rng.random() < self._lose_fetch else taken

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
            case _:
                pass

    async def run(self) -> Report:
        """See `World.run`."""
        note = Client._note_refusal

        def checked(client: Client, act: p.Act, reason: str) -> None:
            self._answered(client, act, reason)
            note(client, act, reason)

        with changed((Client, "_note_refusal", checked), (people, "Room", self._room)):
            return await super().run()

    def _room(self, game: str, preset: str, rounds: int, guests: int, bot: str) -> Room:
        return Room(game, preset, max(rounds, self._room_rounds), guests, bot)

    def _answered(self, client: Client, act: p.Act, reason: str) -> None:
        """Hold an answer against the log, as it is in the moment when a client hears it."""
        table = self.logs.tables[client.table_id].table
        seat = table.seat_of(client.player)
        assert seat is not None, "who plays has a seat"
        found = self.logs.answers.get((client.table_id, seat, act.question))
        if not reason and (found is None or found.action != act.action):
            raise Violation(f"{act} was acknowledged to {client.player}, and the log has {found}")
        question = table.questions[seat]
        is_open = question is not None and question.number == act.question
        if is_open and reason in ("ALREADY_ANSWERED", "QUESTION_CLOSED"):
            raise Violation(f"{act} was refused to {client.player} as {reason}, and the log has it open")

    async def _judge(self) -> None:
        await super()._judge()
        for table_id, told in self.logs.tables.items():
            for listener, frames in told.frames.items():
                resumed = sum(isinstance(frame.body, Resumed) for frame in frames.values())
                if resumed != self._takings[table_id]:
                    raise Violation(
                        f"seat {listener} of {table_id} was not told that its table resumed: "
                        f"{resumed} of {self._takings[table_id]} times"
                    )
