"""Live tables by friends and by rating: table, accounts and progress behind their RPCs, one of them away."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from paiju.accounts.v1 import friend_service_pb2 as friends_pb
from paiju.accounts.v1.friend_service_pb2_grpc import FriendServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled, SettledSeat
from paiju.progress.v1 import rating_service_pb2 as ratings_pb
from paiju.progress.v1.rating_service_pb2_grpc import RatingServiceStub
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1 import table_service_pb2 as s
from paiju.table.v1 import watch_service_pb2 as w
from paiju.table.v1.table_service_pb2_grpc import TableServiceStub
from paiju.table.v1.watch_service_pb2_grpc import WatchServiceStub

from services.accounts import app as accounts_app
from services.chassis import auth
from services.chassis.errors import Outage, Refusal
from services.progress import app as progress_app
from services.progress.settings import ProgressSettings
from services.table import friends, watch_index
from services.table.app import WIRING
from services.table.settings import TableSettings
from tests.simulation.client import Door, Player
from tests.support.accounts import RunningAccounts
from tests.support.process import MemoryWorld, full_registry

AT_REST = '{"claim_pause_ms":600000,"between_ms":600000}'
NOW_MS = 1_790_000_000_000
GAMES = "paohuzi", "doudizhu"


class Scene:
    """The services, and people who sit, look and are friends."""

    def __init__(self, world: MemoryWorld, people: RunningAccounts) -> None:
        self.world, self.people = world, people
        self.caller = world.process("caller")
        self.tables: Any = self.caller.rpc.client(TableServiceStub, "table")
        self.watch: Any = self.caller.rpc.client(WatchServiceStub, "table")
        self.friends: Any = self.caller.rpc.client(FriendServiceStub, "accounts")
        self.ratings: Any = self.caller.rpc.client(RatingServiceStub, "progress")
        self.rounds = 0

    async def persons(self, count: int) -> list[str]:
        return [(await self.people.sign_in()).profile.player_id for _ in range(count)]

    async def befriend(self, one: str, *others: str) -> None:
        for other in others:
            with auth.acting_for(one):
                await self.friends.AskFriend(friends_pb.AskFriendRequest(player_id=other))
            with auth.acting_for(other):
                await self.friends.AcceptFriend(friends_pb.AcceptFriendRequest(player_id=one))

    async def seat(self, door: Door, table_id: str, *players: str, **more: Any) -> None:
        """Make a table at which these people sit, and nothing moves."""
        seated = [*players, *["bot:easy"] * (3 - len(players))]
        values: dict[str, Any] = {
            "game": "paohuzi",
            "preset": "tongyi-qmt",
            "rounds": 4,
            "seats": [s.SeatSpec(player_id=player) for player in seated],
            "timing_json": AT_REST,
            "spectators": True,
        }
        request = s.CreateTableRequest(table_id=table_id, spec=s.TableSpec(**(values | more)))
        await eventually(lambda: self.tables.CreateTable(request))
        for player in players:
            at = Player(door, player, table_id, random.Random(player), session=f"{table_id}{player}")
            await at.attach()
            await at.say("sit", sit=p.Sit())

    async def settle(self, winner: str, *losers: str, rounds: int = 1, game: str = "paohuzi") -> None:
        for _ in range(rounds):
            self.rounds += 1
            seats = [SettledSeat(seat=0, player_id=winner, points=2 * len(losers), won=True)]
            seats += [SettledSeat(seat=n + 1, player_id=one, points=-2) for n, one in enumerate(losers)]
            event = RoundSettled(
                round_id=f"0-r/{self.rounds}",
                ended_at_ms=NOW_MS + self.rounds,
                game=game,
                seats=seats,
                end="hu",
            )
            await self.caller.bus.publish(event, f"settled:{self.rounds}")

    async def rated(self, player: str) -> int:
        """How many rounds of a player progress has rated."""
        key = ratings_pb.RatingKey(player_id=player, game="paohuzi")
        answer = await self.ratings.BatchGetRatings(ratings_pb.BatchGetRatingsRequest(keys=[key]))
        return sum(one.rounds for one in answer.ratings)

    async def listed(self, who: str, **fields: Any) -> w.ListLiveTablesResponse:
        """The list as it is made anew."""
        await asyncio.sleep(watch_index.FRESH_S)
        with auth.acting_for(who):
            return await self.watch.ListLiveTables(w.ListLiveTablesRequest(**fields))  # type: ignore[no-any-return]

    async def found(self, who: str, **fields: Any) -> list[str]:
        answer = await self.listed(who, order=w.LIVE_ORDER_NEWEST, **fields)
        assert answer.total == len(answer.tables)
        return sorted(table.table_id for table in answer.tables)


async def eventually(call: Callable[[], Any]) -> Any:
    async with asyncio.timeout(30):
        while True:
            try:
                return await call()
            except Outage:
                await asyncio.sleep(0.05)


@pytest.fixture
async def scene(world: MemoryWorld, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Scene]:
    monkeypatch.setattr(watch_index, "FRESH_S", 0.05)
    hears = (*WIRING.hears, *accounts_app.WIRING.hears, *progress_app.WIRING.hears)
    world.broker.ensure(full_registry(log_shards=4, consumes=hears))
    running = await RunningAccounts(world).start()
    started = []
    for name, wiring, settings in (
        ("progress", progress_app.WIRING, ProgressSettings()),
        ("table", WIRING, TableSettings(protection=False)),
    ):
        process = world.process(name)
        service = await wiring.wire(settings, process.parts)
        await process.rpc.start()
        await service.start()
        started.append(service)
    yield Scene(world, running)
    for service in reversed(started):
        await service.stop()


async def test_friends_see_the_tables_of_friends_and_their_rooms_and_nobody_else_does(scene: Scene) -> None:
    door = await Door(scene.caller.bus, scene.world.clock).open()
    ann, bo, cai, dan, viewer, stranger = await scene.persons(6)
    await scene.seat(door, "0-hall1", ann)
    await scene.seat(door, "1-hall2", bo, cai)
    await scene.seat(door, "2-room1", dan, room_code="123456")
    await scene.befriend(viewer, ann, dan)

    assert await scene.found(viewer) == ["0-hall1", "1-hall2"]
    assert await scene.found(viewer, friends=True) == ["0-hall1", "2-room1"]
    assert await scene.found(viewer, friends=True, game="doudizhu") == []
    assert await scene.found(viewer, friends=True, player_ids=[ann, bo]) == ["0-hall1"]
    assert await scene.found(stranger, friends=True) == []
    # A room is not found by the number of who sits in it, unless he is a friend, or oneself.
    assert await scene.found(stranger, player_ids=[dan, bo]) == ["1-hall2"]
    assert await scene.found(viewer, player_ids=[dan]) == ["2-room1"]
    assert await scene.found(dan, player_ids=[dan]) == ["2-room1"]

    pages = [await scene.listed(viewer, friends=True, page_size=1)]
    while pages[-1].next_page_token:
        pages.append(
            await scene.listed(viewer, friends=True, page_size=1, page_token=pages[-1].next_page_token)
        )
    assert sorted(page.tables[0].table_id for page in pages) == ["0-hall1", "2-room1"]
    assert {page.total for page in pages} == {2}

    with pytest.raises(Refusal, match="UNAUTHENTICATED"):
        await scene.watch.ListLiveTables(w.ListLiveTablesRequest(friends=True))


async def test_without_accounts_friends_are_asked_for_again_and_rooms_stay_hidden(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(friends, "FRESH_S", 0.0)
    door = await Door(scene.caller.bus, scene.world.clock).open()
    ann, dan, viewer = await scene.persons(3)
    await scene.seat(door, "0-hall1", ann)
    await scene.seat(door, "2-room1", dan, room_code="123456")
    await scene.befriend(viewer, ann, dan)
    assert await scene.found(viewer, friends=True) == ["0-hall1", "2-room1"]
    await scene.people.stop()
    with pytest.raises(Refusal, match="FRIENDS_UNKNOWN"):
        await scene.listed(viewer, friends=True)
    assert await scene.found(viewer, player_ids=[ann, dan]) == ["0-hall1"]
    assert await scene.found(viewer) == ["0-hall1"]


async def test_tables_are_found_by_the_mean_of_ratings_and_those_not_known_are_counted(scene: Scene) -> None:
    door = await Door(scene.caller.bus, scene.world.clock).open()
    ann, bo, cai, dan, viewer = await scene.persons(5)
    await scene.seat(door, "0-strong", ann)
    await scene.seat(door, "1-mixed", bo, cai)
    await scene.seat(door, "2-newbie", dan)
    await scene.settle(ann, cai, rounds=6)
    await scene.settle(bo, cai, rounds=3)
    # In another game he is somebody else.
    await scene.settle(dan, cai, rounds=5, game="doudizhu")

    async with asyncio.timeout(30):
        while await scene.rated(cai) < 9:
            await asyncio.sleep(0.02)
    known: dict[str, int] = {}
    async with asyncio.timeout(30):
        while not (known.get("0-strong") and known.get("1-mixed")):
            known = {table.table_id: table.rating for table in (await scene.listed(viewer)).tables}
    assert known["0-strong"] > 1600 > known["1-mixed"] > 1
    assert known["2-newbie"] == 0
    bound = known["0-strong"]
    strong = await scene.listed(viewer, rating_min=bound)
    assert ([table.table_id for table in strong.tables], strong.total, strong.unrated) == (["0-strong"], 1, 1)
    assert await scene.found(viewer, rating_min=bound + 1) == []
    assert await scene.found(viewer, rating_max=bound - 1) == ["1-mixed"]
    assert await scene.found(viewer, rating_min=1, rating_max=9999) == ["0-strong", "1-mixed"]
    await scene.befriend(viewer, bo, dan)
    mine = await scene.listed(viewer, friends=True, rating_min=1)
    assert ([table.table_id for table in mine.tables], mine.unrated) == (["1-mixed"], 1)
    for low, high in ((-1, 0), (0, 10_000), (1600, 1500)):
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            await scene.listed(viewer, rating_min=low, rating_max=high)
