"""The processes of a world: made, started, and started again whenever they have died."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from services.chassis.errors import Outage
from services.chassis.run import Wiring
from services.economy.app import WIRING as ECONOMY
from services.gateway.bus.tables import Tables as GatewayTables
from services.gateway.calls import Calls
from services.gateway.hub import Hub
from services.gateway.settings import GatewaySettings
from services.matchmaking.app import WIRING as MATCHMAKING
from services.matchmaking.settings import MatchmakingSettings
from services.scoring.app import WIRING as SCORING
from services.table.app import WIRING as TABLE
from tests.simulation.limited import ACCOUNTS
from tests.simulation.lobby import halls_file, prices_file
from tests.simulation.pipe import Gateway
from tests.simulation.processes import Process
from tests.simulation.watcher import watch_delay_ms

if TYPE_CHECKING:
    from tests.simulation.world import World

WIRINGS: Final = (TABLE, ECONOMY, SCORING, MATCHMAKING, ACCOUNTS)
IDLE_LOOK_S: Final = 2.0
"""Whoever writes pokes those who look: looking more often only costs time."""


@dataclass
class Member:
    """A process of the world that may die and be started again."""

    name: str
    wirings: tuple[Wiring, ...]
    process: Process | None = None
    services: dict[str, Any] = field(default_factory=dict)
    gateway: Gateway | None = None
    starts: int = 0

    @property
    def is_up(self) -> bool:
        """Whether it was started and has not died since."""
        return self.process is not None and not self.process.is_dead


def members() -> list[Member]:
    """Return the processes of a world, none of them started."""
    return [
        Member("table-a", (TABLE,)),
        Member("table-b", (TABLE,)),
        Member("money", (ECONOMY, SCORING)),
        Member("limits", (ACCOUNTS,)),
        Member("match-a", (MATCHMAKING,)),
        Member("match-b", (MATCHMAKING,)),
        Member("gateway-a", ()),
        Member("gateway-b", ()),
    ]


async def keep_alive(world: World, member: Member) -> None:
    """Start a process, and again whenever it has died."""
    while True:
        if not member.is_up:
            if member.starts:
                await world.clock.sleep(world.rng.uniform(0.1, 4.0))
            await _start(world, member)
        await world.clock.sleep(0.25)


async def _start(world: World, member: Member) -> None:
    member.starts += 1
    # Every machine's wall clock is wrong in its own way.
    process = member.process = Process(world.commons, member.name, world.rng.randrange(-1_500, 1_500))
    world.note(f"{member.name} starts")
    process.on_step = world.storm.step
    member.services, member.gateway = {}, None
    try:
        for wiring in member.wirings:
            member.services[wiring.name] = await wiring.wire(_settings(wiring, world.seed), process.parts)
        if not member.wirings:
            member.services["gateway"] = member.gateway = _gateway(process)
        await process.rpc.start()
        for service in member.services.values():
            await service.start()
    except Outage:
        world.storm.crash(process)


async def drain(world: World, member: Member) -> None:
    """Stop a process as by SIGTERM: hand over what it serves, and end."""
    process = member.process
    assert process is not None
    for service in reversed(list(member.services.values())):
        try:
            async with process.clock.timeout(process.parts.settings.drain_s):
                await service.stop()
        except (TimeoutError, Outage):
            world.note(f"{member.name} does not end in order")
    world.storm.crash(process)


def _settings(wiring: Wiring, seed: int) -> Any:
    if wiring is MATCHMAKING:
        return MatchmakingSettings(
            halls_file=halls_file(),
            room_cards_file=prices_file(),
            bots_after_ms=4_000,
            match_every_ms=int(IDLE_LOOK_S * 1000),
            watch_delay_ms=watch_delay_ms(seed),
        )
    return wiring.settings()


def _gateway(process: Process) -> Gateway:
    settings, parts = GatewaySettings(), process.parts
    through = GatewayTables(
        parts,
        f"gw-{parts.incarnation}",
        shards=parts.settings.log_shards,
        tables_per_session_max=settings.tables_per_session_max,
    )
    return Gateway(Hub(settings, parts, Calls(parts, settings), through), process)
