"""A whole platform: the bot of the documentation plays, staff is made beside it, data is taken along."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import grpc
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1 import protection_service_pb2 as protection_pb
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceStub
from paiju.accounts.v1.protection_service_pb2_grpc import ProtectionServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.gateway.v1.gateway_service_pb2 import CallResult, Hello, PlayRequest
from paiju.gateway.v1.gateway_service_pb2_grpc import GatewayServiceStub
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking_pb
from paiju.matchmaking.v1.matchmaking_service_pb2_grpc import MatchmakingServiceStub
from paiju.table.v1 import replay_service_pb2 as replay_pb
from paiju.table.v1.replay_service_pb2_grpc import ReplayServiceStub

from services.accounts.core.tokens import GUEST_LABEL
from services.chassis.days import begin_of, day_text
from services.launch.operator import operator_bus
from tests.support.accounts import bearer
from tests.support.asking import ask_until
from tests.support.up import ROOT, Up

AT_ONCE = {
    "PAIJU_ACCOUNTS_DELETION_GRACE_S": "0",
    "PAIJU_ACCOUNTS_DELETION_LOOK_S": "0.5",
    "PAIJU_MATCHMAKING_ROOM_TIMING": '{"claim_pause_ms":20,"between_ms":500}',
}
CLOSED_S_MAX = 1.0
"""As promised (services/accounts/README.md)."""
CLOSED_TRIES = 3
"""The machine of a test may have other things to do for a second, but not each time."""
PAPER = ROOT / "docs" / "integrators.md"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for this file."""
    with Up(tmp_path_factory.mktemp("up") / "data", env=AT_ONCE) as running:
        yield running


class Person:
    """A player of the platform, over gRPC."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self.stub: Any = AccountsServiceStub(channel)
        self.channel = channel
        self.key = Ed25519PrivateKey.generate()

    async def sign_in(self) -> pb.SignInGuestResponse:
        public = self.key.public_key().public_bytes_raw()
        challenge = (await self.stub.CreateChallenge(pb.CreateChallengeRequest(public_key=public))).challenge
        signature = self.key.sign(GUEST_LABEL + challenge)
        request = pb.SignInGuestRequest(public_key=public, challenge=challenge, signature=signature)
        answer: pb.SignInGuestResponse = await self.stub.SignInGuest(request)
        self.player_id = answer.profile.player_id
        self.mine = bearer(answer.tokens.access_token)
        return answer

    async def come_of_age(self) -> None:
        stub: Any = ProtectionServiceStub(self.channel)
        request = protection_pb.DeclareAgeRequest(band=protection_pb.AGE_BAND_ADULT)
        await stub.DeclareAge(request, metadata=self.mine)

    async def exported(self) -> dict[str, Any]:
        """Return everything the platform holds about him, put together."""
        held: dict[str, Any] = {}
        request = pb.ExportMyDataRequest()
        while True:
            answer = await self.stub.ExportMyData(request, metadata=self.mine)
            for part in answer.parts:
                value = json.loads(part.json)
                name = f"{part.service}.{part.name}"
                held[name] = held[name] + value if name in held else value
            if not answer.next_page_token:
                return held
            request.page_token = answer.next_page_token


def with_person(up: Up, work: Callable[[Person], Awaitable[None]]) -> None:
    """Do something as a new player."""

    async def main() -> None:
        async with grpc.aio.insecure_channel(up.said.grpc) as channel:
            person = Person(channel)
            await person.sign_in()
            await work(person)

    asyncio.run(main())


def paiju(*arguments: str) -> dict[str, Any]:
    """Run a command and return the object it prints."""
    command = [str(Path(sys.executable).parent / "paiju"), *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    said: dict[str, Any] = json.loads(done.stdout)
    return said


async def asked_for_ever(person: Person) -> None:
    """Ask for one's own profile until that is refused."""
    request = pb.GetProfileRequest()
    await ask_until(lambda: person.stub.GetProfile(request, metadata=person.mine), lambda _: False)


def is_welcomed(held: dict[str, Any]) -> bool:
    """Return whether what an export holds has the welcome grant, which comes by an event."""
    return bool(held["economy.entries"])


