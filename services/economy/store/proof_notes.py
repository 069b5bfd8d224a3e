"""What the reconciler remembers between its runs: how far it is, and which rounds are not proven yet.

Notes are no part of the book. A run that begins with empty notes proves everything anew: `paiju reconcile`
does, with notes of its own that it throws away.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Index,
    LargeBinary,
    MetaData,
    Table,
    Text,
    and_,
    delete,
    or_,
    select,
    update,
)

from services.economy.store.bulk import among, insert_rows, update_rows

metadata = MetaData()

runs = Table(
    "proof_runs",
    metadata,
    Column("name", Text, primary_key=True),
    Column("holder", Text, nullable=False),
    Column("until_ms", BigInteger, nullable=False),
    Column("started_at_ms", BigInteger, nullable=False),
    Column("done_at_ms", BigInteger, nullable=False),
    Column("whole_at_ms", BigInteger, nullable=False),
    Column("mark", BigInteger, nullable=False),
    Column("next_mark", BigInteger, nullable=False),
    Column("next_mark_at_ms", BigInteger, nullable=False),
    Column("report", Text, nullable=False),
)
"""One row, `book`. `holder`, `until_ms`: who may prove now, and until when if he says nothing more. `mark`:
entries up to it were proven; `next_mark`: the last entry that a run saw, too young to be the mark then.
`report`: JSON."""

records = Table(
    "proof_records",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("sha256", LargeBinary, nullable=False),
    Column("at_ms", BigInteger, nullable=False),
    Column("proven", Boolean, nullable=False),
)
"""Every record of a finished round that was seen in `ROUNDS`."""

_UNPROVEN = records.c.proven.is_(False)
Index("proof_records_unproven", records.c.round_id, sqlite_where=_UNPROVEN, postgresql_where=_UNPROVEN)

words = Table(
    "proof_words",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("digest", LargeBinary, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)
"""What was said of rounds (`audit`, `void`, a second `record`) and is not what the book holds, or not yet."""

_BOOK = "book"


@dataclass(frozen=True, slots=True)
class Standing:
    """Where the reconciler stands."""

    holder: str = ""
    until_ms: int = 0
    started_at_ms: int = 0
    done_at_ms: int = 0
    whole_at_ms: int = 0
    mark: int = 0
    next_mark: int = 0
    next_mark_at_ms: int = 0
    report: str = "{}"


@dataclass(frozen=True, slots=True)
class Seen:
    """A record that was seen in `ROUNDS`."""

    round_id: str
    sha256: bytes
    at_ms: int


@dataclass(frozen=True, slots=True)
class Word:
    """Something that was said of a round."""

    round_id: str
    kind: str
    digest: bytes
    at_ms: int


def make(connection: Connection) -> None:
    """Make the tables, in a database that has none (migrations make economy's)."""
    metadata.create_all(connection)


def standing(connection: Connection) -> Standing:
    """Return where the reconciler stands; that of a beginning, if it never ran."""
    row = connection.execute(select(runs).where(runs.c.name == _BOOK)).one_or_none()
    if row is None:
        return Standing()
    return Standing(**{name: value for name, value in row._mapping.items() if name != "name"})


def claim(connection: Connection, holder: str, now_ms: int, until_ms: int) -> bool:
    """Take or renew the right to prove; False: another has it.

    Two that prove at once do no harm: this saves work, it guards nothing.
    """
    first = {"name": _BOOK, **asdict(Standing())}
    insert_rows(connection, runs, [first], or_keep=True)
    mine = or_(runs.c.holder == holder, runs.c.until_ms <= now_ms)
    values = {"holder": holder, "until_ms": until_ms}
    done = connection.execute(update(runs).where(and_(runs.c.name == _BOOK, mine)).values(values))
    return bool(done.rowcount)


def save(connection: Connection, holder: str, changes: dict[str, object]) -> None:
    """Note how far a run came, unless another has taken over since."""
    connection.execute(update(runs).where(runs.c.name == _BOOK, runs.c.holder == holder).values(changes))


def report_of(found: Standing) -> dict[str, object]:
    """Return what the newest run said, `{}` if there was none."""
    value = json.loads(found.report)
    assert isinstance(value, dict)
    return value


def note_records(connection: Connection, seen: Sequence[Seen]) -> None:
    """Keep records; a second one of a round that differs is kept as a word about it."""
    rows = [
        {"round_id": one.round_id, "sha256": one.sha256, "at_ms": one.at_ms, "proven": False} for one in seen
    ]
    insert_rows(connection, records, rows, or_keep=True)
    kept = {
        row.round_id: row.sha256
        for row in connection.execute(
            select(records.c.round_id, records.c.sha256).where(
                among(connection, records.c.round_id, (one.round_id for one in seen))
            )
        )
    }
    others = [one for one in seen if kept[one.round_id] != one.sha256]
    note_words(connection, [Word(one.round_id, "record", one.sha256, one.at_ms) for one in others])


def note_words(connection: Connection, said: Sequence[Word]) -> None:
    """Keep words about rounds that have to be looked at again."""
    rows = [
        {"round_id": one.round_id, "kind": one.kind, "digest": one.digest, "at_ms": one.at_ms} for one in said
    ]
    insert_rows(connection, words, rows, or_keep=True)


def unproven(connection: Connection, after: str, most: int) -> list[Seen]:
    """Return records not proven yet, by round id, those after `after`."""
    query = select(records).where(_UNPROVEN, records.c.round_id > after).order_by(records.c.round_id)
    rows = connection.execute(query.limit(most))
    return [Seen(row.round_id, bytes(row.sha256), row.at_ms) for row in rows]


def prove_records(connection: Connection, round_ids: Iterable[str]) -> None:
    """Note that these records are accounted for."""
    rows = [{"round_id": round_id, "proven": True} for round_id in round_ids]
    update_rows(connection, records, ("round_id",), rows)


def without_record(connection: Connection, round_ids: Sequence[str]) -> list[str]:
    """Return those of these rounds of which no record was seen, in their order."""
    query = select(records.c.round_id).where(among(connection, records.c.round_id, round_ids))
    seen = set(connection.execute(query).scalars())
    return [round_id for round_id in round_ids if round_id not in seen]


def all_words(connection: Connection, after: Word | None, most: int) -> list[Word]:
    """Return words not accounted for yet, in order of their key, those after `after`."""
    query = select(words).order_by(words.c.round_id, words.c.kind, words.c.digest).limit(most)
    if after is not None:
        later = or_(
            words.c.round_id > after.round_id,
            and_(words.c.round_id == after.round_id, words.c.kind > after.kind),
            and_(
                words.c.round_id == after.round_id,
                words.c.kind == after.kind,
                words.c.digest > after.digest,
            ),
        )
        query = query.where(later)
    rows = connection.execute(query)
    return [Word(row.round_id, row.kind, bytes(row.digest), row.at_ms) for row in rows]


def forget_words(connection: Connection, said: Iterable[Word]) -> None:
    """Drop words that are accounted for."""
    for one in said:
        connection.execute(
            delete(words).where(
                words.c.round_id == one.round_id, words.c.kind == one.kind, words.c.digest == one.digest
            )
        )
