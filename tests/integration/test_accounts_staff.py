"""Staff: roles, suspensions, and a log of every deed that nobody can change; on real databases."""

from __future__ import annotations

import asyncio
import json
import re

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1.events_pb2 import SessionRevoked
from paiju.economy.v1.staff_events_pb2 import StaffActed as StaffActedInEconomy
from sqlalchemy import text, update
from sqlalchemy.exc import DBAPIError

from services.accounts.store import schema
from services.chassis import auth
from services.chassis.errors import Refusal
from services.chassis.revocations import REFRESH_S
from tests.support.accounts import PASSWORD, RunningAccounts, bearer, until
from tests.support.asking import ask_until

FOR_EVER = -1


async def test_a_role_counts_from_the_next_token_on_and_the_page_learns_it(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    before = await people.sign_in(key)
    player_id = before.profile.player_id
    assert await people.grant(player_id, "support") == ["support"]
    assert await people.grant(player_id, "money") == ["money", "support"]
    assert (await people.principal(before.tokens.access_token)).roles == frozenset()
    fresh = await people.refresh(before.tokens.refresh_token)
    assert list(fresh.roles) == ["money", "support"]
    assert (await people.principal(fresh.access_token)).roles == {"money", "support"}
    assert list((await people.sign_in(key)).tokens.roles) == ["money", "support"]
    assert list((await people.sign_in()).tokens.roles) == []


async def test_a_role_taken_away_ends_his_sessions(people: RunningAccounts) -> None:
    player_id, theirs = await people.staff("support")
    person = pb.GetPersonRequest(player_id=player_id)
    assert list((await people.stub.GetPerson(person, metadata=theirs)).roles) == ["support"]
    request = pb.RevokeRoleRequest(player_id=player_id, role="support", reason="he has left us")
    assert list((await people.stub.RevokeRole(request, metadata=people.operator())).roles) == []
    verifier = people.verifier()
    token = theirs[0][1].removeprefix("Bearer ")
    bucket = await people.bus.bucket("revoked")
    async with people.clock.timeout(30):
        while not await bucket.names():
            await people.clock.sleep(0.01)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await verifier.verify(token)


async def test_only_admins_give_roles_and_read_the_log(people: RunningAccounts) -> None:
    callers = [(await people.staff(role))[1] for role in ("support", "disputes", "money")]
    guest = await people.sign_in()
    callers.append(bearer(guest.tokens.access_token))
    request = pb.GrantRoleRequest(
        player_id=guest.profile.player_id, role="admin", reason="I would like to be one"
    )
    for caller in callers:
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await people.stub.GrantRole(request, metadata=caller)
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await people.stub.ListStaffLog(pb.ListStaffLogRequest(), metadata=caller)


async def test_a_gateway_passes_on_whose_roles_it_has_verified(people: RunningAccounts) -> None:
    player_id, _ = await people.staff("support")
    request = pb.GetPersonRequest(player_id=player_id)
    with auth.acting_for(player_id, frozenset({"support"})):
        assert (await people.stub.GetPerson(request)).profile.player_id == player_id
    with auth.acting_for(player_id), pytest.raises(Refusal, match="PERMISSION_DENIED"):
        await people.stub.GetPerson(request)
    with (
        auth.acting_for(player_id, frozenset({"support"}), frozenset({"play"})),
        pytest.raises(Refusal, match="PERMISSION_DENIED"),
    ):
        await people.stub.GetPerson(request)


async def test_the_last_admin_stays_but_for_an_operator(people: RunningAccounts) -> None:
    first, theirs = await people.staff("admin")
    request = pb.RevokeRoleRequest(player_id=first, role="admin", reason="for a test")
    with pytest.raises(Refusal, match="LAST_ADMIN"):
        await people.stub.RevokeRole(request, metadata=theirs)
    second, _ = await people.staff("admin")
    members = (await people.stub.ListStaff(pb.ListStaffRequest(), metadata=theirs)).members
    assert sorted((one.player_id, list(one.roles)) for one in members) == sorted(
        [(first, ["admin"]), (second, ["admin"])]
    )
    await people.stub.RevokeRole(request, metadata=theirs)
    last = pb.RevokeRoleRequest(player_id=second, role="admin", reason="we close")
    await people.stub.RevokeRole(last, metadata=people.operator())


async def call_himself(people: RunningAccounts, tokens: pb.SessionTokens, nickname: str) -> pb.Profile:
    request = pb.UpdateProfileRequest(
        profile=pb.Profile(nickname=nickname), update_mask=FieldMask(paths=["nickname"])
    )
    answer = await people.stub.UpdateProfile(request, metadata=bearer(tokens.access_token))
    profile: pb.Profile = answer.profile
    return profile


async def test_who_becomes_staff_is_called_as_nobody_else_looks_to_be_called(people: RunningAccounts) -> None:
    wang, li = await people.sign_in(), await people.sign_in()
    await call_himself(people, wang.tokens, "Wang Er")
    await call_himself(people, li.tokens, "wаng_er")  # with a Cyrillic а
    with pytest.raises(Refusal, match="STAFF_NAME_ALIKE") as caught:
        await people.grant(wang.profile.player_id, "support")
    assert caught.value.details["others"] == "1"
    await call_himself(people, wang.tokens, "Wang Er Ge")
    assert await people.grant(wang.profile.player_id, "support") == ["support"]
    # From then on nobody takes that name, and he takes nobody's.
    with pytest.raises(Refusal, match="NICKNAME_STAFF"):
        await call_himself(people, li.tokens, "WΑNG.ER.GE")
    with pytest.raises(Refusal, match="STAFF_NAME_ALIKE"):
        await call_himself(people, wang.tokens, "Wang-Er")
    assert (await call_himself(people, wang.tokens, "WANG ER GE")).nickname == "WANG ER GE"
    assert await people.grant(wang.profile.player_id, "money") == ["money", "support"]


async def test_who_has_not_chosen_a_name_gets_one_of_his_own_when_he_becomes_staff(
    people: RunningAccounts,
) -> None:
    guest, other = await people.sign_in(), await people.sign_in()
    table = schema.players
    # An older process wrote it: what it looks like is not known yet.
    same = update(table).where(table.c.player_id == other.profile.player_id)
    await people.db.run(lambda c: c.execute(same.values(nickname=guest.profile.nickname, looks="")))
    await people.grant(guest.profile.player_id, "support")
    request = pb.BatchGetProfilesRequest(player_ids=[guest.profile.player_id, other.profile.player_id])
    mine = bearer(other.tokens.access_token)
    found = (await people.stub.BatchGetProfiles(request, metadata=mine)).profiles
    assert found[1].nickname == guest.profile.nickname
    assert re.fullmatch("牌友[0-9]{6}", found[0].nickname)


async def test_of_two_at_once_who_take_the_same_name_one_is_staff_or_the_other_is_called_so(
    people: RunningAccounts,
) -> None:
    for number in range(4):
        wang, li = await people.sign_in(), await people.sign_in()
        name = f"老王{'甲乙丙丁'[number]}"
        await call_himself(people, wang.tokens, name)
        granted, taken = await asyncio.gather(
            people.grant(wang.profile.player_id, "support"),
            call_himself(people, li.tokens, name),
            return_exceptions=True,
        )
        refused = [one for one in (granted, taken) if isinstance(one, Refusal)]
        assert [one.reason for one in refused] in (["STAFF_NAME_ALIKE"], ["NICKNAME_STAFF"])


async def test_a_city_lies_in_the_region_and_goes_with_it(people: RunningAccounts) -> None:
    guest = await people.sign_in()
    mine = bearer(guest.tokens.access_token)

    async def change(region: str | None = None, city: str | None = None) -> pb.Profile:
        paths = [name for name, value in (("region", region), ("city", city)) if value is not None]
        request = pb.UpdateProfileRequest(
            profile=pb.Profile(region=region or "", city=city or ""), update_mask=FieldMask(paths=paths)
        )
        profile: pb.Profile = (await people.stub.UpdateProfile(request, metadata=mine)).profile
        return profile

    with pytest.raises(Refusal, match="CITY_UNKNOWN"):
        await change(city="430700")
    assert (await change(region="CN-HN", city="430700")).city == "430700"
    for city in ("420900", "430000", "常德", "4307000", "43070\u0660"):
        with pytest.raises(Refusal, match="CITY_UNKNOWN"):
            await change(city=city)
    assert (await change(region="CN-HN")).city == "430700"
    moved = await change(region="CN-HB")
    assert (moved.region, moved.city) == ("CN-HB", "")
    choices = await people.stub.ListProfileChoices(pb.ListProfileChoicesRequest())
    known = {one.code: one for one in choices.cities}
    assert (known["430700"].region, known["430700"].zh, known["430700"].en) == ("CN-HN", "常德", "Changde")


async def test_staff_says_why_or_does_nothing(people: RunningAccounts) -> None:
    player_id = (await people.sign_in()).profile.player_id
    for reason in ("", " no ", "x" * 501):
        with pytest.raises(Refusal, match="REASON_REQUIRED"):
            await people.grant(player_id, "admin", reason)
    person = await people.stub.GetPerson(pb.GetPersonRequest(player_id=player_id), metadata=people.operator())
    assert list(person.roles) == []


async def test_every_deed_stands_in_the_log_with_who_and_why(people: RunningAccounts) -> None:
    admin, theirs = await people.staff("admin")
    guest = (await people.sign_in()).profile.player_id
    until_ms = people.clock.now_ms() + 3_600_000
    suspend = pb.SuspendPlayerRequest(player_id=guest, until_ms=until_ms, reason="he shouted 王八")
    await people.stub.SuspendPlayer(suspend, metadata=theirs)
    lift = pb.LiftSuspensionRequest(player_id=guest, reason="he is sorry")
    await people.stub.LiftSuspension(lift, metadata=theirs)
    entries = await people.log("role.grant", "player.suspend", "suspension.lift", as_=theirs)
    by_action = {entry.action: entry for entry in entries}
    granted, suspended = by_action["role.grant"], by_action["player.suspend"]
    assert (granted.staff_id, granted.role, granted.subject) == ("operator:root", "operator", admin)
    assert json.loads(granted.detail_json) == {"role": "admin"}
    assert (suspended.staff_id, suspended.role, suspended.subject) == (admin, "admin", guest)
    assert (suspended.reason, suspended.service) == ("he shouted 王八", "accounts")
    assert json.loads(suspended.detail_json) == {"until_ms": until_ms}
    mine = pb.ListStaffLogRequest(subject=guest, page_size=1)
    page = await people.stub.ListStaffLog(mine, metadata=theirs)
    mine.page_token = page.next_page_token
    rest = await people.stub.ListStaffLog(mine, metadata=theirs)
    assert [entry.action for entry in (*page.entries, *rest.entries)] == ["suspension.lift", "player.suspend"]
    assert rest.next_page_token == ""


async def test_deeds_of_other_services_are_heard_once_whatever_the_bus_repeats(
    people: RunningAccounts,
) -> None:
    deed = StaffActedInEconomy(
        staff_id="p_judge",
        role="disputes",
        action="dispute.resolve",
        subject="m_1/4",
        reason="scoring was right",
        at_ms=7,
    )
    economy = people.world.process("economy")
    for event_id in ("deed-1", "deed-1", "deed-2"):
        await economy.bus.publish(deed, event_id)
    await people.grant((await people.sign_in()).profile.player_id, "support")
    await people.log("role.grant")

    async def of_economy() -> list[pb.StaffLogEntry]:
        return [one for one in await people.log("dispute.resolve") if one.service == "economy"]

    found = await ask_until(of_economy, lambda found: len(found) == 2)
    assert [(one.staff_id, one.subject, one.reason) for one in found] == [
        ("p_judge", "m_1/4", "scoring was right")
    ] * 2


async def test_nobody_changes_the_log(people: RunningAccounts) -> None:
    changes = ["UPDATE staff_log SET reason = 'nothing'", "DELETE FROM staff_log"]
    if people.db.dialect == "postgresql":
        changes.append("TRUNCATE staff_log")
    await people.grant((await people.sign_in()).profile.player_id, "support")
    before = await people.log("role.grant")
    for change in changes:
        with pytest.raises(DBAPIError, match="immutable"):
            await people.db.run(lambda connection, change=change: connection.execute(text(change)))  # type: ignore[misc]
    assert await people.log("role.grant") == before


async def test_who_is_suspended_is_out_within_a_second_and_comes_in_by_no_way(
    people: RunningAccounts,
) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    await people.set_password(guest.tokens, "laowang")
    made = await people.stub.CreateApiKey(
        pb.CreateApiKeyRequest(name="a bot", scopes=["play"]), metadata=bearer(guest.tokens.access_token)
    )
    program = await people.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
    verifier = people.verifier()
    for token in (guest.tokens.access_token, program.access_token):
        await verifier.verify(token)
    until_ms = people.clock.now_ms() + 3_600_000
    suspend = pb.SuspendPlayerRequest(
        player_id=guest.profile.player_id, until_ms=until_ms, reason="he lent out his account"
    )
    revoked = await people.hear(SessionRevoked)
    assert (await people.stub.SuspendPlayer(suspend, metadata=people.operator())).revoked == 2
    await until(lambda: len(revoked) == 2)
    bucket = await people.bus.bucket("revoked")
    async with people.clock.timeout(30):
        while len(await bucket.names()) < 2:
            await people.clock.sleep(0.01)
    await people.clock.sleep(REFRESH_S)
    for token in (guest.tokens.access_token, program.access_token):
        with pytest.raises(Refusal, match="SESSION_REVOKED"):
            await verifier.verify(token)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await people.refresh(guest.tokens.refresh_token)
    for way_in in (
        people.sign_in(key),
        people.by_password("laowang"),
        people.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret)),
    ):
        with pytest.raises(Refusal, match="ACCOUNT_SUSPENDED") as caught:
            await way_in
        assert int(caught.value.details["until_ms"]) == until_ms
        assert "he lent out his account" in caught.value.text("en")
    # Who doesn't know the password doesn't learn of it.
    with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
        await people.by_password("laowang", PASSWORD + "?")
    lift = pb.LiftSuspensionRequest(player_id=guest.profile.player_id, reason="it was his brother")
    await people.stub.LiftSuspension(lift, metadata=people.operator())
    assert (await people.sign_in(key)).profile == guest.profile
    again = await people.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
    await verifier.verify(again.access_token)


