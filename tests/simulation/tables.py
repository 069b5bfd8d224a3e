"""Making tables and shards for tests, without the lease and without gRPC."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from paiju.table.v1.events_pb2 import RoundFinished

from engine import GAMES
from services.chassis.bus.port import Bus
from services.chassis.clock import Clock
from services.chassis.errors import Outage, Refusal
from services.chassis.ids import Ids, SeededIds
from services.chassis.metrics import Metrics
from services.table.calls import serve_call
from services.table.core.events import Spec, Stake
from services.table.core.spec import make_spec
from services.table.journal import Writer
from services.table.means import Means
from services.table.shard import Shard

USUAL = {"paohuzi": "tongyi-qmt", "doudizhu": "qiang", "kawuxing": "xiangyang"}
"""Presets with the most that a table must know: 抢 and 加倍, 漂 and 买马."""

FAST = '{"claim_pause_ms":0,"nonce_ms":300,"between_ms":0,"turn_ms":2000,"claim_ms":2000}'


def spec(
    *players: str,
    rounds: int = 1,
    timing: str = "",
    stake: Stake | None = None,
    preset: str = "",
    room_code: str = "",
    spectators: bool = True,
    bot: str = "random",
    game: str = "paohuzi",
    options: str = "",
) -> Spec:
    """Return a spec with these players, and bots on the other seats; without a preset the usual one."""
    seated = [*players, *[f"bot:{bot}"] * (GAMES[game].seats - len(players))]
    return make_spec(
        GAMES,
        game=game,
        preset=preset or USUAL.get(game) or next(iter(GAMES[game].presets)),
        options_json=options,
        rounds=rounds,
        players=seated,
        stake=stake,
        timing_json=timing,
        room_code=room_code,
        spectators=spectators,
    )


class MemoryBank:
    """Keeps stakes in memory with the promises of the real one; `refuse` and `outages` are its faults."""

    def __init__(self) -> None:
        self.open: dict[tuple[str, int], int] = {}
        self.closed: dict[tuple[str, int], int] = {}
        self.calls: list[tuple[str, str, int]] = []
        self.refuse: dict[str, str] = {}
        self.refuse_more: dict[str, str] = {}
        self.added: dict[tuple[str, int, str], tuple[int, int]] = {}
        """By request: what was asked for, and what the stake held then."""
        self.outages = 0

    async def open_stake(self, match_id: str, seat: int, player: str, currency: str, buy_in: int) -> int:
        self.calls.append(("open", match_id, seat))
        self._fail()
        if player in self.refuse:
            raise Refusal(self.refuse[player])
        assert (match_id, seat) not in self.closed, "opened after it was closed"
        return self.open.setdefault((match_id, seat), buy_in)

    async def add_stake(
        self,
        match_id: str,
        seat: int,
        player: str,
        amount: int,
        request_id: str,
        stake_max: int,
        last_round_no: int,
    ) -> int:
        self.calls.append(("add", match_id, seat))
        self._fail()
        key = match_id, seat, request_id
        if key not in self.added:
            if player in self.refuse_more:
                raise Refusal(self.refuse_more[player])
            if (match_id, seat) in self.closed:
                raise Refusal("STAKE_CLOSED")
            held = self.open[match_id, seat] + amount
            assert held <= stake_max, "more than the buy-in"
            self.open[match_id, seat] = held
            self.added[key] = amount, held
        asked, held = self.added[key]
        assert asked == amount, f"request {key} with two contents"
        return held

    async def close_stake(self, match_id: str, seat: int, last_round_no: int) -> None:
        self.calls.append(("close", match_id, seat))
        self._fail()
        assert self.closed.setdefault((match_id, seat), last_round_no) == last_round_no

    def _fail(self) -> None:
        if self.outages:
            self.outages -= 1
            raise Outage("the bank is out of reach")


class MemoryRecords:
    """Keeps finished rounds in memory; a second copy must be the same."""

    def __init__(self) -> None:
        self.kept: dict[str, RoundFinished] = {}

    async def keep(self, fact: RoundFinished) -> None:
        kept = self.kept.setdefault(fact.round_id, fact)
        assert kept == fact, f"{fact.round_id} was published with two contents"


class Host:
    """A process that owns shards, with its tasks."""

    def __init__(
        self,
        bus: Bus,
        clock: Clock,
        ids: Ids | None = None,
        bank: MemoryBank | None = None,
        records: MemoryRecords | None = None,
        name: str = "host",
        grace_ms: int = 1_000,
    ) -> None:
        self.bus = bus
        self.bank = bank or MemoryBank()
        self.records = records or MemoryRecords()
        self.tasks: set[asyncio.Task[None]] = set()
        self.lost: list[str] = []
        ids = ids or SeededIds(name)
        self.means = Means(
            bus=bus,
            clock=clock,
            ids=ids,
            metrics=Metrics(),
            games=GAMES,
            bank=self.bank,
            records=self.records,
            process=name,
            writer=Writer(ids.new("i")),
            rpc=serve_call,
            spawn=self._spawn,
            grace_ms=grace_ms,
        )

    async def take(self, name: str = "0") -> Shard:
        shard = Shard(name, self.means, lambda shard: self.lost.append(shard.name))
        await shard.take()
        return shard

    def _spawn(self, name: str, coro: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(coro, name=name)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return task

    async def kill(self) -> None:
        """End every task at once; nothing is finished."""
        for task in list(self.tasks):
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)
