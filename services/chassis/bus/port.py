"""What a bus promises, whichever carries it: `NatsBus` in earnest, `MemoryBus` in tests and simulation."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from google.protobuf.message import Message

from services.chassis.errors import Outage

M = TypeVar("M", bound=Message)

PAYLOAD_BYTES_MAX = 768 * 1024
"""A larger message is refused before it is sent: at 1 MiB with headers the server closes the whole
connection.
"""

PUBLISH_WAIT_S = 20.0
"""How long `publish` tries again before it gives up with `Outage`."""


class NoResponders(Outage):
    """Nobody serves this subject at the moment (known within a millisecond)."""


class RequestTimeout(Outage):
    """Somebody may serve this subject, but no answer came in time: the outcome is unknown."""


class Fenced(Exception):
    """Somebody else has appended to this log since `expected_last`.

    What was to be appended isn't the log's last entry and can't get in any more (if an acknowledgement was
    lost it may stand before the other's): drop what rests on this log at once, in silence, and take it anew.
    """

    def __init__(self, subject: str, expected_last: int, last: int) -> None:
        super().__init__(f"{subject}: expected last {expected_last}, found {last}")
        self.subject = subject
        self.expected_last = expected_last
        self.last = last


class Conflict(Exception):
    """A compare-and-set lost: the key has another revision by now (or already exists, for `create`)."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


@dataclass(frozen=True, slots=True)
class Delivery(Generic[M]):
    """One durable fact, as handed to a consumer."""

    message: M
    event_id: str
    """As given to `publish`; handlers are idempotent by it."""
    seq: int
    """Sequence in its stream."""
    subject: str
    attempt: int
    """1 for the first delivery."""
    at_ms: int
    """When the stream stored it."""


@dataclass(frozen=True, slots=True)
class KeptFact:
    """One message of a stream, as it is kept."""

    seq: int
    subject: str
    payload: bytes
    headers: Mapping[str, str]
    at_ms: int
    """When the stream stored it."""


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One message of a log."""

    seq: int
    payload: bytes
    msg_id: str
    """Empty: this is no append of anybody. It says nothing, but stands in the way as one that fences."""
    expected_last: int
    """The sequence its writer had seen last: 0 = the log was empty. A reader checks it names the entry
    before.
    """
    at_ms: int


@dataclass(frozen=True, slots=True)
class Durable:
    """The append is in the log."""

    seq: int


@dataclass(frozen=True, slots=True)
class FencedOff:
    """Somebody else's entry is the last one: see `Fenced`."""

    last: int


@dataclass(frozen=True, slots=True)
class Unknown:
    """Nobody knows yet: send the same bytes with the same id again."""

    why: str


AppendAnswer = Durable | FencedOff | Unknown


@dataclass(frozen=True, slots=True)
class KvEntry:
    """The value of a key, and the revision a compare-and-set names."""

    key: str
    value: bytes
    revision: int


class Bucket(Protocol):
    """A small shared map with compare-and-set. Any call may raise `Outage`: then the outcome is unknown;
    read again.
    """

    async def get(self, key: str) -> KvEntry | None:
        """Return the value of a key, or None if it is absent or has expired."""

    async def put(self, key: str, value: bytes) -> int:
        """Set a key whatever it was; return its new revision. Renews its time to live."""

    async def create(self, key: str, value: bytes, gone_at: int = 0) -> int:
        """Set a key that must be absent; return its revision.

        Args:
            key: Which.
            value: Its value.
            gone_at: What a `delete` of this key returned, if that is known: saves asking. It may be long ago;
                a number that no `delete` returned may be a living value's, which is then overwritten.

        Raises:
            Conflict: It is there.
        """

    async def update(self, key: str, value: bytes, revision: int) -> int:
        """Set a key that must have this revision; return the new one.

        Raises:
            Conflict: It has another, or is gone.
        """

    async def delete(self, key: str, revision: int | None = None) -> int:
        """Remove a key (an absent one too); return the revision of its absence.

        Raises:
            Conflict: A revision was given and the key has another.
        """

    async def keys(self) -> list[str]:
        """Return all living keys, sorted."""

    async def names(self) -> list[str]:
        """Return all keys written within the time to live, sorted, deleted ones perhaps among them: one
        question, however many there are.
        """

    async def entries(self) -> list[KvEntry]:
        """Return all living keys with their values, sorted by key."""


class Consumer(Protocol):
    """A running durable consumer."""

    async def stop(self) -> None:
        """Take no more, let the handler end what it holds, and return; twice does nothing."""


class Subscription(Protocol):
    """A core subscription."""

    async def stop(self) -> None:
        """Unsubscribe, let running handlers end, and return; twice does nothing."""


Handler = Callable[[Sequence[Delivery[Message]]], Awaitable[None]]
"""Takes deliveries in the order of their stream. Returns = all of them are done (acknowledged).
`Outage` = all again later; anything else = a defect: with several, each is tried alone; the one that fails
alone goes to the stream `DLQ`."""

