"""From finished rounds to money on a faulty bus, with services that die at any moment.

A failure repeats: `pytest tests/property/test_ledger_simulation.py -k "[<seed>]"`.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from paiju.accounts.v1.events_pb2 import PlayerCreated
from paiju.economy.v1 import economy_service_pb2 as pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.economy.v1.events_pb2 import RoundSettled
from sqlalchemy import select

from services.chassis.bus.broker import Faults
from services.chassis.clock import VirtualClock, run_virtual
from services.chassis.errors import Outage
from services.economy import app as economy
from services.economy.settings import EconomySettings
from services.economy.store import schema
from services.economy.store.proof import prove
from services.progress import app as progress
from services.progress.settings import ProgressSettings
from services.progress.store import plays as counts
from services.scoring import app as scoring
from services.scoring.settings import ScoringSettings
from tests.support.finished import PlayedMatch
from tests.support.process import MemoryProcess, MemoryWorld

ROUNDS = 4
BUY_IN = 700
WIRES: dict[str, Callable[[Any], Awaitable[Any]]] = {
    "economy": lambda parts: economy.wire(EconomySettings(settle_batch=4), parts),
    "progress": lambda parts: progress.wire(ProgressSettings(batch=3), parts),
    "scoring": lambda parts: scoring.wire(ScoringSettings(batch=4, opening_wait_ms=600_000), parts),
}


class Deployment:
    """Three services in processes that die and come back, and a table that never gives up."""

    def __init__(self, clock: VirtualClock, seed: int) -> None:
        self.clock = clock
        self.chance = random.Random(seed)
        self.faults = Faults(
            seed, lose_store=0.05, late_store=0.03, lose_ack=0.08, lose_delivery_ack=0.08, delay_s=0.05
        )
        self.calls = Faults(seed + 1, lose_told=0.1, repeat_told=0.1, delay_s=0.05)
        self.world = MemoryWorld(clock, seed, self.faults, self.calls)
        self.running: dict[str, MemoryProcess] = {}
        self.crashes = 0

    async def start(self, name: str) -> None:
        process = self.world.process(name)
        service = await WIRES[name](process.parts)
        await process.rpc.start()
        self.running[name] = process
        try:
            await service.start()
        except Outage:
            await self.crash(name)

    async def crash(self, name: str) -> None:
        process = self.running.pop(name)
        assert not process.crashes, process.crashes
        process.crash()
        self.world.processes.remove(process)
        self.crashes += 1

    async def trouble(self, seconds: float) -> None:
        """Let services die and come back for a while."""
        until = self.clock.monotonic() + seconds
        while self.clock.monotonic() < until:
            await self.clock.sleep(self.chance.random() * 3)
            name = self.chance.choice(sorted(WIRES))
            if name in self.running:
                await self.crash(name)
            await self.clock.sleep(self.chance.random())
            for absent in sorted(WIRES.keys() - self.running.keys()):
                await self.start(absent)

    async def insist(self, call: Callable[[], Awaitable[Any]]) -> Any:
        """Call until there is an answer."""
        while True:
            try:
                return await call()
            except Outage:
                await self.clock.sleep(0.1 + self.chance.random())


async def play(deployment: Deployment, table: MemoryProcess, match: PlayedMatch) -> None:
    """Do what a table does for one match."""
    stub = table.rpc.client(EconomyServiceStub, "economy", timeout_s=1.0)
    stakes = [
        pb.OpenStakeRequest(
            match_id=match.match_id, seat=seat, player_id=player, currency="gold", buy_in=BUY_IN
        )
        for seat, player in enumerate(match.players)
    ]
    for stake in stakes:
        await deployment.insist(lambda stake=stake: stub.OpenStake(stake))  # type: ignore[misc]
    facts: list[tuple[Any, str]] = []
    for number in range(1, ROUNDS + 1):
        if number == 3:
            opened, void = match.skip()
            facts += [(opened, f"opened:{opened.round_id}"), (void, f"voided:{void.round_id}")]
            continue
        opened, finished = match.round()
        facts += [(opened, f"opened:{opened.round_id}"), (finished, f"finished:{opened.round_id}")]
    for fact, event_id in facts:
        await deployment.clock.sleep(deployment.chance.random() * 2)
        await deployment.insist(lambda f=fact, e=event_id: table.bus.publish(f, e))  # type: ignore[misc]
        if deployment.chance.random() < 0.2:
            await deployment.insist(lambda f=fact, e=event_id: table.bus.publish(f, e + "!"))  # type: ignore[misc]
    for seat in range(3):
        request = pb.CloseStakeRequest(match_id=match.match_id, seat=seat, last_round_no=ROUNDS)
        await deployment.insist(lambda request=request: stub.CloseStake(request))  # type: ignore[misc]


async def simulate(clock: VirtualClock, seed: int) -> None:
    deployment = Deployment(clock, seed)
    world = deployment.world
    table = world.process("table")
    matches = [
        PlayedMatch(f"0-m{number}", seed=seed * 10 + number, base_stake=60, players=players)
        for number, players in enumerate(
            [("p_a", "p_b", "bot:normal"), ("p_b", "p_c", "p_a"), ("p_c", "p_b", "bot:x")]
        )
    ]
    for name in sorted(WIRES):
        await deployment.start(name)
    for player in ("p_a", "p_b", "p_c"):
        event = PlayerCreated(player_id=player, welcome=True)
        await deployment.insist(lambda e=event: table.bus.publish(e, f"created:{e.player_id}"))  # type: ignore[misc]
    database = world.database("economy")

    async def balances() -> dict[str, int]:
        gold = select(schema.accounts).where(schema.accounts.c.currency == "gold")
        rows = await database.read(lambda c: c.execute(gold).all())
        return {row.id: row.balance for row in rows}

    while len([name for name in await balances() if name.startswith("wallet/")]) < 3:
        await clock.sleep(1)
    tasks = [table.keeper.keep(play(deployment, table, match), match.match_id) for match in matches]
    await deployment.trouble(40)
    deployment.faults.active = deployment.calls.active = False
    for task in tasks:
        await task
    await clock.sleep(120)

    assert deployment.crashes > 5
    proof = await database.read(lambda c: prove(c, clock.now_ms()))
    assert proof.findings == ()
    held = await balances()
    assert not any(amount for name, amount in held.items() if name.startswith("stake/"))
    rows = await database.read(lambda c: c.execute(select(schema.rounds)).all())
    assert sorted((row.round_id, row.state) for row in rows) == sorted(
        (f"{match.match_id}/{number}", "voided" if number == 3 else "settled")
        for match in matches
        for number in range(1, ROUNDS + 1)
    )
    assert sum(held.values()) == 0
    assert (
        sum(held[f"wallet/{player}"] for player in ("p_a", "p_b", "p_c")) + held["house/bots"]
        == -held["issuer"]
    )
    assert not await database.read(lambda c: c.execute(select(schema.disputes)).all())
    assert not await database.read(lambda c: c.execute(select(schema.alerts)).all())
    streamed = [
        kept for kept in world.broker.streams["LEDGER"].messages.values() if "round_settled" in kept.subject
    ]
    told = {RoundSettled.FromString(kept.payload).round_id for kept in streamed}
    assert told == {row.round_id for row in rows if row.state == "settled"}
    found = await world.database("progress").read(lambda c: counts.counts_of(c, "p_b"))
    assert [(game, one.rounds) for game, _, one in found] == [("paohuzi", 3 * (ROUNDS - 1))]
    for process in list(world.processes):
        await process.stop()


@pytest.mark.parametrize("seed", range(6))
def test_services_that_die_at_any_moment_lose_no_coin_and_settle_no_round_twice(seed: int) -> None:
    run_virtual(lambda clock: simulate(clock, seed))
