"""Protection as callers see it: who may ask what, staff on record, another device, an account made again."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts_pb
from paiju.accounts.v1 import protection_service_pb2 as pb
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub

from services.accounts.protection_bus import Warner
from services.accounts.protection_settings import ProtectionSettings
from services.chassis.auth import service_token
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.days import DAY_MS, day_of
from services.chassis.errors import Refusal
from services.chassis.metrics import Metrics
from tests.support.accounts import Metadata, RunningAccounts, bearer, quick_settings
from tests.support.process import SERVICE_KEY, MemoryWorld
from tests.unit.test_protection_calendar import at

NOW = "2026-12-07 12:00"
Scene = Callable[["Desk"], Awaitable[None]]


class Desk:
    """Accounts, and callers of its protection."""

    def __init__(self, running: RunningAccounts) -> None:
        self.running = running
        self.clock = running.clock
        stub: Any = ProtectionServiceStub
        self._stub = running.gateway.rpc.client(stub, "accounts")

    async def call(self, method: str, request: Message, who: Metadata = ()) -> Any:
        """Call as somebody; without a token as the service that the gateway is."""
        return await getattr(self._stub, method)(request, metadata=who)

    async def player(self, key: Ed25519PrivateKey | None = None) -> tuple[str, Metadata]:
        """Return a player of a key, and what he calls with."""
        signed_in = await self.running.sign_in(key)
        return signed_in.profile.player_id, bearer(signed_in.tokens.access_token)

    async def own(self, who: Metadata) -> pb.Protection:
        """Return what protects the caller."""
        found: pb.Protection = (await self.call("GetProtection", pb.GetProtectionRequest(), who)).protection
        return found

    def check(self, *players: str) -> pb.CheckPlayRequest:
        """Return a question about players."""
        return pb.CheckPlayRequest(
            players=[pb.PlayQuestion(player_id=one) for one in players], game="paohuzi"
        )


def run(scene: Scene, when: str = NOW, **settings: Any) -> None:
    """Run a scene in virtual time."""

    async def main(clock: VirtualClock) -> None:
        running = await RunningAccounts(MemoryWorld(clock), quick_settings(**settings)).start()
        await scene(Desk(running))
        await running.stop()

    run_virtual(main, at(when))


def test_only_services_ask_about_others_and_never_about_bots() -> None:
    async def scene(desk: Desk) -> None:
        player, who = await desk.player()
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await desk.call("CheckPlay", desk.check(player), who)
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await desk.call("CheckSpend", pb.CheckSpendRequest(player_id=player, amount_fen=1), who)
        with pytest.raises(Refusal, match="UNAUTHENTICATED"):
            await desk.call("SetLimits", pb.SetLimitsRequest())
        answers = await desk.call("CheckPlay", desk.check(player, "p_never_seen"))
        assert [one.reason for one in answers.verdicts] == ["", ""]
        for wrong in ((), ("bot:normal",), ("",), [f"p_{number}" for number in range(65)]):
            with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
                await desk.call("CheckPlay", desk.check(*wrong))
        for amount, spent in ((0, 0), (-1, 0), (1, -1), (10**13, 0)):
            request = pb.CheckSpendRequest(player_id=player, amount_fen=amount, spent_month_fen=spent)
            with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
                await desk.call("CheckSpend", request)

    run(scene)


def test_a_players_protection_is_his_own_and_staffs_to_read() -> None:
    async def scene(desk: Desk) -> None:
        player, _ = await desk.player()
        _, other = await desk.player()
        request = pb.GetProtectionRequest(player_id=player)
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await desk.call("GetProtection", request, other)
        _, support = await desk.running.staff("support")
        assert (await desk.call("GetProtection", request, support)).protection.player_id == player

    run(scene)


def test_staff_corrects_an_age_on_the_record_and_ends_no_exclusion() -> None:
    async def scene(desk: Desk) -> None:
        player, who = await desk.player()
        await desk.call("DeclareAge", pb.DeclareAgeRequest(band=pb.AGE_BAND_ADULT), who)
        until_ms = desk.clock.now_ms() + 30 * DAY_MS
        await desk.call("ExcludeSelf", pb.ExcludeSelfRequest(until_ms=until_ms), who)
        with pytest.raises(Refusal, match="AGE_DECLARED"):
            await desk.call("DeclareAge", pb.DeclareAgeRequest(band=pb.AGE_BAND_8_15), who)
        change = pb.SetAgeBandRequest(player_id=player, band=pb.AGE_BAND_16_17, reason="his mother wrote")
        for role in ("support", "money", "disputes"):
            _, staff = await desk.running.staff(role)
            with pytest.raises(Refusal, match="PERMISSION_DENIED"):
                await desk.call("SetAgeBand", change, staff)
        admin_id, admin = await desk.running.staff("admin")
        with pytest.raises(Refusal, match="REASON_REQUIRED"):
            await desk.call("SetAgeBand", pb.SetAgeBandRequest(player_id=player, band=change.band), admin)
        changed = (await desk.call("SetAgeBand", change, admin)).protection
        assert (changed.band, changed.excluded_until_ms) == (pb.AGE_BAND_16_17, until_ms)
        entry = next(one for one in await desk.running.log("set_age_band") if one.action == "set_age_band")
        assert (entry.staff_id, entry.subject, entry.reason) == (admin_id, player, "his mother wrote")
        # Nothing that staff may call has anything to do with an exclusion.
        assert list(pb.DESCRIPTOR.services_by_name["ProtectionService"].methods_by_name) == [
            "GetProtection",
            "SetLimits",
            "ExcludeSelf",
            "DeclareAge",
            "SetAgeBand",
            "CheckPlay",
            "CheckSpend",
        ]

    run(scene)


def test_a_second_device_and_an_account_made_again_change_nothing() -> None:
    async def scene(desk: Desk) -> None:
        key, second = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
        player, who = await desk.player(key)
        until_ms = desk.clock.now_ms() + 90 * DAY_MS
        await desk.call("ExcludeSelf", pb.ExcludeSelfRequest(until_ms=until_ms), who)
        public, challenge, signature = await desk.running.proof(second)
        add = accounts_pb.AddDeviceKeyRequest(public_key=public, challenge=challenge, signature=signature)
        await desk.running.stub.AddDeviceKey(add, metadata=who)
        same, elsewhere = await desk.player(second)
        assert same == player
        assert (await desk.own(elsewhere)).verdict.reason == "SELF_EXCLUDED"
        nickname = (await desk.running.sign_in(key)).profile.nickname
        request = accounts_pb.DeleteAccountRequest(nickname=nickname)
        await desk.running.stub.DeleteAccount(request, metadata=elsewhere)
        clock: Any = desk.clock
        clock.skew_ms = 8 * DAY_MS
        await desk.clock.sleep(120)
        for one in (key, second):
            new, as_new = await desk.player(one)
            assert new != player
            now = await desk.own(as_new)
            assert (now.verdict.reason, now.excluded_until_ms) == ("SELF_EXCLUDED", until_ms)
            (verdict,) = (await desk.call("CheckPlay", desk.check(new))).verdicts
            assert (verdict.reason, verdict.again_at_ms) == ("SELF_EXCLUDED", until_ms)
            spend = await desk.call("CheckSpend", pb.CheckSpendRequest(player_id=new, amount_fen=1))
            assert (spend.reason, spend.until_ms) == ("SELF_EXCLUDED", until_ms)

    run(scene)


def test_a_clock_that_goes_back_ends_no_exclusion_and_shortens_no_wait() -> None:
    async def scene(desk: Desk) -> None:
        key = Ed25519PrivateKey.generate()
        _, who = await desk.player(key)
        began_ms = desk.clock.now_ms()
        until_ms = began_ms + 2 * DAY_MS
        await desk.call("ExcludeSelf", pb.ExcludeSelfRequest(until_ms=until_ms), who)
        await desk.call("SetLimits", pb.SetLimitsRequest(limits=pb.PlayLimits(day_minutes=30)), who)
        clock: Any = desk.clock
        clock.skew_ms = -400 * DAY_MS
        _, who = await desk.player(key)
        assert (await desk.own(who)).verdict.reason == "SELF_EXCLUDED"
        shorter = pb.ExcludeSelfRequest(until_ms=until_ms - 1)
        with pytest.raises(Refusal, match="EXCLUSION_STANDS"):
            await desk.call("ExcludeSelf", shorter, who)
        looser = await desk.call("SetLimits", pb.SetLimitsRequest(), who)
        assert looser.protection.own.day_minutes == 30
        assert looser.protection.pending.day_minutes_at_ms >= began_ms + DAY_MS
        clock.skew_ms = 0
        _, who = await desk.player(key)
        own = await desk.own(who)
        assert (own.own.day_minutes, own.verdict.reason) == (30, "SELF_EXCLUDED")

    run(scene)


def test_a_looser_limit_counts_after_its_wait() -> None:
    async def scene(desk: Desk) -> None:
        _, who = await desk.player()
        for minutes in (60, 30, 120):
            limits = pb.PlayLimits(day_minutes=minutes)
            await desk.call("SetLimits", pb.SetLimitsRequest(limits=limits), who)
        own = await desk.own(who)
        assert (own.own.day_minutes, own.pending.day_minutes) == (30, 120)
        assert own.pending.day_minutes_at_ms == own.now_ms + own.loosen_after_hours * 3_600_000
        assert own.loosen_after_hours == 48

    run(scene, loosen_after_hours=48)


def test_the_operator_decides_about_those_who_have_not_said_how_old_they_are() -> None:
    async def scene(desk: Desk) -> None:
        player, who = await desk.player()
        (verdict,) = (await desk.call("CheckPlay", desk.check(player))).verdicts
        assert verdict.reason == "AGE_NOT_DECLARED"
        await desk.call("DeclareAge", pb.DeclareAgeRequest(band=pb.AGE_BAND_ADULT), who)
        (verdict,) = (await desk.call("CheckPlay", desk.check(player))).verdicts
        assert verdict.reason == ""

    run(scene, undeclared="refuse")


def test_what_a_minor_sees_of_his_windows() -> None:
    async def scene(desk: Desk) -> None:
        _, who = await desk.player()
        await desk.call("DeclareAge", pb.DeclareAgeRequest(band=pb.AGE_BAND_8_15), who)
        own = await desk.own(who)
        assert own.windows[0].begins_at_ms == own.verdict.again_at_ms == at("2026-12-11 20:00")
        assert own.verdict.again == "2026-12-11 20:00"
        assert (own.of_band.day_minutes, own.of_band.day_loss) == (60, 5_000)
        assert own.holidays_known_until == "2026-12-31"

    run(scene)


@pytest.mark.parametrize(
    ("when", "left"), [("2026-11-01 00:00", 60), ("2026-12-31 23:00", 0), ("2027-01-01 00:00", -1)]
)
def test_the_end_of_the_calendar_is_told_before_it_comes(when: str, left: int) -> None:
    async def main(clock: VirtualClock) -> None:
        world, metrics = MemoryWorld(clock), Metrics()
        rules, db = ProtectionSettings().rules(), world.database("accounts")
        process = world.process("accounts")
        await Warner(rules, db, process.bus, clock, metrics).tidy()
        assert f"paiju_accounts_holidays_known_days {left}.0" in metrics.text().decode()
        assert rules.holidays.days_left(day_of(clock.now_ms())) == left
        await process.stop()

    run_virtual(main, at(when))


def test_the_shipped_files_are_where_the_settings_say() -> None:
    settings = ProtectionSettings()
    for path in (settings.bands_file, settings.holidays_file):
        assert Path(path).is_file()


def test_a_service_may_ask_in_nobodys_name() -> None:
    async def scene(desk: Desk) -> None:
        token = service_token(SERVICE_KEY, "table", desk.clock.now_ms() // 1000)
        answer = await desk.call("CheckPlay", desk.check("p_a"), bearer(token))
        assert [one.reason for one in answer.verdicts] == [""]

    run(scene)
