"""Accounts as it runs: guests prove keys, sessions rotate, profiles change, facts go out."""

from __future__ import annotations

import asyncio
import json
import stat
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.field_mask_pb2 import FieldMask
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceStub
from paiju.accounts.v1.events_pb2 import PlayerCreated, ProfileChanged, SessionRevoked
from sqlalchemy import select

from services.accounts.app import Accounts, wire
from services.accounts.core.tokens import GUEST_LABEL
from services.accounts.settings import AccountsSettings
from services.accounts.store import schema
from services.chassis import auth
from services.chassis.auth import Verifier, keys_on_bus
from services.chassis.bus.port import Delivery
from services.chassis.clock import Clock, VirtualClock, run_virtual
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Refusal
from services.chassis.revocations import REFRESH_S, Revocations, revoked_on_bus
from tests.support.process import MemoryWorld, system_ids

HOME = (("x-paiju-client-address", "203.0.113.9"),)
Address = Sequence[tuple[str, str]]


class Running:
    """A process with accounts in it, and a gateway that talks to it."""

    def __init__(self, world: MemoryWorld, settings: AccountsSettings) -> None:
        self.world = world
        self.settings = settings
        self.process = world.process("accounts", system_ids())
        self.gateway = world.process("gateway", system_ids())
        self.clock: Clock = world.clock
        self.bus = self.gateway.bus
        self.stub = self.gateway.rpc.client(AccountsServiceStub, "accounts")

    async def start(self) -> Running:
        service = await wire(self.settings, self.process.parts)
        assert isinstance(service, Accounts)
        self.service = service
        await self.process.rpc.start()
        await service.start()
        await self.gateway.rpc.start()
        return self

    async def sign_in(
        self, key: Ed25519PrivateKey | None = None, address: Address = HOME
    ) -> pb.SignInGuestResponse:
        key = key or Ed25519PrivateKey.generate()
        public = key.public_key().public_bytes_raw()
        challenge = (
            await self.stub.CreateChallenge(pb.CreateChallengeRequest(public_key=public), metadata=address)
        ).challenge
        return await self.answer(key, challenge, address)

    async def answer(
        self, key: Ed25519PrivateKey, challenge: bytes, address: Address = HOME, label: bytes = GUEST_LABEL
    ) -> pb.SignInGuestResponse:
        request = pb.SignInGuestRequest(
            public_key=key.public_key().public_bytes_raw(),
            challenge=challenge,
            signature=key.sign(label + challenge),
            device="a test",
        )
        answer: pb.SignInGuestResponse = await self.stub.SignInGuest(request, metadata=address)
        return answer

    async def challenge(self, key: Ed25519PrivateKey) -> bytes:
        request = pb.CreateChallengeRequest(public_key=key.public_key().public_bytes_raw())
        answer: pb.CreateChallengeResponse = await self.stub.CreateChallenge(request, metadata=HOME)
        return answer.challenge

    async def refresh(self, token: str) -> pb.SessionTokens:
        answer = await self.stub.RefreshSession(pb.RefreshSessionRequest(refresh_token=token))
        tokens: pb.SessionTokens = answer.tokens
        return tokens

    async def hear(self, kind: type[Message]) -> list[Any]:
        heard: list[Any] = []

        async def handler(deliveries: Sequence[Delivery[Message]]) -> None:
            heard.extend(one.message for one in deliveries)

        await self.bus.consume(f"test-{kind.__name__}", (kind,), handler)
        return heard


def verifier_of(accounts: Running) -> Verifier:
    """Another process's verifier."""
    clock = accounts.clock
    revocations = Revocations(revoked_on_bus(accounts.bus), clock)
    return Verifier("x" * 32, keys_on_bus(accounts.bus), clock, revocations)


