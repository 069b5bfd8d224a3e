"""Ratings in SQL, folded from settled rounds: `fn(connection)` functions for `db.run`.

The ratings are those that the rounds give in the order of their ends, whatever order they are heard in. A
round matters only to its own people, so one that comes after a later round of theirs has what followed from
it reckoned anew: their later rounds, those of the people they met there, and so on.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, Row, and_, delete, func, insert, or_, select, text, tuple_

from services.chassis.db.inserts import upsert
from services.progress.core.ratings import NEWCOMER, Key, RatedRound, Skill, after
from services.progress.store.plays import GONE
from services.progress.store.rating_schema import rated_rounds, rating_steps, ratings
from services.progress.store.schema import shown_to

REDONE_MAX: Final = 2_000
"""Rounds that are reckoned anew for rounds that come late, at most."""
KEPT_MS: Final = 3 * 86_400_000
"""A round may have ended so long before the newest one that was heard of, and still come late."""
FORGOTTEN_MAX: Final = 2_000
"""Steps that are too old to be needed, and are forgotten whenever rounds are rated."""
CHUNK: Final = 500

Who = tuple[str, str]
"""Player, game."""


@dataclass(frozen=True, slots=True)
class Folded:
    """What became of rounds."""

    rated: int = 0
    redone: int = 0
    left_out: int = 0
    """Too late: what they would change is not known any more, or is too much."""


@dataclass(frozen=True, slots=True)
class Kept:
    """A rating."""

    player_id: str
    game: str
    skill: Skill
    at_ms: int


def fold(connection: Connection, rounds: Sequence[RatedRound], now_ms: int) -> Folded:
    """Rate rounds, each once."""
    _one_at_a_time(connection)
    new = _unheard(connection, rounds)
    gone = _gone(connection, {player_id for one in new for player_id in one.points})
    new = [one for one in new if not gone.intersection(one.points)]
    found = _load(connection, [(player_id, one.game) for one in new for player_id in one.points])
    late = [one for one in new if any(_last(found, player_id, one) > one.key for player_id in one.points)]
    horizon_ms = _horizon(connection, new, now_ms)
    redo, left_out = _redo(connection, late, horizon_ms) if late else ({}, [])
    missing = {(player_id, one.game) for one in redo.values() for player_id in one.points} - found.keys()
    found |= _load(connection, sorted(missing))
    skills = {who: skill for who, (skill, _) in found.items()}
    skills |= _before(connection, redo.values())
    for one in redo.values():
        connection.execute(delete(rating_steps).where(_is_of(one)))
    todo = sorted([*redo.values(), *(one for one in new if one not in left_out)], key=lambda one: one.key)
    steps: list[dict[str, Any]] = []
    last: dict[Who, Key] = {}
    for one in todo:
        people = [(player_id, one.game) for player_id in one.points]
        before = [skills.get(who, NEWCOMER) for who in people]
        steps += [_step(who, one, skill) for who, skill in zip(people, before, strict=True)]
        skills |= zip(people, after(before, list(one.points.values()), one.game), strict=True)
        last |= dict.fromkeys(people, one.key)
    if steps:
        connection.execute(insert(rating_steps), steps)
    _save(connection, [(who, skills[who], key) for who, key in sorted(last.items())])
    _forget_steps(connection, horizon_ms)
    return Folded(len(todo) - len(redo), len(redo), len(left_out))


def of(connection: Connection, player_id: str, size: int, beyond: str = "", game: str = "") -> list[Kept]:
    """Return the ratings of a player, by the names of the games.

    Args:
        size: At most so many.
        beyond: Only of games after this one.
        game: Only of this one; empty: of all.
    """
    c = ratings.c
    query = select(ratings).where(c.player_id == player_id, c.game > beyond).order_by(c.game).limit(size)
    return [_kept(row) for row in connection.execute(query.where(c.game == game) if game else query)]


def of_many(connection: Connection, keys: Iterable[Who]) -> list[Kept]:
    """Return ratings that their players show to all, by player and game."""
    c, wanted = ratings.c, sorted(set(keys))
    hidden = select(shown_to.c.player_id).where(shown_to.c.who != "all")
    query = select(ratings).where(tuple_(c.player_id, c.game).in_(wanted), c.player_id.not_in(hidden))
    return [_kept(row) for row in connection.execute(query.order_by(c.player_id, c.game))]


def forget(connection: Connection, player_ids: Sequence[str]) -> None:
    """Forget the ratings of deleted accounts; nothing new is rated once they are `GONE`."""
    _one_at_a_time(connection)
    for table in (ratings, rating_steps):
        connection.execute(delete(table).where(table.c.player_id.in_(player_ids)))


def _one_at_a_time(connection: Connection) -> None:
    """Let one transaction at a time change ratings (SQLite has one writer anyway)."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(hashtext('ratings'))"))


def _unheard(connection: Connection, rounds: Sequence[RatedRound]) -> list[RatedRound]:
    new: list[RatedRound] = []
    for one in sorted(rounds, key=lambda one: one.key):
        first = (
            upsert(connection, rated_rounds)
            .values(round_id=one.key.round_id)
            .on_conflict_do_nothing()
            .returning(rated_rounds.c.round_id)
        )
        if connection.execute(first).one_or_none() is not None:
            new.append(one)
    return new


def _horizon(connection: Connection, new: Sequence[RatedRound], now_ms: int) -> int:
    """Return the moment before which a round comes too late.

    By the time of the rounds, so that it is the same when the whole past is folded anew; a table whose clock
    is ahead moves it no further than the time here.
    """
    newest = connection.scalar(select(func.max(rating_steps.c.at_ms))) or 0
    return min(now_ms, max([newest, *(one.key.at_ms for one in new)])) - KEPT_MS


