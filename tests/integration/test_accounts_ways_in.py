"""Several ways into one account: keys and passwords, on real databases; nothing is lost on the way."""

from __future__ import annotations

import asyncio

import pytest
from argon2 import Parameters, extract_parameters
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as pb
from sqlalchemy import select

from services.accounts.hashing import WAITING_MAX, Hasher
from services.accounts.settings import AccountsSettings
from services.accounts.store import schema
from services.chassis.errors import Refusal
from tests.support.accounts import AWAY, PASSWORD, RunningAccounts, bearer, quick_settings
from tests.support.process import MemoryWorld


async def test_a_guest_who_takes_a_password_stays_who_he_is(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    named = await people.stub.UpdateProfile(
        pb.UpdateProfileRequest(
            profile=pb.Profile(nickname="老王"), update_mask=FieldMask(paths=["nickname"])
        ),
        metadata=bearer(guest.tokens.access_token),
    )
    await people.set_password(guest.tokens, "Lao.Wang")
    elsewhere = await people.by_password("lao.wang", address=AWAY)
    assert elsewhere.profile == named.profile
    assert (await people.principal(elsewhere.tokens.access_token)).id == guest.profile.player_id
    assert (await people.sign_in(key)).profile.player_id == guest.profile.player_id
    ways = await people.stub.ListWaysIn(
        pb.ListWaysInRequest(), metadata=bearer(elsewhere.tokens.access_token)
    )
    assert [way.kind for way in ways.ways] == ["key", "password"]
    assert ways.ways[1].id == "lao.wang"


async def test_a_new_password_ends_all_sessions_but_the_one_that_set_it(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    here, other = await people.sign_in(key), await people.sign_in(key)
    await people.set_password(here.tokens, "laowang")
    await people.refresh(here.tokens.refresh_token)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await people.refresh(other.tokens.refresh_token)


async def test_a_password_is_changed_by_who_knows_it(people: RunningAccounts) -> None:
    guest = await people.sign_in()
    await people.set_password(guest.tokens, "laowang")
    for wrong in ("", "not this one at all"):
        with pytest.raises(Refusal, match="PASSWORD_WRONG"):
            await people.set_password(guest.tokens, "laowang", "zwei Karten im Ärmel", wrong)
    await people.set_password(guest.tokens, "wang", "zwei Karten im Ärmel", PASSWORD)
    with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
        await people.by_password("laowang")
    with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
        await people.by_password("wang")
    signed_in = await people.by_password("wang", "zwei Karten im Ärmel")
    assert signed_in.profile.player_id == guest.profile.player_id


async def test_what_will_not_do_is_refused_and_changes_nothing(people: RunningAccounts) -> None:
    guest = await people.sign_in()
    for login_name, password, reason in (
        ("ab", PASSWORD, "LOGIN_NAME_INVALID"),
        ("laowang", "qwertyuiop", "PASSWORD_WEAK"),
    ):
        with pytest.raises(Refusal, match=reason):
            await people.set_password(guest.tokens, login_name, password)
    mine = bearer(guest.tokens.access_token)
    listed = await people.stub.ListWaysIn(pb.ListWaysInRequest(), metadata=mine)
    assert [way.kind for way in listed.ways] == ["key"]


async def test_of_two_who_want_one_login_name_one_gets_it(people: RunningAccounts) -> None:
    guests = [await people.sign_in() for _ in range(4)]
    results = await asyncio.gather(
        *(people.set_password(guest.tokens, "laowang") for guest in guests), return_exceptions=True
    )
    assert sorted(str(result) for result in results) == [*["LOGIN_NAME_TAKEN"] * 3, "None"]
    winner = guests[results.index(None)]
    assert (await people.by_password("laowang")).profile.player_id == winner.profile.player_id


async def test_who_guesses_learns_no_names(people: RunningAccounts) -> None:
    await people.set_password((await people.sign_in()).tokens, "laowang")
    said = []
    for login_name in ("laowang", "nobody", "not a name!", ""):
        with pytest.raises(Refusal) as caught:
            await people.by_password(login_name, "a wrong password")
        said.append((caught.value.reason, caught.value.details))
    assert said == [("SIGN_IN_WRONG", {})] * 4


async def test_an_unknown_name_costs_as_much_work_as_a_known_one(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = Hasher(1024, 3, 1)
    kept = await hasher.hash(PASSWORD)
    worked: list[Parameters] = []
    fits = hasher._fits

    def watched(known: str, password: str) -> bool:
        worked.append(extract_parameters(known))
        return fits(known, password)

    monkeypatch.setattr(hasher, "_fits", watched)
    assert not await hasher.verify(kept, "a wrong password")
    assert not await hasher.verify(None, "a wrong password")
    # Not even the password of nobody's hash lets nobody in.
    assert not await hasher.verify(None, "nobody's")
    hasher.close()
    known, *unknown = worked
    assert unknown == [known, known]


async def test_guesses_at_one_name_are_limited_and_its_owner_elsewhere_gets_in(
    people: RunningAccounts,
) -> None:
    guest = await people.sign_in()
    await people.set_password(guest.tokens, "laowang")
    for _ in range(6):
        with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
            await people.by_password("laowang", "a wrong password")
    with pytest.raises(Refusal, match="RATE_LIMITED") as caught:
        await people.by_password("laowang")
    assert int(caught.value.details["retry_ms"]) > 1_000
    assert (await people.by_password("laowang", address=AWAY)).profile == guest.profile


async def test_sign_ins_of_one_network_are_limited_whatever_the_names(people_world: MemoryWorld) -> None:
    settings = quick_settings(sign_ins_per_minute=5, unlimited_networks="127.0.0.1/32")
    accounts = await RunningAccounts(people_world, settings).start()
    for number in range(5):
        with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
            await accounts.by_password(f"somebody{number}")
    with pytest.raises(Refusal, match="RATE_LIMITED"):
        await accounts.by_password("somebody5")
    await accounts.service.stop()


async def test_a_hash_of_older_parameters_is_made_anew_when_its_owner_signs_in(
    people_world: MemoryWorld,
) -> None:
    first = await RunningAccounts(people_world).start()
    await first.set_password((await first.sign_in()).tokens, "laowang")
    await first.stop()
    second = await RunningAccounts(people_world, quick_settings(password_memory_kib=128)).start()

    async def kept() -> str:
        return str(await second.db.read(lambda c: c.scalar(select(schema.passwords.c.hash))))

    before = await kept()
    with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
        await second.by_password("laowang", "a wrong password")
    assert await kept() == before
    await second.by_password("laowang")
    assert extract_parameters(before).memory_cost == 64
    assert extract_parameters(await kept()).memory_cost == 128
    await second.by_password("laowang")
    await second.service.stop()


async def test_passwords_are_kept_as_argon2id_of_at_least_what_owasp_asks(people: RunningAccounts) -> None:
    await people.set_password((await people.sign_in()).tokens, "laowang")
    kept = str(await people.db.read(lambda c: c.scalar(select(schema.passwords.c.hash))))
    assert kept.startswith("$argon2id$v=19$")
    assert PASSWORD not in kept
    settings = AccountsSettings()
    assert (settings.password_memory_kib >= 19 * 1024, settings.password_passes >= 2) == (True, True)


async def test_who_comes_when_too_many_wait_is_turned_away_and_the_others_are_served() -> None:
    hasher = Hasher(1024, 1, 1)
    kept = await hasher.hash(PASSWORD)
    await hasher.verify(kept, PASSWORD)
    tries = [hasher.verify(kept, PASSWORD) for _ in range(WAITING_MAX + 6)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(result is True for result in results) == WAITING_MAX
    assert [str(result) for result in results if result is not True] == ["SIGN_IN_BUSY"] * 6
    assert await hasher.verify(kept, PASSWORD)
    hasher.close()


async def test_the_key_of_another_device_becomes_a_way_in(people: RunningAccounts) -> None:
    first, second = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    guest = await people.sign_in(first)
    public, challenge, signature = await people.proof(second)
    request = pb.AddDeviceKeyRequest(public_key=public, challenge=challenge, signature=signature)
    added = await people.stub.AddDeviceKey(request, metadata=bearer(guest.tokens.access_token))
    assert [way.id for way in added.ways][-1] == public.hex()
    assert (await people.sign_in(second)).profile.player_id == guest.profile.player_id
    with pytest.raises(Refusal, match="CHALLENGE_INVALID"):
        await people.stub.AddDeviceKey(request, metadata=bearer(guest.tokens.access_token))


async def test_a_key_that_is_anothers_way_in_is_refused_and_stays_his(people: RunningAccounts) -> None:
    theirs = Ed25519PrivateKey.generate()
    owner, thief = await people.sign_in(theirs), await people.sign_in()
    public, challenge, signature = await people.proof(theirs)
    request = pb.AddDeviceKeyRequest(public_key=public, challenge=challenge, signature=signature)
    with pytest.raises(Refusal, match="KEY_TAKEN"):
        await people.stub.AddDeviceKey(request, metadata=bearer(thief.tokens.access_token))
    assert (await people.sign_in(theirs)).profile.player_id == owner.profile.player_id


async def test_ways_in_are_taken_away_but_for_the_last(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    mine = bearer(guest.tokens.access_token)
    public = key.public_key().public_bytes_raw().hex()
    with pytest.raises(Refusal, match="LAST_WAY_IN"):
        await people.stub.RemoveWayIn(pb.RemoveWayInRequest(kind="key", id=public), metadata=mine)
    await people.set_password(guest.tokens, "laowang")
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await people.stub.RemoveWayIn(pb.RemoveWayInRequest(kind="key", id="00"), metadata=mine)
    left = await people.stub.RemoveWayIn(pb.RemoveWayInRequest(kind="key", id=public), metadata=mine)
    assert [way.kind for way in left.ways] == ["password"]
    # The key is nobody's now: whoever holds it is a new player.
    assert (await people.sign_in(key)).created
    assert (await people.by_password("laowang")).profile.player_id == guest.profile.player_id


async def test_two_ways_taken_away_at_once_leave_one(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    await people.set_password(guest.tokens, "laowang")
    public = key.public_key().public_bytes_raw().hex()
    removals = [
        pb.RemoveWayInRequest(kind="key", id=public),
        pb.RemoveWayInRequest(kind="password", id="laowang"),
    ]
    results = await asyncio.gather(
        *(
            people.stub.RemoveWayIn(request, metadata=bearer(guest.tokens.access_token))
            for request in removals
        ),
        return_exceptions=True,
    )
    assert [str(result) for result in results if isinstance(result, Refusal)] == ["LAST_WAY_IN"]


async def test_devices_are_listed_with_when_and_where_and_ended_one_or_all_but_this(
    people: RunningAccounts,
) -> None:
    key = Ed25519PrivateKey.generate()
    phone = await people.sign_in(key, device="a phone")
    await people.set_password(phone.tokens, "laowang")
    laptop = await people.by_password("laowang", address=AWAY)
    third = await people.by_password("laowang", address=AWAY)
    mine = bearer(phone.tokens.access_token)
    await people.refresh(phone.tokens.refresh_token, AWAY)
    listed = (await people.stub.ListSessions(pb.ListSessionsRequest(), metadata=mine)).sessions
    by_id = {one.session_id: one for one in listed}
    assert len(listed) == 3
    assert listed[0].session_id == phone.tokens.session_id
    here, there = by_id[phone.tokens.session_id], by_id[laptop.tokens.session_id]
    assert (here.device, here.way, here.is_current) == ("a phone", "guest", True)
    assert (there.device, there.way, there.is_current) == ("a laptop", "password", False)
    # The phone has moved: it was refreshed elsewhere, and later than it was signed in.
    assert (here.network, there.network) == ("198.51.100.7", "198.51.100.7")
    assert here.used_at_ms >= here.created_at_ms
    await people.stub.RevokeSession(
        pb.RevokeSessionRequest(session_id=laptop.tokens.session_id), metadata=mine
    )
    ended = await people.stub.RevokeOtherSessions(pb.RevokeOtherSessionsRequest(), metadata=mine)
    assert ended.revoked == 1
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await people.refresh(third.tokens.refresh_token)
    left = (await people.stub.ListSessions(pb.ListSessionsRequest(), metadata=mine)).sessions
    assert [one.session_id for one in left] == [phone.tokens.session_id]
