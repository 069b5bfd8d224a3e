"""Questions about watching that only the owner of a shard can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from services.chassis.errors import Refusal
from services.table.watch_index import Among, Key, Wanted

if TYPE_CHECKING:
    from services.table.shard import Shard


class Live(msgspec.Struct, frozen=True, array_like=True, tag=10):
    """Find live tables of this shard."""

    wanted: Wanted
    order: int
    after: Key | None
    most: int


class LiveAmong(msgspec.Struct, frozen=True, array_like=True, tag=13):
    """The same with filters that an owner of an older version does not know: it answers nothing then, and
    its tables are left out, instead of all of them let through.
    """

    wanted: Wanted
    among: Among
    order: int
    after: Key | None
    most: int


class MayLike(msgspec.Struct, frozen=True, array_like=True, tag=11):
    """Say whether somebody may like a play."""

    table_id: str
    player: str
    round_no: int
    event_no: int


class Liked(msgspec.Struct, frozen=True, array_like=True, tag=12):
    """Tell those who watch that a play is liked."""

    table_id: str
    round_no: int
    event_no: int
    likes: int


WatchCall = Live | LiveAmong | MayLike | Liked


def answer_watch(shard: Shard, call: WatchCall) -> tuple[tuple[bytes, ...], int, int]:
    """Return serialised live tables, how many there are in all, and how many are left out because their
    rating is not known; nothing for the other calls.

    Raises:
        Refusal: SEATED_HERE, PLAY_UNKNOWN: that play is not among those that watchers are shown.
    """
    match call:
        case Live() | LiveAmong():
            among = call.among if isinstance(call, LiveAmong) else None
            found, total, unrated = shard.live.find(call.wanted, call.order, call.after, call.most, among)
            return tuple(table.SerializeToString() for table in found), total, unrated
        case MayLike():
            table = shard.tables.live.get(call.table_id)
            if table is not None and table.seat_of(call.player) is not None:
                raise Refusal("SEATED_HERE")
            is_let_in = table is not None and (table.s.spec.spectators or call.player in table.s.let_in)
            if not is_let_in or not shard.watchers.has_shown(call.table_id, call.round_no, call.event_no):
                raise Refusal("PLAY_UNKNOWN")
        case Liked():
            shard.watchers.liked(call.table_id, call.round_no, call.event_no, call.likes)
    return (), 0, 0
