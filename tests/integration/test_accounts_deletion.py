"""Deletion: a grace that signing in ends, then nothing is left of a person but an id; on real databases."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.field_mask_pb2 import FieldMask
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1.events_pb2 import AccountDeleted
from sqlalchemy import inspect, select, text, update

from services.accounts.deletions import Deletions
from services.accounts.store import schema
from services.chassis.errors import Refusal
from tests.support.accounts import AWAY, PASSWORD, RunningAccounts, bearer, until

WEEK_MS = 7 * 86_400_000


async def ask(
    people: RunningAccounts, tokens: pb.SessionTokens, nickname: str, password: str = ""
) -> pb.DeleteAccountResponse:
    request = pb.DeleteAccountRequest(nickname=nickname, current_password=password)
    answer: pb.DeleteAccountResponse = await people.stub.DeleteAccount(
        request, metadata=bearer(tokens.access_token)
    )
    return answer


async def let_time_pass(people: RunningAccounts, player_id: str) -> None:
    """Bring the end of the grace about."""
    table = schema.players
    past = update(table).where(table.c.player_id == player_id).values(deletes_at_ms=people.clock.now_ms() - 1)
    await people.db.run(lambda connection: connection.execute(past))


def deletions(people: RunningAccounts) -> Deletions:
    """One more process that looks whose time has come."""
    outbox: Any = people.service._outbox
    return Deletions(people.db, people.clock, outbox, 60.0)


async def test_who_asks_is_out_at_once_and_signing_in_cancels(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    await people.set_password(guest.tokens, "laowang")
    with pytest.raises(Refusal, match="PASSWORD_WRONG"):
        await ask(people, guest.tokens, guest.profile.nickname)
    with pytest.raises(Refusal, match="NICKNAME_MISMATCH"):
        await ask(people, guest.tokens, "somebody else", PASSWORD)
    asked = await ask(people, guest.tokens, guest.profile.nickname, PASSWORD)
    assert abs(asked.deletes_at_ms - people.clock.now_ms() - WEEK_MS) < 60_000
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await people.refresh(guest.tokens.refresh_token)
    back = await people.by_password("laowang", address=AWAY)
    assert (back.deletion_cancelled, back.profile) == (True, guest.profile)
    assert not (await people.sign_in(key)).deletion_cancelled
    assert await deletions(people).forget_due() == 0


async def test_when_the_grace_is_over_nothing_is_left_of_him_but_his_id(people: RunningAccounts) -> None:
    deleted = await people.hear(AccountDeleted)
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key, device="Wang's telephone")
    player_id, mine = guest.profile.player_id, bearer(guest.tokens.access_token)
    profile = pb.Profile(
        nickname="王小二", homepage="https://wang.example.org/", region="CN-HN", dialect="xiang"
    )
    mask = FieldMask(paths=["nickname", "homepage", "region", "dialect"])
    await people.stub.UpdateProfile(pb.UpdateProfileRequest(profile=profile, update_mask=mask), metadata=mine)
    await people.set_password(guest.tokens, "wangxiaoer")
    made = await people.stub.CreateApiKey(
        pb.CreateApiKeyRequest(name="Wang's bot", scopes=["play"]), metadata=mine
    )
    traces = ("王小二", "wang.example", "CN-HN", "xiang", "telephone", "wangxiaoer", "bot", "203.0.113")
    held = await everything(people)
    assert all(trace in held for trace in traces)
    await ask(people, guest.tokens, "王小二", PASSWORD)
    await let_time_pass(people, player_id)
    assert await deletions(people).forget_due() == 1
    held = await everything(people)
    assert [trace for trace in (*traces, key.public_key().public_bytes_raw().hex()) if trace in held] == []
    await until(lambda: deleted)
    assert [one.player_id for one in deleted] == [player_id]
    left = (
        await people.stub.BatchGetProfiles(
            pb.BatchGetProfilesRequest(player_ids=[player_id]),
            metadata=bearer((await people.sign_in()).tokens.access_token),
        )
    ).profiles[0]
    assert (left.player_id, left.nickname, left.is_deleted) == (player_id, "已注销", True)
    with pytest.raises(Refusal, match="SIGN_IN_WRONG"):
        await people.by_password("wangxiaoer")
    with pytest.raises(Refusal, match="API_KEY_INVALID"):
        await people.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
    newcomer = await people.sign_in(key)
    assert newcomer.created
    assert newcomer.profile.player_id != player_id
    assert await deletions(people).forget_due() == 0


async def everything(people: RunningAccounts) -> str:
    """Return all that the database of accounts holds, as text; the outbox is emptied within a day."""

    def read(connection: Any) -> str:
        names = [name for name in inspect(connection).get_table_names() if name != "outbox"]
        rows = [tuple(row) for name in names for row in connection.execute(text(f"SELECT * FROM {name}"))]
        return repr([[one.hex() if isinstance(one, bytes) else one for one in row] for row in rows])

    return await people.db.read(read)


async def test_a_program_does_not_cancel_what_its_owner_has_asked_for(people: RunningAccounts) -> None:
    guest = await people.sign_in()
    made = await people.stub.CreateApiKey(
        pb.CreateApiKeyRequest(name="a bot", scopes=["play"]), metadata=bearer(guest.tokens.access_token)
    )
    await ask(people, guest.tokens, guest.profile.nickname)
    with pytest.raises(Refusal, match="API_KEY_INVALID"):
        await people.stub.ExchangeApiKey(pb.ExchangeApiKeyRequest(secret=made.secret))
    await let_time_pass(people, guest.profile.player_id)
    assert await deletions(people).forget_due() == 1


async def test_who_signs_in_at_the_last_moment_is_in_or_gone_and_nothing_between(
    people: RunningAccounts,
) -> None:
    for _ in range(5):
        key = Ed25519PrivateKey.generate()
        guest = await people.sign_in(key)
        await ask(people, guest.tokens, guest.profile.nickname)
        await let_time_pass(people, guest.profile.player_id)
        entered, _, _ = await asyncio.gather(
            people.sign_in(key),
            deletions(people).forget_due(),
            deletions(people).forget_due(),
            return_exceptions=True,
        )
        table = schema.players
        mine = select(table.c.deleted_at_ms).where(table.c.player_id == guest.profile.player_id)
        is_gone = await people.db.read(lambda connection, mine=mine: connection.scalar(mine)) is not None  # type: ignore[misc]
        if isinstance(entered, pb.SignInGuestResponse):
            assert entered.created == is_gone
            assert entered.deletion_cancelled != is_gone
            await people.refresh(entered.tokens.refresh_token)
        else:
            assert is_gone
            assert str(entered) == "ACCOUNT_DELETED"


async def test_staff_gives_back_the_roles_first(people: RunningAccounts) -> None:
    key = Ed25519PrivateKey.generate()
    guest = await people.sign_in(key)
    await people.grant(guest.profile.player_id, "support")
    with pytest.raises(Refusal, match="STAFF_CANT_LEAVE"):
        await ask(people, guest.tokens, guest.profile.nickname)
