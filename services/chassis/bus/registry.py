"""Which facts exist, where they are kept, and what they are called: all derived from the protos.

A message with the option `(paiju.bus.v1.event) = {stream: "ROUNDS", key: "game"}` is a fact of that
stream; its subject is `paiju.<service>.<name_in_snake_case>.<value of the key field>`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message
from paiju.bus.v1 import options_pb2

from services.chassis.errors import Defect

ROOT = "paiju"
DLQ = "DLQ"
CHAT_AGE_S = 3600.0
_SPECIAL = re.compile(r"[\s.*>]")
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True)
class EventType:
    """One kind of event, as its proto describes it."""

    name: str
    """Full proto name."""
    prefix: str
    """`paiju.table.round_finished`; the key follows."""
    stream: str
    """Empty: told, never kept."""
    key: str
    """The field whose value ends the subject; empty: the publisher names it."""


@dataclass(frozen=True, slots=True)
class LogSpec:
    """A log spread over shards: streams `<name>_<n>`, subjects `paiju.<service>.log.<shard>`."""

    name: str
    service: str

    def subject(self, shard: str) -> str:
        """Return the subject of one shard's log."""
        return subject(self.service, "log", shard)


@dataclass(frozen=True, slots=True)
class BucketSpec:
    """A bucket, and how long a value lives (0 = for ever)."""

    name: str
    ttl_s: float = 0.0


@dataclass(frozen=True, slots=True)
class StreamSpec:
    """A stream to be made."""

    name: str
    subjects: tuple[str, ...]
    max_age_s: float = 0.0
    is_log: bool = False


@dataclass(frozen=True)
class Consumes:
    """One durable consumer: made by `paiju migrate`, used by `bus.consume` with the same name and types."""

    durable: str
    types: tuple[type[Message], ...]

    def by_stream(self) -> dict[str, tuple[str, ...]]:
        """Return the subjects to hear, by stream."""
        return subjects_by_stream(self.types)


ALIVE = BucketSpec("alive", ttl_s=3.0)
"""One key per process; `lease`."""
SHARDS = BucketSpec("shards")
"""One key per shard; `lease`."""
KEYS = BucketSpec("keys")
"""Public keys of tokens, by `kid`; `auth`."""
SESSION_TOKEN_S_MAX = 3_600
"""No token of a session lives longer: the chassis refuses it."""
QUOTAS = BucketSpec("quotas", ttl_s=2 * 86_400.0)
"""Two keys per API key: the calls counted in this minute, and in this day; `quotas`."""
REVOKED = BucketSpec("revoked", ttl_s=SESSION_TOKEN_S_MAX + 60.0)
"""One key per session that was ended, for longer than its last token lives; `revocations`."""


class Registry:
    """Everything the bus must hold for a set of services."""

    def __init__(
        self,
        types: Iterable[type[Message]] = (),
        consumes: Iterable[Consumes] = (),
        logs: Iterable[LogSpec] = (),
        buckets: Iterable[BucketSpec] = (),
        log_shards: int = 4,
        log_streams: int = 2,
    ) -> None:
        self.types = {event_of(cls).name: cls for cls in types}
        self.consumes = tuple(consumes)
        for entry in self.consumes:
            self.types |= {event_of(cls).name: cls for cls in entry.types}
        self.logs = tuple(logs)
        self.buckets = {spec.name: spec for spec in (ALIVE, SHARDS, KEYS, REVOKED, QUOTAS, *buckets)}
        self.log_shards = log_shards
        self.log_streams = log_streams
        self._streams = {spec.name: spec for spec in self._make_streams()}
        self._log_streams = {
            subject_: spec.name
            for spec in self._streams.values()
            if spec.is_log
            for subject_ in spec.subjects
        }

    @property
    def streams(self) -> Sequence[StreamSpec]:
        """All streams, by name."""
        return [self._streams[name] for name in sorted(self._streams)]

    def stream_of_log(self, subject_: str) -> str:
        """Return the stream that holds a log.

        Raises:
            Defect: The subject is no log of this registry.
        """
        if subject_ not in self._log_streams:
            raise Defect(f"{subject_} is not a log of the registry")
        return self._log_streams[subject_]

    def shards(self) -> list[str]:
        """Return the names of all shards: whole numbers from 0, in hex."""
        return [format(number, "x") for number in range(self.log_shards)]

    def _make_streams(self) -> Iterable[StreamSpec]:
        subjects: dict[str, list[str]] = {}
        for cls in self.types.values():
            event = event_of(cls)
            if event.stream:
                subjects.setdefault(event.stream, []).append(f"{event.prefix}.*")
        for stream, heard in subjects.items():
            yield StreamSpec(stream, tuple(sorted(heard)), CHAT_AGE_S if stream == "CHAT" else 0.0)
        yield StreamSpec(DLQ, (f"{ROOT}.dlq.*",))
        shards = self.shards()
        for log in self.logs:
            for number in range(min(self.log_streams, len(shards))):
                mine = tuple(log.subject(shard) for shard in shards[number :: self.log_streams])
                yield StreamSpec(f"{log.name}_{number}", mine, is_log=True)


