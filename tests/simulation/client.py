"""A player without a gateway: commands in, `Out` messages back, with the rules a client keeps."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.wire_pb2 import Command, CommandBatch, CommandBatchReply, OutBatch

from engine import GAMES
from engine.doudizhu.actions import compact
from engine.face import Game
from services.chassis.bus import subject
from services.chassis.bus.port import Bus
from services.chassis.clock import Clock
from services.chassis.errors import Outage


def chain(secret: bytes, links: int) -> list[bytes]:
    """Return `c_0 … c_links` of a nonce chain."""
    made = [secret]
    for _ in range(links):
        made.append(sha256(b"paiju-nonce-1" + made[-1]).digest())
    return made[::-1]


def told_as(game: str, legal: Sequence[str]) -> tuple[str, ...]:
    """Return a question as its seat is told it, from all its legal answers."""
    return compact(legal) if game == "doudizhu" else tuple(legal)


class Violation(AssertionError):
    """A client has seen what must never be seen."""


@dataclass
class TableFold:
    """What a client knows of a table: the fold of its frames, comparable with a `TableView`."""

    view: p.TableView = field(default_factory=p.TableView)

    def start(self, view: p.TableView) -> None:
        self.view = p.TableView()
        self.view.CopyFrom(view)

    def add(self, frame: p.Frame) -> None:
        view = self.view
        view.number = frame.number
        kind = frame.WhichOneof("body")
        if kind == "seats_changed":
            del view.seats[:]
            view.seats.extend(frame.seats_changed.seats)
        elif kind == "round_opening":
            view.opening.CopyFrom(frame.round_opening)
            view.phase = "opening"
            view.round_no = int(frame.round_opening.round_id.rpartition("/")[2])
            for name in ("nonces", "play", "round_end", "settlement"):
                view.ClearField(name)
            view.play.round_id = frame.round_opening.round_id
            view.play.turn_seat = -1
        elif kind == "nonce_seen":
            view.nonces.append(frame.nonce_seen)
        elif kind == "play":
            if view.phase == "opening":
                view.phase = "playing"
            events = [*view.play.events, *frame.play.events]
            view.play.CopyFrom(frame.play)
            del view.play.events[:]
            view.play.events.extend(events)
        elif kind == "round_end":
            view.round_end.CopyFrom(frame.round_end)
            view.phase = "between"
            view.play.ClearField("question")
            view.play.turn_seat, view.play.turn_deadline_at_ms = -1, 0
        elif kind == "round_settlement":
            if view.round_end.round_id == frame.round_settlement.round_id:
                view.settlement.CopyFrom(frame.round_settlement)
        elif kind == "match_end":
            view.match_end.CopyFrom(frame.match_end)
            view.phase = "finished"
        elif kind == "vote_changed":
            view.ClearField("vote")
            if frame.vote_changed.until_ms:
                view.vote.CopyFrom(frame.vote_changed)
        elif kind == "paused":
            view.ClearField("paused")
            if frame.paused.reason:
                view.paused.CopyFrom(frame.paused)
        elif kind == "sent_away":
            view.sent_away.CopyFrom(frame.sent_away)
        elif kind == "resumed":
            until = frame.at_ms + frame.resumed.grace_ms
            if view.play.HasField("question"):
                view.play.question.deadline_at_ms = max(view.play.question.deadline_at_ms, until)
            if view.play.turn_deadline_at_ms:
                view.play.turn_deadline_at_ms = max(view.play.turn_deadline_at_ms, until)


class Door:
    """Stands in for a gateway: sends commands until they are answered, and hears `Out`."""

    def __init__(self, bus: Bus, clock: Clock, name: str = "gw") -> None:
        self.bus = bus
        self.clock = clock
        self.name = name
        self.players: dict[str, Player] = {}
        self.epochs: dict[int, int] = {}
        self._tag = 0

    async def open(self) -> Door:
        await self.bus.listen(subject("gateway", "out", self.name), self._hear)
        return self

    def next_tag(self) -> int:
        self._tag += 1
        return self._tag

    async def send(self, player: str, session: str, tag: int, command: p.TableCommand) -> None:
        """Send once; silence is the caller's to notice."""
        shard = command.table_id.partition("-")[0]
        batch = CommandBatch(
            gateway=self.name,
            commands=[Command(player_id=player, session=session, tag=tag, command=command)],
        )
        try:
            reply = await self.bus.request(
                subject("table", "cmd", shard), batch.SerializeToString(), timeout_s=1.0
            )
            self.heard_epoch(int(shard, 16), CommandBatchReply.FromString(reply).epoch)
        except Outage:
            await self.clock.sleep(0.05)

    def heard_epoch(self, shard: int, epoch: int) -> bool:
        known = self.epochs.get(shard, 0)
        if epoch > known:
            self.epochs[shard] = epoch
            if known:
                for player in self.players.values():
                    player.is_attached = False
        return epoch >= known

    async def _hear(self, payload: bytes, _: str) -> None:
        batch = OutBatch.FromString(payload)
        if not self.heard_epoch(batch.shard, batch.epoch):
            return
        for out in batch.outs:
            player = self.players.get(out.session)
            if player is not None:
                player.hear(batch.epoch, out.table_id, out)


