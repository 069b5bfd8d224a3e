"""What a player is engaged in: at most one thing, by primary key."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, delete, insert, select
from sqlalchemy.exc import IntegrityError

from services.matchmaking.store.schema import engagements

Kind = Literal["ticket", "room"]


@dataclass(frozen=True, slots=True)
class Engagement:
    """A player's."""

    player_id: str
    kind: Kind
    ref: str
    """The ticket's or the room's id."""


class Engaged(Exception):
    """The player is engaged already; his engagement may be over by the time it is looked at."""


def find(connection: Connection, player_id: str) -> Engagement | None:
    """Return what a player is engaged in."""
    row = connection.execute(select(engagements).where(engagements.c.player_id == player_id)).first()
    return Engagement(row.player_id, row.kind, row.ref) if row else None


def engage(connection: Connection, player_id: str, kind: Kind, ref: str) -> None:
    """Engage a player.

    Raises:
        Engaged: He is, in something else or the same.
    """
    try:
        with connection.begin_nested():
            connection.execute(insert(engagements).values(player_id=player_id, kind=kind, ref=ref))
    except IntegrityError:
        raise Engaged from None


def release(connection: Connection, ref: str, player_id: str | None = None) -> None:
    """End the engagements in a ticket or a room: of everybody, or of one player."""
    statement = delete(engagements).where(engagements.c.ref == ref)
    if player_id is not None:
        statement = statement.where(engagements.c.player_id == player_id)
    connection.execute(statement)
