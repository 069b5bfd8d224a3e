"""Signing in with an OpenID Connect provider that runs in a process of its own, and that lies."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from paiju.accounts.v1 import accounts_service_pb2 as pb
from pydantic import SecretStr, ValidationError

from services.accounts.settings import AccountsSettings
from services.chassis.errors import Outage, Refusal
from tests.support.accounts import AWAY, HOME, Metadata, RunningAccounts, bearer, quick_settings
from tests.support.oidc_provider import OidcProvider
from tests.support.process import MemoryWorld


@pytest.fixture(scope="module")
def process() -> Iterator[OidcProvider]:
    """One provider for the tests of this file."""
    with OidcProvider() as running:
        yield running


@pytest.fixture
def provider(process: OidcProvider) -> OidcProvider:
    """It, telling the truth."""
    process.lie("")
    return process


def settings_for(*providers: dict[str, str]) -> AccountsSettings:
    return quick_settings(oidc=SecretStr(json.dumps(providers)))


@pytest.fixture
async def club(people_world: MemoryWorld, provider: OidcProvider) -> AsyncIterator[RunningAccounts]:
    """Accounts that knows the provider, on both databases."""
    running = await RunningAccounts(people_world, settings_for(provider.setting())).start()
    yield running
    await running.service.stop()


@pytest.fixture
async def small(world: MemoryWorld, provider: OidcProvider) -> AsyncIterator[RunningAccounts]:
    """The same in memory, for what no database decides."""
    running = await RunningAccounts(world, settings_for(provider.setting())).start()
    yield running
    await running.service.stop()


class Browser:
    """Somebody's browser: begins, goes to the provider, comes back."""

    def __init__(self, people: RunningAccounts, provider: OidcProvider) -> None:
        self._people = people
        self._provider = provider

    async def begin(self, *, link: bool = False, mine: Metadata = ()) -> pb.BeginOidcResponse:
        request = pb.BeginOidcRequest(provider_id="club", link=link)
        answer: pb.BeginOidcResponse = await self._people.stub.BeginOidc(request, metadata=mine)
        return answer

    async def back(self, begun: pb.BeginOidcResponse, user: str) -> pb.FinishOidcRequest:
        code, state = await asyncio.to_thread(self._provider.sign_in, begun.authorization_url, user)
        return pb.FinishOidcRequest(flow=begun.flow, state=state, code=code, device="a browser")

    async def finish(self, request: pb.FinishOidcRequest, mine: Metadata = ()) -> pb.FinishOidcResponse:
        answer: pb.FinishOidcResponse = await self._people.stub.FinishOidc(request, metadata=mine)
        return answer

    async def sign_in(self, user: str) -> pb.FinishOidcResponse:
        return await self.finish(await self.back(await self.begin(), user))

    async def link(self, user: str, mine: Metadata) -> pb.FinishOidcResponse:
        return await self.finish(await self.back(await self.begin(link=True, mine=mine), user), mine)


