"""Protection on real databases: what is set stands, what is played counts once, whatever comes twice."""

from __future__ import annotations

import asyncio
import random
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, delete, insert, select, text, update
from sqlalchemy.exc import DBAPIError

from services.accounts.core import protection as core
from services.accounts.core.limits import UNLIMITED
from services.accounts.core.protection import BANDS, NOBODY, Own, Today
from services.accounts.store import deletion, people, protection_schema, schema, ways
from services.accounts.store import protection as store
from services.accounts.store import protection_rounds as played
from services.accounts.store.protection_rounds import Heard
from services.chassis.days import DAY_MS, HOUR_MS, MINUTE_MS, day_of
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal
from tests.unit.test_protection_calendar import at

NOW = at("2026-12-07 12:00")
TODAY = day_of(NOW)
PLAYERS = ("p_a", "p_b", "p_c")


@pytest.fixture
async def book(database_url: str, db: Database) -> Database:
    migrate(database_url, "accounts")
    return db


async def make(db: Database, player_id: str, key: bytes = b"") -> str:
    """Return the player of a key, made if it is new."""
    public_key = (key or player_id.encode()).ljust(32, b".")
    sign_in = partial(
        people.sign_in,
        public_key=public_key,
        network="203.0.113.9",
        new_player_id=player_id,
        limits=UNLIMITED,
        now_ms=NOW,
    )
    return str((await db.run(sign_in)).player.player_id)


async def change(db: Database, player_id: str, do: Any, now_ms: int = NOW) -> Own:
    def write(connection: Connection) -> Own:
        own: Own = do(store.hold(connection, player_id, now_ms), now_ms)
        store.save(connection, player_id, own)
        return own

    return await db.run(write)


async def own_of(db: Database, player_id: str, now_ms: int = NOW) -> Own:
    return (await db.read(lambda c: store.load(c, [player_id], now_ms)))[player_id]


async def hear(db: Database, *heard: Heard, now_ms: int = NOW) -> int:
    return await db.run(lambda connection: played.hear(connection, heard, now_ms))


async def today(db: Database, player_id: str, day: int = TODAY) -> Today:
    return (await db.read(lambda c: played.today(c, [player_id], day)))[player_id]


def excluded(until_ms: int) -> Any:
    return lambda own, now_ms: core.exclude(own, until_ms, now_ms)


async def test_the_migrated_tables_are_the_declared_ones(book: Database) -> None:
    assert protection_schema.protection.metadata is schema.metadata
    assert await book.run(lambda c: schema_differences(c, schema.metadata)) == []


async def test_what_is_set_is_read_again_and_nobody_else_has_it(book: Database) -> None:
    for player in PLAYERS:
        await make(book, player)
    kept = await change(book, "p_a", lambda own, now: core.set_limits(own, 60, 500, now, DAY_MS))
    assert await own_of(book, "p_a") == kept
    assert await own_of(book, "p_b") == NOBODY
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await change(book, "p_nobody", lambda own, now: own)


async def test_wishes_made_at_once_all_count_the_strictest_wins(book: Database) -> None:
    await make(book, "p_a")
    ends = [NOW + days * DAY_MS for days in (3, 90, 1, 30, 7, 365, 14, 60)]
    done = await asyncio.gather(*(change(book, "p_a", excluded(end)) for end in ends), return_exceptions=True)
    refused = [one for one in done if isinstance(one, BaseException)]
    assert {str(one).split()[0] for one in refused} <= {"EXCLUSION_STANDS"}
    assert (await own_of(book, "p_a")).excluded_until_ms == NOW + 365 * DAY_MS


async def test_the_database_itself_refuses_to_end_an_exclusion_early(book: Database) -> None:
    await make(book, "p_a")
    await change(book, "p_a", excluded(NOW + 30 * DAY_MS))
    table = protection_schema.protection
    forbidden = [
        update(table).values(excluded_until_ms=NOW + 30 * DAY_MS - 1),
        update(table).values(excluded_until_ms=0),
        update(table).values(player_id="p_other"),
        delete(table),
        *([text("TRUNCATE protection")] if book.dialect == "postgresql" else []),
    ]
    for statement in forbidden:
        with pytest.raises(DBAPIError, match="an exclusion only gets longer"):
            await book.run(partial(Connection.execute, statement=statement))
    assert (await own_of(book, "p_a")).excluded_until_ms == NOW + 30 * DAY_MS


async def test_deletion_and_a_new_account_with_the_same_key_end_no_exclusion(book: Database) -> None:
    old = await make(book, "p_old", key=b"k")
    await change(book, old, excluded(NOW + 30 * DAY_MS))
    await change(book, old, lambda own, now: core.declare(own, BANDS["8_15"], now))
    players = schema.players
    await book.run(lambda c: c.execute(update(players).values(deletes_at_ms=NOW)))
    assert await book.run(lambda c: deletion.forget(c, old, NOW))
    new = await make(book, "p_new", key=b"k")
    assert new != old
    now = await own_of(book, new)
    assert (now.excluded_until_ms, now.band) == (NOW + 30 * DAY_MS, BANDS["8_15"])
    # What he sets as the new one does not take it away; it becomes his own.
    await change(book, new, lambda own, at_ms: core.set_limits(own, 30, 0, at_ms, DAY_MS))
    with pytest.raises(Refusal, match="EXCLUSION_STANDS"):
        await change(book, new, excluded(NOW + 2 * DAY_MS))
    with pytest.raises(Refusal, match="AGE_DECLARED"):
        await change(book, new, lambda own, at_ms: core.declare(own, BANDS["adult"], at_ms))
    kept = await own_of(book, new)
    assert (kept.excluded_until_ms, kept.day_minutes) == (NOW + 30 * DAY_MS, 30)
    # Somebody else's key is somebody else.
    assert await own_of(book, await make(book, "p_stranger", key=b"s")) == NOBODY


