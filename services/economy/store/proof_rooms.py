"""The proof's part about room cards: held while their match runs, then kept or given back, as is written."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, or_, select

from services.economy.core.money import content_hash, is_bot
from services.economy.core.room_cards import CURRENCY, rooms_of
from services.economy.store import schema
from services.economy.store.bulk import among
from services.economy.store.proof_stakes import CLOSING_MS_MAX
from services.economy.store.room_cards import room_holds

HELD_MS_MAX: Final = 7 * 86_400_000
"""No evening lasts so long: whose match is not over by then was forgotten by everybody."""

KINDS: Final = ("room_hold", "room_return")
PAGE: Final = 500

_ACCOUNTS, _ENTRIES, _MATCHES, _OF = schema.accounts, schema.entries, schema.matches, schema.transfers
_POOL: Final = rooms_of("").id


def holds_that_outlive_their_match(connection: Connection, now_ms: int) -> Iterator[str]:
    """Yield the room cards that are still held though their match is over, or was never heard of again."""
    over = and_(_MATCHES.c.ended_at_ms.is_not(None), _MATCHES.c.ended_at_ms + CLOSING_MS_MAX < now_ms)
    query = (
        select(room_holds.c.match_id, room_holds.c.held, _MATCHES.c.ended_at_ms)
        .outerjoin(_MATCHES, _MATCHES.c.match_id == room_holds.c.match_id)
        .where(room_holds.c.state == "held", or_(over, room_holds.c.at_ms + HELD_MS_MAX < now_ms))
        .order_by(room_holds.c.match_id)
    )
    for row in connection.execute(query):
        why = "its match is over" if row.ended_at_ms is not None else "its match has not ended in 7 days"
        yield f"{rooms_of(row.match_id).id}: {why}, it still holds {_sum(row.held)} {CURRENCY}"


def wrong_holds(connection: Connection) -> Iterator[str]:
    """Yield the room cards that were not taken, or did not come back, as their rows say."""
    holds = (
        select(room_holds, _ACCOUNTS.c.balance)
        .outerjoin(
            _ACCOUNTS, and_(_ACCOUNTS.c.id == _POOL + room_holds.c.match_id, _ACCOUNTS.c.currency == CURRENCY)
        )
        .order_by(room_holds.c.match_id)
    )
    for page in connection.execute(holds.execution_options(yield_per=PAGE)).partitions():
        moved = _moved(connection, [key for row in page for key in _keys(row)])
        for row in page:
            problem = _problem(row, moved)
            if problem:
                yield f"{rooms_of(row.match_id).id}: {problem}"
    unknown = (
        select(_OF.c.reference)
        .outerjoin(room_holds, room_holds.c.match_id == _OF.c.reference)
        .where(_OF.c.kind.in_(KINDS), room_holds.c.match_id.is_(None))
        .distinct()
        .order_by(_OF.c.reference)
    )
    for match_id in connection.scalars(unknown):
        yield f"{rooms_of(match_id).id}: cards moved, but none were asked for"


def _keys(row: Row[Any]) -> list[str]:
    try:
        seats = range(len(json.loads(row.held)))
    except (ValueError, TypeError):
        return []
    return [f"{way}/{row.match_id}/{seat}" for way in ("room", "room_back") for seat in seats]


def _moved(connection: Connection, keys: Sequence[str]) -> dict[str, tuple[str, int]]:
    """Return key of a transfer → whose wallet, and the cards that left it (negative: came back)."""
    query = (
        select(_OF.c.key, _ENTRIES.c.owner, _ENTRIES.c.amount)
        .join(_ENTRIES, _ENTRIES.c.transfer_id == _OF.c.id)
        .where(among(connection, _OF.c.key, keys), _ENTRIES.c.owner != "")
    )
    return {row.key: (row.owner, -row.amount) for row in connection.execute(query)}


def _problem(row: Row[Any], moved: Mapping[str, tuple[str, int]]) -> str:
    try:
        return _problem_of(row, moved)
    except (ValueError, TypeError) as error:
        return f"{row.held} of {row.seats}, kept {row.kept!r}: can't be read: {error}"


def _problem_of(row: Row[Any], moved: Mapping[str, tuple[str, int]]) -> str:
    seats, held = json.loads(row.seats), json.loads(row.held)
    if len(seats) != len(held) or (seats and not _was_asked(row, seats, held)):
        return f"{row.held} of {row.seats} is not what was asked for"
    is_held = row.state == "held"
    kept = json.loads(row.kept) if row.kept else list(held)
    if is_held == bool(row.kept) or (row.state == "kept") != (not is_held and any(kept)):
        return f"{row.state}, but kept {row.kept or 'nothing yet'}"
    if len(kept) != len(held) or any(not 0 <= one <= most for one, most in zip(kept, held, strict=True)):
        return f"kept {kept} of {held}"
    for seat, (player, taken, stays) in enumerate(zip(seats, held, kept, strict=True)):
        took = moved.get(f"room/{row.match_id}/{seat}", (player, 0))
        back = moved.get(f"room_back/{row.match_id}/{seat}", (player, 0))
        if took != (player, taken) or back != (player, stays - taken):
            return f"{player} paid {taken} and got {taken - stays} back, his entries say {took} and {back}"
    if (row.balance or 0) != sum(kept):
        return f"{row.state}, should hold {sum(kept)}, holds {row.balance or 0}"
    return ""


def _was_asked(row: Row[Any], seats: Sequence[str], held: Sequence[int]) -> bool:
    """Return whether somebody at the table could have asked for just this; which of them, the hash says."""
    people = [player for player in seats if not is_bot(player)]
    return any(content_hash(row.payer, max(held), list(seats), one) == row.content_hash for one in people)


def _sum(held: str) -> str:
    try:
        return str(sum(json.loads(held)))
    except (ValueError, TypeError):
        return repr(held)
