"""What the live list knows of ratings: asked in batches, kept for a while, and unknown rather than wrong."""

from __future__ import annotations

import asyncio
from typing import Any

from paiju.progress.v1 import rating_service_pb2 as pb

from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage
from services.chassis.metrics import Metrics
from services.table import ratings
from services.table.ratings import UNKNOWN, RatingBook


class Progress:
    """Knows ratings, unless it is away."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.asked: list[int] = []
        self.is_away = False

    def client(self, stub: Any, service: str, timeout_s: float) -> Progress:
        assert service == "progress"
        return self

    async def BatchGetRatings(self, request: pb.BatchGetRatingsRequest) -> pb.BatchGetRatingsResponse:  # noqa: N802 - gRPC
        self.asked.append(len(request.keys))
        if self.is_away:
            raise Outage("progress is away")
        return pb.BatchGetRatingsResponse(
            ratings=[
                pb.Rating(player_id=key.player_id, game=key.game, rating=self.known[key.player_id])
                for key in request.keys
                if key.player_id in self.known
            ]
        )


def test_a_table_is_as_good_as_those_of_its_people_whose_rating_is_known() -> None:
    async def play(clock: VirtualClock) -> None:
        progress: Any = Progress()
        progress.known = {"p_a": 1700, "p_b": 1500, "p_c": 1302}
        book = RatingBook(progress, clock, Metrics())
        running = asyncio.create_task(book.run())

        def of(*players: str) -> int | None:
            return book.of_table("paohuzi", players)

        assert of("p_a", "bot:easy", "bot:easy") is None, "not before progress has answered"
        await clock.sleep(1)
        assert of("p_a", "bot:easy", "bot:easy") == 1700
        assert of("p_a", "p_b", "p_new") is None, "one of them is not asked for yet"
        await clock.sleep(1)
        assert of("p_a", "p_b", "p_new") == 1600, "who has none says nothing"
        assert of("p_new", "bot:easy") == of("bot:easy") == UNKNOWN
        assert progress.asked == [1, 2]
        progress.known["p_a"] = 1720
        await clock.sleep(ratings.FRESH_S)
        assert of("p_a") == 1700, "what was known counts until the answer"
        await clock.sleep(1)
        assert of("p_a") == 1720
        running.cancel()

    run_virtual(play)


def test_with_progress_away_what_was_known_counts_for_half_an_hour_and_it_is_asked_ever_more_seldom() -> None:
    async def play(clock: VirtualClock) -> None:
        progress: Any = Progress()
        progress.known = {"p_a": 1700}
        book = RatingBook(progress, clock, Metrics())
        running = asyncio.create_task(book.run())
        book.of_table("paohuzi", ["p_a"])
        await clock.sleep(1)
        progress.is_away = True
        await clock.sleep(ratings.STALE_S - 10)
        assert book.of_table("paohuzi", ["p_a"]) == 1700
        await clock.sleep(20)
        assert book.of_table("paohuzi", ["p_a"]) is None
        so_far = len(progress.asked)
        await clock.sleep(600)
        assert len(progress.asked) - so_far <= 600 / ratings.RETRY_S_MAX + 8
        progress.is_away = False
        await clock.sleep(ratings.RETRY_S_MAX + 1)
        assert book.of_table("paohuzi", ["p_a"]) == 1700
        running.cancel()

    run_virtual(play)


def test_thirty_thousand_people_are_asked_for_a_thousand_at_a_time_twice_a_second() -> None:
    async def play(clock: VirtualClock) -> None:
        progress: Any = Progress()
        progress.known = {f"p_{number}": 1500 for number in range(30_000)}
        book = RatingBook(progress, clock, Metrics())
        running = asyncio.create_task(book.run())
        tables = [[f"p_{first + seat}" for seat in range(3)] for first in range(0, 30_000, 3)]
        assert {book.of_table("paohuzi", table) for table in tables} == {None}
        await clock.sleep(5)
        assert 9 <= len(progress.asked) <= 12
        await clock.sleep(11)
        assert progress.asked == [1_000] * 30
        assert {book.of_table("paohuzi", table) for table in tables} == {1500}
        running.cancel()

    run_virtual(play)
