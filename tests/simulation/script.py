"""A table without a log, a bus or a clock: everything a table can go through, from one seed."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import msgspec
from paiju.table.v1 import play_pb2 as p

from engine import GAMES
from services.economy.core import caps
from services.table.core import commands as c
from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.duties import NOW, consequence, due_event, next_due
from services.table.core.events import Spec
from services.table.core.spec import fingerprint_of
from services.table.core.state import OpenQuestion, encode_state
from services.table.core.table import NEVER, Table
from services.table.encode import FrameEncoder, view_of
from tests.simulation.client import TableFold, chain

START = 1_790_000_000_000


class Chance:
    """`Chance` from a seeded generator."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def token(self, n: int) -> bytes:
        return self._rng.randbytes(n)

    def below(self, n: int) -> int:
        return self._rng.randrange(n)


class Script:
    """Plays a table by random commands and by its duties, as an owner would, and keeps every event and frame.

    Args:
        spec: What the table is made from.
        seed: Of everything by chance.
        noise: How often something else than an answer happens: presence, votes, 托管, a takeover.
    """

    def __init__(self, spec: Spec, seed: int, noise: float = 0.1, table_id: str = "0-script1") -> None:
        self.rng = random.Random(seed)
        self.chance = Chance(random.Random(seed + 1))
        self.noise = noise
        self.now = START
        self.table_id = table_id
        self.events: list[e.TableEvent] = []
        self.shown: list[f.Shown] = []
        self.done: list[Any] = []
        first = e.TableCreated(self.now, spec, fingerprint_of(spec))
        self.table = Table.create(table_id, first, GAMES)
        self.events.append(first)
        self.chains = [chain(self.rng.randbytes(32), 70) for _ in spec.players]
        self._command = 0
        self._collect()

    # Doing

    def apply(self, *events: e.TableEvent) -> None:
        for event in events:
            self._one(event)
            while (following := consequence(self.table, self.now, self.chance)) is not None:
                self._one(following)

    def _one(self, event: e.TableEvent) -> None:
        self.table.apply(event)
        self.events.append(event)
        self._collect()

    def _collect(self) -> None:
        for output in self.table.outputs:
            if isinstance(output, f.Shown):
                self.shown.append(output)
            else:
                self.done.append(output)
        self.table.outputs.clear()

    def pass_time(self, now: int) -> None:
        """Let time come to `now`, and show what is due."""
        self.now = max(self.now, now)
        self.table.advance(self.now)
        self._collect()

    def command(self, seat: int, command: c.Command, command_id: str = "") -> c.Decision:
        """Decide on a seat's command and apply what it does."""
        if not command_id:
            self._command += 1
            command_id = f"c{self._command}"
        player = self.table.s.seats[seat].player
        decision = c.decide(self.table, player, command_id, command, self.now, self.table.version)
        if isinstance(decision, c.Do):
            self.apply(*decision.events)
        return decision

    def pay(self, settle: bool = True) -> bool:
        """Pay the first debt, as the outbox does; and let scoring and economy speak of a finished round."""
        state = self.table.s
        if not state.owed:
            return False
        owed = state.owed[0]
        kind, _, number = owed.key.partition("/")
        if kind == "opened":
            self.apply(e.RoundAnnounced(self.now, int(number), self.now + state.spec.timing.nonce_ms))
        elif kind == "add":
            seat = state.seats[int(number)]
            assert seat.adding is not None
            if self.rng.random() < 0.2:
                self.apply(e.AddRefused(self.now, int(number), "INSUFFICIENT_FUNDS"))
            else:
                held = state.stakes[int(number)] + seat.adding.amount
                self.apply(e.StakeAdded(self.now, int(number), held))
        elif kind == "stake":
            assert state.spec.stake is not None
            self.apply(e.SeatTaken(self.now, int(number), state.spec.stake.buy_in))
        else:
            self.apply(e.OutboxDone(self.now, owed.key))
            if kind == "finished" and settle:
                self.apply(e.Audited(self.now, int(number), True, "test 1"))
                self.apply(self.settled(int(number), owed.record))
        return True

    def settled(self, round_no: int, record: bytes) -> e.Settled:
        """Return what economy says of a round that has left the table."""
        state = self.table.s
        if state.spec.stake is None:
            return e.Settled(self.now, round_no, (), ())
        stake, before = state.spec.stake, tuple(state.stakes)
        points = tuple(json.loads(record.rpartition(b"\nResult: ")[2])["points"])
        inputs = caps.CapInputs(points, before, stake.base_stake, fee=stake.fee)
        coins, fees = caps.settle(inputs), caps.fees(inputs)
        after = tuple(map(sum, zip(before, coins, (-fee for fee in fees), strict=True)))
        return e.Settled(self.now, round_no, coins, after, fees=fees)

    def step(self) -> bool:
        """Do one thing; False = the table is closed."""
        if isinstance(self.events[-1], e.TableClosed):
            return False
        if self.rng.random() < self.noise and self._noise():
            return True
        if self._people():
            return True
        if self.pay():
            return True
        due = next_due(self.table)
        assert due < NEVER, f"nothing is due in phase {self.table.s.phase}"
        if due != NOW:
            self.pass_time(due)
        event = due_event(self.table, self.now, self.chance)
        if event is not None:
            self.apply(event)
        return True

    def run(self, steps: int = 100_000) -> Script:
        """Play until the table is closed, or so many steps."""
        for _ in range(steps):
            if not self.step():
                break
        return self

    def _people(self) -> bool:
        """Let one person do what is asked of him, if he feels like it."""
        state = self.table.s
        for number, seat in enumerate(state.seats):
            if seat.bot or seat.left or self.rng.random() < 0.25:
                continue
            if not seat.taken and seat.sitting is None and state.phase == "seating":
                head = self.chains[number][0] if self.rng.random() < 0.8 else b""
                return isinstance(self.command(number, c.Sit(head)), c.Do)
            if self._owes_nonce(number) and self.rng.random() < 0.9:
                link = self.chains[number][self.chains[number].index(seat.link) + 1]
                self.command(number, c.Reveal(self.table.round_id, link))
                return True
            question = self.table.questions[number]
            if question is not None and question.shown_at <= self.now and self.rng.random() < 0.9:
                action = self.rng.choice(question.actions)
                decision = self.command(number, c.Act(self.table.round_id, question.number, action))
                assert isinstance(decision, c.Do), decision
                return True
            if self._is_short(number) and self.rng.random() < 0.7:
                return isinstance(self.command(number, self._about_stake(number)), c.Do)
            if state.phase == "between" and not seat.ready and self.rng.random() < 0.5:
                return isinstance(self.command(number, c.Ready()), c.Do)
        return False

    def _is_short(self, number: int) -> bool:
        paused = self.table.s.board.paused
        return paused is not None and any(one.seat == number for one in paused.short)

    def _about_stake(self, number: int) -> c.Command:
        """Return what somebody says whose stake is short."""
        paused = self.table.s.board.paused
        assert paused is not None
        short = next(one for one in paused.short if one.seat == number)
        if self.rng.random() < 0.15:
            return c.DeclineStake()
        return c.AddStake(self.rng.randint(short.least, short.most))

    def _owes_nonce(self, number: int) -> bool:
        round_ = self.table.s.round
        if self.table.s.phase != "opening" or round_ is None or not round_.nonces_until:
            return False
        return bool(self.table.s.seats[number].link and round_.due[number] and not round_.nonces[number])

    def _noise(self) -> bool:
        state = self.table.s
        people = [number for number, seat in enumerate(state.seats) if not seat.bot]
        kind = self.rng.randrange(8)
        if kind == 0:
            self.pass_time(self.now + self.rng.randrange(0, 900))
        elif kind == 1:
            self.apply(e.ShardTaken(self.now - self.rng.randrange(2_000), "x", "i", 3_000))
        elif kind == 2:
            self.apply(e.ShardStalled(self.now, 2_000))
        elif not people or state.phase == "finished":
            return False
        else:
            seat = self.rng.choice(people)
            if kind in (3, 4):
                self.apply(e.PresenceChanged(self.now, seat, not state.seats[seat].online))
            elif kind == 5:
                self.command(seat, c.AutoPlay(self.rng.random() < 0.5))
            elif kind == 6 and self.rng.random() < 0.2:
                self.command(seat, c.Vote(self.rng.random() < 0.5))
            elif kind == 7 and self.rng.random() < 0.03:
                self.command(seat, c.Leave())
        return True

    # Looking

    def frames(self, listener: int) -> list[f.Shown]:
        return [frame for frame in self.shown if frame.listener == listener]