async def test_a_key_or_identity_that_was_added_later_and_then_removed_carries_it_too(book: Database) -> None:
    old = await make(book, "p_old", key=b"k1")
    await change(book, old, excluded(NOW + 30 * DAY_MS))
    second, identity = b"k2".ljust(32, b"."), {"provider_id": "work", "subject": "s-1", "title": ""}

    def add(connection: Connection) -> None:
        row = {"player_id": old, "created_at_ms": NOW}
        connection.execute(insert(schema.device_keys), {"public_key": second, **row})
        connection.execute(insert(schema.identities), {**identity, **row})

    await book.run(add)
    await book.run(lambda c: ways.remove(c, old, "key", second.hex()))
    assert (await own_of(book, await make(book, "p_again", key=b"k2"))).excluded_until_ms > NOW
    await book.run(lambda c: ways.remove(c, old, "oidc", "work"))
    other = await make(book, "p_other", key=b"o")
    row = {**identity, "player_id": other, "created_at_ms": NOW}
    await book.run(lambda c: c.execute(insert(schema.identities), row))
    assert (await own_of(book, other)).excluded_until_ms > NOW


def round_of(
    number: int, begin: int, end: int, nets: dict[str, int], players: tuple[str, ...] = PLAYERS
) -> list[Heard]:
    """Return all events of a round."""
    name = f"0-m/{number}"
    return [
        Heard(name, opened_at_ms=begin, players=players),
        Heard(name, ended_at_ms=end, players=players),
        Heard(name, ended_at_ms=end, nets=nets),
    ]


@pytest.mark.parametrize("seed", range(3))
async def test_events_late_doubled_and_reordered_count_each_round_once(book: Database, seed: int) -> None:
    rng = random.Random(seed)
    events: list[Heard] = []
    wanted = dict.fromkeys(PLAYERS, Today())
    at_ms = NOW - 2 * HOUR_MS
    for number in range(1, 13):
        length = rng.randrange(1, 9 * MINUTE_MS)
        nets = {player: rng.randrange(-50, 50) for player in PLAYERS}
        events += round_of(number, at_ms, at_ms + length, nets)
        for player in PLAYERS:
            before = wanted[player]
            wanted[player] = Today(before.played_ms + length, before.net + nets[player])
        at_ms += length
    events += rng.choices(events, k=30)
    rng.shuffle(events)
    batches = [events[first : first + 7] for first in range(0, len(events), 7)]
    # Several processes hear at once; each batch may be heard again.
    await asyncio.gather(*(hear(book, *batch) for batch in [*batches, *batches[:4]]))
    assert {player: await today(book, player) for player in PLAYERS} == wanted


async def test_a_round_across_midnight_counts_for_both_days(book: Database) -> None:
    midnight = at("2026-12-08 00:00")
    nets = {"p_a": -70, "p_b": 70}
    events = round_of(1, midnight - 3 * MINUTE_MS, midnight + 4 * MINUTE_MS, nets, ("p_a", "p_b"))
    assert await hear(book, *events, now_ms=midnight + 5 * MINUTE_MS) == 1
    assert await today(book, "p_a", day_of(midnight) - 1) == Today(3 * MINUTE_MS, 0)
    assert await today(book, "p_a", day_of(midnight)) == Today(4 * MINUTE_MS, -70)


async def test_a_void_round_was_time_and_a_table_out_of_reach_is_not(book: Database) -> None:
    opened = Heard("0-m/1", opened_at_ms=NOW - MINUTE_MS, players=("p_a",))
    assert await hear(book, Heard("0-m/1", ended_at_ms=NOW)) == 0
    assert await hear(book, opened) == 1
    assert await today(book, "p_a") == Today(MINUTE_MS, 0)
    await hear(book, *round_of(2, NOW - 9 * HOUR_MS, NOW, {"p_b": 0}, ("p_b",)))
    assert (await today(book, "p_b")).played_ms == played.ROUND_MS_MAX


async def test_what_is_forgotten_is_never_counted_again(book: Database) -> None:
    old = round_of(1, NOW - MINUTE_MS, NOW, dict.fromkeys(PLAYERS, -5))
    await hear(book, *old)
    later = NOW + played.KEEP_MS + 2 * DAY_MS
    await book.run(lambda c: played.forget(c, later))
    assert await book.read(lambda c: c.execute(select(protection_schema.rounds)).all()) == []
    await hear(book, *old, now_ms=later)
    assert await today(book, "p_a") == Today(MINUTE_MS, -5)
    await book.run(lambda c: played.forget(c, NOW + (played.KEEP_DAYS + 1) * DAY_MS))
    assert await today(book, "p_a") == Today()


async def test_an_end_is_told_once_by_however_many(book: Database) -> None:
    def ask(connection: Connection) -> bool:
        return played.is_first_warning(connection, "p_a", TODAY, "DAILY_TIME_REACHED")

    assert sum(await asyncio.gather(*(book.run(ask) for _ in range(6)))) == 1
    assert await book.run(lambda c: played.is_first_warning(c, "p_a", TODAY + 1, "DAILY_TIME_REACHED")), (
        "tomorrow's end is another"
    )


async def test_who_plays_now_is_known_until_the_round_ends(book: Database) -> None:
    first, finished, settled = round_of(1, NOW - MINUTE_MS, NOW, dict.fromkeys(PLAYERS, 0))
    await hear(book, first)
    assert await book.read(lambda c: played.playing(c, NOW)) == dict.fromkeys(PLAYERS, NOW - MINUTE_MS)
    await hear(book, settled, finished)
    assert await book.read(lambda c: played.playing(c, NOW)) == {}
