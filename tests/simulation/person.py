"""A person of the world: signs in at some gateway, finds a table, plays, loses his connection, comes back."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from paiju.gateway.v1.gateway_service_pb2 import Call, Hello, Ping, PlayRequest, PlayResponse
from paiju.table.v1 import play_pb2 as p

from services.chassis.auth import AUDIENCE, ISSUER
from services.chassis.clock import VirtualClock
from services.chassis.errors import Refusal
from tests.simulation.client import Violation
from tests.simulation.pipe import Gateway, Pipe

if TYPE_CHECKING:
    from tests.simulation.playing import Client

M = TypeVar("M", bound=Message)

KID: Final = "sim"
PATIENCE_S = 4.0
"""A request without an answer for so long: the connection is given up."""
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
