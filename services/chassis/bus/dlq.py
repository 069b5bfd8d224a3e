"""What consumers put aside: reading the `DLQ`, giving a fact to its consumer again, noting what became of it.

The stream is append-only, like a book: an entry stays, and a later message under `paiju.dlq.resolved` says
what became of it. Only an operator may do this; a service writes its own entries and reads none.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from google.protobuf.message import DecodeError
from paiju.bus.v1.replay_pb2 import OUTCOME_DONE, Replay, ReplayAnswer

from services.chassis.bus.carrier import EVENT_ID, MSG_ID
from services.chassis.bus.consumer import AT_MS, DURABLE, REASON, SEQ, STREAM, SUBJECT
from services.chassis.bus.port import Bus, KeptFact
from services.chassis.bus.registry import DLQ, ROOT, dlq_subject, replay_subject
from services.chassis.errors import Defect

RESOLVED = "resolved"
"""The last part of the subject of words about entries; no durable is called so."""

REPLAY_WAIT_S = 60.0
"""So long a consumer may take for one fact."""

_RESOLVES = "Paiju-Resolves"
_OUTCOME = "Paiju-Outcome"


class OperatorBus(Bus, Protocol):
    """A bus under an operator's login."""

    async def store_until_known(
        self, stream: str, subject: str, payload: bytes, headers: dict[str, str]
    ) -> int:
        """See `base.BaseBus.store_until_known`."""


@dataclass(frozen=True, slots=True)
class Resolution:
    """What became of an entry."""

    outcome: str
    """`replayed` or `dropped`."""
    why: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class Entry:
    """A fact that a consumer could not handle."""

    seq: int
    """In the `DLQ`: what an operator names it by."""
    at_ms: int
    """When it was put aside, Unix milliseconds."""
    durable: str
    reason: str
    stream: str
    stream_seq: int
    subject: str
    event_id: str
    stored_at_ms: int
    """When its stream stored it; when it was put aside, if that is not known."""
    payload: bytes
    resolution: Resolution | None = None
    """None: it is open."""


async def entries(bus: OperatorBus) -> list[Entry]:
    """Return every entry, oldest first, each with what became of it.

    Raises:
        Outage: The stream can't be read.
    """
    found: dict[int, Entry] = {}
    resolved: dict[int, Resolution] = {}
    async for kept in bus.kept(DLQ, (f"{ROOT}.dlq.*",)):
        if kept.subject == dlq_subject(RESOLVED):
            word = Resolution(kept.headers[_OUTCOME], kept.headers[REASON], kept.at_ms)
            resolved.setdefault(int(kept.headers[_RESOLVES]), word)
        else:
            found[kept.seq] = _entry(kept)
    return [replace(entry, resolution=resolved.get(seq)) for seq, entry in sorted(found.items())]


async def give_again(bus: OperatorBus, entry: Entry) -> ReplayAnswer:
    """Have one process of the consumer that put it aside, and no other consumer, handle a fact again.

    Nothing is noted: `resolve` does that. Asking twice does what asking once does: handlers are idempotent.

    Raises:
        NoResponders: No process of that consumer is running.
        RequestTimeout: No answer within `REPLAY_WAIT_S`: it may or may not be done; ask again.
    """
    request = Replay(
        subject=entry.subject,
        payload=entry.payload,
        event_id=entry.event_id,
        seq=entry.stream_seq,
        at_ms=entry.stored_at_ms,
    )
    answer = await bus.request(replay_subject(entry.durable), request.SerializeToString(), REPLAY_WAIT_S)
    try:
        return ReplayAnswer.FromString(answer)
    except DecodeError as error:
        raise Defect(f"{entry.durable} answers a replay with what is no answer: {error}") from error


async def resolve(bus: OperatorBus, entry: Entry, outcome: str, why: str) -> None:
    """Note what became of an entry; the first word counts, a second changes nothing.

    Args:
        bus: An operator's.
        entry: Which.
        outcome: `replayed` or `dropped`.
        why: In one line.
    """
    headers = {
        MSG_ID: f"{RESOLVED}/{entry.seq}",
        _RESOLVES: str(entry.seq),
        _OUTCOME: outcome,
        REASON: " ".join(why.split())[:500],
    }
    await bus.store_until_known(DLQ, dlq_subject(RESOLVED), b"", headers)


def is_done(answer: ReplayAnswer) -> bool:
    """Return whether the consumer took it."""
    return answer.outcome == OUTCOME_DONE


def _entry(kept: KeptFact) -> Entry:
    headers = kept.headers
    return Entry(
        seq=kept.seq,
        at_ms=kept.at_ms,
        durable=headers.get(DURABLE, kept.subject.rpartition(".")[2]),
        reason=headers.get(REASON, ""),
        stream=headers.get(STREAM, ""),
        stream_seq=int(headers.get(SEQ, 0)),
        subject=headers.get(SUBJECT, ""),
        event_id=headers.get(EVENT_ID, ""),
        stored_at_ms=int(headers.get(AT_MS, kept.at_ms)),
        payload=kept.payload,
    )