async def until(holds: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


@pytest.fixture
async def accounts(world: MemoryWorld) -> AsyncIterator[Running]:
    running = await Running(world, AccountsSettings(sign_ins_per_minute=600)).start()
    yield running
    await running.service.stop()


async def test_the_migrations_make_exactly_the_tables_of_the_code(database_url: str, db: Database) -> None:
    migrate(database_url, "accounts")
    assert await db.run(lambda c: schema_differences(c, schema.metadata)) == []


async def test_a_new_key_makes_a_player_and_the_same_key_finds_him_again(accounts: Running) -> None:
    created = await accounts.hear(PlayerCreated)
    key = Ed25519PrivateKey.generate()
    first = await accounts.sign_in(key)
    again = await accounts.sign_in(key)
    assert (first.created, again.created) == (True, False)
    assert first.profile == again.profile
    assert first.profile.nickname.startswith("牌友")
    assert first.tokens.session_id != again.tokens.session_id
    await until(lambda: created)
    assert [(one.player_id, one.welcome) for one in created] == [(first.profile.player_id, True)]


async def test_every_service_can_verify_the_access_token(accounts: Running) -> None:
    signed_in = await accounts.sign_in()
    verifier = verifier_of(accounts)
    principal = await verifier.verify(signed_in.tokens.access_token)
    assert (principal.kind, principal.id) == ("player", signed_in.profile.player_id)
    assert principal.expires_at * 1000 == signed_in.tokens.access_expires_at_ms
    keys = json.loads((await accounts.stub.GetSigningKeys(pb.GetSigningKeysRequest())).jwks_json)["keys"]
    assert [(key["kty"], key["crv"], "d" in key) for key in keys] == [("OKP", "Ed25519", False)]


async def test_private_keys_lie_in_one_file_for_the_owner_only(accounts: Running) -> None:
    folder = accounts.process.parts.settings.data_dir / "keys"
    (file,) = folder.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


async def test_a_challenge_works_once(accounts: Running) -> None:
    key = Ed25519PrivateKey.generate()
    challenge = await accounts.challenge(key)
    await accounts.answer(key, challenge)
    with pytest.raises(Refusal, match="CHALLENGE_INVALID"):
        await accounts.answer(key, challenge)


async def test_a_challenge_is_of_one_key(accounts: Running) -> None:
    key, other = Ed25519PrivateKey.generate(), Ed25519PrivateKey.generate()
    challenge = await accounts.challenge(key)
    with pytest.raises(Refusal, match="CHALLENGE_INVALID"):
        await accounts.answer(other, challenge)
    await accounts.answer(key, challenge)


async def test_a_wrong_signature_is_refused_and_uses_the_challenge_up(accounts: Running) -> None:
    key = Ed25519PrivateKey.generate()
    challenge = await accounts.challenge(key)
    with pytest.raises(Refusal, match="SIGNATURE_INVALID"):
        await accounts.answer(key, challenge, label=b"something-else")
    with pytest.raises(Refusal, match="CHALLENGE_INVALID"):
        await accounts.answer(key, challenge)


@pytest.mark.parametrize("public_key", [b"", b"x" * 31, b"x" * 33])
async def test_a_key_of_the_wrong_length_is_refused(accounts: Running, public_key: bytes) -> None:
    with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
        await accounts.stub.CreateChallenge(pb.CreateChallengeRequest(public_key=public_key))


async def test_a_key_that_is_no_point_of_the_curve_is_refused(accounts: Running) -> None:
    bad = b"\x02" + b"\x00" * 31
    challenge = (await accounts.stub.CreateChallenge(pb.CreateChallengeRequest(public_key=bad))).challenge
    request = pb.SignInGuestRequest(public_key=bad, challenge=challenge, signature=b"s" * 64)
    with pytest.raises(Refusal, match="SIGNATURE_INVALID"):
        await accounts.stub.SignInGuest(request)


async def test_an_address_may_make_so_many_players_and_old_ones_still_sign_in(world: MemoryWorld) -> None:
    settings = AccountsSettings(
        new_players_per_hour=3, new_players_per_day=9, welcomes_per_day=2, sign_ins_per_minute=600
    )
    accounts = await Running(world, settings).start()
    created = await accounts.hear(PlayerCreated)
    key = Ed25519PrivateKey.generate()
    await accounts.sign_in(key)
    await accounts.sign_in()
    await accounts.sign_in()
    with pytest.raises(Refusal, match="TOO_MANY_NEW_PLAYERS") as caught:
        await accounts.sign_in()
    assert int(caught.value.details["retry_ms"]) > 3_000_000
    assert not (await accounts.sign_in(key)).created
    elsewhere = (("x-paiju-client-address", "198.51.100.7"),)
    assert (await accounts.sign_in(address=elsewhere)).created
    await until(lambda: len(created) == 4)
    assert sorted(one.welcome for one in created) == [False, True, True, True]
    await accounts.service.stop()


async def test_sign_ins_of_one_address_are_limited_in_rate(world: MemoryWorld) -> None:
    accounts = await Running(world, AccountsSettings(sign_ins_per_minute=6)).start()
    for _ in range(3):
        await accounts.sign_in()
    with pytest.raises(Refusal, match="RATE_LIMITED"):
        await accounts.sign_in()
    await accounts.sign_in(address=(("x-paiju-client-address", "127.0.0.1"),))
    await accounts.service.stop()


async def test_a_refresh_token_rotates(accounts: Running) -> None:
    signed_in = await accounts.sign_in()
    second = await accounts.refresh(signed_in.tokens.refresh_token)
    third = await accounts.refresh(second.refresh_token)
    assert third.session_id == signed_in.tokens.session_id
    assert len({signed_in.tokens.refresh_token, second.refresh_token, third.refresh_token}) == 3


async def test_a_refresh_token_used_twice_ends_the_session_for_everyone(accounts: Running) -> None:
    revoked = await accounts.hear(SessionRevoked)
    signed_in = await accounts.sign_in()
    second = await accounts.refresh(signed_in.tokens.refresh_token)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await accounts.refresh(signed_in.tokens.refresh_token)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await accounts.refresh(second.refresh_token)
    await until(lambda: revoked)
    assert [(one.player_id, one.session_id) for one in revoked] == [
        (signed_in.profile.player_id, signed_in.tokens.session_id)
    ]


async def test_of_many_uses_at_once_one_wins_at_most(accounts: Running) -> None:
    token = (await accounts.sign_in()).tokens.refresh_token
    results = await asyncio.gather(*(accounts.refresh(token) for _ in range(6)), return_exceptions=True)
    assert sum(isinstance(result, pb.SessionTokens) for result in results) == 1


async def test_refresh_tokens_are_kept_as_hashes_only(accounts: Running) -> None:
    token = (await accounts.sign_in()).tokens.refresh_token
    db = accounts.process.parts.db("accounts")
    (row,) = await db.read(lambda c: c.execute(select(schema.sessions)).all())
    assert token.partition(".")[2] not in repr(tuple(row))


async def test_a_player_ends_his_own_sessions_only(accounts: Running) -> None:
    revoked = await accounts.hear(SessionRevoked)
    mine, theirs = await accounts.sign_in(), await accounts.sign_in()
    with auth.acting_for(mine.profile.player_id):
        with pytest.raises(Refusal, match="NOT_FOUND"):
            await accounts.stub.RevokeSession(pb.RevokeSessionRequest(session_id=theirs.tokens.session_id))
        for _ in range(2):
            await accounts.stub.RevokeSession(pb.RevokeSessionRequest(session_id=mine.tokens.session_id))
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await accounts.refresh(mine.tokens.refresh_token)
    await accounts.refresh(theirs.tokens.refresh_token)
    await until(lambda: revoked)
    assert [one.session_id for one in revoked] == [mine.tokens.session_id]


async def test_no_process_takes_the_access_token_of_an_ended_session(accounts: Running) -> None:
    """Known without asking where accounts runs; elsewhere with the next look at the list."""
    mine, theirs = await accounts.sign_in(), await accounts.sign_in()
    elsewhere = verifier_of(accounts)
    await elsewhere.verify(mine.tokens.access_token)
    with auth.acting_for(mine.profile.player_id):
        await accounts.stub.RevokeSession(pb.RevokeSessionRequest(session_id=mine.tokens.session_id))
    bucket = await accounts.bus.bucket("revoked")
    async with asyncio.timeout(30):
        while await bucket.names() != [mine.tokens.session_id]:
            await asyncio.sleep(0.01)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await accounts.process.parts.verifier.verify(mine.tokens.access_token)
    await accounts.clock.sleep(REFRESH_S)
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await elsewhere.verify(mine.tokens.access_token)
    await elsewhere.verify(theirs.tokens.access_token)


async def test_without_an_id_the_session_of_the_token_ends(accounts: Running) -> None:
    mine = await accounts.sign_in()
    await accounts.stub.RevokeSession(
        pb.RevokeSessionRequest(), metadata=(("authorization", f"Bearer {mine.tokens.access_token}"),)
    )
    with pytest.raises(Refusal, match="SESSION_REVOKED"):
        await accounts.refresh(mine.tokens.refresh_token)


async def test_a_profile_changes_by_mask_and_version(accounts: Running) -> None:
    changed = await accounts.hear(ProfileChanged)
    player = (await accounts.sign_in()).profile
    other = "a07" if player.avatar != "a07" else "a08"
    with auth.acting_for(player.player_id):
        update = pb.UpdateProfileRequest(
            profile=pb.Profile(nickname="老王", avatar=other, version=1),
            update_mask=FieldMask(paths=["nickname"]),
        )
        answer = (await accounts.stub.UpdateProfile(update)).profile
        assert (answer.nickname, answer.avatar, answer.version) == ("老王", player.avatar, 2)
        assert answer == (await accounts.stub.GetProfile(pb.GetProfileRequest())).profile
        update.profile.nickname = "老李"
        with pytest.raises(Refusal, match="PROFILE_CHANGED"):
            await accounts.stub.UpdateProfile(update)
        update.profile.version = 0
        update.update_mask.paths[:] = ["avatar"]
        assert (await accounts.stub.UpdateProfile(update)).profile.avatar == other
        assert (await accounts.stub.UpdateProfile(update)).profile.version == 3
    await until(lambda: len(changed) == 2)
    # A stream that is kept for ever holds no name.
    assert [(one.nickname, one.avatar, one.version) for one in changed] == [("", "", 2), ("", "", 3)]


@pytest.mark.parametrize(
    ("profile", "paths", "reason"),
    [
        (pb.Profile(nickname="官方"), ["nickname"], "NICKNAME_RESERVED"),
        (pb.Profile(avatar="a99"), ["avatar"], "AVATAR_UNKNOWN"),
        (pb.Profile(nickname="老王"), [], "INVALID_ARGUMENT"),
        (pb.Profile(nickname="老王"), ["player_id"], "INVALID_ARGUMENT"),
        (pb.Profile(player_id="p_other", nickname="老王"), ["nickname"], "PERMISSION_DENIED"),
    ],
)
async def test_a_profile_update_that_may_not_be_is_refused(
    accounts: Running, profile: pb.Profile, paths: list[str], reason: str
) -> None:
    player = (await accounts.sign_in()).profile
    with auth.acting_for(player.player_id), pytest.raises(Refusal, match=reason):
        await accounts.stub.UpdateProfile(
            pb.UpdateProfileRequest(profile=profile, update_mask=FieldMask(paths=paths))
        )


async def test_profiles_come_in_the_order_asked_for_and_unknown_ones_are_left_out(accounts: Running) -> None:
    one, two = (await accounts.sign_in()).profile, (await accounts.sign_in()).profile
    with auth.acting_for(one.player_id):
        answer = await accounts.stub.BatchGetProfiles(
            pb.BatchGetProfilesRequest(player_ids=[two.player_id, "p_nobody", one.player_id])
        )
        assert list(answer.profiles) == [two, one]
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await accounts.stub.BatchGetProfiles(pb.BatchGetProfilesRequest(player_ids=["p"] * 101))
        with pytest.raises(Refusal, match="PERMISSION_DENIED"):
            await accounts.stub.GetProfile(pb.GetProfileRequest(player_id=two.player_id))


def test_challenges_and_tokens_end_with_their_time() -> None:
    async def main(clock: VirtualClock) -> None:
        world = MemoryWorld(clock)
        listed = json.dumps([{"kid": "k1", "private_key": "A" * 43}])
        settings = AccountsSettings(signing_keys=listed, refresh_s=3_600)
        accounts = await Running(world, settings).start()
        key = Ed25519PrivateKey.generate()
        challenge = await accounts.challenge(key)
        await clock.sleep(120)
        with pytest.raises(Refusal, match="CHALLENGE_INVALID"):
            await accounts.answer(key, challenge)
        signed_in = await accounts.sign_in(key)
        verifier = verifier_of(accounts)
        await clock.sleep(598)
        await verifier.verify(signed_in.tokens.access_token)
        await clock.sleep(3)
        with pytest.raises(Refusal, match="TOKEN_EXPIRED"):
            await verifier.verify(signed_in.tokens.access_token)
        fresh = await accounts.refresh(signed_in.tokens.refresh_token)
        await clock.sleep(3_600)
        with pytest.raises(Refusal, match="TOKEN_EXPIRED"):
            await accounts.refresh(fresh.refresh_token)
        await accounts.service.stop()
        for process in world.processes:
            await process.stop()

    run_virtual(main)


async def test_keys_that_are_gone_from_the_settings_verify_no_more(world: MemoryWorld) -> None:
    def keys(*kids: str) -> AccountsSettings:
        listed = [{"kid": kid, "private_key": kid * 43} for kid in kids]
        return AccountsSettings(signing_keys=json.dumps(listed), sign_ins_per_minute=600)

    first = await Running(world, keys("A")).start()
    token = (await first.sign_in()).tokens.access_token
    await first.service.stop()
    await first.process.stop()
    world.processes.remove(first.process)
    world.network.leave(first.process.rpc)
    second = await Running(world, keys("Q", "A")).start()
    verifier = verifier_of(second)
    await verifier.verify(token)
    await verifier.verify((await second.sign_in()).tokens.access_token)
    await second.service.stop()
    await second.process.stop()
    world.processes.remove(second.process)
    world.network.leave(second.process.rpc)
    third = await Running(world, keys("Q")).start()
    with pytest.raises(Refusal, match="TOKEN_INVALID"):
        await verifier_of(third).verify(token)
    await third.service.stop()
