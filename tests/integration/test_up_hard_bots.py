"""Bots that think long on the whole platform: in a process of their own, which dies with the platform."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import aiohttp
import pytest
from paiju.matchmaking.v1 import matchmaking_service_pb2 as matchmaking

from engine import GAMES
from tests.support.person import MATCHMAKING, Person
from tests.support.up import Up

WAIT_S = 120.0

GAME = next(game for game in GAMES.values() if "hard" in game.bots)


def children_of(pid: int) -> set[int]:
    """Return the pids of the Python processes that a process has started (Linux)."""
    found = set()
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            text, command = status.read_text(), (status.parent / "cmdline").read_bytes()
        except OSError:
            continue
        if f"\nPPid:\t{pid}\n" in text and b"multiprocessing" in command and b"spawn_main" in command:
            found.add(int(status.parent.name))
    return found


async def answered(up: Up) -> float:
    async with aiohttp.ClientSession() as http, http.get(up.said.metrics) as answer:
        text = await answer.text()
    counted = re.search(r'^paiju_table_slow_bots_total{.*outcome="answered".*} (.*)$', text, re.MULTILINE)
    return float(counted.group(1)) if counted else 0.0


@pytest.mark.slow
async def test_hard_bots_play_in_a_process_of_their_own_that_dies_with_the_platform(tmp_path: Path) -> None:
    with Up(tmp_path / "data") as up:
        person = Person(up.said.url, bot="normal")
        await person.sign_in()
        await person.connect()
        wish = matchmaking.CreateRoomRequest(
            request_id="room", game=GAME.name, preset=next(iter(GAME.presets)), rounds=1
        )
        made = await person.call(f"{MATCHMAKING}/CreateRoom", wish, matchmaking.CreateRoomResponse)
        code = made.room.room_code
        fill = matchmaking.FillRoomWithBotsRequest(room_code=code, bot="hard")
        filled = await person.call(
            f"{MATCHMAKING}/FillRoomWithBots", fill, matchmaking.FillRoomWithBotsResponse
        )
        assert [place.player_id for place in filled.room.places[1:]] == ["bot:hard"] * (GAME.seats - 1)
        ready = matchmaking.SetRoomReadyRequest(room_code=code, ready=True)
        await person.call(f"{MATCHMAKING}/SetRoomReady", ready, matchmaking.SetRoomReadyResponse)
        told = await person.door.wait_for(lambda response: response.notice.room.state == "playing", WAIT_S)
        person.table_id = told.notice.room.table_id
        await person.attach()
        await person.sit()
        await person.play(lambda frame: person.answered >= 3 or frame.HasField("match_end"), WAIT_S)
        async with asyncio.timeout(WAIT_S):
            while not await answered(up):
                await asyncio.sleep(0.2)
        thinking = children_of(up.process.pid)
        assert thinking, "nobody thinks elsewhere"
        up.kill()
        await person.close()
        async with asyncio.timeout(60):
            while any(Path(f"/proc/{pid}").exists() for pid in thinking):
                await asyncio.sleep(0.1)
        up.start()