def events_in(*modules: ModuleType) -> tuple[type[Message], ...]:
    """Return the message classes of generated modules that are kept by a stream, by name."""
    found = [
        cls
        for module in modules
        for cls in vars(module).values()
        if isinstance(cls, type)
        and issubclass(cls, Message)
        and _option(cls.DESCRIPTOR)
        and event_of(cls).stream
    ]
    return tuple(sorted(found, key=lambda cls: cls.DESCRIPTOR.full_name))


def event_of(what: Message | type[Message]) -> EventType:
    """Return how a message travels.

    Raises:
        Defect: It carries no event option, or one that can't be.
    """
    return _event_of(what.DESCRIPTOR)


@lru_cache(maxsize=1024)
def _event_of(descriptor: Descriptor) -> EventType:
    option = _option(descriptor)
    if option is None:
        raise Defect(f"{descriptor.full_name} is no event: it has no option (paiju.bus.v1.event)")
    if option.key:
        field = descriptor.fields_by_name.get(option.key)
        if field is None or field.type != field.TYPE_STRING:
            raise Defect(
                f"{descriptor.full_name} names the key {option.key!r}, which is no string field of it"
            )
    elif option.stream:
        raise Defect(f"{descriptor.full_name} is kept by {option.stream}, but names no key")
    root, service, *_ = descriptor.file.package.split(".")
    if root != ROOT:
        raise Defect(f"{descriptor.full_name} is outside the package {ROOT}")
    name = _HUMP.sub("_", descriptor.name).lower()
    return EventType(descriptor.full_name, f"{ROOT}.{service}.{name}", option.stream, option.key)


def _option(descriptor: Any) -> options_pb2.Event | None:
    options = descriptor.GetOptions()
    if not options.HasExtension(options_pb2.event):
        return None
    event: options_pb2.Event = options.Extensions[options_pb2.event]
    return event


def subject_of(what: Message | type[Message], key: str | None = None) -> str:
    """Return the subject of a message (key from its field, unless given) or of a type (the key must be
    given).

    `key="*"` hears every key. Characters that NATS gives a meaning become `_`.

    Raises:
        Defect: No event, or no key.
    """
    event = event_of(what)
    if key == "*":
        return f"{event.prefix}.*"
    if key is None and isinstance(what, Message) and event.key:
        key = getattr(what, event.key)
    if not key:
        raise Defect(f"{event.name} needs a key for its subject")
    return f"{event.prefix}.{_SPECIAL.sub('_', key)}"


def subject(service: str, kind: str, *keys: str) -> str:
    """Return the subject of what is no event: `subject("table", "cmd", "3")` → `paiju.table.cmd.3`.

    A last key may be `*` or `>`.

    Raises:
        Defect: A part is empty or has a character that NATS gives a meaning.
    """
    parts = (service, kind, *keys)
    for number, part in enumerate(parts):
        if not _WORD.fullmatch(part) and not (part in ("*", ">") and number == len(parts) - 1 and number > 1):
            raise Defect(f"{part!r} can't be part of a subject")
    return ".".join((ROOT, *parts))


def dlq_subject(durable: str) -> str:
    """Return the subject under which a consumer puts aside what it can't handle."""
    return f"{ROOT}.dlq.{durable}"


def replay_subject(durable: str) -> str:
    """Return the subject under which a consumer is asked to handle such a fact again."""
    return f"{ROOT}.replay.{durable}"


def shard_freed_subject(group: str, shard: str) -> str:
    """Return the subject under which it is told that a shard's key is free."""
    return f"{ROOT}.{group}.shard_freed.{shard}"


def subjects_by_stream(types: Iterable[type[Message]]) -> dict[str, tuple[str, ...]]:
    """Return the subjects of these facts, by stream.

    Raises:
        Defect: One of them is kept by no stream.
    """
    by_stream: dict[str, list[str]] = {}
    for cls in types:
        event = event_of(cls)
        if not event.stream:
            raise Defect(f"{event.name} is kept by no stream: it can be told, not consumed")
        by_stream.setdefault(event.stream, []).append(f"{event.prefix}.*")
    return {stream: tuple(sorted(heard)) for stream, heard in sorted(by_stream.items())}
