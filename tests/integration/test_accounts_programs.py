"""API keys: made once, kept as hashes, rotated, held to scopes and quotas, ended; on real databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as pb
from sqlalchemy import select

from services.accounts.store import schema
from services.chassis.auth import Quota
from services.chassis.errors import Refusal
from services.chassis.revocations import REFRESH_S
from tests.support.accounts import Metadata, RunningAccounts, bearer


async def key_of(
    people: RunningAccounts, mine: Metadata, *scopes: str, **more: Any
) -> pb.CreateApiKeyResponse:
    request = pb.CreateApiKeyRequest(name="a bot", scopes=scopes or ("play",), **more)
    answer: pb.CreateApiKeyResponse = await people.stub.CreateApiKey(request, metadata=mine)
    return answer


async def exchanged(people: RunningAccounts, secret: str) -> pb.ExchangeApiKeyResponse:
    answer: pb.ExchangeApiKeyResponse = await people.stub.ExchangeApiKey(
        pb.ExchangeApiKeyRequest(secret=secret)
    )
    return answer


async def owner(people: RunningAccounts) -> tuple[str, Metadata]:
    signed_in = await people.sign_in()
    return signed_in.profile.player_id, bearer(signed_in.tokens.access_token)


async def test_a_secret_is_shown_once_and_kept_as_a_hash(people: RunningAccounts) -> None:
    player_id, mine = await owner(people)
    made = await key_of(people, mine, "wallet.read", "play")
    assert made.secret.startswith("pjk_")
    assert made.secret.startswith(made.key.secrets[0].prefix)
    assert (made.key.player_id, list(made.key.scopes)) == (player_id, ["play", "wallet.read"])
    (listed,) = (await people.stub.ListApiKeys(pb.ListApiKeysRequest(), metadata=mine)).keys
    assert listed == made.key
    rows = [
        tuple(row)
        for table in (schema.api_keys, schema.api_key_secrets)
        for row in await people.db.read(lambda c, table=table: c.execute(select(table)).all())  # type: ignore[misc]
    ]
    assert made.secret[12:] not in repr(rows)


async def test_a_secret_becomes_a_token_with_scopes_and_quota(people: RunningAccounts) -> None:
    player_id, mine = await owner(people)
    made = await key_of(people, mine, "play", "profile", per_minute=7, per_day=70)
    token = await exchanged(people, made.secret)
    principal = await people.principal(token.access_token)
    assert (principal.kind, principal.id) == ("integrator", player_id)
    assert principal.scopes == {"play", "profile"}
    assert principal.quota == Quota(made.key.key_id, 7, 70)
    assert token.access_expires_at_ms // 1000 == principal.expires_at
    (listed,) = (await people.stub.ListApiKeys(pb.ListApiKeysRequest(), metadata=mine)).keys
    assert listed.used_at_ms >= made.key.created_at_ms
    # A program's session is none of the person's devices, and it can't be refreshed.
    devices = (await people.stub.ListSessions(pb.ListSessionsRequest(), metadata=mine)).sessions
    assert [one.way for one in devices] == ["guest"]


async def test_a_program_does_what_its_scopes_say_and_never_what_is_the_persons_alone(
    people: RunningAccounts,
) -> None:
    _, mine = await owner(people)
    made = await key_of(people, mine, "profile")
    program = bearer((await exchanged(people, made.secret)).access_token)
    await people.stub.UpdateProfile(
        pb.UpdateProfileRequest(profile=pb.Profile(region="CN-HN"), update_mask=FieldMask(paths=["region"])),
        metadata=program,
    )
    stub = people.stub
    shut: list[tuple[Any, Any]] = [
        (stub.BatchGetProfiles, pb.BatchGetProfilesRequest()),
        (stub.CreateApiKey, pb.CreateApiKeyRequest(name="a child", scopes=["play"])),
        (stub.RotateApiKey, pb.RotateApiKeyRequest(key_id=made.key.key_id)),
        (stub.SetPassword, pb.SetPasswordRequest(login_name="mine", password="now it is mine 123")),
        (stub.ListSessions, pb.ListSessionsRequest()),
        (stub.RevokeSession, pb.RevokeSessionRequest()),
        (stub.RevokeOtherSessions, pb.RevokeOtherSessionsRequest()),
        (stub.ExportMyData, pb.ExportMyDataRequest()),
        (stub.DeleteAccount, pb.DeleteAccountRequest()),
        (stub.AddDeviceKey, pb.AddDeviceKeyRequest()),
    ]
    for method, request in shut:
        with pytest.raises(Refusal, match="SCOPE_MISSING"):
            await method(request, metadata=program)


async def test_calls_beyond_the_quota_are_refused_and_other_keys_go_on(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    small = await key_of(people, mine, "profile", per_day=5)
    large = await key_of(people, mine, "profile")
    program = bearer((await exchanged(people, small.secret)).access_token)
    # A fresh token of the same key begins no new count.
    later = bearer((await exchanged(people, small.secret)).access_token)
    for caller in (program, later, program, later, program):
        await people.stub.GetProfile(pb.GetProfileRequest(), metadata=caller)
    for caller in (program, later):
        with pytest.raises(Refusal, match="QUOTA_EXCEEDED") as caught:
            await people.stub.GetProfile(pb.GetProfileRequest(), metadata=caller)
        assert caught.value.details["window"] == "day"
        assert int(caught.value.details["retry_ms"]) > 0
    other = bearer((await exchanged(people, large.secret)).access_token)
    await people.stub.GetProfile(pb.GetProfileRequest(), metadata=other)
    await people.stub.GetProfile(pb.GetProfileRequest(), metadata=mine)


async def test_after_a_rotation_two_secrets_are_good_and_after_another_the_oldest_is_not(
    people: RunningAccounts,
) -> None:
    _, mine = await owner(people)
    made = await key_of(people, mine)
    rotate = pb.RotateApiKeyRequest(key_id=made.key.key_id, overlap_s=-1)
    second = await people.stub.RotateApiKey(rotate, metadata=mine)
    assert [bool(one.expires_at_ms) for one in second.key.secrets] == [False, True]
    for secret in (made.secret, second.secret):
        await exchanged(people, secret)
    third = await people.stub.RotateApiKey(rotate, metadata=mine)
    assert len(third.key.secrets) == 2
    with pytest.raises(Refusal, match="API_KEY_INVALID"):
        await exchanged(people, made.secret)
    await exchanged(people, second.secret)
    rotate.overlap_s = 0
    last = await people.stub.RotateApiKey(rotate, metadata=mine)
    for secret in (second.secret, third.secret):
        with pytest.raises(Refusal, match="API_KEY_INVALID"):
            await exchanged(people, secret)
    await exchanged(people, last.secret)


async def test_the_secret_before_ends_with_its_overlap(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    made = await key_of(people, mine)
    await people.stub.RotateApiKey(pb.RotateApiKeyRequest(key_id=made.key.key_id, overlap_s=1), metadata=mine)
    began = people.clock.now_ms()
    async with people.clock.timeout(30):
        while True:
            (result,) = await asyncio.gather(exchanged(people, made.secret), return_exceptions=True)
            if str(result) == "API_KEY_INVALID":
                break
            await people.clock.sleep(0.2)
    assert people.clock.now_ms() - began >= 900


async def test_rotations_at_once_leave_two_good_secrets(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    made = await key_of(people, mine)
    rotate = pb.RotateApiKeyRequest(key_id=made.key.key_id, overlap_s=600)
    answers = await asyncio.gather(*(people.stub.RotateApiKey(rotate, metadata=mine) for _ in range(4)))
    secrets = [made.secret, *(answer.secret for answer in answers)]
    results = await asyncio.gather(*(exchanged(people, one) for one in secrets), return_exceptions=True)
    assert sum(isinstance(one, pb.ExchangeApiKeyResponse) for one in results) == 2


async def test_an_ended_key_is_refused_everywhere(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    made = await key_of(people, mine)
    token = (await exchanged(people, made.secret)).access_token
    verifier = people.verifier()
    await verifier.verify(token)
    end = pb.RevokeApiKeyRequest(key_id=made.key.key_id)
    for _ in range(2):
        await people.stub.RevokeApiKey(end, metadata=mine)
    with pytest.raises(Refusal, match="API_KEY_INVALID"):
        await exchanged(people, made.secret)
    with pytest.raises(Refusal, match="NOT_FOUND"):
        await people.stub.RotateApiKey(pb.RotateApiKeyRequest(key_id=made.key.key_id), metadata=mine)
    bucket = await people.bus.bucket("revoked")
    async with people.clock.timeout(30):
        while not await bucket.names():
            await people.clock.sleep(0.01)
    await people.clock.sleep(REFRESH_S)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await verifier.verify(token)
    (listed,) = (await people.stub.ListApiKeys(pb.ListApiKeysRequest(), metadata=mine)).keys
    assert listed.revoked_at_ms > 0


async def test_anothers_keys_are_staffs_business(people: RunningAccounts) -> None:
    player_id, mine = await owner(people)
    _, theirs = await owner(people)
    admin_id, admin = await people.staff("admin")
    _, support = await people.staff("support")
    made = await key_of(people, mine)
    for caller in (theirs, support):
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await key_of(people, caller, player_id=player_id, reason="because I want to")
        with pytest.raises(Refusal, match="NOT_FOUND"):
            await people.stub.RevokeApiKey(
                pb.RevokeApiKeyRequest(key_id=made.key.key_id, reason="because I can"), metadata=caller
            )
    with pytest.raises(Refusal, match="PERMISSION_DENIED"):
        await people.stub.ListApiKeys(pb.ListApiKeysRequest(player_id=player_id), metadata=theirs)
    with pytest.raises(Refusal, match="REASON_REQUIRED"):
        await key_of(people, admin, player_id=player_id)
    with pytest.raises(Refusal, match="QUOTA_TOO_HIGH"):
        await key_of(people, mine, per_minute=10_000)
    granted = await key_of(
        people, admin, player_id=player_id, per_minute=10_000, per_day=1_000_000, reason="a league runs on it"
    )
    assert (granted.key.player_id, granted.key.per_minute) == (player_id, 10_000)
    listed = await people.stub.ListApiKeys(pb.ListApiKeysRequest(player_id=player_id), metadata=support)
    assert len(listed.keys) == 2
    end = pb.RevokeApiKeyRequest(key_id=made.key.key_id, reason="it was published")
    await people.stub.RevokeApiKey(end, metadata=admin)
    entries = {one.action: one for one in await people.log("api_key.create", "api_key.revoke")}
    for action in ("api_key.create", "api_key.revoke"):
        assert (entries[action].staff_id, entries[action].subject) == (admin_id, player_id)


async def test_a_key_that_can_not_be_is_refused(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    for request, reason in (
        (pb.CreateApiKeyRequest(name="a bot"), "SCOPE_UNKNOWN"),
        (pb.CreateApiKeyRequest(name="a bot", scopes=["play", "admin"]), "SCOPE_UNKNOWN"),
        (pb.CreateApiKeyRequest(name="", scopes=["play"]), "INVALID_ARGUMENT"),
        (pb.CreateApiKeyRequest(name="x" * 65, scopes=["play"]), "INVALID_ARGUMENT"),
        (pb.CreateApiKeyRequest(name="a bot", scopes=["play"], per_minute=-1), "INVALID_ARGUMENT"),
    ):
        with pytest.raises(Refusal, match=reason):
            await people.stub.CreateApiKey(request, metadata=mine)


async def test_a_player_has_so_many_keys_and_junk_is_none(people: RunningAccounts) -> None:
    _, mine = await owner(people)
    results = await asyncio.gather(*(key_of(people, mine) for _ in range(13)), return_exceptions=True)
    assert sum(isinstance(one, pb.CreateApiKeyResponse) for one in results) == 10
    assert {str(one) for one in results if isinstance(one, Refusal)} == {"TOO_MANY_API_KEYS (most=10)"}
    for junk in ("", "pjk_", "pjk_" + "A" * 43, "x" * 5000, "pjk_ключ", "pjk_" + "A" * 42 + "B"):
        with pytest.raises(Refusal, match="API_KEY_INVALID"):
            await exchanged(people, junk)
