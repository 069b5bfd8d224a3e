"""Which of a player's rounds are asked for, as a query over his own rows in the order of their key."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, or_, select

from services.table.records_schema import favourites
from services.table.store import record_players, records


@dataclass(frozen=True)
class Filters:
    """Which of a player's rounds are wanted; what is empty, 0 or None is not asked for."""

    game: str = ""
    preset: str = ""
    """With `@version` exactly that one."""
    is_room: bool | None = None
    room_code: str = ""
    from_ms: int = 0
    to_ms: int = 0
    sign: int | None = None
    """Of the player's points: 1, -1 or 0."""
    opponent: str = ""
    favourites: bool = False


def history(player_id: str, wanted: Filters, before: tuple[int, str] | None) -> Select[Any]:
    """Return the query of a player's rounds with the notes of his favourites, newest first.

    Args:
        player_id: Whose.
        wanted: Which of them.
        before: Only rounds behind this one: when it ended, and its id.
    """
    mine, kept = record_players.c, records.c
    query = (
        select(records, favourites.c.note)
        .select_from(record_players)
        .join(records, mine.round_id == kept.round_id)
        .outerjoin(
            favourites,
            and_(favourites.c.player_id == mine.player_id, favourites.c.round_id == mine.round_id),
        )
        .where(mine.player_id == player_id, *_conditions(wanted))
        .order_by(mine.ended_at_ms.desc(), mine.round_id.desc())
    )
    if before is not None:
        at, round_id = before
        query = query.where(
            or_(mine.ended_at_ms < at, and_(mine.ended_at_ms == at, mine.round_id < round_id))
        )
    if wanted.opponent:
        other = record_players.alias("other")
        query = query.join(
            other,
            and_(
                other.c.player_id == wanted.opponent,
                other.c.ended_at_ms == mine.ended_at_ms,
                other.c.round_id == mine.round_id,
            ),
        )
    return query


def _conditions(wanted: Filters) -> Sequence[ColumnElement[bool]]:
    mine, kept = record_players.c, records.c
    found: list[ColumnElement[bool]] = []
    if wanted.game:
        found.append(kept.game == wanted.game)
    if "@" in wanted.preset:
        found.append(kept.preset == wanted.preset)
    elif wanted.preset:
        found.append(kept.preset.startswith(f"{wanted.preset}@", autoescape=True))
    if wanted.is_room is not None:
        found.append(kept.room_code != "" if wanted.is_room else kept.room_code == "")
    if wanted.room_code:
        found.append(kept.room_code == wanted.room_code)
    if wanted.from_ms:
        found.append(mine.ended_at_ms >= wanted.from_ms)
    if wanted.to_ms:
        found.append(mine.ended_at_ms < wanted.to_ms)
    if wanted.sign is not None:
        found.append({1: mine.points > 0, 0: mine.points == 0, -1: mine.points < 0}[wanted.sign])
    if wanted.favourites:
        found.append(favourites.c.note.is_not(None))
    return found
