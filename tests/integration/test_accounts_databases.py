"""People and sessions on real databases, with many callers at once."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from sqlalchemy import select

from services.accounts.core.limits import DAY_MS, UNLIMITED, CreationLimits
from services.accounts.store import people, schema, sessions
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal

NOW = 1_790_000_000_000
LIMITS = CreationLimits(per_hour=3, per_day=4, welcome_per_day=2)


@pytest.fixture
async def book(database_url: str, db: Database) -> Database:
    migrate(database_url, "accounts")
    return db


async def sign_in(db: Database, key: bytes, player_id: str, **more: Any) -> people.SignedIn:
    arguments: dict[str, Any] = {"network": "203.0.113.9", "limits": LIMITS, "now_ms": NOW} | more
    return await db.run(partial(people.sign_in, public_key=key, new_player_id=player_id, **arguments))


async def test_the_migrations_make_exactly_the_tables_of_the_code(book: Database) -> None:
    assert await book.run(lambda c: schema_differences(c, schema.metadata)) == []


async def test_one_key_signing_in_many_times_at_once_is_one_player(book: Database) -> None:
    made = await asyncio.gather(
        *(sign_in(book, b"k" * 32, f"p_{number}", network=f"203.0.113.{number % 2}") for number in range(8))
    )
    assert len({one.player.player_id for one in made}) == 1
    assert sum(one.created for one in made) == 1
    assert len(await book.read(lambda c: c.execute(select(schema.players)).all())) == 1
    assert len(await book.read(lambda c: c.execute(select(schema.outbox)).all())) == 1


async def test_many_new_keys_at_once_do_not_pass_the_limit(book: Database) -> None:
    tries = [sign_in(book, bytes([number]) * 32, f"p_{number}") for number in range(9)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    made = [one for one in results if isinstance(one, people.SignedIn)]
    assert len(made) == LIMITS.per_hour
    assert sum(one.player.welcome for one in made) == LIMITS.welcome_per_day
    refused = [one for one in results if isinstance(one, Refusal)]
    assert {one.reason for one in refused} == {"TOO_MANY_NEW_PLAYERS"}
    assert len(refused) == 6


async def test_the_limit_passes_with_time_and_is_of_one_network(book: Database) -> None:
    for number in range(3):
        await sign_in(book, bytes([number]) * 32, f"p_{number}")
    with pytest.raises(Refusal, match="TOO_MANY_NEW_PLAYERS"):
        await sign_in(book, b"x" * 32, "p_x")
    await sign_in(book, b"y" * 32, "p_y", network="198.51.100.1")
    await sign_in(book, b"u" * 32, "p_u", limits=UNLIMITED)
    with pytest.raises(Refusal, match="TOO_MANY_NEW_PLAYERS"):
        await sign_in(book, b"x" * 32, "p_x", now_ms=NOW + 2 * 3_600_000)
    assert (await sign_in(book, b"x" * 32, "p_x", now_ms=NOW + DAY_MS)).created


async def test_a_challenge_used_many_times_at_once_works_once(book: Database) -> None:
    keep = partial(
        people.keep_challenge, challenge=b"c" * 32, public_key=b"k" * 32, now_ms=NOW, expires_at_ms=NOW + 1
    )
    await book.run(keep)
    use = partial(people.use_challenge, challenge=b"c" * 32, public_key=b"k" * 32, now_ms=NOW)
    results = await asyncio.gather(*(book.run(use) for _ in range(8)), return_exceptions=True)
    assert sum(result is None for result in results) == 1


async def test_expired_challenges_and_sessions_do_not_pile_up(book: Database) -> None:
    for number in range(30):
        await book.run(
            partial(
                people.keep_challenge,
                challenge=bytes([number]) * 32,
                public_key=b"k" * 32,
                now_ms=NOW + number * 1_000,
                expires_at_ms=NOW + number * 1_000 + 10,
            )
        )
        await book.run(
            partial(
                sessions.open_session,
                session_id=f"s_{number}",
                player_id="p_a",
                device="",
                refresh_hash=b"h",
                refresh_expires_at_ms=NOW + number * 1_000 + 10,
                now_ms=NOW + number * 1_000,
            )
        )
    for table in (schema.challenges, schema.sessions):
        assert len(await book.read(lambda c, table=table: c.execute(select(table)).all())) == 1  # type: ignore[misc]


async def test_a_refresh_token_shown_many_times_at_once_rotates_once_and_ends_the_session(
    book: Database,
) -> None:
    await book.run(
        partial(
            sessions.open_session,
            session_id="s_1",
            player_id="p_a",
            device="",
            refresh_hash=b"first",
            refresh_expires_at_ms=NOW + 1_000,
            now_ms=NOW,
        )
    )

    async def show(number: int) -> sessions.Refreshed:
        return await book.run(
            partial(
                sessions.refresh,
                session_id="s_1",
                shown_hash=b"first",
                new_hash=b"next %d" % number,
                new_expires_at_ms=NOW + 2_000,
                now_ms=NOW,
            )
        )

    uses = [one.use for one in await asyncio.gather(*(show(number) for number in range(6)))]
    assert sorted(uses) == ["reused", *["revoked"] * 4, "rotate"]
    (event,) = await book.read(lambda c: c.execute(select(schema.outbox)).all())
    assert event.type == "paiju.accounts.v1.SessionRevoked"