def observables(table: Table) -> dict[str, Any]:
    """Return everything about a table that anybody can ever notice."""
    position = table.position
    seats: Sequence[int | None] = [*range(len(table.s.seats)), None]
    return {
        "state": encode_state(table.s),
        "questions": [_lasting(question) for question in table.questions],
        "withdrawn": [_lasting(question) for question in table.withdrawn],
        "answers": table.answers,
        "pending": table.pending,
        "views": [position.view(seat) for seat in seats] if position is not None else None,
        "tiles": position.tiles() if position is not None else None,
        "due": next_due(table),
        "base": table.base,
        "since": table.since,
    }


def _lasting(question: OpenQuestion | None) -> OpenQuestion | None:
    """A question without the version, which is its present owner's own affair."""
    return None if question is None else msgspec.structs.replace(question, version=0)


def fold_of(frames: Sequence[f.Shown], first: p.TableView | None = None) -> p.TableView:
    """Return the view that the frames of one listener add up to, as a client folds them."""
    encoder = FrameEncoder()
    fold = TableFold()
    if first is not None:
        fold.start(first)
    for frame in frames:
        fold.add(p.Frame.FromString(encoder.encode(frame)))
    return fold.view


def view(table: Table, seat: int) -> p.TableView:
    """Return the view of a listener."""
    return p.TableView.FromString(view_of(table, seat))
