"""Tickets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from paiju.matchmaking.v1.matchmaking_service_pb2 import Ticket as TicketMessage
from sqlalchemy import Connection, Row, delete, func, insert, select, update

from services.matchmaking.core.matching import Waiting
from services.matchmaking.store import engagements
from services.matchmaking.store.schema import engagements as engaged
from services.matchmaking.store.schema import tickets

REFUSALS_MAX = 3
"""So many tables refused; then the ticket has failed."""

SNAPSHOT_MAX = 3000
"""Tickets of one hall looked at in one pass."""


@dataclass(frozen=True, slots=True)
class Ticket:
    """One row."""

    ticket_id: str
    player_id: str
    request_id: str
    hall_id: str
    bots_now: bool
    state: str
    created_at_ms: int
    bots_at_ms: int
    table_id: str | None = None
    reason: str = ""

    def message(self) -> TicketMessage:
        """Return it as its player sees it: while its table is being made it still waits."""
        is_placing = self.state == "placing"
        return TicketMessage(
            ticket_id=self.ticket_id,
            hall_id=self.hall_id,
            state="waiting" if is_placing else self.state,
            table_id="" if is_placing else self.table_id or "",
            created_at_ms=self.created_at_ms,
            bots_at_ms=self.bots_at_ms,
            reason=self.reason,
        )


def _ticket(row: Row[tuple[object, ...]]) -> Ticket:
    return Ticket(
        row.ticket_id,
        row.player_id,
        row.request_id,
        row.hall_id,
        bool(row.bots_now),
        row.state,
        row.created_at_ms,
        row.bots_at_ms,
        row.table_id,
        row.reason,
    )


def find(connection: Connection, ticket_id: str) -> Ticket | None:
    """Return a ticket."""
    row = connection.execute(select(tickets).where(tickets.c.ticket_id == ticket_id)).first()
    return _ticket(row) if row else None


def find_request(connection: Connection, player_id: str, request_id: str) -> Ticket | None:
    """Return the ticket that a request made."""
    is_it = (tickets.c.player_id == player_id) & (tickets.c.request_id == request_id)
    row = connection.execute(select(tickets).where(is_it)).first()
    return _ticket(row) if row else None


def create(connection: Connection, ticket: Ticket) -> Ticket:
    """Write a ticket and engage its player; a repeat of its request returns the ticket that is there.

    Raises:
        Engaged: The player is engaged in something else.
    """
    there = find_request(connection, ticket.player_id, ticket.request_id)
    if there is not None:
        return there
    engagements.engage(connection, ticket.player_id, "ticket", ticket.ticket_id)
    connection.execute(
        insert(tickets).values(
            ticket_id=ticket.ticket_id,
            player_id=ticket.player_id,
            request_id=ticket.request_id,
            hall_id=ticket.hall_id,
            bots_now=ticket.bots_now,
            state="waiting",
            created_at_ms=ticket.created_at_ms,
            bots_at_ms=ticket.bots_at_ms,
        )
    )
    return ticket


def cancel(connection: Connection, ticket_id: str) -> Ticket | None:
    """Cancel a ticket that waits; return it as it is now."""
    is_it = (tickets.c.ticket_id == ticket_id) & (tickets.c.state == "waiting")
    if connection.execute(update(tickets).where(is_it).values(state="cancelled")).rowcount:
        engagements.release(connection, ticket_id)
    return find(connection, ticket_id)


def waiting(connection: Connection, hall_ids: Sequence[str]) -> dict[str, list[Waiting]]:
    """Return who waits in these halls, in the order of coming: one snapshot."""
    rows = connection.execute(
        select(tickets)
        .where((tickets.c.state == "waiting") & tickets.c.hall_id.in_(hall_ids))
        .order_by(tickets.c.created_at_ms, tickets.c.ticket_id)
        .limit(SNAPSHOT_MAX)
    )
    found: dict[str, list[Waiting]] = {}
    for row in rows:
        one = Waiting(row.ticket_id, row.player_id, row.created_at_ms, row.bots_at_ms)
        found.setdefault(row.hall_id, []).append(one)
    return found


def count_waiting(connection: Connection) -> dict[str, int]:
    """Return how many wait, by hall."""
    rows = connection.execute(
        select(tickets.c.hall_id, func.count())
        .where(tickets.c.state.in_(("waiting", "placing")))
        .group_by(tickets.c.hall_id)
    )
    return {row[0]: int(row[1]) for row in rows}


def count_playing(connection: Connection) -> dict[str, int]:
    """Return how many people are in matches that are not over, by hall."""
    rows = connection.execute(
        select(tickets.c.hall_id, func.count())
        .join(engaged, (engaged.c.kind == "ticket") & (engaged.c.ref == tickets.c.ticket_id))
        .where(tickets.c.state == "matched")
        .group_by(tickets.c.hall_id)
    )
    return {row[0]: int(row[1]) for row in rows}


def place(connection: Connection, ticket_ids: Sequence[str], table_id: str) -> bool:
    """Take tickets that wait for a table; False = not all of them wait any more (roll back)."""
    are_they = tickets.c.ticket_id.in_(ticket_ids) & (tickets.c.state == "waiting")
    values = {"state": "placing", "table_id": table_id}
    return connection.execute(update(tickets).where(are_they).values(values)).rowcount == len(ticket_ids)


def at_table(connection: Connection, table_id: str) -> list[Ticket]:
    """Return the tickets that a table was made for."""
    rows = connection.execute(
        select(tickets).where(tickets.c.table_id == table_id).order_by(tickets.c.ticket_id)
    )
    return [_ticket(row) for row in rows]


def placed(connection: Connection, table_id: str) -> list[Ticket]:
    """Say that the table is there; return its tickets."""
    are_they = (tickets.c.table_id == table_id) & (tickets.c.state == "placing")
    connection.execute(update(tickets).where(are_they).values(state="matched"))
    return at_table(connection, table_id)


def refused(connection: Connection, table_id: str, reason: str) -> list[Ticket]:
    """Say that the table will never be: its tickets wait again from when they came, or have failed; return
    them.
    """
    mine = [ticket for ticket in at_table(connection, table_id) if ticket.state == "placing"]
    for ticket in mine:
        is_it = tickets.c.ticket_id == ticket.ticket_id
        count = connection.execute(select(tickets.c.refusals).where(is_it)).scalar_one() + 1
        values: dict[str, object] = {"refusals": count, "table_id": None, "state": "waiting"}
        if count >= REFUSALS_MAX:
            values |= {"state": "failed", "reason": reason}
            engagements.release(connection, ticket.ticket_id)
        connection.execute(update(tickets).where(is_it).values(values))
    return [found for ticket in mine if (found := find(connection, ticket.ticket_id)) is not None]


def ended(connection: Connection, table_id: str) -> list[Ticket]:
    """Say that the table's match is over: its players are free; return its tickets."""
    mine = placed(connection, table_id)
    for ticket in mine:
        engagements.release(connection, ticket.ticket_id)
    return mine


def forget(connection: Connection, before_ms: int) -> int:
    """Forget tickets made before then that engage nobody; return how many."""
    still = select(engaged.c.ref)
    statement = delete(tickets).where(
        (tickets.c.created_at_ms < before_ms) & tickets.c.ticket_id.not_in(still)
    )
    return connection.execute(statement).rowcount
