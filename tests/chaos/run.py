"""`python -m tests.chaos.run`: a deployment, players, faults from a seed, the verdict. See docs/chaos.md."""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

from tests.chaos.check import Verdict, check
from tests.chaos.deployment import FULL, SMALL, Deployment, Size
from tests.chaos.faults import Faults, storm
from tests.chaos.gather import gather, jetstream, mirror_logs
from tests.chaos.hands import by_hand
from tests.chaos.network import has_netem, why_not
from tests.chaos.players import Crowd, Players
from tests.chaos.quiet import Quiet

QUIET_S_MAX = 240.0
"""After the players have gone: until every table is finished and every round settled."""


async def lived(
    folder: Path,
    size: Size,
    crowd: Crowd,
    seed: str,
    trouble: Callable[[Deployment, Faults], Awaitable[None]],
    say: Callable[[str], None] = print,
) -> None:
    """Let a deployment live through trouble while people play, and gather in the folder what happened.

    Raises:
        AssertionError: It does not start, something does not come back, or it never comes to rest.
    """
    deployment = Deployment(folder, size)
    try:
        began = time.monotonic()
        await deployment.start()
        async with jetstream(deployment) as js:
            await mirror_logs(js, size.replicas)
        say(f"{len(deployment.members)} processes serve after {time.monotonic() - began:.1f} s, in {folder}")
        players = Players(deployment, crowd, seed)
        players.start()
        faults = Faults(deployment, say)
        await asyncio.sleep(players.ramp_s)
        await trouble(deployment, faults)
        await players.gone()
        faults.look()
        say("the players have gone; waiting until everything is finished and settled")
        await _quiet(deployment, say)
        faults.look()
        await gather(deployment)
    finally:
        await deployment.stop()


async def _quiet(deployment: Deployment, say: Callable[[str], None]) -> None:
    """Return once nothing is open, or after `QUIET_S_MAX`: the check says then what was forgotten."""
    until = time.monotonic() + QUIET_S_MAX
    async with jetstream(deployment) as js:
        quiet = Quiet(js)
        while not await quiet.is_reached():
            if time.monotonic() > until:
                say(f"not finished after {QUIET_S_MAX:g} s: {quiet.said}")
                return
            await asyncio.sleep(1.0)


def partitions_by_hosts(asked: str) -> bool:
    """Return whether `auto`, `namespaces` or `proxy` means hosts with network namespaces here."""
    return asked == "namespaces" or (asked == "auto" and not why_not())


def how_parted(hosts: bool) -> str:
    """Return by what a run parts processes, and why not otherwise, for its report."""
    if hosts:
        return f"network namespaces ({'netem' if has_netem() else 'no netem here: narrow lines instead'})"
    return f"proxies ({why_not() or 'as asked'})"


def main() -> int:
    """Run what the command line says; 0 = all was right."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos.run", description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0, help="of faults")
    parser.add_argument("--seats", type=int, default=60)
    parser.add_argument("--seed", default=str(time.time_ns() // 1_000_000_000))
    parser.add_argument("--replicas", type=int, choices=(1, 3), default=1, help="nodes of the broker")
    parser.add_argument("--database", choices=("postgres", "sqlite"), default="postgres")
    parser.add_argument("--small", action="store_true", help="fewer processes")
    parser.add_argument(
        "--partition",
        choices=("auto", "namespaces", "proxy"),
        default="auto",
        help="a network namespace for each process, or proxies at the broker; auto = the first, if it works",
    )
    parser.add_argument("--by-hand", action="store_true", help="do nothing: somebody else sends the signals")
    parser.add_argument(
        "--folder", type=Path, help="a new one; kept. Without: a temporary one, kept after a failure"
    )
    asked = parser.parse_args()
    if asked.partition == "namespaces" and why_not():
        parser.error(f"--partition namespaces: {why_not()}")
    hosts = partitions_by_hosts(asked.partition)
    size = replace(
        SMALL if asked.small else FULL,
        replicas=asked.replicas,
        postgres=asked.database == "postgres",
        hosts=hosts,
    )
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="paiju-chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    print(
        f"chaos: seed {asked.seed}, {asked.seconds:g} s of faults, {asked.seats} seats, R{asked.replicas}, "
        f"{asked.database}, partitions by {how_parted(hosts)}",
        flush=True,
    )

    async def trouble(deployment: Deployment, faults: Faults) -> None:
        if asked.by_hand:
            await by_hand(deployment, faults, asked.seconds)
        else:
            await storm(deployment, faults, asked.seed, asked.seconds)

    crowd = Crowd(asked.seats, asked.seconds)
    verdict = Verdict()
    try:
        asyncio.run(lived(folder, size, crowd, asked.seed, trouble, lambda line: print(line, flush=True)))
        verdict = check(folder)
    except (AssertionError, KeyboardInterrupt) as problem:
        print(f"chaos: WRONG: it did not come to an end: {problem!r}; kept: {folder}")
        return 1
    print(verdict.text().rpartition("\n")[0])
    if verdict.is_right and asked.folder is None:
        shutil.rmtree(folder, ignore_errors=True)
    else:
        print(f"kept: {folder}; check it again: python -m tests.chaos.check {folder}")
    print(verdict.text().rpartition("\n")[2])
    return 0 if verdict.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
