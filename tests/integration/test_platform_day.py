"""Midnight in Shanghai, for everything at once: sign-in, relief, caps and protection turn the same page."""

from __future__ import annotations

from typing import Any

from paiju.accounts.v1 import protection_service_pb2 as protection_pb
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.progress.v1 import progress_service_pb2 as progress_pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub
from paiju.table.v1.events_pb2 import RoundFinished, RoundOpened, RoundSeat

from services.chassis import auth
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.days import DAY_MS, begin_of, day_text
from services.economy import app as economy_app
from services.economy.settings import EconomySettings
from services.progress import app as progress_app
from services.progress.settings import ProgressSettings
from tests.support.accounts import RunningAccounts, quick_settings
from tests.support.process import MemoryWorld, system_ids

DAY = 20_800
MIDNIGHT = begin_of(DAY)
MINUTE_MS = 60_000
RELIEF: dict[str, Any] = {"relief_gold": 1, "relief_below": 1_000_000, "relief_per_day": 1}


class Platform:
    """Accounts, economy and progress under one clock, and one player who asks them what day it is."""

    def __init__(self, world: MemoryWorld, accounts: RunningAccounts) -> None:
        self.world = world
        self.accounts = accounts
        rpc = accounts.gateway.rpc
        stub: Any = ProtectionServiceStub
        self.protection = rpc.client(stub, "accounts")
        self.economy = rpc.client(EconomyServiceStub, "economy")
        self.progress = rpc.client(ProgressServiceStub, "progress")
        self.services: list[Any] = []

    async def start(self) -> Platform:
        economy, progress = (self.world.process(name, system_ids()) for name in ("economy", "progress"))
        self.services = [
            await economy_app.wire(EconomySettings(**RELIEF), economy.parts),
            await progress_app.wire(ProgressSettings(), progress.parts),
        ]
        for process, service in zip((economy, progress), self.services, strict=True):
            await process.rpc.start()
            await service.start()
        return self

    async def stop(self) -> None:
        for service in self.services:
            await service.stop()
        await self.accounts.stop()
        for process in self.world.processes:
            await process.stop()

    async def says(self) -> dict[str, Any]:
        """Return what each service says of today."""
        with auth.acting_for("p_a"):
            sign_in = (await self.progress.GetSignIn(progress_pb.GetSignInRequest())).state
            day = await self.economy.GetDay(economy_pb.GetDayRequest())
            own = (await self.protection.GetProtection(protection_pb.GetProtectionRequest())).protection
        return {
            "sign_in": (sign_in.day, sign_in.signed_in),
            "economy": (day.day, day.ends_at_ms, day.relief.left),
            "played_ms": own.played_today_ms,
        }

    async def use_up(self, request_id: str) -> None:
        """Sign in and take the day's relief."""
        with auth.acting_for("p_a"):
            await self.progress.SignIn(progress_pb.SignInRequest())
            await self.economy.ClaimRelief(economy_pb.ClaimReliefRequest(request_id=request_id))

    async def play(self, minutes: int) -> None:
        """Have a round of so many minutes end now."""
        now_ms = self.world.clock.now_ms()
        seats = [RoundSeat(seat=0, player_id="p_a")]
        round_id = f"0-{now_ms}/1"
        began_ms = now_ms - minutes * MINUTE_MS
        await self.accounts.bus.publish(
            RoundOpened(round_id=round_id, game="paohuzi", seats=seats, opened_at_ms=began_ms), f"o{now_ms}"
        )
        await self.accounts.bus.publish(
            RoundFinished(round_id=round_id, game="paohuzi", seats=seats, ended_at_ms=now_ms), f"f{now_ms}"
        )
        await self.world.clock.sleep(1)


def test_everything_turns_the_page_at_the_same_moment_and_back_with_the_clock() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        platform = await Platform(world, await RunningAccounts(world, quick_settings()).start()).start()
        before, after = day_text(DAY - 1), day_text(DAY)
        await platform.use_up("the first")
        await platform.play(minutes=20)

        def move_to(at_ms: int) -> None:
            clock.skew_ms += at_ms - clock.now_ms()

        used_up = {
            "sign_in": (before, True),
            "economy": (before, MIDNIGHT, 0),
            "played_ms": 20 * MINUTE_MS,
        }
        assert await platform.says() == used_up
        # Seconds pass while they answer: the frontier is held exactly by tests/unit/test_platform_day.py.
        move_to(MIDNIGHT - 5_000)
        assert await platform.says() == used_up
        move_to(MIDNIGHT)
        fresh = {"sign_in": (after, False), "economy": (after, MIDNIGHT + DAY_MS, 1), "played_ms": 0}
        assert await platform.says() == fresh
        # A round across midnight counts for both days, each its part.
        move_to(MIDNIGHT + 10 * MINUTE_MS)
        await platform.play(minutes=15)
        assert (await platform.says())["played_ms"] == 10 * MINUTE_MS
        await platform.use_up("the second")
        # Four in the morning, where the book's day once began, is a moment like any other.
        move_to(MIDNIGHT + 4 * 60 * MINUTE_MS)
        assert await platform.says() == {
            "sign_in": (after, True),
            "economy": (after, MIDNIGHT + DAY_MS, 0),
            "played_ms": 10 * MINUTE_MS,
        }
        # The clock goes back: yesterday's relief is used up, its play counts, and no day is signed in twice.
        move_to(MIDNIGHT - 5_000)
        assert await platform.says() == {
            "sign_in": (after, True),
            "economy": (before, MIDNIGHT, 0),
            "played_ms": 25 * MINUTE_MS,
        }
        await platform.stop()

    run_virtual(main, MIDNIGHT - 60 * MINUTE_MS)