async def novice_hall(person: Person) -> str:
    """Return a hall a beginner may enter."""
    stub: Any = MatchmakingServiceStub(person.channel)
    halls = (await stub.ListHalls(matchmaking_pb.ListHallsRequest(), metadata=person.mine)).halls
    return str(min(halls, key=lambda hall: (hall.game != "doudizhu", hall.entry_min)).hall_id)


def programs() -> list[str]:
    """Return the programs of the documentation, as they stand there: the bot, and the evening."""
    return re.findall(r"```python\n(.*?)```", PAPER.read_text(encoding="utf-8"), re.DOTALL)


def test_the_bot_of_the_documentation_plays_a_round_as_it_stands_there(up: Up, tmp_path: Path) -> None:
    bot, _ = programs()
    file = tmp_path / "bot.py"
    file.write_text(bot, encoding="utf-8")

    async def play(person: Person) -> None:
        await person.come_of_age()
        hall = await novice_hall(person)
        made = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="my bot", scopes=["play"]), metadata=person.mine
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, str(file), up.said.url, up.said.grpc, made.secret, hall,
            env=os.environ | {"PYTHONPATH": str(ROOT / "protos")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(120):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0, err.decode()
        assert out.decode().startswith("the round is over:")
        held = await person.exported()
        assert {"welcome", "stake_open"} <= {one["kind"] for one in held["economy.entries"]}
        assert [session["way"] for session in held["accounts.person"]["sessions"]] == ["guest", "api_key"]

    with_person(up, play)


def test_the_evening_of_the_documentation_is_played_watched_and_looked_at_again(up: Up) -> None:
    _, evening = programs()

    async def play(person: Person) -> None:
        await person.come_of_age()
        made = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="a league", scopes=["play", "records.read", "records.share"]),
            metadata=person.mine,
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", evening, up.said.url, up.said.grpc, made.secret,
            env=os.environ | {"PYTHONPATH": str(ROOT / "protos")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        try:
            async with asyncio.timeout(120):
                out, err = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
        assert process.returncode == 0, err.decode()
        said = dict(line.partition(" ")[::2] for line in out.decode().splitlines())
        code, _, rules = said["room"].partition(" is played by ")
        assert rules == 'classic with {"spring": 3}'
        assert said["live:"].startswith("[('doudizhu', 1, ")
        assert re.fullmatch(r"\[\(1, \[-?\d+, -?\d+, -?\d+\]\)\]", said["sheet:"])
        assert int(said["replay:"].split()[0]) > 3
        assert "the bot plays" in said["lesson:"]
        assert said["kept:"] == "True"
        token = said["link:"].rpartition("/")[2]

        stub: Any = ReplayServiceStub(person.channel)
        held = await person.exported()
        ((share,), (room,)) = held["table.shares"], held["matchmaking.rooms"]
        assert (share["token"], room["roomCode"]) == (token, code)
        assert held["table.favourites"] == []
        favourite = replay_pb.SetFavouriteRequest(round_id=share["roundId"], note="开门红")
        await stub.SetFavourite(favourite, metadata=person.mine)
        (kept,) = (await person.exported())["table.favourites"]
        assert (kept["roundId"], kept["note"]) == (share["roundId"], "开门红")

    with_person(up, play)


def test_a_key_without_the_scope_is_told_what_it_lacks(up: Up) -> None:
    bot, _ = programs()

    async def play(person: Person) -> None:
        made = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="a reader", scopes=["records.read"]), metadata=person.mine
        )
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", bot, up.said.url, up.said.grpc, made.secret, "any",
            env=os.environ | {"PYTHONPATH": str(ROOT / "protos")},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )  # fmt: skip
        _, err = await process.communicate()
        assert process.returncode == 1
        assert "does not hold the scope that is needed: play" in err.decode()

    with_person(up, play)


