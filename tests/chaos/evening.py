"""A friends' room on separate processes: what its evening needs of them, and what they have kept of it."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from engine.record import Record, parse_record
from tests.chaos.deployment import SMALL, Deployment, Member
from tests.chaos.gather import jetstream

WAIT_S = 120.0
ROUNDS = 4

SIZE = replace(SMALL, processes={"table": 2, "gateway": 1, "matchmaking": 1}, postgres=False)
"""Two processes for tables, one for rooms, and the others."""


class Evening(Deployment):
    """A deployment whose rooms have clocks of their own."""

    def __init__(self, folder: Path, timing: Mapping[str, int]) -> None:
        super().__init__(folder, SIZE)
        self._timing = json.dumps(timing)

    def _env(self, user: str, url: str) -> dict[str, str]:
        return super()._env(user, url) | {"PAIJU_MATCHMAKING_ROOM_TIMING": self._timing}

    # What they have kept

    def table_of(self, room_code: str) -> str:
        """Return the id of the table at which a room plays, or has played; empty = it never did."""
        query = "SELECT table_id FROM rooms WHERE room_code = ? ORDER BY created_at_ms DESC"
        with self._opened("matchmaking") as kept:
            row = kept.execute(query, (room_code,)).fetchone()
        return (row and row[0]) or ""

    def records(self, table_id: str) -> list[Record]:
        """Return the records of a table's rounds, in order."""
        with self._opened("table") as kept:
            rows = kept.execute("SELECT record FROM records WHERE round_id LIKE ?", (f"{table_id}/%",))
            found = [parse_record(bytes(row[0]).decode()) for row in rows]
        return sorted(found, key=lambda record: int(record.round_id.rpartition("/")[2]))

    def _opened(self, service: str) -> closing[sqlite3.Connection]:
        return closing(sqlite3.connect(f"file:{self.folder}/data/{service}.db?mode=ro", uri=True))

    # What is done to them

    async def restart(self, name: str) -> None:
        """Kill a process and start it again; return when it serves."""
        member = self.members[name]
        member.kill()
        member.start()
        await member.ready()

    async def kill_owner(self, table_id: str) -> Member:
        """Kill, as SIGKILL does, the process that owns a table; return it once another has the table."""
        shard = table_id.partition("-")[0]
        async with jetstream(self) as js:
            owner = await self.owner_of(shard, js)
            self.members[owner].kill()
            async with asyncio.timeout(WAIT_S):
                while (heir := await self.owner_of(shard, js)) in ("", owner):
                    await asyncio.sleep(0.05)
        assert self.members[heir].service == "table"
        return self.members[owner]
