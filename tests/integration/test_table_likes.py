"""Likes of plays on real databases: once per person, counted, forgotten after their time."""

from __future__ import annotations

import asyncio

import pytest

from services.chassis.db import Database, migrate, schema_differences
from services.table.store import metadata
from services.table.watch_store import Like, LikedPlay, LikeStore

ROUND, OTHER = "0-table1/1", "0-table1/2"


@pytest.fixture
async def likes(database_url: str, db: Database) -> LikeStore:
    migrate(database_url, "table")
    return LikeStore(db)


async def test_the_schema_is_what_the_code_names(database_url: str, db: Database) -> None:
    migrate(database_url, "table")
    assert "play_likes" in metadata.tables
    assert await db.run(lambda connection: schema_differences(connection, metadata)) == []


async def test_a_person_likes_a_play_once_and_each_sees_his_own(likes: LikeStore) -> None:
    assert await likes.add(ROUND, 7, "p_a", 1_000) == 1
    assert await likes.add(ROUND, 7, "p_a", 2_000) == 1
    assert await likes.add(ROUND, 7, "p_b", 3_000) == 2
    assert await likes.add(ROUND, 3, "p_b", 4_000) == 1
    assert await likes.add(OTHER, 7, "p_b", 5_000) == 1
    assert await likes.of_round(ROUND, "p_a") == [LikedPlay(3, 1, False), LikedPlay(7, 2, True)]
    assert await likes.of_round(ROUND, "p_c") == [LikedPlay(3, 1, False), LikedPlay(7, 2, False)]
    assert await likes.of_round("0-table1/9", "p_a") == []


async def test_liked_plays_are_read_in_pieces(likes: LikeStore) -> None:
    for number in (9, 2, 5):
        await likes.add(ROUND, number, "p_a", 1_000)
    assert [play.event_no for play in await likes.of_round(ROUND, "p_a", 2)] == [2, 5]
    assert [play.event_no for play in await likes.of_round(ROUND, "p_a", 2, 5)] == [9]


async def test_likes_at_once_are_all_counted_and_none_twice(likes: LikeStore) -> None:
    people = [f"p_{number % 10}" for number in range(30)]
    counts = await asyncio.gather(*(likes.add(ROUND, 1, player, 1_000) for player in people))
    assert max(counts) == 10
    assert (await likes.of_round(ROUND, "p_0"))[0].likes == 10


async def test_a_person_reads_what_he_liked_newest_first_in_pieces(likes: LikeStore) -> None:
    for at_ms, (round_id, event_no) in enumerate(((ROUND, 7), (OTHER, 1), (ROUND, 9), (ROUND, 8)), start=1):
        await likes.add(round_id, event_no, "p_a", 1_000 * (at_ms // 2))
        await likes.add(round_id, event_no, "p_b", 9_000)
    found = await likes.of_player("p_a", 10)
    assert [(one.at_ms, one.round_id, one.event_no) for one in found] == [
        (2_000, ROUND, 8), (1_000, OTHER, 1), (1_000, ROUND, 9), (0, ROUND, 7),
    ]  # fmt: skip
    for size in (1, 2, 3):
        read: list[Like] = []
        while page := await likes.of_player("p_a", size, read[-1] if read else None):
            read += page
        assert read == found
    assert await likes.of_player("p_c", 10) == []


async def test_old_likes_are_forgotten(likes: LikeStore) -> None:
    await likes.add(ROUND, 1, "p_a", 1_000)
    await likes.add(ROUND, 2, "p_a", 2_000)
    assert await likes.forget(2_000) == 1
    assert await likes.of_round(ROUND, "p_a") == [LikedPlay(2, 1, True)]
