"""The players: several `paiju load`, which know all gateways and keep their transcripts."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field

from tests.chaos.deployment import Deployment
from tests.chaos.reaper import ROOT

SEATINGS = ("quick-bots", "quick", "room")
"""Of the loads, in turn: with bots, with whoever else waits, and with friends in a room of their own."""


@dataclass(frozen=True)
class Crowd:
    """How many play, and how long.

    Attributes:
        seats: At once, at all gateways together.
        seconds: With all seats taken.
        drain_s: For finishing matches, at most.
        drop_every_s: Between storms that cut their connections.
        drop_share: How many of them a storm cuts.
        drop_spread_ms: Within this they come back.
        rate: So many come in a second.
        think: How long they think, as `paiju load --think-ms`.
        seatings: Of the loads, in turn.
    """

    seats: int
    seconds: float
    drain_s: float = 180.0
    drop_every_s: float = 20.0
    drop_share: float = 0.3
    drop_spread_ms: float = 1000.0
    rate: float = 10.0
    think: str = "300:0.3"
    seatings: tuple[str, ...] = SEATINGS


@dataclass
class Players:
    """See the module."""

    deployment: Deployment
    crowd: Crowd
    seed: str
    _loads: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def ramp_s(self) -> float:
        """How long it takes until all seats are taken."""
        return self.crowd.seats / self.crowd.rate

    def start(self) -> None:
        """Let them come."""
        count = self.deployment.size.loads
        for number in range(count):
            seats = self.crowd.seats // count + (number < self.crowd.seats % count)
            seating = self.crowd.seatings[number % len(self.crowd.seatings)]
            self._start(f"load-{number + 1}", seating, seats, number)

    def _start(self, name: str, seating: str, seats: int, number: int) -> None:
        folder = self.deployment.folder / "transcripts" / name
        folder.mkdir(parents=True)
        crowd = self.crowd
        options = {
            "--grpc": ",".join(self.deployment.grpc),
            "--seats": seats,
            "--rate": crowd.rate * seats / crowd.seats,
            "--seconds": crowd.seconds,
            "--drain": crowd.drain_s,
            "--patience": 90,
            "--seating": seating,
            "--rounds": 2,
            "--matches": 0,
            "--rest-ms": 500,
            "--door": "both",
            "--think-ms": crowd.think,
            "--drop-every": crowd.drop_every_s,
            "--drop-share": crowd.drop_share,
            "--drop-spread-ms": crowd.drop_spread_ms,
            "--seed": f"{self.seed}/{number}",
            "--transcripts": folder,
        }
        if self.deployment.network is not None:
            options["--from"] = self.deployment.network.hosts[name].crowd
        words = [word for name, value in options.items() for word in (name, str(value))]
        out, errors = (folder / "report.json").open("wb"), (folder / "progress.log").open("wb")
        with out, errors, self.deployment.place(name).inside():
            load = subprocess.Popen(
                [sys.executable, "-m", "services.launch", "load", *self.deployment.pages, *words, "--json"],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "protos")])},
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=errors,
                start_new_session=True,
            )
        self.deployment.reaper.watch(load.pid)
        self._loads.append(load)

    async def gone(self) -> None:
        """Return once all of them have played to the end, or were cut short.

        Raises:
            AssertionError: A load does not end.
        """
        crowd = self.crowd
        until = time.monotonic() + self.ramp_s + crowd.seconds + crowd.drain_s + 120
        while any(load.poll() is None for load in self._loads):
            assert time.monotonic() < until, "a load does not end"
            await asyncio.sleep(0.2)