async def test_an_identity_makes_a_player_and_finds_him_again(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(club, provider)
    first, again, other = (
        await browser.sign_in("wang"),
        await browser.sign_in("wang"),
        await browser.sign_in("li"),
    )
    assert (first.created, again.created, other.created) == (True, False, True)
    assert first.profile == again.profile
    assert first.profile.player_id != other.profile.player_id
    assert (await club.principal(again.tokens.access_token)).id == first.profile.player_id
    mine = bearer(first.tokens.access_token)
    (way,) = (await club.stub.ListWaysIn(pb.ListWaysInRequest(), metadata=mine)).ways
    assert (way.kind, way.id, way.title) == ("oidc", "club", "wang@example.com")
    (listed, *_) = (await club.stub.ListSessions(pb.ListSessionsRequest(), metadata=mine)).sessions
    assert (listed.way, listed.device) == ("oidc:club", "a browser")


async def test_a_guest_who_links_an_identity_stays_who_he_is_and_comes_in_either_way(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser, key = Browser(club, provider), Ed25519PrivateKey.generate()
    guest = await club.sign_in(key)
    mine = bearer(guest.tokens.access_token)
    for _ in range(2):
        linked = await browser.link("wang", mine)
        assert (linked.linked, linked.created, linked.profile) == (True, False, guest.profile)
        assert not linked.HasField("tokens")
    assert (await browser.sign_in("wang")).profile == guest.profile
    assert (await club.sign_in(key)).profile == guest.profile
    with pytest.raises(Refusal, match="IDENTITY_ALREADY_LINKED"):
        await browser.link("zhang", mine)
    left = await club.stub.RemoveWayIn(pb.RemoveWayInRequest(kind="oidc", id="club"), metadata=mine)
    assert [way.kind for way in left.ways] == ["key"]
    assert (await browser.link("zhang", mine)).linked


async def test_an_identity_is_one_players_whoever_else_wants_it(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(club, provider)
    owner = await browser.sign_in("wang")
    guests = [await club.sign_in() for _ in range(3)]
    with pytest.raises(Refusal, match="IDENTITY_TAKEN"):
        await browser.link("wang", bearer(guests[0].tokens.access_token))
    assert (await browser.sign_in("wang")).profile.player_id == owner.profile.player_id
    # A new one that two want at once.
    results = await asyncio.gather(
        *(browser.link("li", bearer(guest.tokens.access_token)) for guest in guests), return_exceptions=True
    )
    assert sorted(str(one) for one in results if isinstance(one, Refusal)) == ["IDENTITY_TAKEN"] * 2


async def test_one_identity_signing_in_many_times_at_once_is_one_player(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(club, provider)
    requests = [await browser.back(await browser.begin(), "wang") for _ in range(4)]
    entered = await asyncio.gather(
        *(browser.finish(one, (HOME, AWAY)[number % 2]) for number, one in enumerate(requests))
    )
    assert len({one.profile.player_id for one in entered}) == 1
    assert sum(one.created for one in entered) == 1


async def test_a_flow_is_finished_once_by_the_browser_that_began_it(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(club, provider)
    mallory, victim = await browser.begin(), await browser.begin()
    request = await browser.back(mallory, "mallory")
    # The victim's browser is sent to the redirect address with Mallory's code: it holds another flow.
    planted = pb.FinishOidcRequest(flow=victim.flow, state=request.state, code=request.code)
    for wrong in (
        planted,
        pb.FinishOidcRequest(flow=b"x" * 32, state=request.state, code=request.code),
        pb.FinishOidcRequest(flow=b"", state=request.state, code=request.code),
        pb.FinishOidcRequest(flow=request.flow, state="another", code=request.code),
        pb.FinishOidcRequest(flow=request.flow, state=request.state, code="x" * 3_000),
    ):
        with pytest.raises(Refusal, match="OIDC_FLOW_INVALID"):
            await browser.finish(wrong)
    await browser.finish(request)
    with pytest.raises(Refusal, match="OIDC_FLOW_INVALID"):
        await browser.finish(request)


async def test_a_link_is_finished_by_the_player_who_began_it(
    club: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(club, provider)
    mine, theirs = await mine_of(club), await mine_of(club)
    with pytest.raises(Refusal, match="UNAUTHENTICATED"):
        await browser.begin(link=True)
    request = await browser.back(await browser.begin(link=True, mine=mine), "wang")
    for other in ((), theirs):
        with pytest.raises(Refusal, match="OIDC_FLOW_INVALID"):
            await browser.finish(request, other)
    assert (await browser.finish(request, mine)).linked


async def mine_of(people: RunningAccounts) -> Metadata:
    return bearer((await people.sign_in()).tokens.access_token)


@pytest.mark.parametrize(
    "lie",
    [
        "nonce", "no_nonce", "iss", "aud", "auds", "azp", "expired", "old", "future", "no_sub", "long_sub",
        "sub_number", "none", "hs256", "key", "kid", "no_token", "junk", "huge", "redirect",
    ],
)  # fmt: skip
async def test_what_a_provider_can_not_mean_is_refused(
    small: RunningAccounts, provider: OidcProvider, lie: str
) -> None:
    browser = Browser(small, provider)
    request = await browser.back(await browser.begin(), "wang")
    provider.lie(lie)
    with pytest.raises(Refusal, match="OIDC_REFUSED"):
        await browser.finish(request)
    provider.lie("")
    with pytest.raises(Refusal, match="OIDC_FLOW_INVALID"):
        await browser.finish(request)
    assert (await browser.sign_in("wang")).created


@pytest.mark.parametrize("lie", ["issuer", "endpoint"])
async def test_a_provider_that_says_it_is_another_is_refused(
    small: RunningAccounts, provider: OidcProvider, lie: str
) -> None:
    provider.lie(lie)
    with pytest.raises(Refusal, match="OIDC_REFUSED"):
        await Browser(small, provider).begin()


async def test_a_provider_that_fails_is_an_outage_and_changes_nothing(
    small: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(small, provider)
    request = await browser.back(await browser.begin(), "wang")
    provider.lie("broken")
    with pytest.raises(Outage):
        await browser.finish(request)
    provider.lie("")
    assert (await browser.sign_in("wang")).created


async def test_a_code_without_its_verifier_is_worth_nothing(
    small: RunningAccounts, provider: OidcProvider
) -> None:
    """A code that was caught on its way, brought into a flow of the thief's own."""
    browser = Browser(small, provider)
    caught = await browser.back(await browser.begin(), "wang")
    own = await browser.begin()
    state = parse_qs(urlsplit(own.authorization_url).query)["state"][0]
    with pytest.raises(Refusal, match="OIDC_REFUSED"):
        await browser.finish(pb.FinishOidcRequest(flow=own.flow, state=state, code=caught.code))


async def test_a_new_key_of_the_provider_is_read_when_it_is_needed(
    small: RunningAccounts, provider: OidcProvider
) -> None:
    browser = Browser(small, provider)
    await browser.sign_in("wang")
    before = provider.asked()
    await browser.sign_in("wang")
    after = provider.asked()
    assert (after["discovery"], after["jwks"]) == (before["discovery"], before["jwks"])
    client: Any = small.service._desk.oidc
    for known in client._known.values():
        known.read_at -= 60.0
    provider.lie("rotate")
    assert not (await browser.sign_in("wang")).created
    assert provider.asked()["jwks"] == after["jwks"] + 1


async def test_without_providers_there_is_no_such_way(world: MemoryWorld) -> None:
    people = await RunningAccounts(world).start()
    assert list((await people.stub.ListOidcProviders(pb.ListOidcProvidersRequest())).providers) == []
    with pytest.raises(Refusal, match="OIDC_UNKNOWN"):
        await people.stub.BeginOidc(pb.BeginOidcRequest(provider_id="club"))
    await people.service.stop()


async def test_the_page_learns_which_providers_there_are(small: RunningAccounts) -> None:
    (one,) = (await small.stub.ListOidcProviders(pb.ListOidcProvidersRequest())).providers
    assert (one.provider_id, one.title) == ("club", "The club")


@pytest.mark.parametrize(
    "wrong",
    [
        {"issuer": "http://example.com"},
        {"redirect_uri": "ftp://example.com"},
        {"provider_id": "The Club"},
        {"surprise": "yes"},
    ],
)
def test_settings_that_are_not_safe_stop_the_start(provider: OidcProvider, wrong: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        settings_for(provider.setting() | wrong)
    with pytest.raises(ValidationError):
        settings_for(provider.setting(), provider.setting())
