"""Tables to be made, and what became of them."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, delete, insert, select, update

from services.matchmaking.store.schema import placements

LOOKED_AT_MAX = 100


@dataclass(frozen=True, slots=True)
class Placement:
    """One row."""

    table_id: str
    kind: str
    """`hall` or `room`."""
    ref: str
    """The hall's or the room's id."""
    spec: bytes
    """A serialised `TableSpec`: a retry asks for these very bytes."""
    state: str
    created_at_ms: int


def create(connection: Connection, table_id: str, kind: str, ref: str, spec: bytes, now_ms: int) -> None:
    """Write that a table is to be made."""
    connection.execute(
        insert(placements).values(
            table_id=table_id,
            kind=kind,
            ref=ref,
            spec=spec,
            state="creating",
            created_at_ms=now_ms,
            looked_at_ms=now_ms,
        )
    )


def find(connection: Connection, table_id: str) -> Placement | None:
    """Return one."""
    row = connection.execute(select(placements).where(placements.c.table_id == table_id)).first()
    if row is None:
        return None
    return Placement(row.table_id, row.kind, row.ref, bytes(row.spec), row.state, row.created_at_ms)


def creating(connection: Connection) -> list[Placement]:
    """Return the tables that still have to be made, oldest first."""
    rows = connection.execute(
        select(placements)
        .where(placements.c.state == "creating")
        .order_by(placements.c.created_at_ms, placements.c.table_id)
        .limit(1000)
    )
    return [Placement(r.table_id, r.kind, r.ref, bytes(r.spec), r.state, r.created_at_ms) for r in rows]


def settle(connection: Connection, table_id: str, state: str, reason: str = "") -> bool:
    """Say what became of a table that was to be made (`created`, `refused`); False = that was known."""
    is_it = (placements.c.table_id == table_id) & (placements.c.state == "creating")
    return bool(
        connection.execute(update(placements).where(is_it).values(state=state, reason=reason)).rowcount
    )


def end(connection: Connection, table_id: str) -> bool:
    """Say that the match at a table is over; False = it is none of ours, or that was known."""
    is_it = (placements.c.table_id == table_id) & placements.c.state.in_(("creating", "created"))
    return bool(connection.execute(update(placements).where(is_it).values(state="ended")).rowcount)


def unheard(connection: Connection, before_ms: int, now_ms: int) -> list[str]:
    """Return tables that were last looked at before then, and say that they are looked at now."""
    is_due = (placements.c.state == "created") & (placements.c.looked_at_ms < before_ms)
    rows = connection.execute(
        select(placements.c.table_id).where(is_due).order_by(placements.c.looked_at_ms).limit(LOOKED_AT_MAX)
    )
    found = [row[0] for row in rows]
    if found:
        connection.execute(
            update(placements).where(placements.c.table_id.in_(found)).values(looked_at_ms=now_ms)
        )
    return found


def forget(connection: Connection, before_ms: int) -> int:
    """Forget what is over and was made before then; return how many."""
    is_over = placements.c.state.in_(("refused", "ended")) & (placements.c.created_at_ms < before_ms)
    return connection.execute(delete(placements).where(is_over)).rowcount
