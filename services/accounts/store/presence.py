"""Who shows friends that he is here, and invitations that wait: `fn(connection)` functions for `db.run`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, or_, select

from services.accounts.store import schema
from services.accounts.store.friends_schema import friends
from services.accounts.store.presence_schema import hidden, invitations
from services.chassis.db.inserts import upsert

INVITATIONS_MAX: Final = 20
"""Invitations of a player that wait; a newer one takes the place of the oldest."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """Into which room a friend invites."""

    inviter_id: str
    room_code: str
    game: str
    preset: str
    at_ms: int
    expires_at_ms: int
    """When the room stops waiting by itself."""


def is_shown(connection: Connection, player_id: str) -> bool:
    """Return whether friends see a player."""
    return connection.execute(select(hidden).where(hidden.c.player_id == player_id)).first() is None


def show(connection: Connection, player_id: str, shown: bool, now_ms: int) -> None:
    """Let friends see a player, or not."""
    if shown:
        connection.execute(delete(hidden).where(hidden.c.player_id == player_id))
    else:
        row = {"player_id": player_id, "at_ms": now_ms}
        connection.execute(upsert(connection, hidden).values(row).on_conflict_do_nothing())


def friends_shown(connection: Connection, player_id: str) -> list[str]:
    """Return the friends of a player who let him see them, in the order of their ids."""
    f = friends.c
    query = select(f.friend_id).where(
        f.player_id == player_id, f.friend_id.not_in(select(hidden.c.player_id))
    )
    return list(connection.scalars(query.order_by(f.friend_id)))


def invite(connection: Connection, player_id: str, invitation: Invitation, now_ms: int) -> None:
    """Keep an invitation; it takes the place of an older one of the same friend."""
    c = invitations.c
    connection.execute(delete(invitations).where(c.player_id == player_id, c.expires_at_ms <= now_ms))
    values = {
        "room_code": invitation.room_code,
        "game": invitation.game,
        "preset": invitation.preset,
        "at_ms": invitation.at_ms,
        "expires_at_ms": invitation.expires_at_ms,
    }
    row = upsert(connection, invitations).values(
        player_id=player_id, inviter_id=invitation.inviter_id, **values
    )
    connection.execute(row.on_conflict_do_update(index_elements=["player_id", "inviter_id"], set_=values))
    others = select(c.inviter_id).where(c.player_id == player_id).order_by(c.at_ms.desc(), c.inviter_id)
    old = connection.scalars(others.offset(INVITATIONS_MAX)).all()
    connection.execute(delete(invitations).where(c.player_id == player_id, c.inviter_id.in_(old)))


def invited(connection: Connection, player_id: str, now_ms: int) -> list[tuple[Invitation, Row[Any]]]:
    """Return the invitations of those who are friends still, the newest first, with who invites."""
    c, f, players = invitations.c, friends.c, schema.players
    query = (
        select(players, c.inviter_id, c.room_code, c.game, c.preset, c.at_ms, c.expires_at_ms)
        .join(friends, f.friend_id == players.c.player_id)
        .join(invitations, and_(c.inviter_id == f.friend_id, c.player_id == f.player_id))
        .where(f.player_id == player_id, c.expires_at_ms > now_ms)
        .order_by(c.at_ms.desc(), c.inviter_id)
    )
    return [(_invitation(row), row) for row in connection.execute(query)]


def dismiss(connection: Connection, player_id: str, inviter_id: str) -> None:
    """Put an invitation away; one that is not there is no matter."""
    c = invitations.c
    connection.execute(delete(invitations).where(c.player_id == player_id, c.inviter_id == inviter_id))


def forget(connection: Connection, player_id: str) -> None:
    """Forget what is held of a deleted account."""
    connection.execute(delete(hidden).where(hidden.c.player_id == player_id))
    c = invitations.c
    connection.execute(delete(invitations).where(or_(c.player_id == player_id, c.inviter_id == player_id)))


def everything(connection: Connection, player_id: str) -> dict[str, Any]:
    """Return all that is held of a player here."""
    c = invitations.c
    received = select(c.inviter_id, c.room_code, c.game, c.at_ms).where(c.player_id == player_id)
    return {
        "is_shown": is_shown(connection, player_id),
        "room_invitations": [dict(row) for row in connection.execute(received).mappings()],
    }


def _invitation(row: Row[Any]) -> Invitation:
    return Invitation(row.inviter_id, row.room_code, row.game, row.preset, row.at_ms, row.expires_at_ms)
