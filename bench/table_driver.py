"""Players at many tables from outside, as a gateway would bring them: over NATS, in an open arrival model.

The driver sends `CommandBatch`es with the gateway's own `ShardLink` (one request in flight per shard, what
comes meanwhile is the next batch, sent again until answered) and hears `paiju.gateway.out.<name>`. Actions
arrive as a Poisson process: each takes one of all open questions at random and answers it at random, whether
or not the ones before are through. The time of an action counts from the moment at which it was to be sent,
so a driver or a table that falls behind shows.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections import defaultdict

from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.wire_pb2 import Command, OutBatch, ShardOwned

from bench.table_seats import LINKS, Heard, Move, Seat
from services.chassis.bus import subject, subject_of
from services.chassis.bus.port import Bus
from services.chassis.clock import SystemClock
from services.chassis.errors import Outage
from services.chassis.ids import SystemIds
from services.gateway.bus.shard import ShardLink, Way
from services.table.calls import Calls, Create
from services.table.core.events import Spec
from tests.simulation.tables import spec

TICK_S = 0.001
SETTING_MAX = 400
"""Commands under way while tables are set."""


class Driver:
    """Sits at tables and plays. `open`, `seat`, then `play` for some seconds at some rate."""

    def __init__(self, bus: Bus, name: str = "bench", seed: int = 1) -> None:
        self._bus = bus
        self._clock = SystemClock()
        self._rng = random.Random(seed)
        self._name = name
        self._way = Way(bus, self._clock, SystemIds(), name, self._heard_epoch, self._gave_up)
        self._links: dict[int, ShardLink] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._tag = 0
        self._asked: dict[int, tuple[str, Seat]] = {}
        self.seats: dict[str, Seat] = {}
        self._by_shard: defaultdict[int, list[Seat]] = defaultdict(list)
        self._open: list[Seat] = []
        self._from_part = (0, 1)
        """Only tables from this part on, of so many, are played."""
        self._rounds: dict[str, str] = {}
        """Table → the round it is in."""
        self._epochs: defaultdict[int, int] = defaultdict(int)
        self.heard = Heard()
        self._heard_at: dict[int, float] = {}
        self.move: Move | None = None
        """Set by `watch_move`: then each table is answered at as soon as somebody is back and asked."""

    async def open(self) -> Driver:
        """Listen."""
        await self._bus.listen(subject("gateway", "out", self._name), self._hear)
        await self._bus.listen(subject_of(ShardOwned, key="*"), self._hear_owner)
        return self

    async def close(self) -> None:
        """End."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Setting

    async def create(self, tables: int, shards: int, timing: str, at_once: int = 32) -> list[str]:
        """Make so many tables of 跑胡子 for three persons each; return their ids."""
        made = [f"{number % shards:x}-t{number:05d}" for number in range(tables)]
        calls = Calls(self._bus, lambda _: None)
        waiting = iter(made)

        async def work() -> None:
            for table_id in waiting:
                what = Create(table_id, self.spec_of(table_id, timing))
                for _ in range(100):
                    try:
                        await calls.about(what)
                        break
                    except Outage:
                        await asyncio.sleep(0.1)
                else:
                    raise AssertionError(f"{table_id} was not made")

        await asyncio.gather(*(work() for _ in range(at_once)))
        return made

    def spec_of(self, table_id: str, timing: str) -> Spec:
        """Return what a table is made from."""
        players = [Seat(table_id, seat).player for seat in range(3)]
        return spec(*players, rounds=LINKS, timing=timing)

    async def attach(self, table_ids: list[str], sit: bool = True) -> None:
        """Attach every seat of these tables, and sit down; return when all is answered."""
        for table_id in table_ids:
            for number in range(3):
                seat = Seat(table_id, number)
                self.seats[seat.session] = seat
                self._by_shard[seat.shard].append(seat)
                self._send(seat, "attach", p.TableCommand(table_id=table_id, attach=p.Attach()))
                if sit:
                    self.sit(seat)
            await self._until_answered(SETTING_MAX)
        await self._until_answered(0)

    async def _until_answered(self, but_for: int) -> None:
        async with asyncio.timeout(60):
            while len(self._asked) > but_for:  # noqa: ASYNC110 - a bench looks, and costs nobody anything
                await asyncio.sleep(TICK_S)

    def sit(self, seat: Seat) -> None:
        """Sit down."""
        head = p.Sit(nonce_head=seat.chain[0])
        self._send(seat, "sit", p.TableCommand(table_id=seat.table_id, command_id="sit", sit=head))

    async def until_in_play(self, tables: int, wait_s: float = 60.0) -> None:
        """Return once there are questions at so many tables."""
        async with asyncio.timeout(wait_s):
            while len({seat.table_id for seat in self._open}) < tables:  # noqa: ASYNC110 - as above
                await asyncio.sleep(0.05)

    # Playing

    async def play(self, rate: float, seconds: float) -> float:
        """Let actions arrive at a rate for some seconds; return how long it took."""
        began = time.perf_counter()
        due = began + self._rng.expovariate(rate)
        end = began + seconds
        while (now := time.perf_counter()) < end:
            while due <= now:
                self._act_on_any(due)
                due += self._rng.expovariate(rate)
            await asyncio.sleep(TICK_S)
        return time.perf_counter() - began

    async def warm(self, actions: float, rate: float) -> None:
        """Play until so many actions were accepted, so that tables are anywhere in their rounds."""
        before = self.heard.accepted
        while self.heard.accepted - before < actions:
            await self.play(rate, 0.5)

    async def spread(self, actions: float, rate: float, parts: int = 10) -> None:
        """Play tables unequally, from none to so many actions each, so that they are all over a round alike.

        Played equally, tables that began together end their rounds together, and what is measured then has
        too many ends of rounds in it, or too few.
        """
        tables = len(self.seats) / 3
        for part in range(parts):
            self._from_part = part, parts
            await self.warm(actions * tables * (parts - part) / parts**2, rate)
        self._from_part = 0, 1

    def watch_move(self) -> Move:
        """Begin to note what becomes of every table under its next owner."""
        self.move = Move(dict(self._epochs))
        return self.move

    def _act_on_any(self, due: float) -> None:
        if not self._open:
            self.heard.starved += 1
            return
        least, parts = self._from_part
        tries = 8 * parts
        while (seat := self._open[self._rng.randrange(len(self._open))]).table % parts < least and tries:
            tries -= 1
        self._act(seat, due)

    def _act(self, seat: Seat, due: float) -> None:
        self._close(seat)
        self.heard.sent += 1
        action = seat.actions[self._rng.randrange(len(seat.actions))]
        act = p.Act(round_id=seat.round_id, question=seat.question, action=action)
        seat.asked_at = due
        seat.tag = self._send(seat, "act", p.TableCommand(table_id=seat.table_id, act=act))

    def _send(self, seat: Seat, kind: str, command: p.TableCommand) -> int:
        self._tag += 1
        message = Command(player_id=seat.player, session=seat.session, tag=self._tag, command=command)
        self._asked[self._tag] = (kind, seat)
        assert self._link(seat.shard).add(self._tag, message.SerializeToString()), "the link is full"
        return self._tag

    def _link(self, shard: int) -> ShardLink:
        link = self._links.get(shard)
        if link is None:
            link = self._links[shard] = ShardLink(shard, self._way)
            self._tasks.append(asyncio.get_running_loop().create_task(link.run()))
        return link

    def _gave_up(self, tag: int) -> None:
        self._asked.pop(tag, None)
        self.heard.refused["given up"] += 1

    # Open questions: a list in which the last one takes the place of what leaves.

    def _close(self, seat: Seat) -> None:
        if seat.at >= 0:
            last = self._open.pop()
            if last is not seat:
                self._open[seat.at] = last
                last.at = seat.at
            seat.at = -1

    def _asks(self, seat: Seat, play: p.Play) -> None:
        seat.round_id = play.round_id
        self.heard.rounds += play.round_id != self._rounds.get(seat.table_id)
        self._rounds[seat.table_id] = play.round_id
        self._close(seat)
        if play.HasField("question"):
            seat.question, seat.actions = play.question.number, tuple(play.question.actions)
            seat.at = len(self._open)
            self._open.append(seat)

    # Hearing

    async def _hear_owner(self, payload: bytes, _: str) -> None:
        owned = ShardOwned.FromString(payload)
        self._heard_epoch(owned.shard, owned.epoch)

    def _heard_epoch(self, shard: int, epoch: int) -> bool:
        known = self._epochs[shard]
        if epoch <= known:
            return epoch == known
        self._epochs[shard] = epoch
        if self.move is not None and shard in self._heard_at:
            self.move.left_at[shard] = self._heard_at[shard]
        if known:
            self._link(shard).resend_all()
            for seat in self._by_shard[shard]:
                attach = p.Attach(epoch=seat.epoch, number=seat.number)
                self._send(seat, "again", p.TableCommand(table_id=seat.table_id, attach=attach))
        return True

    async def _hear(self, payload: bytes, _: str) -> None:
        heard = self.heard
        batch = OutBatch.FromString(payload)
        heard.batches += 1
        heard.bytes += len(payload)
        if not self._heard_epoch(batch.shard, batch.epoch):
            return
        seats = self.seats
        now = time.perf_counter()
        self._heard_at[batch.shard] = now
        for out in batch.outs:
            kind = out.WhichOneof("body")
            if kind == "frame":
                seat = seats[out.session]
                seat.epoch = batch.epoch
                self._frame(seat, p.Frame.FromString(out.frame), now)
            elif kind == "answer":
                self._take_answer(out.answer.tag, out.answer.answer, now)
            elif kind == "last_number":
                heard.beats += 1
                heard.gaps += out.last_number > seats[out.session].number
            elif kind == "view":
                seat = seats[out.session]
                seat.epoch = batch.epoch
                self._view(seat, p.TableView.FromString(out.view), now)

    def _take_answer(self, tag: int, answer: p.CommandAnswer, now: float) -> None:
        kind, seat = self._asked.pop(tag, ("", None))
        if seat is None:
            return
        if seat.shard in self._links:
            self._links[seat.shard].forget(tag)
        heard = self.heard
        if answer.reason:
            heard.refused[f"{kind} {answer.reason}"] += 1
            if kind == "act" and self._is_moved(seat):
                # Its question was withdrawn meanwhile; somebody else at the table is asked, or will be.
                assert self.move is not None
                self.move.asked.discard(seat.table_id)
                for other in self._by_shard[seat.shard]:
                    if other.table_id == seat.table_id:
                        self._answer_first(other, now)
        elif kind == "act":
            heard.accepted += 1
            heard.answer_ms.append((now - seat.asked_at) * 1000)
            if self._is_moved(seat):
                assert self.move is not None
                self.move.first_accepted.setdefault(seat.table_id, now)
        elif kind == "sit":
            seat.is_sitting = True
        if kind == "again":
            self._answer_first(seat, now)

    def _frame(self, seat: Seat, frame: p.Frame, now: float) -> None:
        heard = self.heard
        heard.frames += 1
        if frame.number <= seat.number:
            return
        heard.gaps += frame.number != seat.number + 1
        seat.number = frame.number
        kind = frame.WhichOneof("body")
        self._note_move(seat, now)
        if kind == "play":
            self._asks(seat, frame.play)
            if seat.tag:
                heard.frame_ms.append((now - seat.asked_at) * 1000)
                seat.tag = 0
            self._answer_first(seat, now)
        elif kind == "round_opening":
            self._reveal(seat, frame.round_opening.round_id)
        elif kind == "round_end":
            self._close(seat)
            seat.tag = 0

    def _view(self, seat: Seat, view: p.TableView, now: float) -> None:
        self.heard.views += 1
        seat.number = view.number
        self._note_move(seat, now)
        self._asks(seat, view.play)
        if view.phase == "opening" and view.HasField("opening"):
            self._reveal(seat, view.opening.round_id)

    def _reveal(self, seat: Seat, round_id: str) -> None:
        nonce = seat.chain[int(round_id.rpartition("/")[2])]
        reveal = p.RevealNonce(round_id=round_id, nonce=nonce)
        command = p.TableCommand(table_id=seat.table_id, command_id=round_id, reveal_nonce=reveal)
        self._send(seat, "reveal", command)

    def _answer_first(self, seat: Seat, now: float) -> None:
        """Answer, if the seat is asked and nobody at this table has answered the new owner yet."""
        if self._is_moved(seat) and seat.at >= 0:
            assert self.move is not None
            if seat.table_id not in self.move.asked:
                self.move.asked.add(seat.table_id)
                self._act(seat, now)

    def _is_moved(self, seat: Seat) -> bool:
        return self.move is not None and self._epochs[seat.shard] > self.move.epochs[seat.shard]

    def _note_move(self, seat: Seat, now: float) -> None:
        if self._is_moved(seat):
            assert self.move is not None
            self.move.first_frame.setdefault(seat.table_id, now)