async def test_a_suspension_ends_with_its_time_and_staff_is_not_suspended(people: RunningAccounts) -> None:
    admin, theirs = await people.staff("admin")
    for until_ms in (0, 1, people.clock.now_ms(), 2**62, -2):
        request = pb.SuspendPlayerRequest(player_id=admin, until_ms=until_ms, reason="for a test")
        with pytest.raises(Refusal, match="UNTIL_PAST"):
            await people.stub.SuspendPlayer(request, metadata=theirs)
    for player_id, reason in ((admin, "STAFF_CANT_LEAVE"), ("p_nobody", "NOT_FOUND")):
        request = pb.SuspendPlayerRequest(player_id=player_id, until_ms=FOR_EVER, reason="for a test")
        with pytest.raises(Refusal, match=reason):
            await people.stub.SuspendPlayer(request, metadata=theirs)
    key = Ed25519PrivateKey.generate()
    guest = (await people.sign_in(key)).profile.player_id
    short = pb.SuspendPlayerRequest(
        player_id=guest, until_ms=people.clock.now_ms() + 200, reason="for a moment"
    )
    await people.stub.SuspendPlayer(short, metadata=theirs)
    async with people.clock.timeout(30):
        while True:
            (entered,) = await asyncio.gather(people.sign_in(key), return_exceptions=True)
            if isinstance(entered, pb.SignInGuestResponse):
                break
            assert str(entered).startswith("ACCOUNT_SUSPENDED")
            await people.clock.sleep(0.02)
    assert not entered.created
    for_ever = pb.SuspendPlayerRequest(player_id=guest, until_ms=FOR_EVER, reason="again and again")
    await people.stub.SuspendPlayer(for_ever, metadata=theirs)
    person = await people.stub.GetPerson(pb.GetPersonRequest(player_id=guest), metadata=theirs)
    assert (person.suspended_until_ms, person.suspended_because, person.sessions) == (
        FOR_EVER,
        "again and again",
        0,
    )


