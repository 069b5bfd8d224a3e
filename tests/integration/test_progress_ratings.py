"""Ratings as they run: whatever order rounds are heard in, however often, and by how many at once."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable, Sequence
from functools import partial
from typing import Any

import pytest
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.progress.v1 import progress_service_pb2 as progress_pb
from paiju.progress.v1 import rating_service_pb2 as pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub
from paiju.progress.v1.rating_service_pb2_grpc import RatingServiceStub
from sqlalchemy import func, select

from services.chassis import auth
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal
from services.progress import app
from services.progress.core.ratings import NEWCOMER, Key, RatedRound, Skill, after
from services.progress.settings import ProgressSettings
from services.progress.store import plays, schema
from services.progress.store import ratings as store
from services.progress.store.rating_schema import rating_steps, ratings
from tests.support.process import MemoryWorld, system_ids

NOW_MS = 1_790_000_000_000
PEOPLE = [f"p_{name}" for name in "abcdefgh"]

Known = dict[tuple[str, str], tuple[float, float, int, int, str]]


@pytest.fixture
async def book(database_url: str, db: Database) -> Database:
    migrate(database_url, "progress")
    return db


def evening(seed: int, rounds: int = 60) -> list[RatedRound]:
    """Rounds of eight people at tables of three and four, in the order of their ends."""
    chance = random.Random(seed)
    found = []
    for number in range(rounds):
        table = chance.sample(PEOPLE, chance.choice((3, 4)))
        points = [chance.randint(-9, 9) for _ in table[1:]]
        points.append(1 - sum(points) if len(set(points)) == 1 else -sum(points))
        # Some end in the same millisecond.
        key = Key(NOW_MS + number // 3 * 1_000, f"0-m{number:03}/1")
        found.append(
            RatedRound(key, chance.choice(("paohuzi", "kawuxing")), dict(zip(table, points, strict=True)))
        )
    return found


def plainly(rounds: Sequence[RatedRound]) -> Known:
    """What the rounds come to, one after the other."""
    skills: dict[tuple[str, str], Skill] = {}
    last: dict[tuple[str, str], Key] = {}
    for one in sorted(rounds, key=lambda one: one.key):
        who = [(player_id, one.game) for player_id in one.points]
        before = [skills.get(key, NEWCOMER) for key in who]
        skills |= zip(who, after(before, list(one.points.values()), one.game), strict=True)
        last |= dict.fromkeys(who, one.key)
    return {
        key: (skill.mean, skill.deviation, skill.rounds, last[key].at_ms, last[key].round_id)
        for key, skill in skills.items()
    }


async def known(db: Database) -> Known:
    def read(connection: Any) -> Known:
        return {
            (row.player_id, row.game): (
                row.mean,
                row.deviation,
                row.rounds,
                row.last_at_ms,
                row.last_round_id,
            )
            for row in connection.execute(select(ratings))
        }

    return await db.read(read)


async def fold(db: Database, rounds: Sequence[RatedRound], now_ms: int = NOW_MS + 10**7) -> store.Folded:
    return await db.run(partial(store.fold, rounds=rounds, now_ms=now_ms))


async def test_the_migrations_make_exactly_the_tables_of_the_code(book: Database) -> None:
    assert await book.run(lambda c: schema_differences(c, schema.metadata)) == []


@pytest.mark.parametrize("seed", range(3))
async def test_in_whatever_order_rounds_are_heard_the_ratings_are_the_same(book: Database, seed: int) -> None:
    """To the last bit; in batches of any size, and some of them twice."""
    chance, rounds = random.Random(seed), evening(seed)
    heard = [*rounds, *chance.sample(rounds, 15)]
    chance.shuffle(heard)
    rated = redone = 0
    while heard:
        size = chance.randint(1, 9)
        folded = await fold(book, heard[:size])
        assert folded.left_out == 0
        rated, redone, heard = rated + folded.rated, redone + folded.redone, heard[size:]
    assert (rated, redone > 0) == (len(rounds), True)
    assert await known(book) == plainly(rounds)


async def test_who_folds_at_once_rates_each_round_once(book: Database) -> None:
    rounds = evening(42)
    await asyncio.gather(*(fold(book, rounds[first : first + 20]) for first in (0, 20, 40, 10, 30, 0)))
    assert await known(book) == plainly(rounds)


async def test_a_round_of_days_ago_is_left_out_if_its_people_have_played_since(book: Database) -> None:
    rounds = evening(3)
    late, rest = rounds[0], rounds[1:]
    newest = RatedRound(Key(NOW_MS + store.KEPT_MS + 60_000, "0-x/1"), late.game, {"p_x": 1, "p_y": -1})
    await fold(book, [*rest, newest], newest.key.at_ms)
    before = await known(book)
    assert (await fold(book, [late], newest.key.at_ms)).left_out == 1
    assert await known(book) == before
    # Nobody is misled by a clock that is years ahead: what the past needs is kept by the time here.
    ahead = RatedRound(Key(NOW_MS + 10**12, "0-y/1"), late.game, {"p_x": 1, "p_y": -1})
    again = RatedRound(Key(newest.key.at_ms + 1, "0-x/2"), late.game, {"p_x": -1, "p_y": 1})
    await fold(book, [ahead], newest.key.at_ms)
    assert (await fold(book, [again], newest.key.at_ms)).left_out == 0
    seen = await known(book)
    assert {who: seen[who] for who in seen if who[0] in ("p_x", "p_y")} == plainly([newest, again, ahead])


async def test_what_no_late_round_can_need_is_forgotten(book: Database) -> None:
    await fold(book, evening(5))
    steps = select(func.count()).select_from(rating_steps)
    assert (await book.read(lambda c: c.scalar(steps)) or 0) > 150
    one = RatedRound(Key(NOW_MS + 2 * store.KEPT_MS, "0-z/1"), "paohuzi", {"p_a": 1, "p_b": -1})
    await fold(book, [one], one.key.at_ms)
    assert await book.read(lambda c: c.scalar(steps)) == 2


async def test_who_is_gone_is_forgotten_and_holds_no_round_of_others_up(book: Database) -> None:
    rounds = evening(8)

    def forget(connection: Any) -> None:
        plays.forget(connection, "p_a", NOW_MS)
        store.forget(connection, ["p_a"])

    await fold(book, rounds[1:40])
    await book.run(forget)
    assert (await fold(book, rounds[40:])).left_out == 0
    assert not [who for who in await known(book) if who[0] == "p_a"]
    # A late one after which the gone have played is not known to its end.
    assert (await fold(book, rounds[:1])).redone == 0


class Running:
    """Progress, and a service and players that call it."""

    def __init__(self, world: MemoryWorld) -> None:
        self.world = world
        self.gateway = world.process("gateway", system_ids())
        self.ratings = self.gateway.rpc.client(RatingServiceStub, "progress")
        self.progress = self.gateway.rpc.client(ProgressServiceStub, "progress")

    async def start(self) -> Running:
        process = self.world.process("progress", system_ids())
        self.service = await app.wire(ProgressSettings(provisional_rounds=3), process.parts)
        await process.rpc.start()
        await self.service.start()
        await self.gateway.rpc.start()
        return self

    async def settle(self, *numbers: int, people: Sequence[str] = ("p_a", "p_b", "p_c")) -> None:
        for number in numbers:
            event = RoundSettled(
                round_id=f"0-m/{number}",
                ended_at_ms=NOW_MS + number,
                game="paohuzi",
                preset="tongyi-qmt@1",
                end="hu",
                how="zimo",
                seats=[
                    SettledSeat(
                        seat=seat,
                        player_id=player,
                        is_bot=player.startswith("bot:"),
                        points=6 if seat == 0 else -3,
                        won=seat == 0,
                    )
                    for seat, player in enumerate(people)
                ],
            )
            await self.gateway.bus.publish(event, f"settled:0-m/{number}")

    async def of(self, player: str, asker: str = "") -> pb.Rating:
        with auth.acting_for(asker or player):
            answer = await self.ratings.GetRating(pb.GetRatingRequest(player_id=player, game="paohuzi"))
        return answer.rating


@pytest.fixture
async def running(world: MemoryWorld) -> AsyncIterator[Running]:
    made = await Running(world).start()
    yield made
    await made.service.stop()


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not await holds():
            await asyncio.sleep(0.01)


async def test_settled_rounds_rate_their_people_and_nobody_pays_for_a_repeat(running: Running) -> None:
    newcomer = await running.of("p_a")
    assert (newcomer.rating, newcomer.rounds, newcomer.is_provisional, newcomer.rounds_left) == (
        1500,
        0,
        True,
        3,
    )
    await running.settle(1, 2, 1, 2)
    await running.settle(3, people=("p_a", "bot:normal", "p_c"))
    await running.settle(4, people=("p_c", "p_d", "p_b"))

    async def is_all() -> bool:
        return (await running.of("p_d")).rounds == 1

    await until(is_all)
    expected = plainly(
        [
            RatedRound(Key(NOW_MS + 1, "0-m/1"), "paohuzi", {"p_a": 6, "p_b": -3, "p_c": -3}),
            RatedRound(Key(NOW_MS + 2, "0-m/2"), "paohuzi", {"p_a": 6, "p_b": -3, "p_c": -3}),
            RatedRound(Key(NOW_MS + 4, "0-m/4"), "paohuzi", {"p_c": 6, "p_d": -3, "p_b": -3}),
        ]
    )
    for player in ("p_a", "p_b", "p_c", "p_d"):
        mean, deviation, rounds, at_ms, _ = expected[player, "paohuzi"]
        assert await running.of(player, "p_stranger") == pb.Rating(
            player_id=player,
            game="paohuzi",
            rating=round(mean),
            deviation=round(deviation),
            rounds=rounds,
            is_provisional=rounds < 3,
            rounds_left=max(0, 3 - rounds),
            at_ms=at_ms,
        )
    keys = [pb.RatingKey(player_id=player, game="paohuzi") for player in ("p_d", "p_a", "p_new")]
    many = await running.ratings.BatchGetRatings(pb.BatchGetRatingsRequest(keys=keys))
    assert [one.player_id for one in many.ratings] == ["p_a", "p_d"]
    with auth.acting_for("p_a"):
        listed = await running.ratings.ListRatings(pb.ListRatingsRequest())
    assert [one.game for one in listed.ratings] == ["paohuzi"]


async def test_who_keeps_his_statistics_to_himself_keeps_his_rating(running: Running) -> None:
    await running.settle(1)

    async def is_rated() -> bool:
        return (await running.of("p_a")).rounds == 1

    await until(is_rated)
    with auth.acting_for("p_a"):
        await running.progress.SetStatisticsVisibility(
            progress_pb.SetStatisticsVisibilityRequest(is_public=False)
        )
    assert (await running.of("p_a")).rounds == 1
    with pytest.raises(Refusal, match="STATISTICS_PRIVATE"):
        await running.of("p_a", "p_b")
    keys = [pb.RatingKey(player_id=player, game="paohuzi") for player in ("p_a", "p_b")]
    many = await running.ratings.BatchGetRatings(pb.BatchGetRatingsRequest(keys=keys))
    assert [one.player_id for one in many.ratings] == ["p_b"]
    await running.gateway.bus.publish(AccountDeleted(player_id="p_b", at_ms=NOW_MS), "account_deleted:p_b")

    async def is_gone() -> bool:
        return not (await running.ratings.BatchGetRatings(pb.BatchGetRatingsRequest(keys=keys))).ratings

    await until(is_gone)


BAD: list[tuple[Any, str]] = [
    (pb.GetRatingRequest(), "game"),
    (pb.GetRatingRequest(game="../x"), "game"),
    (pb.GetRatingRequest(player_id="bot:hard", game="paohuzi"), "player_id"),
    (pb.ListRatingsRequest(page_size=101), "page_size"),
    (pb.ListRatingsRequest(page_token="A B"), "page_token"),
    (pb.BatchGetRatingsRequest(keys=[pb.RatingKey(player_id="x", game="paohuzi")]), "keys"),
    (pb.BatchGetRatingsRequest(keys=[pb.RatingKey(player_id="p_x", game="g")] * 1001), "keys"),
]


async def test_bad_input_is_refused(running: Running) -> None:
    for request, field in BAD:
        method = getattr(running.ratings, type(request).__name__.removesuffix("Request"))
        acting = auth.acting_for("" if isinstance(request, pb.BatchGetRatingsRequest) else "p_a")
        with acting, pytest.raises(Refusal, match="INVALID_ARGUMENT") as refused:
            await method(request)
        assert refused.value.details["field"] == field