def _forget_steps(connection: Connection, horizon_ms: int) -> None:
    at = rating_steps.c.at_ms
    old = select(at).where(at < horizon_ms).order_by(at).offset(FORGOTTEN_MAX).limit(1)
    until_ms = connection.scalar(old)
    connection.execute(delete(rating_steps).where(at < (horizon_ms if until_ms is None else until_ms)))


def _redo(
    connection: Connection, late: Sequence[RatedRound], horizon_ms: int
) -> tuple[dict[str, RatedRound], list[RatedRound]]:
    """Return the rounds that follow from rounds that come late, and those that are left out."""
    redo: dict[str, RatedRound] = {}
    left_out: list[RatedRound] = []
    for one in late:
        following = _following(connection, one, horizon_ms)
        if following is None or len(redo.keys() | following.keys()) > REDONE_MAX:
            left_out.append(one)
        else:
            redo |= following
    return redo, left_out


def _following(connection: Connection, late: RatedRound, horizon_ms: int) -> dict[str, RatedRound] | None:
    """Return the rounds that a late one touches; None = they are not all known any more, or too many."""
    if late.key.at_ms < horizon_ms:
        return None
    c = rating_steps.c
    found: dict[str, RatedRound] = {}
    since = dict.fromkeys(late.points, late.key)
    work = set(since)
    while work:
        rows: dict[str, Row[Any]] = {}
        for player_id in sorted(work):
            key = since[player_id]
            later = or_(c.at_ms > key.at_ms, and_(c.at_ms == key.at_ms, c.round_id >= key.round_id))
            query = select(rating_steps).where(c.player_id == player_id, c.game == late.game, later)
            rows |= {row.round_id: row for row in connection.execute(query.limit(REDONE_MAX + 1))}
        work = set()
        for round_id in sorted(rows.keys() - found.keys()):
            row = rows[round_id]
            one = RatedRound(Key(row.at_ms, round_id), row.game, json.loads(row.points))
            found[round_id] = one
            for player_id in one.points:
                if player_id not in since or one.key < since[player_id]:
                    since[player_id] = one.key
                    work.add(player_id)
        if len(found) > REDONE_MAX:
            return None
    if _gone(connection, set(since)):
        return None
    return found


def _before(connection: Connection, redo: Iterable[RatedRound]) -> dict[Who, Skill]:
    """Return what was thought of people before the first of the rounds that are reckoned anew."""
    first: dict[Who, Key] = {}
    for one in redo:
        for player_id in one.points:
            who = player_id, one.game
            first[who] = min(one.key, first.get(who, one.key))
    c = rating_steps.c
    return {
        who: _skill(
            connection.execute(
                select(rating_steps).where(
                    c.player_id == who[0],
                    c.game == who[1],
                    c.at_ms == key.at_ms,
                    c.round_id == key.round_id,
                )
            ).one()
        )
        for who, key in first.items()
    }


def _load(connection: Connection, wanted: Iterable[Who]) -> dict[Who, tuple[Skill, Key]]:
    keys = sorted(set(wanted))
    found: dict[Who, tuple[Skill, Key]] = {}
    for first in range(0, len(keys), CHUNK):
        some = keys[first : first + CHUNK]
        query = select(ratings).where(tuple_(ratings.c.player_id, ratings.c.game).in_(some))
        for row in connection.execute(query):
            found[row.player_id, row.game] = _skill(row), Key(row.last_at_ms, row.last_round_id)
    return found


def _save(connection: Connection, changed: Sequence[tuple[Who, Skill, Key]]) -> None:
    if not changed:
        return
    insert = upsert(connection, ratings)
    names = ("mean", "deviation", "rounds", "last_at_ms", "last_round_id")
    connection.execute(
        insert.on_conflict_do_update(
            index_elements=["player_id", "game"], set_={name: insert.excluded[name] for name in names}
        ),
        [
            {
                "player_id": player_id,
                "game": game,
                "mean": skill.mean,
                "deviation": skill.deviation,
                "rounds": skill.rounds,
                "last_at_ms": key.at_ms,
                "last_round_id": key.round_id,
            }
            for (player_id, game), skill, key in changed
        ],
    )


def _gone(connection: Connection, player_ids: Iterable[str]) -> set[str]:
    query = select(shown_to.c.player_id).where(
        shown_to.c.player_id.in_(sorted(player_ids)), shown_to.c.who == GONE
    )
    return set(connection.execute(query).scalars())


def _last(found: Mapping[Who, tuple[Skill, Key]], player_id: str, one: RatedRound) -> Key:
    held = found.get((player_id, one.game))
    return held[1] if held is not None else Key(-1, "")


def _is_of(one: RatedRound) -> Any:
    c = rating_steps.c
    return and_(
        c.player_id.in_(list(one.points)),
        c.game == one.game,
        c.at_ms == one.key.at_ms,
        c.round_id == one.key.round_id,
    )


def _step(who: Who, one: RatedRound, before: Skill) -> dict[str, Any]:
    return {
        "player_id": who[0],
        "game": who[1],
        "at_ms": one.key.at_ms,
        "round_id": one.key.round_id,
        "mean": before.mean,
        "deviation": before.deviation,
        "rounds": before.rounds,
        "points": json.dumps(dict(one.points), separators=(",", ":")),
    }


def _skill(row: Any) -> Skill:
    return Skill(row.mean, row.deviation, row.rounds)


def _kept(row: Any) -> Kept:
    return Kept(row.player_id, row.game, _skill(row), row.last_at_ms)