def test_an_export_holds_what_every_service_knows_of_a_person(up: Up) -> None:
    async def work(person: Person) -> None:
        await person.stub.UpdateProfile(
            pb.UpdateProfileRequest(
                profile=pb.Profile(nickname="王小二", region="CN-HN"),
                update_mask=FieldMask(paths=["nickname", "region"]),
            ),
            metadata=person.mine,
        )
        held = await ask_until(person.exported, is_welcomed)
        assert {name.partition(".")[0] for name in held} == {
            "accounts", "anticheat", "chat", "economy", "matchmaking", "progress", "table",
        }  # fmt: skip
        (player,) = held["accounts.person"]["player"]
        assert (player["nickname"], player["region"]) == ("王小二", "CN-HN")
        assert [way["kind"] for way in held["accounts.person"]["ways_in"]] == ["key"]
        assert held["economy.entries"][-1]["kind"] == "welcome"
        assert "hash" not in json.dumps(held)
        async with operator_bus(up.data) as bus:
            assert bus is not None, "the platform runs"
            for number in range(6):
                seats = [SettledSeat(player_id=person.player_id, points=number, won=True)]
                one = RoundSettled(
                    round_id=f"0-{person.player_id}/{number}",
                    game="paohuzi",
                    preset=("876cc@1", "tongyi-qmt@1")[number % 2],
                    seats=seats,
                    ended_at_ms=begin_of(20_000 + number // 2),
                )
                await bus.publish(one, f"settled:{one.round_id}")
        held = await ask_until(
            person.exported,
            lambda held: sum(int(one["rounds"]) for one in held["progress.statistics_days"]) == 6,
        )
        assert [(one["preset"], one["day"]) for one in held["progress.statistics_days"]] == [
            (preset, day_text(20_000 + day)) for preset in ("876cc@1", "tongyi-qmt@1") for day in (2, 1, 0)
        ]

    with_person(up, work)


def test_staff_is_made_beside_a_running_platform_and_reads_what_was_done(up: Up) -> None:
    async def work(person: Person) -> None:
        given = paiju(
            "staff", "grant", person.player_id, "admin", "--reason", "the first one", "--data", str(up.data)
        )
        assert given == {"player_id": person.player_id, "roles": ["admin"]}
        assert list((await person.sign_in()).tokens.roles) == ["admin"]
        request = pb.ListStaffLogRequest(subject=person.player_id)
        answer = await ask_until(
            lambda: person.stub.ListStaffLog(request, metadata=person.mine), lambda answer: answer.entries
        )
        entries = list(answer.entries)
        assert [(one.action, one.reason) for one in entries] == [("role.grant", "the first one")]
        assert entries[0].staff_id.startswith("operator:")

    with_person(up, work)


def test_who_is_deleted_leaves_his_entries_and_nothing_else(up: Up) -> None:
    async def work(person: Person) -> None:
        await ask_until(person.exported, is_welcomed)
        nickname = (
            await person.stub.GetProfile(pb.GetProfileRequest(), metadata=person.mine)
        ).profile.nickname
        await person.stub.DeleteAccount(pb.DeleteAccountRequest(nickname=nickname), metadata=person.mine)
        with pytest.raises(grpc.aio.AioRpcError, match="SESSION_REVOKED"):
            await asked_for_ever(person)
        gone, before = person.player_id, person.key
        reader = Person(person.channel)
        await reader.sign_in()
        batch = pb.BatchGetProfilesRequest(player_ids=[gone])
        answer = await ask_until(
            lambda: reader.stub.BatchGetProfiles(batch, metadata=reader.mine),
            lambda answer: answer.profiles[0].is_deleted,
        )
        assert [left.nickname for left in answer.profiles] == ["已注销"]
        person.key = before
        assert (await person.sign_in()).created

    with_person(up, work)
    assert paiju("reconcile", "--data", str(up.data))["ok"]


async def at_the_page(up: Up, method: str, request: Message, token: str) -> CallResult:
    """Call over HTTP, as the page does."""
    async with aiohttp.ClientSession() as http:
        url = f"{up.said.url}call/paiju.accounts.v1.AccountsService/{method}"
        headers = {"Authorization": f"Bearer {token}"}
        async with http.post(url, data=request.SerializeToString(), headers=headers) as answer:
            return CallResult.FromString(await answer.read())


def test_scopes_quotas_and_roles_hold_at_the_pages_door_as_at_grpcs(up: Up) -> None:
    async def work(person: Person) -> None:
        made = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="a bot", scopes=["profile"], per_day=4), metadata=person.mine
        )
        program = (
            await person.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
        ).access_token
        own = pb.GetProfileRequest()
        for _ in range(2):
            assert not (await at_the_page(up, "GetProfile", own, program)).error.reason
            await person.stub.GetProfile(own, metadata=bearer(program))
        assert (await at_the_page(up, "GetProfile", own, program)).error.reason == "QUOTA_EXCEEDED"
        with pytest.raises(grpc.aio.AioRpcError, match="QUOTA_EXCEEDED"):
            await person.stub.GetProfile(own, metadata=bearer(program))

        other = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="another", scopes=["profile"]), metadata=person.mine
        )
        program = (
            await person.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=other.secret))
        ).access_token
        devices = await at_the_page(up, "ListSessions", pb.ListSessionsRequest(), program)
        assert devices.error.reason == "SCOPE_MISSING"

        paiju("staff", "grant", person.player_id, "support", "--reason", "for a test", "--data", str(up.data))
        asked = pb.GetPersonRequest(player_id=person.player_id)
        before = await at_the_page(up, "GetPerson", asked, person.mine[0][1].removeprefix("Bearer "))
        assert before.error.reason == "PERMISSION_DENIED"
        staff = (await person.sign_in()).tokens.access_token
        answer = await at_the_page(up, "GetPerson", asked, staff)
        assert list(pb.GetPersonResponse.FromString(answer.payload).roles) == ["support"]
        assert (await at_the_page(up, "GetPerson", asked, program)).error.reason == "PERMISSION_DENIED"

    with_person(up, work)


