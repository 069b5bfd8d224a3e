"""Progress as it runs: rounds counted once, a sign-in a day, rewards that no crash loses or doubles."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.progress.v1 import progress_service_pb2 as pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub

from services.chassis import auth
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.days import DAY_MS, begin_of, day_of, day_text
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Outage, Refusal
from services.chassis.run import Service
from services.economy import app as economy_app
from services.economy.settings import EconomySettings
from services.progress import app
from services.progress.core.counts import RoundResult, SeatResult
from services.progress.settings import ProgressSettings
from services.progress.store import plays, schema
from services.progress.store import sign_ins as store
from tests.support.process import MemoryProcess, MemoryWorld, system_ids

NOW_MS = 1_790_000_000_000


class Running:
    """Progress and economy in processes of their own, and a gateway that talks to them."""

    def __init__(self, world: MemoryWorld) -> None:
        self.world = world
        self.gateway = world.process("gateway", system_ids())
        self.progress = self.gateway.rpc.client(ProgressServiceStub, "progress")
        self.economy = self.gateway.rpc.client(EconomyServiceStub, "economy")
        self.services: list[Service] = []

    async def start_progress(self) -> MemoryProcess:
        process = self.world.process("progress", system_ids())
        await self._start(await app.wire(ProgressSettings(), process.parts), process)
        return process

    async def start_economy(self, **settings: Any) -> MemoryProcess:
        process = self.world.process("economy", system_ids())
        await self._start(await economy_app.wire(EconomySettings(**settings), process.parts), process)
        return process

    async def _start(self, service: Service, process: MemoryProcess) -> None:
        await process.rpc.start()
        await service.start()
        self.services.append(service)

    async def sign_in(self, player: str) -> pb.SignInResponse:
        with auth.acting_for(player):
            answer: pb.SignInResponse = await self.progress.SignIn(pb.SignInRequest())
        return answer

    async def gold(self, player: str) -> int:
        wallet = await self.economy.GetWallet(economy_pb.GetWalletRequest(player_id=player))
        return wallet.balances[0].amount

    async def statistics(self, player: str) -> list[pb.PlayStatistics]:
        with auth.acting_for(player):
            answer = await self.progress.GetStatistics(pb.GetStatisticsRequest())
        return list(answer.statistics)

    async def stop(self) -> None:
        for service in self.services:
            await service.stop()


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while True:
            found = holds()
            if asyncio.iscoroutine(found):
                found = await found
            if found:
                return
            await asyncio.sleep(0.01)


@pytest.fixture
async def running(world: MemoryWorld) -> AsyncIterator[Running]:
    made = Running(world)
    await made.start_progress()
    await made.gateway.rpc.start()
    yield made
    await made.stop()


def settled(number: int = 1, match: str = "0-m", won: int = 0, end: str = "hu") -> RoundSettled:
    points = [-3, -3, -3]
    points[won] = 6
    return RoundSettled(
        round_id=f"{match}/{number}",
        ended_at_ms=NOW_MS + number,
        fan=4 if end == "hu" else 0,
        from_seat=-1,
        match_id=match,
        round_no=number,
        game="paohuzi",
        preset="tongyi-qmt@1",
        seats=[
            SettledSeat(
                seat=seat,
                player_id=player,
                is_bot=player.startswith("bot:"),
                points=0 if end == "draw" else points[seat],
                won=end == "hu" and seat == won,
            )
            for seat, player in enumerate(("p_a", "p_b", "bot:normal"))
        ],
        end=end,
        how="zimo" if end == "hu" else "",
        huxi=18 + number,
        names_json='{"红胡":2,"海底胡":2}' if end == "hu" else "{}",
    )


async def test_the_migrations_make_exactly_the_tables_of_the_code(database_url: str, db: Database) -> None:
    migrate(database_url, "progress")
    assert await db.run(lambda c: schema_differences(c, schema.metadata)) == []


async def test_rounds_are_counted_once_for_people_only(running: Running) -> None:
    bus = running.gateway.bus
    await bus.publish(settled(1), "settled:0-m/1")
    await bus.publish(settled(1), "the same under another id")
    await bus.publish(settled(2, won=1), "settled:0-m/2")
    await bus.publish(settled(3, end="draw"), "settled:0-m/3")
    await bus.publish(settled(4, won=2), "settled:0-m/4")

    async def is_all() -> bool:
        found = await running.statistics("p_a")
        return bool(found) and found[0].rounds >= 4

    await until(is_all)
    (mine,) = await running.statistics("p_a")
    assert mine == pb.PlayStatistics(
        game="paohuzi",
        preset="tongyi-qmt@1",
        rounds=4,
        wins=1,
        draws=1,
        self_draws=1,
        points=0,
        best_points=6,
        best_huxi=19,
        names={"红胡": 1, "海底胡": 1},
        won_points=6,
        first_at_ms=NOW_MS + 1,
        last_at_ms=NOW_MS + 4,
        best=pb.BestHand(
            round_id="0-m/1",
            points=6,
            huxi=19,
            fan=4,
            names={"红胡": 2, "海底胡": 2},
            how="zimo",
            at_ms=NOW_MS + 1,
        ),
    )
    with auth.acting_for("p_b"):
        theirs = await running.progress.GetStatistics(pb.GetStatisticsRequest(player_id="p_a"))
        assert list(theirs.statistics) == [mine]
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await running.progress.GetStatistics(pb.GetStatisticsRequest(player_id="bot:normal"))


async def test_counts_are_exact_whatever_comes_twice_or_at_once(database_url: str, db: Database) -> None:
    migrate(database_url, "progress")
    results = [
        RoundResult(
            f"0-m/{number}",
            "paohuzi",
            ("876cc@1", "tongyi-qmt@1")[number % 2],
            [SeatResult("p_a", False, 2, won=True), SeatResult("p_b", False, -2, won=False)],
            "hu",
            "wall",
            20,
            {},
        )
        for number in range(30)
    ] * 2
    random.Random(5).shuffle(results)
    parts = [results[at : at + 5] for at in range(0, 60, 5)]
    new = await asyncio.gather(*(db.run(partial(plays.count, results=part)) for part in parts))
    assert sum(new) == 30
    for player, wins in (("p_a", 15), ("p_b", 0)):
        found = await db.read(partial(plays.counts_of, player_id=player))
        assert [(counts.rounds, counts.wins) for _, _, counts in found] == [(15, wins)] * 2


async def test_a_day_signed_in_by_many_calls_at_once_is_owed_once(database_url: str, db: Database) -> None:
    migrate(database_url, "progress")
    call = partial(store.sign_in_today, player_id="p_a", amounts=(500, 600), now_ms=NOW_MS)
    answers = await asyncio.gather(*(db.run(call) for _ in range(8)))
    assert sum(owed is not None for _, owed in answers) == 1
    assert {last.reward for last, _ in answers} == {500}
    assert len(await db.read(partial(store.owed_rewards, limit=9))) == 1


async def test_a_sign_in_pays_once_a_day(running: Running) -> None:
    await running.start_economy()
    first = await running.sign_in("p_a")
    again = await running.sign_in("p_a")
    assert first == again
    assert first.reward == 500
    assert (first.state.signed_in, first.state.streak, first.state.reward_index) == (True, 1, 0)
    assert list(first.state.rewards) == [500, 600, 800, 1000, 1200, 1500, 3000]
    assert await running.gold("p_a") == 500
    with auth.acting_for("p_a"):
        assert (await running.progress.GetSignIn(pb.GetSignInRequest())).state == first.state
    with auth.acting_for("p_b"):
        other = (await running.progress.GetSignIn(pb.GetSignInRequest())).state
    assert (other.signed_in, other.streak) == (False, 0)


async def test_a_reward_is_paid_later_when_economy_is_down(running: Running) -> None:
    assert (await running.sign_in("p_a")).reward == 500
    await running.start_economy()

    async def is_paid() -> bool:
        return await running.gold("p_a") == 500

    await until(is_paid)


async def test_a_crash_between_payment_and_note_pays_once(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    await running.start_economy()
    note, lost = store.mark_reward, 0

    def crash(*arguments: Any) -> None:
        nonlocal lost
        lost += 1
        if lost <= 2:
            raise Outage("the process died before it could note the payment")
        note(*arguments)

    monkeypatch.setattr(store, "mark_reward", crash)
    assert (await running.sign_in("p_a")).reward == 500
    await until(lambda: lost >= 3)
    db = running.world.database("progress")
    await until(partial(_nothing_owed, db))
    assert await running.gold("p_a") == 500


async def _nothing_owed(db: Database) -> bool:
    return not await db.read(partial(store.owed_rewards, limit=9))


async def test_a_reward_that_economy_refuses_is_noted_and_not_lost_silently(running: Running) -> None:
    await running.start_economy(grant_max=100)
    await running.sign_in("p_a")
    await until(partial(_nothing_owed, running.world.database("progress")))
    assert await running.gold("p_a") == 0
    found = await running.world.database("progress").read(lambda c: c.execute(schema.rewards.select()).all())
    assert [(row.state, row.refused_for) for row in found] == [("refused", "INVALID_ARGUMENT")]


def test_a_streak_of_days_on_a_virtual_clock() -> None:
    async def main(clock: VirtualClock) -> list[int]:
        world = MemoryWorld(clock)
        running = Running(world)
        await running.start_progress()
        await running.start_economy()
        await running.gateway.rpc.start()
        got = []
        for _ in range(8):
            got.append((await running.sign_in("p_a")).reward)
            clock.skew_ms += 86_400_000
        clock.skew_ms -= 86_400_000
        clock.skew_ms -= 3_600_000 * 30
        assert (await running.sign_in("p_a")).reward == got[-1]
        assert await running.gold("p_a") == sum(got)
        await running.stop()
        for process in world.processes:
            await process.stop()
        return got

    assert run_virtual(main) == [500, 600, 800, 1000, 1200, 1500, 3000, 500]


async def test_statistics_are_anybodys_unless_their_player_keeps_them(running: Running) -> None:
    await running.gateway.bus.publish(settled(1), "settled:0-m/1")

    async def counted() -> bool:
        return bool(await running.statistics("p_a"))

    await until(counted)
    about = pb.GetStatisticsRequest(player_id="p_a")
    days = pb.ListStatisticsDaysRequest(player_id="p_a", game="paohuzi", to_day="2027-01-01")

    async def asks(who: str, roles: frozenset[str] = frozenset()) -> list[bool]:
        """Return whether somebody is shown the counts, and the days."""
        shown = []
        calls: list[tuple[Any, Any]] = [
            (running.progress.GetStatistics, about),
            (running.progress.ListStatisticsDays, days),
        ]
        for call, request in calls:
            try:
                with auth.acting_for(who, roles):
                    await call(request)
            except Refusal as refusal:
                assert refusal.reason == "STATISTICS_PRIVATE"  # noqa: PT017 - either is an answer here
                shown.append(False)
            else:
                shown.append(True)
        return shown

    assert await asks("p_b") == [True, True]
    with auth.acting_for("p_a"):
        for _ in range(2):
            hidden = await running.progress.SetStatisticsVisibility(pb.SetStatisticsVisibilityRequest())
            assert not hidden.is_public
        assert not (await running.progress.GetStatistics(about)).is_public
    assert await asks("p_b") == [False, False]
    assert await asks("p_b", frozenset({"money", "disputes"})) == [False, False]
    for role in ("support", "admin"):
        assert await asks("p_s", frozenset({role})) == [True, True]
    with auth.acting_for("p_b"):
        # What another says is about himself.
        await running.progress.SetStatisticsVisibility(pb.SetStatisticsVisibilityRequest(is_public=True))
    assert await asks("p_b") == [False, False]
    with auth.acting_for("p_a"):
        await running.progress.SetStatisticsVisibility(pb.SetStatisticsVisibilityRequest(is_public=True))
    assert await asks("p_b") == [True, True]


async def test_a_deleted_account_is_forgotten_and_nothing_of_it_is_counted_again(running: Running) -> None:
    bus = running.gateway.bus
    await bus.publish(settled(1), "settled:0-m/1")

    async def counted() -> bool:
        return len(await running.statistics("p_b")) == 1

    await until(counted)
    gone = AccountDeleted(player_id="p_a", at_ms=NOW_MS)
    for event_id in ("account_deleted:p_a", "the same under another id"):
        await bus.publish(gone, event_id)

    async def forgotten() -> bool:
        with auth.acting_for("p_b"), suppress(Refusal):
            await running.progress.GetStatistics(pb.GetStatisticsRequest(player_id="p_a"))
            return False
        return True

    await until(forgotten)
    # A round that is heard of late counts for who is still here.
    await bus.publish(settled(2), "settled:0-m/2")

    async def again() -> bool:
        return (await running.statistics("p_b"))[0].rounds == 2

    await until(again)
    assert await running.statistics("p_a") == []
    with auth.acting_for("p_a"):
        shown = await running.progress.SetStatisticsVisibility(
            pb.SetStatisticsVisibilityRequest(is_public=True)
        )
    assert not shown.is_public


async def test_days_and_counts_are_read_page_by_page_and_bad_questions_refused(running: Running) -> None:
    bus = running.gateway.bus
    first_day = day_of(NOW_MS)
    for number in range(1, 8):
        one = settled(number)
        one.ended_at_ms = begin_of(first_day + number // 2) + number
        if number == 7:
            one.preset = "876cc@1"
        await bus.publish(one, f"settled:{number}")

    async def counted() -> bool:
        return sum(one.rounds for one in await running.statistics("p_a")) == 7

    await until(counted)
    to_day = day_text(first_day + 20)

    async def days(**more: Any) -> pb.ListStatisticsDaysResponse:
        asked = {"game": "paohuzi", "to_day": to_day} | more
        with auth.acting_for("p_a"):
            answer: pb.ListStatisticsDaysResponse = await running.progress.ListStatisticsDays(
                pb.ListStatisticsDaysRequest(**asked)
            )
        return answer

    found = [(one.day, one.rounds, one.points) for one in (await days()).days]
    assert found == [
        (day_text(first_day + 3), 2, 12),
        (day_text(first_day + 2), 2, 12),
        (day_text(first_day + 1), 2, 12),
        (day_text(first_day), 1, 6),
    ], "presets together, newest first"
    assert [one.rounds for one in (await days(preset="tongyi-qmt@1")).days] == [1, 2, 2, 1]
    assert [one.day for one in (await days(from_day=found[1][0], to_day=found[1][0])).days] == [found[1][0]]
    read: list[str] = []
    token = ""
    for _ in range(9):
        page = await days(page_size=3, page_token=token)
        read += [one.day for one in page.days]
        token = page.next_page_token
        if not token:
            break
    assert read == [day for day, _, _ in found]
    bad: list[dict[str, Any]] = [
        {"game": ""},
        {"game": "Pao huzi"},
        {"preset": "'; DROP TABLE"},
        {"from_day": "2026-02-30"},
        {"from_day": "2027-12-01", "to_day": "2027-11-01"},
        {"page_size": 401},
        {"page_size": -1},
        {"page_token": "x"},
        {"player_id": "bot:normal"},
    ]
    for wrong in bad:
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await days(**wrong)
    with auth.acting_for("p_a"):
        first = await running.progress.GetStatistics(pb.GetStatisticsRequest(page_size=1))
        rest = await running.progress.GetStatistics(
            pb.GetStatisticsRequest(page_size=1, page_token=first.next_page_token)
        )
        only = await running.progress.GetStatistics(pb.GetStatisticsRequest(preset="876cc@1"))
        for token in ("x", "a b c!", "'; --"):
            with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
                await running.progress.GetStatistics(pb.GetStatisticsRequest(page_token=token))
    assert [row.preset for row in (*first.statistics, *rest.statistics)] == ["876cc@1", "tongyi-qmt@1"]
    assert rest.next_page_token == ""
    assert [row.preset for row in only.statistics] == ["876cc@1"]


async def test_days_and_counts_agree_whatever_comes_at_once_or_twice(database_url: str, db: Database) -> None:
    migrate(database_url, "progress")
    chance = random.Random(3)
    results = [
        RoundResult(
            f"0-m/{number}",
            "paohuzi",
            "tongyi-qmt@1",
            [
                SeatResult("p_a", False, 2 - 4 * (number % 3 == 0), number % 3 != 0, 0),
                SeatResult("p_b", False, -2 + 4 * (number % 3 == 0), number % 3 == 0, 1),
            ],
            "hu",
            ("zimo", "discard")[number % 2],
            20,
            {"红胡": 2},
            2,
            1 if number % 3 else 0,
            NOW_MS + (number % 5) * DAY_MS,
        )
        for number in range(40)
    ] * 2
    chance.shuffle(results)
    parts = [results[at : at + 8] for at in range(0, 80, 8)]
    await asyncio.gather(*(db.run(partial(plays.count, results=part)) for part in parts))
    for player in ("p_a", "p_b"):
        [(_, _, counts)] = await db.read(partial(plays.counts_of, player_id=player))
        days = await db.read(
            partial(plays.days_of, player_id=player, game="paohuzi", preset="", days=(0, 99_999), size=99)
        )
        for name in ("rounds", "wins", "self_draws", "deal_ins", "points"):
            assert sum(getattr(row, name) for row in days) == getattr(counts, name), name
        assert (len(days), counts.rounds) == (5, 40)
        assert counts.discard_rounds == 20
    [(_, _, loser)] = await db.read(partial(plays.counts_of, player_id="p_b"))
    assert loser.deal_ins == sum(number % 2 and number % 3 > 0 for number in range(40))