TellHandler = Callable[[bytes, str], Awaitable[None]]
"""(payload, subject)"""

ServeHandler = Callable[[bytes, str], Awaitable[bytes | None]]
"""(payload, subject) → the answer; None = say nothing (the caller times out). An exception says nothing
too, and is logged.
"""


class Bus(Protocol):
    """Durable facts, the data plane, logs with a fence, and buckets."""

    # Durable facts

    async def publish(self, message: Message, event_id: str) -> int:
        """Store a fact in its stream, and return its sequence there.

        Stream, subject and key come from the message's `(paiju.bus.v1.event)` option. Tries again until
        the stream has answered; a repeat with the same `event_id` within two minutes is stored once.

        Raises:
            Outage: No answer within `PUBLISH_WAIT_S`; it may or may not be stored.
            Defect: The message carries no event option, its key is empty, or it is too large.
        """

    async def consume(
        self,
        durable: str,
        types: Sequence[type[Message]],
        handler: Handler,
        batch: int = 1,
        linger_s: float = 0.0,
    ) -> Consumer:
        """Hand every fact of these types to `handler`, from the first one stored, once done never again.

        One handler call at a time per stream. Processes that use the same `durable` name share the work.

        Args:
            durable: `<service>-<what for>`, e.g. `economy-settlement`.
            types: Message classes; they may be of several streams (order between streams means nothing).
            batch: At most so many deliveries per call.
            linger_s: Wait so long for a batch to fill up (0 = take what is there).
        """

    async def sweep(
        self, durable: str, types: Sequence[type[Message]], handler: Handler, batch: int = 1
    ) -> None:
        """Hand over, as `consume` does, what is stored now and was not handed over before; then return.

        In a cluster the server that holds the durable may be some milliseconds behind the one that took the
        fact: what it does not know yet is handed over the next time.

        Raises:
            Outage: The handler's, or the streams can't be reached; what was not handled comes again.
        """

    def kept(self, stream: str, subjects: Sequence[str], from_seq: int = 1) -> AsyncGenerator[KeptFact, None]:
        """Yield what a stream keeps under some subjects now, oldest first. For operators: no service may.

        Raises:
            Outage: It can't be read; start again at the next sequence.
        """

    # Data plane: fast, and may lose

    async def tell(self, subject: str, payload: bytes) -> None:
        """Send to whoever listens now. Lost without a word if nobody does."""

    async def listen(self, subject: str, handler: TellHandler, queue: str = "") -> Subscription:
        """Call `handler` for each message told, in order, one at a time. With `queue`, one of the group
        gets it.

        The subject may end in `*` or `>`.
        """

    async def request(self, subject: str, payload: bytes, timeout_s: float = 5.0) -> bytes:
        """Ask whoever serves this subject, and return the answer.

        Raises:
            NoResponders: Nobody serves it now.
            RequestTimeout: No answer in time; unknown whether it was done.
        """

    async def serve(
        self, subject: str, handler: ServeHandler, queue: str = "", at_once: int = 1
    ) -> Subscription:
        """Answer requests: each answered when its handler returns. `at_once` handlers run at a time (1 =
        in order).
        """

    # Logs

    async def append(self, subject: str, payload: bytes, expected_last: int, msg_id: str) -> int:
        """Append to a log whose last entry must be `expected_last` (0 = empty); return the new sequence.

        Sends the same bytes with the same id again until the outcome is known, however long that takes.

        Raises:
            Fenced: Somebody else appended; known from the leader's last entry, not guessed.
            Defect: The payload is larger than `PAYLOAD_BYTES_MAX`.
        """

    async def append_once(
        self, subject: str, payload: bytes, expected_last: int, msg_id: str
    ) -> AppendAnswer:
        """Try one append and say what is known of it: one step of `append`."""

    async def last(self, subject: str) -> LogEntry | None:
        """Return the last entry of a log, from its leader; None if the log is empty."""

    def read(self, subject: str, from_seq: int = 1) -> AsyncGenerator[LogEntry, None]:
        """Yield the entries of a log from a sequence on, in order, and wait for more at its end.

        Whoever reads decides when to stop (`break`, after `aclosing`); survives reconnects. What a replica
        yields may end before what was acknowledged: read until an entry of your own comes back.
        """

    async def purge(self, subject: str, below_seq: int) -> None:
        """Remove the entries of a log below a sequence; the last entry must not be among them."""

    # Buckets

    async def bucket(self, name: str) -> Bucket:
        """Return a bucket that `ensure_streams` has made.

        Raises:
            Defect: There is none of this name.
        """

    # Life

    @property
    def connected(self) -> bool:
        """Whether the bus is reachable now."""

    async def close(self) -> None:
        """Stop all consumers and subscriptions, flush, and disconnect; twice does nothing."""
