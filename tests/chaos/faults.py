"""What is done to a deployment, from a seed: who is killed, stopped, drained, cut off, and for how long."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nats.errors import Error as NatsError

from tests.chaos.deployment import JUDGE, Deployment, Member
from tests.chaos.gather import jetstream
from tests.chaos.network import Network

LEASE_S = 3.0
"""Who does not say for so long that he is alive loses his shards (services/chassis/lease.py)."""

TAKEN_S_MAX = 90.0
"""Until others have the shards of one that is stopped; on a quiet machine it takes 4 s."""

BESIDE_SERVERS = {"stop", "cut", "hold", "mute", "deaf", "slow"}
"""What may be done to a process while a server is away."""

PAIRED = 0.3
"""How often a fault has a second one beside it, where that may be."""


def now_ms() -> int:
    """Return Unix milliseconds."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True)
class Fault:
    """One of the things that can be done.

    Attributes:
        kind: `kill`, `drain`, `stop`, `cut`, `hold` of a process; `broker`, `leader`, `database`; of hosts
            also `mute`, `deaf`, `slow`, and `part`.
        who: The process, or several joined by `+`, which are parted from all others; empty = a server.
        seconds: How long it lasts.
    """

    kind: str
    who: str
    seconds: float

    @property
    def title(self) -> str:
        """Kind and service: what is counted together."""
        return self.kind if "+" in self.who else f"{self.kind} {self.who.rpartition('-')[0]}".strip()


class Faults:
    """Does them, and writes down when.

    Args:
        deployment: To whom.
        say: Told of each one as it happens.
    """

    def __init__(self, deployment: Deployment, say: Callable[[str], None] = print) -> None:
        self._deployment = deployment
        self.say = say
        self._file = deployment.folder / "faults.jsonl"
        self._began = time.monotonic()

    async def do(self, fault: Fault) -> None:
        """Do one, and return once everything serves again.

        Raises:
            AssertionError: Something did not come back.
        """
        self.say(
            f"{time.monotonic() - self._began:7.1f} s  {fault.title} {fault.who} for {fault.seconds:.1f} s"
        )
        with self.noted(fault.title, fault.who):
            await self._kinds()[fault.kind](fault)

    @contextlib.contextmanager
    def noted(self, title: str, who: str) -> Iterator[None]:
        """Write down what is done to somebody, from when to when."""
        at = now_ms()
        yield
        _append(self._file, {"kind": title, "who": who, "at": at, "until": now_ms()})

    def look(self) -> None:
        """Write down who has ended though nobody had ended him, and start him again."""
        for member in self._deployment.members.values():
            if member.process is not None and (code := member.process.poll()) is not None:
                self.say(f"{member.name} ended by itself, with {code}: {member.log}")
                _append(self._file, {"kind": "ended", "who": member.name, "at": now_ms(), "code": code})
                member.start()

    def _kinds(self) -> dict[str, Callable[[Fault], Awaitable[None]]]:
        return {
            "kill": self._kill,
            "drain": self._drain,
            "stop": self._stop,
            "cut": self._cut,
            "hold": self._hold,
            "mute": self._lost,
            "deaf": self._lost,
            "part": self._lost,
            "slow": self._slow,
            "broker": self._broker,
            "leader": self._leader,
            "database": self._database,
        }

    def _member(self, fault: Fault) -> Member:
        return self._deployment.members[fault.who]

    async def _kill(self, fault: Fault) -> None:
        member = self._member(fault)
        member.kill()
        await asyncio.sleep(fault.seconds)
        member.start()
        await member.ready()

    async def _drain(self, fault: Fault) -> None:
        member = self._member(fault)
        code = await member.drain()
        if code:
            _append(self._file, {"kind": "ended", "who": member.name, "at": now_ms(), "code": code})
        await asyncio.sleep(fault.seconds)
        member.start()
        await member.ready()

    async def _stop(self, fault: Fault) -> None:
        member = self._member(fault)
        member.stop()
        await asyncio.sleep(fault.seconds)
        if member.service == "table":
            await self._taken_over(member)
        member.go_on()
        await member.ready()

    async def _taken_over(self, stopped: Member) -> None:
        """Return once others have its shards, however slow the machine is: only then it is a zombie."""
        until = time.monotonic() + TAKEN_S_MAX
        async with jetstream(self._deployment) as js:
            while any(
                other.is_running and not other.is_stopped
                for other in self._deployment.of("table")
                if other is not stopped
            ):
                # The broker may be away in this moment.
                with contextlib.suppress(NatsError, OSError, TimeoutError):
                    if stopped.name not in await self._deployment.owners(js):
                        return
                assert time.monotonic() < until, f"nobody takes the shards of {stopped.name}"
                await asyncio.sleep(0.1)

    async def _cut(self, fault: Fault) -> None:
        if self._deployment.network is not None:
            self._deployment.network.unplug(fault.who)
        for proxy in self._member(fault).proxies:
            proxy.cut()
        await self._healed(fault)

    async def _hold(self, fault: Fault) -> None:
        if self._deployment.network is not None:
            self._deployment.network.silence(fault.who)
        for proxy in self._member(fault).proxies:
            proxy.hold()
        await self._healed(fault)

    async def _slow(self, fault: Fault) -> None:
        self._hosts().narrow(fault.who)
        await self._healed(fault)

    async def _healed(self, fault: Fault) -> None:
        await asyncio.sleep(fault.seconds)
        if self._deployment.network is not None:
            self._deployment.network.heal(fault.who)
        for proxy in self._member(fault).proxies:
            proxy.heal()
        await self._member(fault).ready()

    async def _lost(self, fault: Fault) -> None:
        network = self._hosts()
        side = fault.who.split("+")
        rest = [name for name in network.hosts if name not in (*side, JUDGE)]
        out = [(one, other) for one in side for other in rest]
        back = [(other, one) for one, other in out]
        ways = {"mute": out, "deaf": back, "part": out + back}[fault.kind]
        network.lose(ways)
        await asyncio.sleep(fault.seconds)
        network.find(ways)
        for name in side:
            if name in self._deployment.members:
                await self._deployment.members[name].ready()

    def _hosts(self) -> Network:
        network = self._deployment.network
        assert network is not None, "these processes have no hosts of their own: --partition namespaces"
        return network

    async def _broker(self, fault: Fault) -> None:
        broker = self._deployment.broker
        broker.kill()
        await asyncio.sleep(fault.seconds)
        await asyncio.to_thread(broker.start)
        self._deployment.watch_servers()

    async def _leader(self, fault: Fault) -> None:
        broker = self._deployment.broker
        node = await asyncio.to_thread(broker.leader_of, "TABLE_LOG_0")
        node.kill()
        await asyncio.sleep(fault.seconds)
        await asyncio.to_thread(broker.start)
        self._deployment.watch_servers()

    async def _database(self, fault: Fault) -> None:
        postgres = self._deployment.postgres
        assert postgres is not None, "SQLite has no server to restart"
        await asyncio.to_thread(postgres.stop)
        await asyncio.sleep(fault.seconds)
        await asyncio.to_thread(self._deployment.restart_database)


