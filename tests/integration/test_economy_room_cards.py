"""Room cards: taken once when a room starts, kept for what was played, back for what was not."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from services.chassis.clock import SystemClock
from services.chassis.db import Database, PostgresDatabase, migrate, schema_differences
from services.chassis.errors import Refusal
from services.chassis.ids import SystemIds
from services.economy.core.room_cards import held_of, kept_of
from services.economy.store import room_cards, wallets
from services.economy.store.matches import end_matches
from services.economy.store.proof import prove
from services.economy.store.proof_rooms import HELD_MS_MAX
from services.economy.store.proof_stakes import CLOSING_MS_MAX
from services.economy.store.room_cards import Ended
from tests.support.book import NOW_MS

SEATS = ("p_a", "p_b", "bot:normal")


class TestWhoPays:
    @pytest.mark.parametrize(
        ("payer", "held"), [("owner", (0, 4, 0)), ("each", (4, 4, 0)), ("winner", (4, 4, 0))]
    )
    def test_people_hold_and_bots_never(self, payer: str, held: tuple[int, ...]) -> None:
        assert held_of(payer, 4, SEATS, "p_b") == held

    @pytest.mark.parametrize(
        ("payer", "cards", "seats", "owner", "field"),
        [
            ("nobody", 4, SEATS, "p_a", "payer"),
            ("owner", 0, SEATS, "p_a", "cards"),
            ("owner", 1001, SEATS, "p_a", "cards"),
            ("owner", 4, (), "p_a", "seats"),
            ("owner", 4, ("p_a", "p_a"), "p_a", "seats"),
            ("owner", 4, SEATS, "p_x", "owner_id"),
            ("owner", 4, SEATS, "bot:normal", "owner_id"),
        ],
    )
    def test_what_cannot_be_is_refused_by_name(
        self, payer: str, cards: int, seats: Sequence[str], owner: str, field: str
    ) -> None:
        with pytest.raises(Refusal) as refused:
            held_of(payer, cards, seats, owner)
        assert refused.value.details["field"] == field

    def test_the_winner_pays_and_winners_share(self) -> None:
        assert kept_of("winner", (5, 5, 5), (10, -4, -6), 8) == (5, 0, 0)
        assert kept_of("winner", (5, 5, 5), (3, 3, -6), 8) == (3, 2, 0)
        assert kept_of("winner", (5, 5, 0), (1, -9, 8), 8) == (5, 0, 0), "a bot won, the best person pays"

    def test_a_match_without_a_finished_round_costs_nobody_anything(self) -> None:
        for payer in ("owner", "each", "winner"):
            assert kept_of(payer, (5, 5, 0), (0, 0, 0), 0) == (0, 0, 0)


@pytest.fixture
async def book(database_url: str, db: Database) -> Database:
    migrate(database_url, "economy")
    return db


async def give(db: Database, player: str, cards: int) -> None:
    await db.run(
        lambda c: wallets.grant(c, f"give/{player}/{cards}", "task", player, "room_card", cards, "", NOW_MS)
    )


async def cards_of(db: Database, *players: str) -> list[int]:
    found = await db.read(partial(wallets.wallets_of, player_ids=players))
    return [
        next(money.amount for money in found[player].balances if money.currency == "room_card")
        for player in players
    ]


async def hold(
    db: Database,
    match: str = "0-m",
    payer: str = "each",
    cards: int = 3,
    seats: Sequence[str] = SEATS,
    owner: str = "p_a",
) -> tuple[tuple[int, ...], bool]:
    return await db.run(lambda c: room_cards.hold(c, match, payer, cards, seats, owner, NOW_MS))


async def end(db: Database, *scores: int, rounds: int = 8, match: str = "0-m") -> list[str]:
    return await db.run(lambda c: room_cards.end(c, [Ended(match, scores, rounds)], NOW_MS))


async def back(db: Database, match: str = "0-m") -> Any:
    return await db.run(lambda c: room_cards.give_back(c, match, NOW_MS))


async def clean(db: Database) -> bool:
    assert (await db.read(partial(prove, now_ms=NOW_MS))).findings == ()
    return True


async def test_the_migration_makes_exactly_the_table_of_the_code(book: Database) -> None:
    assert await book.run(lambda c: schema_differences(c, room_cards.metadata)) == []


async def test_each_pays_once_whatever_is_repeated(book: Database) -> None:
    await give(book, "p_a", 5)
    await give(book, "p_b", 3)
    assert await hold(book) == ((3, 3, 0), True)
    assert await hold(book) == ((3, 3, 0), False)
    assert await cards_of(book, "p_a", "p_b") == [2, 0]
    assert await end(book, 5, -2, -3) == []
    assert await end(book, 5, -2, -3) == []
    assert await back(book) == ("kept", []), "what was played is not given back"
    assert await cards_of(book, "p_a", "p_b") == [2, 0]
    with pytest.raises(Refusal, match="REQUEST_ID_REUSED"):
        await hold(book, cards=2)
    assert await clean(book)


async def test_who_has_too_few_stops_all_and_nobody_has_paid(book: Database) -> None:
    await give(book, "p_a", 5)
    await give(book, "p_b", 2)
    with pytest.raises(Refusal) as refused:
        await hold(book)
    assert refused.value.reason == "ROOM_CARDS_TOO_FEW"
    assert refused.value.details | {"player_id": "p_b", "needed": 3, "cards": 2} == refused.value.details
    assert await cards_of(book, "p_a", "p_b") == [5, 2]
    assert (await hold(book, payer="owner"))[0] == (3, 0, 0), "the same match, as nothing was taken"
    assert await clean(book)


async def test_all_but_the_winner_get_theirs_back(book: Database) -> None:
    await give(book, "p_a", 5)
    await give(book, "p_b", 5)
    await hold(book, payer="winner")
    assert await cards_of(book, "p_a", "p_b") == [2, 2]
    assert await end(book, -7, 9, -2) == ["p_a"]
    assert await cards_of(book, "p_a", "p_b") == [5, 2]
    assert await clean(book)


async def test_a_match_that_never_was_gives_back_and_takes_nothing_afterwards(book: Database) -> None:
    await give(book, "p_a", 5)
    await give(book, "p_b", 5)
    await hold(book)
    assert await back(book) == ("returned", ["p_a", "p_b"])
    assert await back(book) == ("returned", [])
    assert await end(book, 1, -1, 0) == [], "its end comes late, and moves nothing"
    with pytest.raises(Refusal, match="ROOM_CARDS_CLOSED"):
        await hold(book)
    assert await back(book, "0-never") == ("returned", [])
    with pytest.raises(Refusal, match="ROOM_CARDS_CLOSED"):
        await hold(book, "0-never")
    assert await cards_of(book, "p_a", "p_b") == [5, 5]
    assert await clean(book)


async def test_without_a_finished_round_all_comes_back(book: Database) -> None:
    await give(book, "p_a", 3)
    await give(book, "p_b", 3)
    await hold(book)
    assert sorted(await end(book, 0, 0, 0, rounds=0)) == ["p_a", "p_b"]
    assert await cards_of(book, "p_a", "p_b") == [3, 3]
    assert await end(book, 1, 0, -1, match="0-other") == [], "most matches cost no cards"
    assert await clean(book)


async def test_many_at_once_take_the_cards_of_one_wallet_once(postgres_url: str) -> None:
    """Twenty rooms of one owner who can pay for three: three start; the ends of all of them at once."""
    migrate(postgres_url, "economy")
    db = PostgresDatabase(postgres_url, SystemClock(), SystemIds(), connections=8)
    try:
        await give(db, "p_a", 7)

        async def try_one(match: str) -> bool:
            try:
                await hold(db, match, "owner", 2)
            except Refusal as refusal:
                if refusal.reason != "ROOM_CARDS_TOO_FEW":
                    raise
                return False
            return True

        matches = [f"0-m{number % 20}" for number in range(40)]  # each twice
        taken = await asyncio.gather(*map(try_one, matches))
        started = {match for match, took in zip(matches, taken, strict=True) if took}
        assert (len(started), await cards_of(db, "p_a")) == (3, [1])
        ends = [end(db, 0, 0, 0, rounds=0, match=match) for match in sorted(started)]
        await asyncio.gather(*ends, *(back(db, match) for match in sorted(started)))
        assert await cards_of(db, "p_a") == [7]
        assert await clean(db)
    finally:
        await db.close()


async def test_cards_that_outlive_their_match_are_found_by_the_proof(book: Database) -> None:
    await give(book, "p_a", 5)
    await give(book, "p_b", 5)
    await hold(book)
    await book.run(lambda c: end_matches(c, [("0-m", 8, NOW_MS)]))
    after_ms = NOW_MS + CLOSING_MS_MAX
    assert (await book.read(partial(prove, now_ms=after_ms))).findings == ()
    for since in (0, 1):
        proof = await book.read(partial(prove, now_ms=after_ms + 1, since=since))
        assert proof.findings == ("house/rooms/0-m: its match is over, it still holds 6 room_card",)
    await end(book, 5, -2, -3)
    assert (await book.read(partial(prove, now_ms=after_ms + 1))).findings == ()


async def test_cards_of_a_match_that_nobody_hears_of_again_are_found_by_the_proof(book: Database) -> None:
    await give(book, "p_a", 5)
    await hold(book, payer="owner")
    assert (await book.read(partial(prove, now_ms=NOW_MS + HELD_MS_MAX))).findings == ()
    proof = await book.read(partial(prove, now_ms=NOW_MS + HELD_MS_MAX + 1))
    assert proof.findings == (
        "house/rooms/0-m: its match has not ended in 7 days, it still holds 3 room_card",
    )