async def goodbye_of(up: Up, token: str, is_open: asyncio.Event) -> str:
    """Hold a connection open, and return the reason for which it is closed."""
    said: asyncio.Queue[PlayRequest] = asyncio.Queue()
    await said.put(PlayRequest(id=1, hello=Hello(access_token=token)))

    async def saying() -> AsyncIterator[PlayRequest]:
        while True:
            yield await said.get()

    async with grpc.aio.insecure_channel(up.said.grpc) as channel:
        async for heard in GatewayServiceStub(channel).Play(saying()):
            if heard.WhichOneof("body") == "welcome":
                is_open.set()
            elif heard.WhichOneof("body") == "goodbye":
                return str(heard.goodbye.reason)
    return "no goodbye"


def test_connections_of_a_suspended_person_and_his_programs_are_closed_within_a_second(up: Up) -> None:
    async def closed_after_s(admin: Person, person: Person) -> float:
        """Suspend somebody who is here twice, himself and by a program; return how long both stay open."""
        await person.sign_in()
        made = await person.stub.CreateApiKey(
            pb.CreateApiKeyRequest(name="a bot", scopes=["play"]), metadata=person.mine
        )
        exchanged = await person.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
        opened = [asyncio.Event(), asyncio.Event()]
        tokens = (person.mine[0][1].removeprefix("Bearer "), exchanged.access_token)
        async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
            ends = [
                tasks.create_task(goodbye_of(up, token, is_open))
                for token, is_open in zip(tokens, opened, strict=True)
            ]
            for is_open in opened:
                await is_open.wait()
            suspend = pb.SuspendPlayerRequest(player_id=person.player_id, until_ms=-1, reason="for a test")
            await admin.stub.SuspendPlayer(suspend, metadata=admin.mine)
            began = asyncio.get_running_loop().time()
        assert [end.result() for end in ends] == ["SESSION_REVOKED"] * 2
        return asyncio.get_running_loop().time() - began

    async def work(admin: Person) -> None:
        paiju("staff", "grant", admin.player_id, "admin", "--reason", "for a test", "--data", str(up.data))
        await admin.sign_in()
        took: list[float] = []
        for _ in range(CLOSED_TRIES):
            took.append(await closed_after_s(admin, Person(admin.channel)))
            if took[-1] < CLOSED_S_MAX:
                return
        raise AssertionError(f"a second is promised, it took {took}")

    with_person(up, work)
