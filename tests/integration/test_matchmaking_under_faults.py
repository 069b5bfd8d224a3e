"""Whatever crashes and however calls interleave: each ticket ends, and nobody plays two matches at once."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as pb
from sqlalchemy import select

from services.chassis.bus.broker import Faults
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.db import Database, migrate, schema_differences
from services.chassis.errors import Outage, Refusal
from services.matchmaking.app import FINISHED, wire
from services.matchmaking.core.room import Place, Room
from services.matchmaking.evenings import follow
from services.matchmaking.settings import MatchmakingSettings
from services.matchmaking.store import engagements, places, rooms, schema, tickets
from services.matchmaking.store.engagements import Engaged
from services.matchmaking.store.rooms import CodeTaken, PlaceTaken
from services.matchmaking.store.schema import engagements as engagement_rows
from services.matchmaking.store.schema import tickets as ticket_rows
from services.matchmaking.store.tickets import Ticket
from tests.support.matchmaking_peers import Player, Tables, Wallets, serve_peers
from tests.support.process import MemoryProcess, MemoryWorld, full_registry

HALLS = ("paohuzi/tongyi-qmt/novice", "paohuzi/876cc/novice")
ENDED = {"matched", "cancelled", "failed"}


class Storm:
    """Two matchmaking processes that crash and come back, impatient players, and a lossy network."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock = clock
        self.chance = random.Random(seed)
        faults = Faults(seed, lose_told=0.05, delay_s=0.3, lose_delivery_ack=0.1)
        self.rpc_faults = Faults(seed + 1, lose_told=0.1, delay_s=0.3)
        self.bus_faults = faults
        self.world = MemoryWorld(
            clock, seed, faults, self.rpc_faults, registry=full_registry(consumes=(FINISHED,))
        )
        self.tables, self.wallets = Tables(), Wallets()
        self.alive: dict[str, MemoryProcess] = {}
        self.tickets = 0
        self.is_over = False

    async def start(self) -> None:
        self.peers = self.world.process("peers")
        serve_peers(self.peers.parts, self.tables, self.wallets)
        await self.peers.rpc.start()
        for name in ("one", "two"):
            await self.boot(name)

    async def boot(self, name: str) -> None:
        process = self.alive[name] = self.world.process(name)
        settings = MatchmakingSettings(
            protection=False, writes_per_s=1000, writes_burst=1000, bots_after_ms=2000, match_every_ms=100
        )
        service = await wire(settings, process.parts)
        await process.rpc.start()
        await service.start()

    async def crashes(self) -> None:
        while not self.is_over:
            await self.clock.sleep(self.chance.uniform(1, 4))
            name = self.chance.choice(["one", "two"])
            self.alive[name].crash()
            await self.clock.sleep(self.chance.uniform(0, 2))
            await self.boot(name)

    async def matches(self) -> None:
        while not self.is_over:
            await self.clock.sleep(self.chance.uniform(0.2, 1))
            running = sorted(t for t, phase in self.tables.phases.items() if phase != "finished")
            if running:
                await self.finish(self.chance.choice(running))

    async def finish(self, table_id: str) -> None:
        fact = self.tables.finish(table_id)
        for _ in range(self.chance.choice([1, 1, 2])):
            await self.peers.bus.publish(fact, event_id=f"finished:{table_id}")

    async def plays(self, number: int) -> None:
        """One player who asks for tickets and rooms, repeats, cancels, and gets no answer now and then."""
        player = Player(self.peers.parts, f"p_{number}")
        mine = random.Random(number + self.chance.random())
        codes: list[str] = []
        for turn in range(15):
            await self.clock.sleep(mine.uniform(0, 2))
            request_id = f"r{turn - mine.choice([0, 0, 1])}"
            hall = HALLS[0] if mine.random() < 0.8 else HALLS[1]
            what = mine.random()
            try:
                if what < 0.2:
                    await asyncio.gather(
                        *(
                            player.call(
                                "CreateTicket", pb.CreateTicketRequest(request_id=f"{turn}{x}", hall_id=hall)
                            )
                            for x in "abc"
                        ),
                        return_exceptions=True,
                    )
                elif what < 0.5:
                    bots_now = mine.random() < 0.3
                    request = pb.CreateTicketRequest(request_id=request_id, hall_id=hall, bots_now=bots_now)
                    ticket = (await player.call("CreateTicket", request)).ticket
                    if mine.random() < 0.3:
                        cancel = pb.CancelTicketRequest(ticket_id=ticket.ticket_id)
                        await player.call("CancelTicket", cancel)
                elif what < 0.6:
                    wish = pb.CreateRoomRequest(request_id=request_id, game="paohuzi", preset="tongyi-qmt")
                    codes.append((await player.call("CreateRoom", wish)).room.room_code)
                elif what < 0.8:
                    code = mine.choice(self.codes) if self.codes else "123456"
                    await player.call("JoinRoom", pb.JoinRoomRequest(room_code=code))
                    await player.call("SetRoomReady", pb.SetRoomReadyRequest(room_code=code, ready=True))
                elif codes:
                    code = codes[-1]
                    if mine.random() < 0.6:
                        await player.call("FillRoomWithBots", pb.FillRoomWithBotsRequest(room_code=code))
                        await player.call("SetRoomReady", pb.SetRoomReadyRequest(room_code=code, ready=True))
                    else:
                        await player.call("LeaveRoom", pb.LeaveRoomRequest(room_code=code))
                self.codes += codes[-1:]
            except (Refusal, Outage):
                pass

    codes: list[str]

    async def run(self) -> None:
        self.codes = []
        await self.start()
        async with asyncio.TaskGroup() as group:
            group.create_task(self.crashes())
            group.create_task(self.matches())
            async with asyncio.TaskGroup() as players:
                for number in range(8):
                    players.create_task(self.plays(number))
            self.is_over = True
        self.rpc_faults.active = self.bus_faults.active = False
        await self.clock.sleep(30)
        for table_id in sorted(self.tables.specs):
            if self.tables.phases[table_id] != "finished":
                await self.finish(table_id)
        await self.clock.sleep(90)
        await self.check()
        for process in self.world.processes:
            if process in (self.peers, *self.alive.values()):
                await process.stop()

    async def check(self) -> None:
        assert self.tables.violations == []
        database = self.world.database("matchmaking")
        rows = await database.read(lambda c: list(c.execute(select(ticket_rows))))
        assert len(rows) > 10
        assert {row.state for row in rows} <= ENDED, rows
        matched = {(row.table_id, row.player_id) for row in rows if row.state == "matched"}
        coins = [(table_id, spec) for table_id, spec in self.tables.specs.items() if spec.HasField("stake")]
        seats = {(table_id, seat.player_id) for table_id, spec in coins for seat in spec.seats}
        assert {seat for seat in seats if not seat[1].startswith("bot:")} == matched
        left = await database.read(lambda c: list(c.execute(select(engagement_rows))))
        open_rooms = {row.ref for row in left if row.kind == "room"}
        assert all(row.kind == "room" for row in left), left
        for room_id in open_rooms:
            left_room = await database.read(partial(rooms.find, room_id=room_id))
            assert left_room is not None
            assert left_room.state == "open"


