"""Proves that what was played is what was paid: each record one audit, and one settlement or an open dispute.

Reads what tables and scoring published, and holds it against the book. What can't be accounted for yet is
kept in notes and looked at again; what is older than the grace and still can't be is a finding.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Protocol

from google.protobuf.message import DecodeError, Message
from paiju.scoring.v1.events_pb2 import RoundAudited
from paiju.table.v1.events_pb2 import RoundFinished, RoundVoided
from sqlalchemy import Connection, and_, func, select

from services.chassis.bus.port import Delivery
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Defect
from services.economy.store import facts, proof_notes, schema
from services.economy.store.bulk import among
from services.economy.store.proof_notes import Seen, Word

TYPES: Final = (RoundFinished, RoundVoided, RoundAudited)
"""What is read: everything that was said of rounds."""

PAGE = 200

_ROUNDS, _OF, _DECIDED = schema.rounds, schema.disputes, schema.decisions
_ALERTS, _LOOKED_AT = schema.alerts, schema.acknowledgements

Take = Callable[[Sequence[Delivery[Message]]], Awaitable[None]]


class Source(Protocol):
    """Where facts of `TYPES` come from."""

    async def each(self, take: Take) -> None:
        """Hand over, in parts, every fact that was not handed over to these notes before."""


@dataclass
class Tally:
    """What became of the records, counted."""

    read: int = 0
    """Facts read in this run."""
    proven: int = 0
    """Records accounted for in this run."""
    under_way: int = 0
    """Younger than the grace, and not settled yet."""
    disputed: int = 0
    """Wait for a person, or behind a round that does."""
    findings: list[str] = field(default_factory=list)


class Rounds:
    """One run over the rounds. Changes the notes, and of the book nothing."""

    def __init__(self, book: Database, notes: Database, clock: Clock, grace_ms: int) -> None:
        self._book = book
        self._notes = notes
        self._clock = clock
        self._started_ms = clock.now_ms()
        self._grace_ms = grace_ms
        self.tally = Tally()

    async def take(self, deliveries: Sequence[Delivery[Message]]) -> None:
        """Note records; check words against the book at once, and note those that it does not hold."""
        said = [(one.message, one.at_ms) for one in deliveries]
        self.tally.read += len(said)
        seen = [
            Seen(message.round_id, hashlib.sha256(message.record).digest(), at_ms)
            for message, at_ms in said
            if isinstance(message, RoundFinished)
        ]
        words = [_word(message, at_ms) for message, at_ms in said if not isinstance(message, RoundFinished)]
        missing = await self._book.read(partial(_not_held, words=words)) if words else []

        def note(connection: Connection) -> None:
            if seen:
                proof_notes.note_records(connection, seen)
            proof_notes.note_words(connection, missing)

        if seen or missing:
            await self._notes.run(note)

    async def judge(self, go_on: Callable[[], Awaitable[None]]) -> None:
        """Look at every record and word that is not accounted for. `go_on` is awaited between two pages."""
        after = ""
        while page := await self._notes.read(partial(proof_notes.unproven, after=after, most=PAGE)):
            after = page[-1].round_id
            proven = await self._judge_records(page)
            if proven:
                self.tally.proven += len(proven)
                await self._notes.run(partial(proof_notes.prove_records, round_ids=proven))
            await go_on()
        last: Word | None = None
        while words := await self._notes.read(partial(proof_notes.all_words, after=last, most=PAGE)):
            last = words[-1]
            held = await self._judge_words(words)
            if held:
                await self._notes.run(partial(proof_notes.forget_words, said=held))
            await go_on()

    async def unrecorded(self, since: int, go_on: Callable[[], Awaitable[None]]) -> None:
        """Find settled rounds of which no record was published: of all, or of those settled after `since`."""
        before_ms = self._started_ms - self._grace_ms
        pages: Any = _settled_since if since else _settled_after
        at: Any = since or ""
        while True:
            at, round_ids = await self._book.read(partial(pages, after=at, before_ms=before_ms))
            if at is None:
                return
            lost = await self._notes.read(partial(proof_notes.without_record, round_ids=round_ids))
            self.tally.findings += [
                f"round {round_id}: settled, but no record of it is in ROUNDS" for round_id in lost
            ]
            await go_on()

    async def _judge_records(self, page: Sequence[Seen]) -> list[str]:
        found = await self._book.read(partial(_standings, round_ids=[one.round_id for one in page]))
        proven = []
        for one in page:
            verdict = _verdict(found.get(one.round_id), one.sha256)
            if verdict == "proven":
                proven.append(one.round_id)
            elif verdict == "disputed":
                self.tally.disputed += 1
            elif verdict.startswith("waits") and self._is_young(one.at_ms):
                self.tally.under_way += 1
            else:
                self.tally.findings.append(f"round {one.round_id}: {verdict}")
        return proven

    async def _judge_words(self, page: Sequence[Word]) -> list[Word]:
        missing = {
            (one.round_id, one.kind, one.digest)
            for one in await self._book.read(partial(_not_held, words=page))
        }
        contradicted = await self._book.read(partial(_alerts, words=page))
        held = []
        for one in page:
            if one.kind == "record":
                self.tally.findings.append(
                    f"round {one.round_id}: two records of it that differ are in ROUNDS"
                )
            elif (one.round_id, one.kind, one.digest) not in missing:
                held.append(one)
            elif contradicted.get((one.round_id, one.digest)):
                held.append(one)  # a person has looked at it
            elif (one.round_id, one.digest) in contradicted:
                self.tally.findings.append(
                    f"round {one.round_id}: a second word ({one.kind}) contradicts the first, "
                    "and nobody has looked at the alert"
                )
            elif self._is_young(one.at_ms):
                continue  # its record is counted as under way, if there is one
            else:
                self.tally.findings.append(
                    f"round {one.round_id}: its {one.kind} was published, but the book has not taken it in"
                )
        return held

    def _is_young(self, at_ms: int) -> bool:
        return at_ms + self._grace_ms > self._started_ms


@dataclass(frozen=True, slots=True)
class _Standing:
    """What the book knows of a round."""

    state: str
    sha256: bytes
    """Of the record that was audited; empty for a void."""
    is_open: bool
    """Disputed, and not decided."""
    outcome: str
    """Of the decision; empty: none."""
    is_held_up: bool
    """An earlier round of its match waits for a person."""


def _verdict(found: _Standing | None, sha256: bytes) -> str:
    if found is None:
        return "waits: it was played to its end, but the book knows no audit of it"
    if found.sha256 and found.sha256 != sha256:
        return "the audit is of another record"
    if found.state == "settled" or (found.state == "voided" and found.outcome == "VOID"):
        return "proven"
    if found.state == "disputed":
        return "disputed" if found.is_open else "disputed, but nobody is asked about it"
    if found.state in ("voided", "waiting_void"):
        return "voided, though it was played to its end"
    return "disputed" if found.is_held_up else "waits: audited, but an earlier round of its match is not done"


def _standings(connection: Connection, round_ids: Sequence[str]) -> dict[str, _Standing]:
    open_since = (
        select(_OF.c.match_id, func.min(_ROUNDS.c.round_no).label("round_no"))
        .join(_ROUNDS, _ROUNDS.c.round_id == _OF.c.round_id)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _OF.c.round_id)
        .where(_DECIDED.c.round_id.is_(None))
        .group_by(_OF.c.match_id)
        .subquery()
    )
    query = (
        select(
            _ROUNDS.c.round_id, _ROUNDS.c.round_no, _ROUNDS.c.state, _ROUNDS.c.payload,
            _OF.c.cause, _DECIDED.c.outcome, open_since.c.round_no.label("open_no"),
        )
        .outerjoin(_OF, _OF.c.round_id == _ROUNDS.c.round_id)
        .outerjoin(_DECIDED, _DECIDED.c.round_id == _ROUNDS.c.round_id)
        .outerjoin(open_since, open_since.c.match_id == _ROUNDS.c.match_id)
        .where(among(connection, _ROUNDS.c.round_id, round_ids))
    )  # fmt: skip
    return {row.round_id: _standing(row) for row in connection.execute(query)}


def _standing(row: Any) -> _Standing:
    is_void = row.state in ("voided", "waiting_void") and row.outcome is None
    try:
        sha256 = b"" if is_void else RoundAudited.FromString(row.payload).record_sha256
    except DecodeError:
        sha256 = b"unreadable"
    return _Standing(
        state=row.state,
        sha256=sha256,
        is_open=row.cause is not None and row.outcome is None,
        outcome=row.outcome or "",
        is_held_up=row.open_no is not None and row.open_no < row.round_no,
    )


def _word(message: Message, at_ms: int) -> Word:
    """Return what a message says, as the book would hold it; what makes no sense is held by nothing."""
    kind = "audit" if isinstance(message, RoundAudited) else "void"
    assert isinstance(message, RoundAudited | RoundVoided)
    try:
        fact = (
            facts.from_audited(message) if isinstance(message, RoundAudited) else facts.from_voided(message)
        )
    except Defect:
        junk = hashlib.sha256(message.SerializeToString(deterministic=True)).digest()
        return Word(message.round_id, kind, junk, at_ms)
    return Word(fact.round_id, kind, fact.digest, at_ms)


def _not_held(connection: Connection, words: Sequence[Word]) -> list[Word]:
    """Return those of these words that are not the first word that the book holds of their round."""
    query = select(_ROUNDS.c.round_id, _ROUNDS.c.digest).where(
        among(connection, _ROUNDS.c.round_id, (one.round_id for one in words))
    )
    held = {row.round_id: bytes(row.digest) for row in connection.execute(query)}
    return [one for one in words if held.get(one.round_id) != one.digest]


def _alerts(connection: Connection, words: Iterable[Word]) -> dict[tuple[str, bytes], bool]:
    """Return the alerts about these rounds by round and digest, and whether a person has looked at them."""
    looked = and_(
        _LOOKED_AT.c.round_id == _ALERTS.c.round_id,
        _LOOKED_AT.c.kind == _ALERTS.c.kind,
        _LOOKED_AT.c.digest == _ALERTS.c.digest,
    )
    query = (
        select(_ALERTS.c.round_id, _ALERTS.c.digest, _LOOKED_AT.c.kind)
        .outerjoin(_LOOKED_AT, looked)
        .where(among(connection, _ALERTS.c.round_id, (one.round_id for one in words)))
    )
    return {(row.round_id, bytes(row.digest)): row.kind is not None for row in connection.execute(query)}


def _settled_after(connection: Connection, after: str, before_ms: int) -> tuple[str | None, list[str]]:
    """Return a page of all settled rounds, and where the next one begins (None: there was nothing more)."""
    query = (
        select(_ROUNDS.c.round_id, _ROUNDS.c.state, _ROUNDS.c.settled_at_ms)
        .where(_ROUNDS.c.round_id > after)
        .order_by(_ROUNDS.c.round_id)
        .limit(PAGE * 5)
    )
    rows = connection.execute(query).all()
    found = [row.round_id for row in rows if row.state == "settled" and row.settled_at_ms < before_ms]
    return (rows[-1].round_id if rows else None), found


def _settled_since(connection: Connection, after: int, before_ms: int) -> tuple[int | None, list[str]]:
    """Return a page of the rounds settled by entries after one, and where the next one begins."""
    entries, transfers = schema.entries, schema.transfers
    query = (
        select(entries.c.id, transfers.c.kind, transfers.c.reference, transfers.c.at_ms)
        .join(transfers, transfers.c.id == entries.c.transfer_id)
        .where(entries.c.id > after)
        .order_by(entries.c.id)
        .limit(PAGE * 10)
    )
    rows = connection.execute(query).all()
    found = {row.reference for row in rows if row.kind == "settlement" and row.at_ms < before_ms}
    return (rows[-1].id if rows else None), sorted(found)
