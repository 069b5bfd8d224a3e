"""Friends on the real platform: two find each other, meet in a room, and know whom they play with."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as accounts
from paiju.accounts.v1 import friend_service_pb2 as pb
from paiju.accounts.v1 import presence_service_pb2 as presence
from paiju.table.v1 import watch_service_pb2 as watching
from playwright.async_api import Browser, Page

from tests.browser.support.chromium import CHROMIUM, opened
from tests.browser.support.evening import name_of
from tests.browser.support.layout import look
from tests.browser.support.pages import DESKTOP, LYING, UPRIGHT, look_everywhere, staged
from tests.browser.support.patient import QUICK
from tests.browser.support.seen import change, each, until_count, until_is
from tests.browser.support.stage import Stage
from tests.support.up import Up

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

SCREEN = (1280, 800)
LOOKS_AGAIN_MS = 30_000
"""The page looks each ten seconds who is here, and gateways tell within one."""


def of_friends() -> dict[str, Callable[[Any], Message]]:
    """What the services say to somebody with friends at a table, here and away, and with two invitations."""
    people = [
        accounts.Profile(player_id=f"p_{n}", nickname=name, avatar=f"a{n + 1}")
        for n, name in enumerate(("远行的人", "江南烟雨中客", "老王", "牌桌上的人", "要先问的人"))
    ]
    live = [
        watching.LiveTable(
            table_id=f"0-t{n}", game=game, preset="876cc", player_ids=[f"p_{n}"], needs_leave=n == 4
        )
        for n, game in ((3, "paohuzi"), (4, "doudizhu"))
    ]
    invitations = [
        pb.RoomInvitation(profile=people[n], room_code=f"10000{n}", game="paohuzi", preset="876cc")
        for n in (1, 2)
    ]
    return {
        "BatchGetProfiles": lambda _: accounts.BatchGetProfilesResponse(profiles=people),
        "ListFriends": lambda _: pb.ListFriendsResponse(
            friends=[pb.Friend(profile=one, since_ms=1_790_000_000_000) for one in people], total=5, most=200
        ),
        "ListFriendRequests": lambda _: pb.ListFriendRequestsResponse(),
        "ListBlockedPlayers": lambda _: pb.ListBlockedPlayersResponse(),
        "ListFriendsPresence": lambda _: presence.ListFriendsPresenceResponse(
            here=["p_1", "p_2", "p_3", "p_4"], is_shown=True
        ),
        "ListRoomInvitations": lambda _: presence.ListRoomInvitationsResponse(invitations=invitations),
        "DismissRoomInvitation": lambda _: presence.DismissRoomInvitationResponse(),
        "ListLiveTables": lambda _: watching.ListLiveTablesResponse(tables=live, total=2),
    }


@pytest.mark.parametrize(
    ("size", "language"),
    [(DESKTOP, "zh-CN"), (UPRIGHT, "zh-CN"), (LYING, "en")],
    ids=["desktop", "upright", "lying"],
)
async def test_friends_are_listed_by_how_near_they_are_and_invitations_one_after_the_other(
    browser: Browser, size: tuple[int, int], language: str
) -> None:
    stage = Stage()
    stage.handlers |= of_friends()
    async with staged(browser, stage, size, "#friends", chosen=language) as page:
        await until_is(
            lambda: each(page, "[data-panel=friends] .friend-row", "node.dataset.player"),
            ["p_3", "p_4", "p_1", "p_2", "p_0"],
        )
        await until_count(page, ".friend-words.is-here", 4)
        words = {"zh-CN": ["观战", "请求观战"], "en": ["Watch", "Ask to watch"]}
        await until_is(
            lambda: each(page, ".friend-row [data-button=watch]", "node.innerText.trim()"), words[language]
        )
        await page.wait_for_selector(".invite[data-invite='100001'] .invite-more")
        await look(page, "page-friends-near")
        await page.click(".invite [data-button=put]")
        await page.wait_for_selector(".invite[data-invite='100002']")
        await until_count(page, ".invite-more", 0)
        await page.click(".invite [data-button=put]")
        await until_count(page, ".invite", 0)


@pytest.mark.slow
async def test_two_become_friends_meet_in_a_room_and_part_again(
    browser: Browser, tmp_path: Path, free_port: int
) -> None:
    env = {"PAIJU_MATCHMAKING_ROOM_TIMING": json.dumps({**QUICK, "turn_ms": 60_000, "claim_ms": 60_000})}
    with Up(tmp_path / "data", "--port", str(free_port), env=env) as up:
        async with (
            opened(browser, up.said.url, SCREEN) as host,
            opened(browser, up.said.url, UPRIGHT) as phone,
        ):
            name = await name_of(phone)
            await ask(host, name)
            await accept(phone)
            await until_count(host, "[data-panel=friends] .friend-row", 1)
            await see_who_is_here(host, phone)
            await look(host, "page-friends")
            await look_everywhere(phone, "page-friends", "[data-panel=friends] .friend-row")
            await invite(host, phone)
            await meet_at_the_table(host, phone)
            await part(phone, host)


async def ask(host: Page, name: str) -> None:
    """Find somebody by his nickname, and ask him."""
    await host.click("[data-button=users]")
    await host.wait_for_selector("[data-panel=friends] .nothing")
    await host.fill("[data-field=who]", "没有这个人")
    await host.click("[data-button=find]")
    await host.wait_for_selector("[data-panel=find] .notice")
    await host.fill("[data-field=who]", name)
    await host.click("[data-button=find]")
    await host.click("[data-list=found] [data-button=AskFriend]")
    await until_count(host, "[data-panel=sent] .friend-row", 1)
    await look(host, "page-friends-asked")


async def accept(phone: Page) -> None:
    """See the mark in the lobby, and accept."""
    await phone.wait_for_selector("[data-button=users].marked")
    await look(phone, "lobby-friend-asks")
    await phone.click("[data-button=users]")
    await phone.wait_for_selector("[data-panel=received] .friend-row")
    await look(phone, "page-friends-received")
    await phone.click("[data-button=AcceptFriend]")
    await until_count(phone, "[data-panel=friends] .friend-row", 1)
    await phone.click("[data-panel=friends] [data-button=card]")
    await phone.wait_for_selector(".dialog .person")
    await look(phone, "person")
    await phone.click(".dialog-head .icon-button")


async def see_who_is_here(host: Page, phone: Page) -> None:
    """A friend is seen to be here until he does not want that, and again."""
    here = "[data-panel=friends] .friend-words.is-here"
    await host.wait_for_selector(here, timeout=LOOKS_AGAIN_MS)
    for shown, count in (("false", 0), ("true", 1)):
        await phone.click("[data-button=shown]")
        await phone.wait_for_selector(f"[data-button=shown][aria-checked={shown}]")
        await look(phone, f"page-friends-shown-{shown}")
        await host.reload()
        await host.wait_for_selector("[data-panel=shown]")
        await host.wait_for_selector("[data-panel=friends] .friend-row")
        await until_count(host, here, count)


async def invite(host: Page, phone: Page) -> None:
    """Open a room, and bring the friend in by a notice, which waits for him while he is away."""
    await host.click("main.page [data-button=back]")
    await host.click(".big-create")
    await host.click("[data-button=go]")
    await host.click("[data-button=share]")
    await host.wait_for_selector("[data-invite]")
    await look(host, "room-share-friends")
    await host.click("[data-invite]")
    await phone.wait_for_selector("[data-page=friends] .invite")
    await phone.reload()
    await phone.wait_for_selector("[data-page=friends] .invite")
    await look(phone, "page-friends-invited")
    await phone.click(".invite [data-button=join]")
    await phone.wait_for_selector(".places")
    # Who is here already is not invited any more.
    await until_count(host, "[data-invite]", 0)
    await host.click(".dialog-head .icon-button")


async def meet_at_the_table(host: Page, phone: Page) -> None:
    """Fill up with a bot, play, and look from the table's menu who one plays with."""
    await host.click("[data-bot=easy]")
    for page in (host, phone):
        await page.click("[data-button=ready]")
    for page in (host, phone):
        await page.wait_for_selector("main.table[data-round]")
    await host.click("[data-button=menu]")
    await until_count(host, "[data-person]", 1)
    await look(host, "menu-people")
    await host.click("[data-person]")
    await host.wait_for_selector(".dialog .person")
    await until_count(host, ".dialog .tag", 1)
    await host.click(".dialog-head .icon-button")


async def part(phone: Page, host: Page) -> None:
    """Remove the friend, from beside the table: he is gone on both pages, and only one was told."""
    await change(phone, "location.hash = '#friends'")
    await phone.click("[data-panel=friends] [data-button=remove]")
    await phone.wait_for_selector(".confirm")
    await look(phone, "page-friends-remove")
    await phone.click(".confirm .danger")
    await phone.wait_for_selector("[data-panel=friends] .nothing")
    await change(host, "location.hash = '#friends'")
    await host.wait_for_selector("[data-panel=friends] .nothing")
