"""Everybody loses the connection at once: `python -m tests.chaos.stampede`, see docs/chaos.md.

A thousand people sit at tables, behind two gateways, WebSocket and gRPC. In turn: all connections are cut and
all come back in the same moment; one gateway is killed, and all of its people go to the other; the other one
is killed together with the broker's leader. Then the whole run is checked as any other, and everybody must
have been back within `--back` seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.chaos.check import check
from tests.chaos.deployment import FULL, SMALL, TIMING, Deployment, Member
from tests.chaos.faults import Fault, Faults
from tests.chaos.players import Crowd
from tests.chaos.run import how_parted, lived, partitions_by_hosts
from tests.chaos.tapes import Return, read_returns

TOGETHER_MS = 4_000
"""Who is due so soon after somebody else belongs to the same stampede."""

FEW = 20
"""Fewer who return are none; a connection may end for reasons of its own."""

TICK = os.sysconf("SC_CLK_TCK")
_SUM = re.compile(r"^(?:\w+_)?table_events_per_append_(sum|count)(?:{[^}]*})? (\S+)$", re.MULTILINE)


def cpu_s(member: Member) -> float:
    """Return the processor time that this life of a process has used."""
    try:
        text = Path(f"/proc/{member.pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return 0.0
    words = text[text.rindex(")") + 2 :].split()
    return (int(words[11]) + int(words[12])) / TICK


def events_per_append(deployment: Deployment) -> float:
    """Return the mean over the processes for tables, of their lives of now."""
    total = {"sum": 0.0, "count": 0.0}
    for member in deployment.of("table"):
        url = f"http://{member.place.address}:{member.http_port}/metrics"
        with urllib.request.urlopen(url, timeout=10) as answer:
            for name, value in _SUM.findall(answer.read().decode()):
                total[name] += float(value)
    return total["sum"] / total["count"] if total["count"] else 0.0


async def trouble(deployment: Deployment, faults: Faults, storm_s: float) -> None:
    """Kill one gateway, then the other together with who leads the broker, between storms."""
    gateways = deployment.of("gateway")

    async def calm() -> None:
        before, began = [cpu_s(one) for one in gateways], time.monotonic()
        await asyncio.sleep(storm_s)
        used = [cpu_s(one) - was for one, was in zip(gateways, before, strict=True)]
        shares = ", ".join(f"{max(0.0, one) / (time.monotonic() - began):.0%}" for one in used)
        per_append = events_per_append(deployment)
        faults.say(f"          gateways used {shares} of a core; {per_append:.2f} events an append")

    await calm()
    await faults.do(Fault("kill", gateways[0].name, 5.0))
    await calm()
    server = "leader" if deployment.broker.replicas > 1 else "broker"
    await asyncio.gather(faults.do(Fault("kill", gateways[1].name, 5.0)), faults.do(Fault(server, "", 1.0)))
    await calm()


def stampedes(returns: Sequence[Return]) -> Iterator[list[Return]]:
    """Return those who came back together, for each moment and reason."""
    for why in sorted({one.why for one in returns}):
        group: list[Return] = []
        for one in (one for one in returns if one.why == why):
            if group and one.due_ms - group[-1].due_ms > TOGETHER_MS:
                yield group
                group = []
            group.append(one)
        yield group


def told(group: Sequence[Return]) -> str:
    """Return how long they took."""
    times = sorted(one.ms / 1000 for one in group)
    p50, p99 = times[len(times) // 2], times[len(times) * 99 // 100]
    return (
        f"{group[0].why:16} {len(times):5} back: p50 {p50:6.2f} s  p99 {p99:6.2f} s  max {times[-1]:6.2f} s"
    )


def main() -> int:
    """Run what the command line says; 0 = all was right, and everybody was back in time."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.chaos.stampede",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--seats", type=int, default=1000)
    parser.add_argument("--rate", type=float, default=15.0, help="people who come in a second, at first")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--replicas", type=int, choices=(1, 3), default=1)
    parser.add_argument("--small", action="store_true", help="fewer processes, two gateways nevertheless")
    parser.add_argument("--back", type=float, default=10.0, help="seconds in which everybody is to be back")
    parser.add_argument("--storm", type=float, default=20.0, help="seconds between two storms, or kills")
    parser.add_argument("--think-ms", default="3000:0.5", help="as `paiju load` has it")
    parser.add_argument("--partition", choices=("auto", "namespaces", "proxy"), default="auto")
    asked = parser.parse_args()
    hosts = partitions_by_hosts(asked.partition)
    size = replace(
        SMALL if asked.small else FULL,
        replicas=asked.replicas,
        hosts=hosts,
        rounds=1,
        timing={**TIMING, "turn_ms": 15_000, "claim_ms": 15_000},
    )
    crowd = Crowd(
        asked.seats,
        seconds=3 * asked.storm + 40,
        drain_s=300,
        drop_every_s=asked.storm,
        drop_share=1.0,
        drop_spread_ms=0.0,
        rate=asked.rate,
        think=asked.think_ms,
        seatings=("quick",),
    )
    folder = Path(tempfile.mkdtemp(prefix="paiju-stampede-"))
    print(f"stampede: {asked.seats} seats, R{asked.replicas}, {how_parted(hosts)}", flush=True)
    try:
        done = partial(trouble, storm_s=asked.storm)
        asyncio.run(lived(folder, size, crowd, asked.seed, done, lambda line: print(line, flush=True)))
    except (AssertionError, KeyboardInterrupt) as problem:
        print(f"stampede: WRONG: it did not come to an end: {problem!r}; kept: {folder}")
        return 1
    verdict = check(folder)
    groups = [group for group in stampedes(read_returns(folder)) if len(group) >= FEW]
    print(verdict.text(), *map(told, groups), sep="\n")
    late = [one for group in groups for one in group if one.ms > asked.back * 1000]
    if verdict.is_right and groups and not late:
        shutil.rmtree(folder, ignore_errors=True)
        print(f"stampede: all were back within {asked.back:g} s")
        return 0
    print(f"stampede: WRONG: {len(late)} were away for longer than {asked.back:g} s; kept: {folder}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
