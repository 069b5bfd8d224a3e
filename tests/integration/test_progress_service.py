"""Progress as it runs: rounds counted once, a sign-in a day, rewards that no crash loses or doubles."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Any

import pytest
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.progress.v1 import progress_service_pb2 as pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub

from services.chassis import auth
from services.chassis.clock import VirtualClock, run_virtual
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