async def test_people_are_found_by_id_login_name_or_how_their_nickname_begins(
    people: RunningAccounts,
) -> None:
    theirs = (await people.staff("support"))[1]
    made = [await people.sign_in() for _ in range(4)]
    for person, nickname in zip(made, ("小龙女", "小龙儿", "小虎", "小龙_哥"), strict=True):
        mine = bearer(person.tokens.access_token)
        profile = pb.Profile(nickname=nickname)
        await people.stub.UpdateProfile(
            pb.UpdateProfileRequest(profile=profile, update_mask=FieldMask(paths=["nickname"])), metadata=mine
        )
    password = pb.SetPasswordRequest(login_name="dragon", password=PASSWORD)
    await people.stub.SetPassword(password, metadata=bearer(made[2].tokens.access_token))

    async def found(query: str, size: int = 0) -> tuple[list[str], bool]:
        request = pb.FindPeopleRequest(query=query, page_size=size)
        answer = await people.stub.FindPeople(request, metadata=theirs)
        return [one.player_id for one in answer.profiles], answer.has_more

    ids = [one.profile.player_id for one in made]
    assert sorted((await found("小龙"))[0]) == sorted([ids[0], ids[1], ids[3]])
    assert await found("小龙儿") == ([ids[1]], False)
    assert await found("小%") == ([], False)
    assert await found(" 小龙_ ") == ([ids[3]], False)
    assert await found("Dragon") == ([ids[2]], False)
    assert await found(ids[0]) == ([ids[0]], False)
    assert await found("老") == ([], False)
    assert len((await found("小", 3))[0]) == 3
    assert (await found("小", 3))[1]
    for request in (
        pb.FindPeopleRequest(),
        pb.FindPeopleRequest(query="x" * 65),
        pb.FindPeopleRequest(query="x", page_size=51),
    ):
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await people.stub.FindPeople(request, metadata=theirs)
    guest = bearer(made[0].tokens.access_token)
    with pytest.raises(Refusal, match="PERMISSION_DENIED"):
        await people.stub.FindPeople(pb.FindPeopleRequest(query="小"), metadata=guest)