@pytest.mark.parametrize("seed", range(6))
def test_each_ticket_ends_and_nobody_plays_two_matches(seed: int) -> None:
    async def main(clock: VirtualClock) -> None:
        await Storm(clock, seed).run()

    run_virtual(main)


@pytest.fixture
async def store(db: Database, database_url: str) -> Database:
    migrate(database_url, "matchmaking")
    return db


def ticket(n: int, player: str, request: str = "") -> Ticket:
    return Ticket(f"t{n}", player, request or f"r{n}", HALLS[0], False, "waiting", n, n + 8000)


def room(n: int, owner: str, code: str = "123456", seats: int = 3) -> Room:
    return Room(f"room{n}", code, owner, f"r{n}", "paohuzi", "876cc", "", 8, seats, "open", n, 10**15)


async def outcomes(*calls: Any) -> list[str]:
    """Return what became of calls made at the same time, by kind."""
    results = await asyncio.gather(*calls, return_exceptions=True)
    expected = (Engaged, CodeTaken, PlaceTaken, Refusal)
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, expected):
            raise result
    return sorted(r.reason if isinstance(r, Refusal) else type(r).__name__ for r in results)


async def test_the_migrations_make_exactly_the_tables_of_the_code(store: Database) -> None:
    assert await store.run(lambda c: schema_differences(c, schema.metadata)) == []


