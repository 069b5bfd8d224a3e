"""Statistics on the wire: what a call may ask, who may see it, and how it is told."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from paiju.progress.v1 import progress_service_pb2 as pb
from sqlalchemy import Connection, Row

from services.chassis import auth
from services.chassis.days import day_from_text, day_of, day_text
from services.chassis.errors import Refusal
from services.progress.core.counts import Counts
from services.progress.store import plays

COUNTS_MAX: Final = 100
DAYS: Final = 100
DAYS_MAX: Final = 400

_PLAYER_ID: Final = re.compile(r"p_[A-Za-z0-9_-]{1,64}")
_GAME: Final = re.compile(r"[a-z0-9_]{1,32}")
_PRESET: Final = re.compile(r"[\w.+@:-]{1,100}")


@dataclass(frozen=True, slots=True)
class AskedCounts:
    """What GetStatistics was asked for."""

    player_id: str
    size: int
    after: tuple[str, str] | None


@dataclass(frozen=True, slots=True)
class AskedDays:
    """What ListStatisticsDays was asked for."""

    player_id: str
    size: int
    days: tuple[int, int]
    """The first and the last one."""


def check_counts(request: pb.GetStatisticsRequest) -> AskedCounts:
    """Return what a call asks.

    Raises:
        Refusal: INVALID_ARGUMENT, UNAUTHENTICATED.
    """
    _matches(_GAME, request.game, "game")
    _matches(_PRESET, request.preset, "preset")
    after: tuple[str, str] | None = None
    if request.page_token:
        game, _, preset = request.page_token.partition(" ")
        if not _GAME.fullmatch(game) or not _PRESET.fullmatch(preset):
            raise Refusal("INVALID_ARGUMENT", field="page_token")
        after = game, preset
    return AskedCounts(_whose(request.player_id), _size(request.page_size, COUNTS_MAX, COUNTS_MAX), after)


def check_days(request: pb.ListStatisticsDaysRequest, now_ms: int) -> AskedDays:
    """Return what a call asks.

    Raises:
        Refusal: INVALID_ARGUMENT, UNAUTHENTICATED.
    """
    if not request.game:
        raise Refusal("INVALID_ARGUMENT", field="game")
    _matches(_GAME, request.game, "game")
    _matches(_PRESET, request.preset, "preset")
    first = _day(request.from_day, "from_day", 0)
    last = _day(request.to_day, "to_day", day_of(now_ms))
    if first > last:
        raise Refusal("INVALID_ARGUMENT", field="to_day")
    last = min(last, _day(request.page_token, "page_token", last + 1) - 1)
    return AskedDays(_whose(request.player_id), _size(request.page_size, DAYS, DAYS_MAX), (first, last))


def may_always_see(player_id: str) -> bool:
    """Return whether the caller may see a player's statistics even if they are private.

    He himself may, and so may the platform's own services and staff that supports people. To be asked in the
    task of the call: whoever calls is not known in the threads of a database.
    """
    caller = auth.current()
    if caller.player_id:
        return caller.player_id == player_id or caller.staff("support") is not None
    return caller.kind in ("service", "operator")


def check_public(connection: Connection, player_id: str, may_always: bool) -> bool:
    """Return whether a player's statistics are public.

    Raises:
        Refusal: STATISTICS_PRIVATE: they are not, and the caller is not one who may see them all the same.
    """
    is_public = plays.is_public(connection, player_id)
    if not (is_public or may_always):
        raise Refusal("STATISTICS_PRIVATE")
    return is_public


def counts(game: str, preset: str, found: Counts) -> pb.PlayStatistics:
    """Return what was played of one game and preset."""
    told = pb.PlayStatistics(
        game=game,
        preset=preset,
        rounds=found.rounds,
        wins=found.wins,
        draws=found.draws,
        self_draws=found.self_draws,
        points=found.points,
        best_huxi=found.best_huxi,
        names=found.names,
        deal_ins=found.deal_ins,
        discard_rounds=found.discard_rounds,
        won_points=found.won_points,
        first_at_ms=found.first_at_ms,
        last_at_ms=found.last_at_ms,
    )
    best = found.best
    if best is not None:
        told.best_points = max(0, best.points)
        told.best.CopyFrom(
            pb.BestHand(
                round_id=best.round_id,
                points=best.points,
                huxi=best.huxi,
                fan=best.fan,
                names=best.names,
                how=best.how,
                at_ms=best.at_ms,
            )
        )
    return told


def day(row: Row[Any]) -> pb.StatisticsDay:
    """Return what was played on one day."""
    return pb.StatisticsDay(
        day=day_text(row.day),
        rounds=int(row.rounds),
        wins=int(row.wins),
        self_draws=int(row.self_draws),
        deal_ins=int(row.deal_ins),
        points=int(row.points),
    )


def _whose(player_id: str) -> str:
    player_id = player_id or auth.player()
    if not _PLAYER_ID.fullmatch(player_id):
        raise Refusal("INVALID_ARGUMENT", field="player_id")
    return player_id


def _matches(form: re.Pattern[str], text: str, field: str) -> None:
    if text and not form.fullmatch(text):
        raise Refusal("INVALID_ARGUMENT", field=field)


def _size(page_size: int, usual: int, most: int) -> int:
    if not 0 <= page_size <= most:
        raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=most)
    return page_size or usual


def _day(text: str, field: str, otherwise: int) -> int:
    if not text:
        return otherwise
    try:
        return day_from_text(text)
    except ValueError as error:
        raise Refusal("INVALID_ARGUMENT", field=field) from error
