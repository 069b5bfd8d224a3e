"""The whole platform on a real server whose store is put back to an older copy between two runs."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from paiju.table.v1.play_pb2 import Frame, TableView

from services.gateway.app import Gateway
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.matchmaking.core.halls import Hall, parse_halls
from services.matchmaking.settings import HALLS, MatchmakingSettings
from services.table.marks import SKIP
from tests.support.nats import NatsServer
from tests.support.person import Person
from tests.support.real_process import Tokens, World, running


class Platform:
    """All services on a server of their own; stopped and started again, perhaps with an older store."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.nats = NatsServer(folder / "nats", storage="  sync_interval: always").start()
        self.tokens = Tokens()
        halls = json.loads(HALLS.read_text(encoding="utf-8"))
        for level in halls["levels"]:
            level |= {"timing": TIMING, "rounds": 3}
        self.halls = folder / "halls.json"
        self.halls.write_text(json.dumps(halls), encoding="utf-8")

    @asynccontextmanager
    async def up(self, person: Person) -> AsyncIterator[World]:
        """Run all services until the block ends; the person finds them."""
        own = {
            "gateway": GatewaySettings(http_port=0),
            "matchmaking": MatchmakingSettings(halls_file=self.halls),
        }
        async with running(self.nats.url, self.folder, wirings(), own, self.tokens) as world:
            gateway = world.services["gateway"]
            assert isinstance(gateway, Gateway)
            person.url = gateway.url
            yield world
            await person.close()

    def copy(self, name: str) -> None:
        """Keep a copy of the store as it is now."""
        self.nats.stop()
        shutil.copytree(self.nats.store, self.folder / name)
        self.nats.start()

    def restore(self, name: str) -> None:
        """Put an older copy in place of the store."""
        self.nats.stop()
        shutil.rmtree(self.nats.store)
        shutil.copytree(self.folder / name, self.nats.store)
        self.nats.start()


TIMING = {"claim_pause_ms": 0, "turn_ms": 20_000, "claim_ms": 20_000, "nonce_ms": 3_000, "between_ms": 500}
WAIT_S = 120.0


@pytest.fixture
def platform(tmp_path: Path) -> Iterator[Platform]:
    made = Platform(tmp_path)
    yield made
    made.nats.stop()


async def enter(person: Person) -> None:
    await person.sign_in()
    await person.connect()
    await person.wait_for_the_welcome()


async def until_gold(person: Person, wanted: tuple[int, int]) -> None:
    async with asyncio.timeout(60):
        while (found := await person.gold()) != wanted:
            await asyncio.sleep(0.2)
            assert found[0] <= wanted[0], "more came back than was there"


def hall() -> Hall:
    return next(
        one for one in parse_halls(HALLS.read_text(encoding="utf-8")).values() if one.game == "doudizhu"
    )


@pytest.mark.slow
@pytest.mark.parametrize("lost", ["answers", "a settled round"])
async def test_an_older_store_ends_the_match_void_and_gives_the_stakes_back(
    lost: str, platform: Platform
) -> None:
    person = Person("", bot="normal")
    settled: dict[str, Frame] = {}

    def hear(frame: Frame) -> bool:
        if frame.HasField("round_settlement") and frame.round_settlement.settled:
            settled[frame.round_settlement.round_id] = frame
        return bool(settled)

    async with platform.up(person):
        await enter(person)
        await person.find_a_match(hall().hall_id)
        await person.attach()
        await person.sit()
        await person.play(lambda _: person.answered >= 1, WAIT_S)
    platform.copy("older")
    async with platform.up(person):
        await person.connect()
        await person.attach()
        if lost == "answers":
            await person.play(lambda _: person.answered >= 3, WAIT_S)
        else:
            await person.play(hear, WAIT_S)
        assert (await person.gold())[0] == 20_000 - hall().stakes.buy_in
    seen = {frame.number: frame for frame in person.frames}
    platform.restore("older")
    async with platform.up(person):
        await person.connect()
        await person.attach()
        await person.door.wait_for(lambda said: said.HasField("table_snapshot"), WAIT_S)
        await person.attach(from_nothing=True)
        async with asyncio.timeout(WAIT_S):
            while person.view.phase != "finished":
                said = await person.door.wait_for(lambda said: said.HasField("table_snapshot"), WAIT_S)
                person.view = TableView.FromString(said.table_snapshot.view)
                await asyncio.sleep(0.1)
                await person.attach(from_nothing=True)
        assert person.view.match_end.cause == "voided"
        assert person.view.number > SKIP > max(seen)
        won = 0
        for frame in settled.values():
            seat = next(seat.seat for seat in person.view.seats if seat.player_id == person.player_id)
            won += frame.round_settlement.coins[seat] - frame.round_settlement.fees[seat]
        await until_gold(person, (20_000 + won, 0))
        # Free for another match at once.
        person.frames.clear()
        await person.find_a_match(hall().hall_id)


@pytest.mark.slow
async def test_a_table_that_the_log_knows_nothing_of_any_more_returns_its_stakes(platform: Platform) -> None:
    person = Person("", bot="normal")
    async with platform.up(person):
        await enter(person)
    platform.copy("older")
    async with platform.up(person):
        await person.connect()
        await person.find_a_match(hall().hall_id)
        await person.attach()
        await person.sit()
        await person.play(lambda _: person.answered >= 1, WAIT_S)
        assert (await person.gold())[0] == 20_000 - hall().stakes.buy_in
    platform.restore("older")
    async with platform.up(person):
        await person.connect()
        lost = person.table_id
        await person.find_a_match(hall().hall_id)
        assert person.table_id != lost
        await until_gold(person, (20_000, 0))