class TestStoreRaces:
    async def test_of_many_tickets_of_one_player_at_once_one_lives(self, store: Database) -> None:
        calls = [store.run(lambda c, n=n: tickets.create(c, ticket(n, "p_a"))) for n in range(8)]  # type: ignore[misc]
        assert await outcomes(*calls) == ["Engaged"] * 7 + ["Ticket"]

    async def test_one_ticket_is_in_one_match_only(self, store: Database) -> None:
        for n in range(3):
            await store.run(lambda c, n=n: tickets.create(c, ticket(n, f"p_{n}")))  # type: ignore[misc]
        pairs = [["t0", "t1"], ["t1", "t2"], ["t0", "t2"], ["t0", "t1", "t2"]]

        def take(c: Any, n: int) -> bool:
            if not tickets.place(c, pairs[n], f"0-table{n}"):
                raise Refusal("TICKET_UNKNOWN")
            return True

        got = await outcomes(*(store.run(lambda c, n=n: take(c, n)) for n in range(4)))  # type: ignore[misc]
        assert got == ["TICKET_UNKNOWN"] * 3 + ["bool"]
        placed = await store.read(lambda c: {t: tickets.find(c, t).table_id for t in ("t0", "t1", "t2")})  # type: ignore[union-attr]
        assert len({table for table in placed.values() if table}) == 1

    async def test_two_rooms_never_have_one_code_and_a_closed_one_frees_it(self, store: Database) -> None:
        calls = [store.run(lambda c, n=n: rooms.create(c, room(n, f"p_{n}"))) for n in range(6)]  # type: ignore[misc]
        assert await outcomes(*calls) == ["CodeTaken"] * 5 + ["Room"]
        living = await store.read(lambda c: rooms.find_code(c, "123456"))
        assert living is not None
        await store.run(lambda c: rooms.close(c, living))
        await store.run(lambda c: rooms.create(c, room(9, "p_9")))
        found = await store.read(lambda c: rooms.find_code(c, "123456"))
        assert found is not None
        assert found.room_id == "room9"

    async def test_the_last_place_has_one_taker(self, store: Database) -> None:
        made = await store.run(lambda c: rooms.create(c, room(1, "p_owner")))

        async def join(n: int) -> Room:
            while True:
                try:
                    return await store.run(lambda c: places.join(c, made, f"p_{n}", 5))
                except PlaceTaken:
                    continue

        assert await outcomes(*(join(n) for n in range(8))) == ["ROOM_FULL"] * 6 + ["Room"] * 2
        full = await store.read(lambda c: rooms.find(c, "room1"))
        assert full is not None
        assert [place.seat for place in full.places] == [0, 1, 2]
        engaged = await store.read(lambda c: sum(engagements.find(c, f"p_{n}") is not None for n in range(8)))
        assert engaged == 2

    async def test_a_room_starts_once(self, store: Database) -> None:
        made = await store.run(lambda c: rooms.create(c, room(1, "p_owner")))
        await store.run(lambda c: places.fill(c, made, "p_owner", "bot:normal", 5))

        def ready(c: Any, n: int) -> bool:
            return rooms.start(c, places.set_ready(c, made, "p_owner", True, 0, 5), f"0-table{n}")

        calls = [store.run(partial(ready, n=n)) for n in range(5)]
        results = await asyncio.gather(*calls, return_exceptions=True)
        assert [r for r in results if r is True] == [True]
        assert all(r is True or (isinstance(r, Refusal) and r.reason == "ROOM_PLAYING") for r in results)

    async def test_engagement_survives_the_same_request_twice_at_once(self, store: Database) -> None:
        calls = [store.run(lambda c: tickets.create(c, ticket(1, "p_a", "same"))) for _ in range(6)]
        got = await outcomes(*calls)
        assert "Ticket" in got
        assert set(got) <= {"Ticket", "Engaged"}

    async def test_two_who_change_places_while_one_leaves_lose_no_place_and_share_none(
        self, store: Database
    ) -> None:
        """Three move, swap and leave at the same time: nobody sits twice, nobody sits on another."""
        made = await store.run(lambda c: rooms.create(c, room(1, "p_0")))
        for n in (1, 2):
            await store.run(lambda c, n=n: places.join(c, made, f"p_{n}", 5))  # type: ignore[misc]
        await store.run(lambda c: places.move(c, made, "p_1", 0, 5))
        got = await outcomes(
            store.run(lambda c: places.swap(c, made, "p_0", "p_1", True, 5)),
            store.run(lambda c: places.leave(c, made, "p_1")),
            store.run(lambda c: places.move(c, made, "p_2", 1, 5)),
            store.run(lambda c: places.kick(c, made, "p_0", Place(0, "p_2", False), 5, 99)),
        )
        assert set(got) <= {"Room", "SWAP_UNKNOWN", "NOT_IN_ROOM", "PlaceTaken"}
        now = await store.read(lambda c: rooms.find(c, "room1"))
        assert now is not None
        assert now.humans == ["p_0"]
        assert now.swaps == ()
        left = await store.read(lambda c: [engagements.find(c, f"p_{n}") for n in (1, 2)])
        assert left == [None, None]

    async def test_who_is_sent_away_while_the_room_starts_plays_or_is_out_never_both(
        self, store: Database
    ) -> None:
        made = await store.run(lambda c: rooms.create(c, room(1, "p_0")))
        for n in (1, 2):
            await store.run(lambda c, n=n: places.join(c, made, f"p_{n}", 5))  # type: ignore[misc]
        for n in (0, 1):
            await store.run(lambda c, n=n: places.set_ready(c, made, f"p_{n}", True, 0, 5))  # type: ignore[misc]

        def last_ready(c: Any) -> bool:
            return rooms.start(c, places.set_ready(c, made, "p_2", True, 0, 5), "0-table")

        got = await outcomes(
            store.run(last_ready),
            store.run(lambda c: places.kick(c, made, "p_0", Place(2, "p_2", False), 5, 99)),
        )
        now = await store.read(lambda c: rooms.find(c, "room1"))
        assert now is not None
        if "bool" in got:
            assert (got, now.state, now.humans) == (
                ["ROOM_PLAYING", "bool"],
                "placing",
                ["p_0", "p_1", "p_2"],
            )
        else:
            assert (got, now.state, now.humans) == (["NOT_IN_ROOM", "Room"], "open", ["p_0", "p_1"])

    async def test_all_who_want_a_rematch_at_once_meet_in_one_room(self, store: Database) -> None:
        made = await store.run(lambda c: rooms.create(c, room(1, "p_0")))
        for n in (1, 2):
            await store.run(lambda c, n=n: places.join(c, made, f"p_{n}", 5))  # type: ignore[misc]
        old = await store.run(lambda c: rooms.close(c, rooms.lock(c, "room1")))

        def again(c: Any, n: int) -> Room:
            new = replace(room(10 + n, f"p_{n}", f"70000{n}"), places=(Place(n, f"p_{n}", ready=False),))
            return follow(c, old, new, f"p_{n}", 5)[0]

        got = await asyncio.gather(*(store.run(partial(again, n=n)) for n in (0, 1, 2)))
        assert len({one.room_id for one in got}) == 1
        now = await store.read(lambda c: rooms.find(c, got[0].room_id))
        assert now is not None
        assert [place.player_id for place in now.places] == ["p_0", "p_1", "p_2"], "each in his old place"
