"""Mutants of matchmaking: who plays where, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, update

from services.chassis.errors import Defect, Outage
from services.matchmaking.core.matching import Waiting
from services.matchmaking.core.room import Room
from services.matchmaking.placer import Placer
from services.matchmaking.store import engagements, places, tickets
from services.matchmaking.store.placements import Placement
from services.matchmaking.store.schema import placements as placement_rows
from services.matchmaking.store.schema import places as place_rows
from services.matchmaking.store.schema import tickets as ticket_rows
from tests.simulation.mutants.planting import Patch, mutant


@mutant("one-seat-at-a-time", "tickets-end", "nobody-waits-for-ever")
def a_ticket_is_seated_twice(patch: Patch) -> None:
    """Matchmaking: a ticket is matched once: rows decide, whatever a pass has seen.

    That a pass looks at waiting tickets only is the first guard; both are removed.
    """

    def waiting(connection: Connection, hall_ids: Sequence[str]) -> dict[str, list[Waiting]]:
        rows = connection.execute(
            ticket_rows.select().where(
                ticket_rows.c.state.in_(("waiting", "placing")) & ticket_rows.c.hall_id.in_(hall_ids)
            )
        )
        found: dict[str, list[Waiting]] = {}
        for row in rows:
            one = Waiting(row.ticket_id, row.player_id, row.created_at_ms, row.bots_at_ms)
            found.setdefault(row.hall_id, []).append(one)
        return found

    def place(connection: Connection, ticket_ids: Sequence[str], table_id: str) -> bool:
        are_they = ticket_rows.c.ticket_id.in_(ticket_ids)
        connection.execute(update(ticket_rows).where(are_they).values(state="placing", table_id=table_id))
        return True

    patch.setattr(tickets, "waiting", waiting)
    patch.setattr(tickets, "place", place)


@mutant("one-seat-at-a-time", "tickets-end", "nobody-waits-for-ever")
def a_table_that_may_have_been_made_is_made_again_under_another_id(patch: Patch) -> None:
    """Matchmaking: the id is chosen before the table is asked for; a repeat names the same one."""
    place = Placer._place

    async def renamed(self: Placer, placement: Placement) -> None:
        tables, another = self._tables, self.new_table_id()

        class Fickle:
            async def CreateTable(self, request: Any) -> Any:  # noqa: N802 - gRPC
                try:
                    return await tables.CreateTable(request)
                except (Outage, Defect):
                    await rename()
                    raise

        async def rename() -> None:
            def write(connection: Connection) -> None:
                for rows in (placement_rows, ticket_rows):
                    is_it = rows.c.table_id == placement.table_id
                    connection.execute(update(rows).where(is_it).values(table_id=another))

            await self._db.run(write)

        self._tables = Fickle()  # type: ignore[assignment]
        try:
            await place(self, placement)
        finally:
            self._tables = tables

    patch.setattr(Placer, "_place", renamed)


@mutant("matchmaking-keeps-its-word", "tickets-end", "one-seat-at-a-time")
def a_ticket_is_cancelled_although_it_has_a_seat(patch: Patch) -> None:
    """Matchmaking: only a ticket that still waits can be cancelled; later there is a seat."""

    def cancel(connection: Connection, ticket_id: str) -> tickets.Ticket | None:
        is_it = ticket_rows.c.ticket_id == ticket_id
        connection.execute(update(ticket_rows).where(is_it).values(state="cancelled"))
        engagements.release(connection, ticket_id)
        return tickets.find(connection, ticket_id)

    patch.setattr(tickets, "cancel", cancel)


@mutant("nobody-waits-for-ever", "tickets-end", "matchmaking-keeps-its-word")
def a_place_in_a_room_is_given_to_two(patch: Patch) -> None:
    """Rooms: a place is one person's. Here who comes later has it, and who had it is not told."""

    def take(connection: Connection, room_id: str, seat: int, player_id: str, *, ready: bool) -> None:
        rows = place_rows
        is_it = (rows.c.room_id == room_id) & (rows.c.seat == seat)
        connection.execute(delete(rows).where(is_it))
        connection.execute(insert(rows).values(room_id=room_id, seat=seat, player_id=player_id, ready=ready))

    def last_only(connection: Connection, room: Room, player_id: str, now_ms: int) -> list[int]:
        free_for(connection, room, player_id, now_ms)
        return [room.seats - 1]

    free_for = places.free_for
    patch.setattr(places, "free_for", last_only)
    patch.setattr(places, "_take", take)
