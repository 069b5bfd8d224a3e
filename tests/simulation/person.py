"""A person of the world: signs in at some gateway, finds a table, plays, loses his connection, comes back."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import Any, Final, Protocol, TypeVar

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from paiju.gateway.v1.gateway_service_pb2 import Call, Hello, Ping, PlayRequest, PlayResponse
from paiju.table.v1 import play_pb2 as p

from services.chassis.auth import AUDIENCE, ISSUER
from services.chassis.clock import VirtualClock
from services.chassis.errors import Refusal
from services.table.core.state import ANSWERED_MAX
from tests.simulation.client import Player, Violation
from tests.simulation.pipe import Gateway, Pipe

M = TypeVar("M", bound=Message)

KID: Final = "sim"
PATIENCE_S = 4.0
"""A request without an answer for so long: the connection is given up."""
ANSWER_S = 12.0
"""The same of a command: the gateway gives one up after ten seconds, and says so."""
TOKEN_S = 600

AGAIN: Final = frozenset(
    {"SERVICE_UNAVAILABLE", "RATE_LIMITED", "TOO_MANY_CALLS", "TRY_AGAIN", "HELLO_REQUIRED"}
)
"""Refusals after which every client asks again; the last if the hello before it could not be taken."""
NOT_NOW: Final = frozenset(
    {
        "TABLE_UNAVAILABLE",
        "SHARD_BUSY",
        "SEAT_PENDING",
        "NOT_FOUND",
        "TABLE_MOVING",
        "PROTECTION_UNAVAILABLE",
    }
)
"""Answers to a command after which it is said again."""


@cache
def key() -> Ed25519PrivateKey:
    """Return what signs the tokens of all worlds."""
    return Ed25519PrivateKey.from_private_bytes(sha256(b"simulation").digest())


class Neighbourhood(Protocol):
    """What a person sees of the world."""

    clock: VirtualClock

    def gateways(self) -> list[Gateway]:
        """The gateways that can be reached now."""

    def saw_frame(self, player: Client, number: int, data: bytes) -> None:
        """Be told of each frame that somebody is shown, in the moment."""

    def saw_view(self, player: Client, view: p.TableView) -> None:
        """Be told of each view that somebody is shown, in the moment."""

    def was_answered(self, player: Client, command: p.TableCommand, reason: str) -> None:
        """Be told of each answer to a command (empty = accepted), in the moment when it is heard."""

    def was_left_alone(self, player: Client) -> None:
        """Be told that a command has got no answer at all, on a connection that seems to stand."""

    def questions_since(self, player: Client, question: int) -> int:
        """Return how many questions the log has put to this seat since that one."""

    def note(self, what: str) -> None:
        """Write a line of the trace."""

    def fail(self, violation: BaseException) -> None:
        """End the run: something happened that must not."""


@dataclass
class Refused:
    """A refusal as a client reads it."""

    reason: str
    details: dict[str, str] = field(default_factory=dict)


class Person:
    """See the module: the connection, and what is asked over it."""

    def __init__(self, around: Neighbourhood, player_id: str, seed: int) -> None:
        self.around = around
        self.clock = around.clock
        self.player_id = player_id
        self.rng = random.Random(f"{seed}/{player_id}")
        self.away_until = 0.0
        """Offline, for reasons of his own."""
        self.players: dict[str, Client] = {}
        """Clients at tables, as `client.Door` has them."""
        self.clients: list[Client] = []
        self.staying: Client | None = None
        """Where he has stayed after the match, to the end of all."""
        self.pipe: Pipe | None = None
        self.reconnects = 0
        self._next = 0
        self._replies: dict[int, asyncio.Future[PlayResponse]] = {}

    # The connection

    async def connect(self) -> Pipe:
        """Return a connection on which we are welcome: the present one, or another to some gateway."""
        while self.pipe is None:
            if (away := self.away_until - self.clock.monotonic()) > 0:
                await self.clock.sleep(away)
            pipe = self._open()
            if pipe is None:
                await self.clock.sleep(0.3 + self.rng.random())
                continue
            self.pipe = pipe
            self.reconnects += 1
            answer = await self._ask(hello=Hello(access_token=self._token(), client="simulation"))
            if answer is None or not answer.HasField("welcome"):
                if answer is not None and answer.refused.reason not in ("SERVICE_UNAVAILABLE", ""):
                    raise Violation(f"{self.player_id} is not welcome: {answer.refused.reason}")
                self.drop()
                await self.clock.sleep(0.2 + self.rng.random())
        return self.pipe

    def _open(self) -> Pipe | None:
        gateways = self.around.gateways()
        if not gateways:
            return None
        gateway = self.rng.choice(gateways)
        try:
            pipe = Pipe(gateway, self, self.player_id, self.rng)
        except Refusal:
            return None
        self.around.note(f"{self.player_id} connects to {gateway.process.name}")
        return pipe

    def _token(self) -> str:
        claims = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": self.player_id,
            "sid": f"sid-{self.player_id}",
            "kind": "player",
            "exp": self.clock.now_ms() // 1000 + TOKEN_S,
        }
        return jwt.encode(claims, key(), algorithm="EdDSA", headers={"kid": KID})

    def drop(self) -> None:
        """Give the connection up."""
        pipe, self.pipe = self.pipe, None
        if pipe is not None:
            pipe.leave()
        self._cut_off()

    def lost(self, pipe: Pipe) -> None:
        """See `pipe.End`."""
        if pipe is self.pipe:
            self.pipe = None
            self._cut_off()

    def _cut_off(self) -> None:
        replies, self._replies = self._replies, {}
        for reply in replies.values():
            if not reply.done():
                reply.cancel()
        for client in self.players.values():
            client.is_attached = False
            client.changed.set()

    # Asking

    async def _ask(self, **body: Any) -> PlayResponse | None:
        """Send a request; None = the connection is lost, or no answer comes."""
        pipe = self.pipe
        assert pipe is not None
        self._next += 1
        number = self._next
        reply: asyncio.Future[PlayResponse] = asyncio.get_running_loop().create_future()
        self._replies[number] = reply
        pipe.send(PlayRequest(id=number, **body).SerializeToString())
        await asyncio.wait([reply], timeout=PATIENCE_S)
        self._replies.pop(number, None)
        if reply.cancelled():
            return None
        if not reply.done():
            if pipe is self.pipe:
                self.drop()
            return None
        return reply.result()

    async def call(self, method: str, request: Message, response: type[M]) -> M | Refused:
        """Call a service through the gateway until it answers: with a response, or a refusal."""
        payload = request.SerializeToString(deterministic=True)
        while True:
            await self.connect()
            answer = await self._ask(call=Call(method=method, payload=payload))
            if answer is None:
                continue
            error = answer.refused if answer.HasField("refused") else answer.call_result.error
            if not error.reason:
                return response.FromString(answer.call_result.payload)
            if error.reason in ("INTERNAL", "BAD_MESSAGE", "METHOD_UNKNOWN"):
                raise Violation(f"{method} of {self.player_id}: {error.reason}")
            if error.reason not in AGAIN:
                return Refused(error.reason, dict(error.details))
            await self.clock.sleep(0.5 + self.rng.random())

    async def is_alive(self) -> bool:
        """Ping; a connection that is silent is given up."""
        await self.connect()
        return await self._ask(ping=Ping(at_ms=self.clock.now_ms())) is not None

    # As `client.Door`

    def next_tag(self) -> int:
        """Return the number of the next command."""
        self._next += 1
        return self._next

    async def send(self, player: str, session: str, tag: int, command: p.TableCommand) -> None:
        """Send a command, on a new connection if need be."""
        pipe = await self.connect()
        pipe.send(PlayRequest(id=tag, table=command).SerializeToString())

    # Hearing

    def hear(self, pipe: Pipe, payload: bytes) -> None:
        """See `pipe.End`."""
        if pipe is not self.pipe:
            return
        try:
            self._hear(PlayResponse.FromString(payload))
        except Violation as violation:
            # Called by the loop, where nobody would hear of it.
            self.around.fail(violation)

    def _hear(self, response: PlayResponse) -> None:
        reply = self._replies.get(response.reply_to)
        if reply is not None:
            if not reply.done():
                reply.set_result(response)
            return
        match response.WhichOneof("body"):
            case "table_frames":
                client = self.players.get(response.table_frames.table_id)
                if client is not None:
                    for frame in response.table_frames.frames:
                        client.take_frame(response.table_frames.epoch, frame)
            case "table_snapshot":
                client = self.players.get(response.table_snapshot.table_id)
                if client is not None:
                    client.take_view(response.table_snapshot.epoch, response.table_snapshot.view)
            case "command_answer":
                self._answered(response.reply_to, response.command_answer)
            case "refused":
                reason = response.refused.reason
                if reason not in AGAIN and reason not in NOT_NOW:
                    raise Violation(f"{self.player_id}: a command is refused: {reason}")
                self._answered(response.reply_to, p.CommandAnswer(reason=reason))
            case "table_detached":
                client = self.players.get(response.table_detached.table_id)
                if client is not None:
                    client.take_detached(response.table_detached.reason)
            case "goodbye":
                self.around.note(f"{self.player_id} hears goodbye: {response.goodbye.reason}")

    def _answered(self, tag: int, answer: p.CommandAnswer) -> None:
        for client in self.players.values():
            client.compare(tag, answer.reason)
            if tag in client.mine:
                client.answers[tag] = answer
                client.changed.set()


class Client(Player):
    """A person at one table: what `client.Player` does, over the connection of its person."""

    idle_s = 8.0
    """The gateway fills gaps by itself."""

    def __init__(self, person: Person, table_id: str, nags: float) -> None:
        self.mine: set[int] = set()
        self.views: list[p.TableView] = []
        """Every view he was shown."""
        self.refusals: dict[tuple[int, str], str] = {}
        """(question, action) → the reason that was given for not taking it; not when so much has happened
        since that the table may have forgotten the first answer."""
        rng = random.Random(f"{person.player_id}/{table_id}/{person.rng.random()}")
        super().__init__(person, person.player_id, table_id, rng, session=table_id)  # type: ignore[arg-type]
        self.person = person
        self.nags = nags
        self.whims = 0.02
        """How often he does something that is not asked for, or lies."""
        self.absences = 0.1
        """How often he goes away for a while, each time his client looks whether it is connected."""
        self.replaced = 0
        """How often he was told that a newer connection has his seat."""
        self._twice: dict[int, list[str]] = {}
        """What was said twice: both tags → the answers heard so far."""
        person.clients.append(self)

    def listens_to(self, seat: int | None) -> int:
        """Return whose frames it is shown, by the seat of its player."""
        assert seat is not None, "who plays has a seat"
        return seat

    def take_frame(self, epoch: int, data: bytes) -> None:
        """Take a frame; the gateway leaves no gap."""
        frame = p.Frame.FromString(data)
        if frame.number > self.last + 1:
            raise Violation(f"{self.player} had frame {self.last} and got {frame.number} from the gateway")
        self.person.around.saw_frame(self, frame.number, data)
        self._frame(epoch, data)
        self.changed.set()

    def take_view(self, epoch: int, data: bytes) -> None:
        """Take a view: equal to the fold of the frames up to its number, if there were any."""
        view = p.TableView.FromString(data)
        self.views.append(view)
        if view.number < self.last:
            raise Violation(f"{self.player} had seen frame {self.last} and is shown view {view.number}")
        if self.last and view.number == self.last:
            self.check_view(view)
        self.person.around.saw_view(self, view)
        self.last, self.epoch = view.number, epoch
        self.fold.start(view)
        self.changed.set()

    def take_detached(self, reason: str) -> None:
        """Learn that this connection listens no longer."""
        self.replaced += reason == "REPLACED"
        self.is_attached = False
        self.changed.set()

    def compare(self, tag: int, reason: str) -> None:
        """What was said twice is answered twice alike: what was accepted is not refused afterwards."""
        told = self._twice.pop(tag, None)
        if told is None or reason in NOT_NOW or reason in AGAIN:
            return
        told.append(reason)
        if len(told) > 1 and not told[0] and reason:
            raise Violation(f"what {self.player} said twice was accepted, and is now {reason}")

    async def say(self, command_id: str = "", tries: int = 1_000, **body: object) -> p.CommandAnswer:
        """Send a command until it is answered; now and then twice."""
        command = p.TableCommand(table_id=self.table_id, command_id=command_id, **body)  # type: ignore[arg-type]
        for _ in range(tries):
            tag = self.door.next_tag()
            self.mine.add(tag)
            await self.door.send(self.player, self.session, tag, command)
            if self.rng.random() < self.nags / 4:
                again = self.door.next_tag()
                self._twice[tag] = self._twice[again] = []
                await self.door.send(self.player, self.session, again, command)
            answer = await self._answer_to(tag)
            if answer is None or answer.reason in NOT_NOW or answer.reason in AGAIN:
                await self.door.clock.sleep(0.1 + 0.4 * self.rng.random())
                continue
            said = str(command).replace("\n", " ")
            self.person.around.note(f"{self.player} says {said}: {answer.reason or 'taken'}")
            self.person.around.was_answered(self, command, answer.reason)
            if "act" in body:
                self._note_refusal(body["act"], answer.reason)
            return answer
        raise Violation(f"no answer to {command}")

    def _note_refusal(self, act: object, reason: str) -> None:
        assert isinstance(act, p.Act)
        if any((given.question, given.action) == (act.question, act.action) for given in self.accepted):
            return
        self.refusals.pop((act.question, act.action), None)
        if reason and self.person.around.questions_since(self, act.question) < ANSWERED_MAX:
            self.refusals[act.question, act.action] = reason

    async def _answer_to(self, tag: int) -> p.CommandAnswer | None:
        pipe = self.person.pipe
        try:
            async with self.door.clock.timeout(ANSWER_S):
                while tag not in self.answers:
                    if self.person.pipe is not pipe or pipe is None:
                        return None
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            self.person.around.was_left_alone(self)
            self.person.drop()
            return None
        finally:
            self.mine.discard(tag)
        return self.answers.pop(tag)

    async def play(self, until: Callable[[Player], bool] | None = None) -> None:
        """Play on; a connection that fell silent is noticed."""
        looking = asyncio.get_running_loop().create_task(self._look())
        try:
            await super().play(until)
        finally:
            looking.cancel()

    async def _look(self) -> None:
        clock = self.door.clock
        while True:
            await clock.sleep(10.0 + 5.0 * self.rng.random())
            if self.rng.random() < self.absences:
                self.person.around.note(f"{self.player} goes away")
                self.person.drop()
                self.person.away_until = clock.monotonic() + 20.0 * self.rng.random()
            await self.person.is_alive()

    async def _act(self) -> bool:
        """Do what is asked of this seat, and now and then what is not."""
        if self.view.seats[self.view.seat].left:
            return False
        if self.view.phase == "seating" and self.rng.random() < self.whims / 2:
            await self.say("leave", leave=p.Leave())
        elif self.rng.random() < self.whims:
            await self._whim()
        vote = self.view.vote
        if vote.until_ms and self.view.seat not in (*vote.agreed, *vote.refused):
            await self.say(
                f"vote-{vote.until_ms}", dissolve_vote=p.DissolveVote(agree=self.rng.random() < 0.7)
            )
        return await super()._act()

    async def _whim(self) -> None:
        view, rng = self.view, self.rng
        whim = rng.randrange(6)
        if whim == 0 and view.phase == "between" and rng.random() < 0.5:
            await self.say("leave", leave=p.Leave())
        elif whim == 1:
            for on in (True, False):
                await self.say(f"auto-{on}-{self.last}", set_auto_play=p.SetAutoPlay(on=on))
        elif whim == 2 and view.play.HasField("question"):
            await self._lie(view.play.question.number + 40, view.play.question.actions[0])
        elif whim == 3 and view.play.HasField("question"):
            wrong = rng.choice(("pass", "hu", "discard zz", "peng", ""))
            if wrong not in self.game.fold(view.play.events).legal:
                await self._lie(view.play.question.number, wrong)
        elif whim == 4 and view.play.HasField("question") and view.seats[view.seat].extensions:
            asked = view.play
            more = p.Extend(round_id=asked.round_id, question=asked.question.number)
            await self.say(f"extend-{asked.question.number}", extend=more)
        elif whim == 5 and view.phase == "playing" and not view.HasField("vote") and rng.random() < 0.3:
            await self.say(f"end-{self.last}", dissolve_vote=p.DissolveVote(agree=True))

    async def _lie(self, question: int, action: str) -> None:
        """Say what nobody may: it is refused, and changes nothing."""
        act = p.Act(round_id=self.view.play.round_id, question=question, action=action)
        answer = await self.say(act=act)
        if not answer.reason:
            raise Violation(f"{self.player} was believed: {act}")