@dataclass
class Given:
    """An accepted action."""

    round_id: str
    question: int
    action: str


class Player:
    """One connection of one player at one table; `play` plays the match to its end.

    Args:
        door: The way to the tables.
        player: `p_…`.
        table_id: Where to play.
        rng: Chooses actions.
        gives_nonces: Whether to contribute to the deal.
        spectate: Only look.
    """

    idle_s = 1.5
    """After so long without a word it asks what it lacks."""

    def __init__(
        self,
        door: Door,
        player: str,
        table_id: str,
        rng: random.Random,
        gives_nonces: bool = True,
        spectate: bool = False,
        session: str = "",
    ) -> None:
        self.door = door
        self.player = player
        self.session = session or f"s-{player}"
        self.table_id = table_id
        self.rng = rng
        self.spectate = spectate
        self.chain = chain(rng.randbytes(32), 80) if gives_nonces else []
        self.revealed = 0
        self.fold = TableFold()
        self.frames: dict[int, bytes] = {}
        self.last = 0
        self.epoch = 0
        self.is_attached = False
        self.is_behind = False
        self.accepted: list[Given] = []
        self.tried: set[tuple[int, str]] = set()
        """(question, action) of every answer sent, whatever became of it."""
        self.nags = 0.0
        """How often an old answer is sent again."""
        self.answers: dict[int, p.CommandAnswer] = {}
        self.detached = ""
        self.changed = asyncio.Event()
        door.players[self.session] = self

    # Hearing

    def hear(self, epoch: int, table_id: str, out: object) -> None:
        kind = out.WhichOneof("body")  # type: ignore[attr-defined]
        if kind == "answer":
            self.answers[out.answer.tag] = out.answer.answer  # type: ignore[attr-defined]
        elif kind == "frame":
            self._frame(epoch, out.frame)  # type: ignore[attr-defined]
        elif kind == "view":
            view = p.TableView.FromString(out.view)  # type: ignore[attr-defined]
            if view.number >= self.last:
                if self.last and view.number == self.last:
                    self.check_view(view)
                self.last, self.epoch = view.number, epoch
                self.fold.start(view)
        elif kind == "last_number":
            self.is_behind = self.is_behind or out.last_number > self.last  # type: ignore[attr-defined]
        elif kind == "detached":
            self.detached = out.detached.reason  # type: ignore[attr-defined]
            self.is_attached = False
        self.changed.set()

    def check_view(self, view: p.TableView) -> None:
        """A view must be the sum of the frames up to its number."""
        if view != self.fold.view:
            raise Violation(f"view {view.number} of {self.player} is not the fold:\n{view}\n{self.fold.view}")

    def _frame(self, epoch: int, data: bytes) -> None:
        frame = p.Frame.FromString(data)
        seen = self.frames.setdefault(frame.number, data)
        if seen != data:
            first = p.Frame.FromString(seen)
            raise Violation(f"frame {frame.number} of {self.player} had two contents:\n{first}\n{frame}")
        if frame.number == self.last + 1:
            self.last, self.epoch = frame.number, epoch
            self.fold.add(frame)
        elif frame.number > self.last:
            self.is_behind = True

    # Saying

    async def say(self, command_id: str = "", tries: int = 1_000, **body: object) -> p.CommandAnswer:
        """Send a command until it is answered."""
        command = p.TableCommand(table_id=self.table_id, command_id=command_id, **body)  # type: ignore[arg-type]
        tag = self.door.next_tag()
        for _ in range(tries):
            await self.door.send(self.player, self.session, tag, command)
            try:
                async with self.door.clock.timeout(1.0):
                    while tag not in self.answers:
                        self.changed.clear()
                        await self.changed.wait()
            except TimeoutError:
                continue
            return self.answers[tag]
        raise Violation(f"no answer to {command}")

    async def attach(self) -> p.CommandAnswer:
        """Listen, from the last frame on."""
        answer = await self.say(attach=p.Attach(epoch=self.epoch, number=self.last, spectate=self.spectate))
        self.is_attached = not answer.reason
        self.is_behind = False
        return answer

    # Playing

    @property
    def game(self) -> Game:
        """The game of the table."""
        return GAMES[self.view.game]

    @property
    def view(self) -> p.TableView:
        return self.fold.view

    async def play(self, until: Callable[[Player], bool] | None = None) -> None:
        """Attach, sit, and play until the match is over (or `until` says so)."""
        sat = False
        while not (until or is_over)(self):
            if not self.is_attached or self.is_behind:
                await self.attach()
                continue
            if not sat and not self.spectate:
                head = self.chain[0] if self.chain else b""
                answer = await self.say("sit", sit=p.Sit(nonce_head=head))
                assert answer.reason in ("", "ALREADY_SEATED", "MATCH_OVER"), answer.reason
                sat = True
                continue
            if not self.spectate and await self._act():
                continue
            self.changed.clear()
            try:
                async with self.door.clock.timeout(self.idle_s):
                    await self.changed.wait()
            except TimeoutError:
                self.is_behind = True

    async def _act(self) -> bool:
        """Do what is asked of this seat, if anything."""
        view = self.view
        own = view.seats[view.seat]
        if view.phase == "opening" and own.gives_nonces and self.chain:
            round_id = view.opening.round_id
            if not any(nonce.seat == view.seat for nonce in view.nonces):
                self.revealed += 1
                nonce = p.RevealNonce(round_id=round_id, nonce=self.chain[self.revealed])
                answer = await self.say(f"nonce-{round_id}", reveal_nonce=nonce)
                if answer.reason:
                    self.revealed -= 1
                return not answer.reason
        if view.phase == "between" and not own.ready and not view.paused.reason:
            await self.say(f"ready-{view.round_no}-{self.last}", ready=p.Ready())
            return False
        if view.play.HasField("question"):
            return await self._answer(view.play.question)
        return False

    async def _answer(self, question: p.Question) -> bool:
        view = self.view
        folded = self.game.fold(view.play.events)
        if told_as(self.game.name, folded.legal) != tuple(question.actions):
            raise Violation(f"question {question} is not what the events say: {folded.legal}")
        action = self.choose(folded)
        round_id, number = view.play.round_id, question.number
        self.tried.add((number, action))
        if self.accepted and self.rng.random() < self.nags:
            await self._nag()
        answer = await self.say(act=p.Act(round_id=round_id, question=number, action=action))
        if not answer.reason:
            self.accepted.append(Given(round_id, number, action))
        elif answer.reason not in ("ALREADY_ANSWERED", "QUESTION_CLOSED", "MATCH_OVER"):
            raise Violation(f"{action} to {question}: {answer.reason}")
        async with self.door.clock.timeout(30):
            while view.play.question.number == number and view.play.HasField("question"):
                if self.is_behind or not self.is_attached:
                    return True
                self.changed.clear()
                try:
                    async with self.door.clock.timeout(self.idle_s):
                        await self.changed.wait()
                except TimeoutError:
                    self.is_behind = True
                view = self.view
        return True

    async def _nag(self) -> None:
        """Send an old answer again: it gets its first answer, and nothing else happens."""
        old = self.rng.choice(self.accepted[-3:])
        act = p.Act(round_id=old.round_id, question=old.question, action=old.action)
        answer = await self.say(act=act)
        if answer.reason not in ("", "QUESTION_CLOSED"):
            raise Violation(f"{old} was accepted, and is now {answer.reason}")

    def choose(self, folded: object) -> str:
        """Return one of the legal actions."""
        bot = self.game.bots["random"]
        return bot(folded, self.rng)


def is_over(player: Player) -> bool:
    """Say whether the match is over, as this player knows."""
    return bool(player.view.phase == "finished")
