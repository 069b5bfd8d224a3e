"""What was heard and found: openings, first audits, and what contradicts them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from paiju.scoring.v1.events_pb2 import RoundAudited, Verdict
from sqlalchemy import (
    BigInteger,
    Column,
    Connection,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    select,
)

from services.chassis import outbox
from services.chassis.db.inserts import upsert

metadata = MetaData()

openings = Table(
    "openings",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("commitment", LargeBinary, nullable=False),
    Column("nonce_heads", Text, nullable=False),
    Column("stored_at_ms", BigInteger, nullable=False),
)
"""`stored_at_ms`: when the stream had it, by the broker's clock."""

audits = Table(
    "audits",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("record_sha256", LargeBinary, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("payload", LargeBinary, nullable=False),
    Column("dealer_next", Integer),
    Column("draws_in_row_next", Integer),
    Column("links", Text, nullable=False),
    Column("audited_at_ms", BigInteger, nullable=False),
)
"""`links`: after this round the last link of each seat's nonce chain, hex, null = it gives none any more;
`null` as a whole: not known."""

voids = Table("voids", metadata, Column("round_id", Text, primary_key=True))
"""Rounds that will never be finished: the next one follows from none."""

alerts = Table(
    "alerts",
    metadata,
    Column("round_id", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("sha256", LargeBinary, primary_key=True),
    Column("at_ms", BigInteger, nullable=False),
)

outbox_table = outbox.outbox_table(metadata)

Links = tuple[bytes | None, ...]


@dataclass(frozen=True, slots=True)
class Opening:
    """What RoundOpened said."""

    round_id: str
    commitment: bytes
    nonce_heads: tuple[bytes, ...]
    """Empty: not told."""
    stored_at_ms: int


@dataclass(frozen=True, slots=True)
class Audit:
    """A verdict, and what the next round of the match follows from."""

    message: RoundAudited
    dealer_next: int | None
    draws_in_row_next: int | None
    links: Links | None


@dataclass(frozen=True, slots=True)
class Alert:
    """A second word about a round that differs from the first."""

    round_id: str
    kind: str
    """`record`, `opening`, or `void_seed`: a voided round's seed is not the one committed to."""
    sha256: bytes


@dataclass(frozen=True, slots=True)
class Known:
    """What is stored of some rounds."""

    openings: dict[str, Opening]
    audits: dict[str, Audit]
    voids: set[str]


def load(connection: Connection, round_ids: Iterable[str]) -> Known:
    """Return the openings and audits of rounds."""
    wanted = sorted(set(round_ids))
    opened = {
        row.round_id: Opening(
            row.round_id,
            row.commitment,
            tuple(bytes.fromhex(head) for head in json.loads(row.nonce_heads)),
            row.stored_at_ms,
        )
        for row in connection.execute(select(openings).where(openings.c.round_id.in_(wanted)))
    }
    audited = {
        row.round_id: Audit(
            RoundAudited.FromString(row.payload), row.dealer_next, row.draws_in_row_next, _links(row.links)
        )
        for row in connection.execute(select(audits).where(audits.c.round_id.in_(wanted)))
    }
    voided = connection.execute(select(voids.c.round_id).where(voids.c.round_id.in_(wanted)))
    return Known(opened, audited, set(voided.scalars()))


def keep(
    connection: Connection,
    opened: Sequence[Opening],
    voided: Iterable[str],
    audited: Sequence[Audit],
    alerted: Sequence[Alert],
    now_ms: int,
) -> list[Audit]:
    """Store what is new and put its audits into the outbox; the first of a round stays.

    Returns:
        The audits that were first.
    """
    if opened:
        rows: list[dict[str, object]] = [
            {
                "round_id": one.round_id,
                "commitment": one.commitment,
                "nonce_heads": json.dumps([head.hex() for head in one.nonce_heads]),
                "stored_at_ms": one.stored_at_ms,
            }
            for one in opened
        ]
        connection.execute(upsert(connection, openings).on_conflict_do_nothing(), rows)
    for round_id in sorted(set(voided)):
        connection.execute(upsert(connection, voids).values(round_id=round_id).on_conflict_do_nothing())
    first = []
    for audit in audited:
        message = audit.message
        row: dict[str, object] = {
            "round_id": message.round_id,
            "record_sha256": message.record_sha256,
            "verdict": Verdict.Name(message.verdict),
            "payload": message.SerializeToString(deterministic=True),
            "dealer_next": audit.dealer_next,
            "draws_in_row_next": audit.draws_in_row_next,
            "links": _links_text(audit.links),
            "audited_at_ms": now_ms,
        }
        stored = connection.execute(
            upsert(connection, audits).values(row).on_conflict_do_nothing().returning(audits.c.round_id)
        )
        if stored.one_or_none() is not None:
            first.append(audit)
            outbox.put(connection, message, f"audit:{message.round_id}")
    for alert in alerted:
        values = {
            "round_id": alert.round_id,
            "kind": alert.kind,
            "sha256": alert.sha256,
            "at_ms": now_ms,
        }
        connection.execute(upsert(connection, alerts).values(values).on_conflict_do_nothing())
    return first


def _links(text: str) -> Links | None:
    read = json.loads(text)
    return None if read is None else tuple(None if link is None else bytes.fromhex(link) for link in read)


def _links_text(links: Links | None) -> str:
    return json.dumps(None if links is None else [None if link is None else link.hex() for link in links])
