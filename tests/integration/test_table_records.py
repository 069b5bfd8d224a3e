"""Finished rounds on real databases: kept once, found by round and by player, page after page."""

from __future__ import annotations

import asyncio

import pytest
from paiju.table.v1.events_pb2 import RoundFinished, RoundSeat

from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal
from services.table.records_store import HistoryStore
from services.table.store import RecordStore, metadata


@pytest.fixture
async def store(database_url: str, db: Database) -> RecordStore:
    migrate(database_url, "table")
    return RecordStore(db)


def finished(number: int, *players: str, at: int = 0, match: str = "0-match1") -> RoundFinished:
    result = f'{{"end":"hu","points":[{2 * number},{-number},{-number}],"winners":[0]}}'
    return RoundFinished(
        round_id=f"{match}/{number}",
        match_id=match,
        round_no=number,
        table_id=match,
        game="paohuzi",
        preset="tongyi-qmt@1",
        seats=[
            RoundSeat(seat=seat, player_id=player, is_bot=player.startswith("bot:"))
            for seat, player in enumerate(players)
        ],
        record=f"Paiju-Record: 1\n\n\nResult: {result}\n".encode(),
        ended_at_ms=at or 1_790_000_000_000 + number,
    )


async def test_the_schema_is_what_the_code_names(database_url: str, db: Database) -> None:
    migrate(database_url, "table")
    assert await db.run(lambda connection: schema_differences(connection, metadata)) == []


async def test_a_round_is_kept_once_and_found_again(store: RecordStore) -> None:
    fact = finished(3, "p_a", "p_b", "bot:normal")
    await store.keep(fact)
    await store.keep(fact)
    kept, record = await store.get("0-match1/3")
    assert record == fact.record
    assert kept.players == ("p_a", "p_b", "bot:normal")
    assert kept.points == (6, -3, -3)
    with pytest.raises(Refusal, match="ROUND_UNKNOWN"):
        await store.get("0-match1/4")


async def test_pages_hold_each_round_of_a_player_once_newest_first(store: RecordStore) -> None:
    for number in range(1, 8):
        await store.keep(finished(number, "p_a", "p_b", "bot:normal", at=1_790_000_000_000 + number // 3))
    await store.keep(finished(1, "p_c", "p_b", "bot:normal", match="0-other1"))
    found: list[str] = []
    token = ""
    for _ in range(10):
        page, token = await store.page("p_a", 3, token)
        found += [kept.round_id for kept in page]
        if not token:
            break
    assert found == [f"0-match1/{number}" for number in (7, 6, 5, 4, 3, 2, 1)]
    bots, _ = await store.page("bot:normal", 3, "")
    assert bots == [], "bots have no list"


@pytest.mark.parametrize("token", ["x", ":", "1:", "-1:a", "1", "9" * 40 + ":a", "1:" + "x" * 100])
async def test_a_page_token_that_is_not_ours_is_refused(store: RecordStore, token: str) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await store.page("p_a", 3, token)


async def test_what_is_kept_or_shared_twice_at_once_is_kept_and_shared_once(
    store: RecordStore, db: Database
) -> None:
    await store.keep(finished(1, "p_a", "p_b", "bot:normal"))
    history = HistoryStore(db)
    notes = [f"note {number}" for number in range(12)]
    await asyncio.gather(*(history.set_favourite("p_a", "0-match1/1", note, 1_000) for note in notes))
    assert await history.note_of("p_a", "0-match1/1") in notes
    made = await asyncio.gather(
        *(history.share("p_a", "0-match1/1", 0, f"token{number}", 1_000, 9_000) for number in range(12))
    )
    assert len({share.token for share in made}) == 1
    assert (await history.shared(made[0].token, 2_000)).player_id == "p_a"