def drawn(deployment: Deployment, rng: random.Random) -> Fault:
    """Return the next fault."""
    members = list(deployment.members.values())
    tables = [member for member in members if member.service == "table"]
    parted = [member for member in members if member.proxies or deployment.network is not None]
    kinds = {"kill": 4, "drain": 2, "stop": 3, "broker": 1}
    if parted:
        kinds |= {"cut": 1, "hold": 1}
    if deployment.network is not None:
        kinds |= {"mute": 1, "deaf": 1, "slow": 1, "part": 2}
    if deployment.postgres is not None:
        kinds["database"] = 1
    if deployment.broker.replicas > 1:
        kinds["leader"] = 2
    [kind] = rng.choices(list(kinds), list(kinds.values()))
    # Tables are what this is about; every other process has its turn.
    among = tables if rng.random() < 0.5 else members
    match kind:
        case "kill" | "drain":
            return Fault(kind, rng.choice(among).name, rng.uniform(0.0, 3.0))
        case "stop":
            return Fault(kind, rng.choice(among).name, LEASE_S + rng.uniform(1.5, 5.0))
        case "cut" | "hold":
            return Fault(kind, rng.choice(parted).name, rng.uniform(2.0, 12.0))
        case "mute" | "deaf" | "slow":
            return Fault(kind, rng.choice(among).name, rng.uniform(2.0, 12.0))
        case "part":
            return Fault(kind, "+".join(_side(deployment, rng)), rng.uniform(2.0, 12.0))
        case _:
            return Fault(kind, "", rng.uniform(0.2, 3.0))


def _side(deployment: Deployment, rng: random.Random) -> list[str]:
    """Return one side of a partition: some processes, and one node of the broker if there are three."""
    nodes = [node.name for node in deployment.broker.nodes]
    members = sorted(deployment.members)
    side = rng.sample(members, rng.randrange(2, max(3, len(members) // 2)))
    return side if len(nodes) == 1 else [rng.choice(nodes), *side]


def may_meet(first: Fault, second: Fault) -> bool:
    """Return whether two faults can be done at the same time.

    A process that starts while a server is away ends at once, as it says (exit code 4), and whoever runs it
    starts it again; here nobody would.
    """
    if set(first.who.split("+")) & set(second.who.split("+")):
        return False
    servers = [not fault.who for fault in (first, second)]
    return not any(servers) or {first.kind, second.kind} & BESIDE_SERVERS != set()


async def storm(deployment: Deployment, faults: Faults, seed: str, seconds: float) -> None:
    """Do one fault after another for so long; whatever ends by itself meanwhile is written down."""
    rng = random.Random(f"faults of {seed}")
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        await asyncio.sleep(rng.uniform(1.0, 6.0))
        first = drawn(deployment, rng)
        second = drawn(deployment, rng)
        if rng.random() < PAIRED and may_meet(first, second):
            await asyncio.gather(faults.do(first), faults.do(second))
        else:
            await faults.do(first)
        faults.look()


async def each(faults: Faults, chosen: Sequence[Fault], pause_s: float) -> None:
    """Do these, with pauses in which play goes on."""
    for fault in chosen:
        await asyncio.sleep(pause_s)
        await faults.do(fault)
        faults.look()


def _append(file: Path, line: dict[str, object]) -> None:
    with file.open("a", encoding="utf-8") as out:
        out.write(json.dumps(line) + "\n")
