"""The load generator's own cost: what one player takes, so that one knows when it measures itself.

    python -m bench.bench_load [--seats 60] [--seconds 15] [--think-ms 300] [--jobs 1] [--json]

First the parts that need no network, per frame or per question, on a round of bots told to one seat: reading
and checking a frame, the same with the replay of the record at the end, and each policy's choice.
Then `paiju load` against a `paiju up` in processes of their own, all games at tables without pauses: what a
player's action costs the generator, the platform and the broker. The rate is what the players make of it, not
what any of the three could do; the processor time per action is the figure to keep.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.bench_up import TIMING, broker_of, cpu_of
from engine import GAMES
from engine.search import Chance
from services.launch.load.audit import Auditor
from services.launch.load.policy import Mind
from services.launch.load.transcript import Transcript
from tests.support.told import ROUND, told
from tests.support.up import Up, spawn

REPEATS = 30


def spent(work: Callable[[], int]) -> float:
    """Return the microseconds of processor time that each of the things `work` counts takes; best of 3."""
    best = float("inf")
    for _ in range(3):
        began, count = time.process_time(), 0
        for _ in range(REPEATS):
            count += work()
        best = min(best, (time.process_time() - began) / count)
    return best * 1e6


def parts(game: str) -> dict[str, float]:
    """Return what the parts of a player cost in one game, in microseconds."""
    made = told(game, 0)
    raw = [frame.SerializeToString() for frame in made.frames]
    view = made.view.SerializeToString()

    def hear(auditor: Auditor | None) -> int:
        found: list[str] = []
        transcript = Transcript(ROUND, lambda kind, _: found.append(kind), auditor)
        transcript.view(7, view)
        for frame in raw:
            transcript.frames(7, [frame])
        assert not found, found
        return len(raw)

    def choose(policy: str) -> int:
        mind, texts, asked = Mind(game, policy, Chance(1)), list[str](), 0
        for frame in made.frames:
            texts.extend(frame.play.events)
            if frame.play.HasField("question"):
                mind.choose(texts)
                asked += 1
        return asked

    figures = {
        "frame_us": spent(lambda: hear(None)),
        "frame_with_replay_us": spent(lambda: hear(Auditor())),
    }
    for policy in ("fallback", "random", "easy", "normal"):
        if policy == "fallback" or policy in GAMES[game].bots:
            figures[f"choice_{policy}_us"] = spent(lambda policy=policy: choose(policy))  # type: ignore[misc] # a default argument of a lambda has no type
    return {name: round(value, 1) for name, value in figures.items()}


def whole(seats: int, seconds: float, think_ms: str, jobs: int) -> dict[str, Any]:
    """Return what a real run costs everybody, in microseconds of processor time per action of a player."""
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder, Up(Path(folder) / "data") as up:
        broker = broker_of(up.data)
        options = ["--seats", str(seats), "--rate", str(seats / 3), "--seconds", str(seconds), "--drain", "2"]
        options += ["--matches", "0", "--think-ms", think_ms, "--jobs", str(jobs), "--json", "--rounds", "64"]
        options += ["--seating", "table", "--key-file", str(up.data / "keys" / "service"), "--timing", TIMING]
        before = cpu_of(up.said.pid), cpu_of(broker)
        process = spawn(
            "load", up.said.url, "--grpc", up.said.grpc, *options, env={}, log=Path(folder) / "log"
        )
        out, _ = process.communicate()
        assert process.returncode == 0, (Path(folder) / "log").read_text(encoding="utf-8")[-2000:]
        used = cpu_of(up.said.pid) - before[0], cpu_of(broker) - before[1]
    report = json.loads(out)
    actions = report["actions"]
    return {
        "seats": seats,
        "actions_per_s": report["actions_per_s"],
        "frames_per_s": report["frames_per_s"],
        "action_p50_ms": report["times"]["action"]["p50_ms"],
        "action_p99_ms": report["times"]["action"]["p99_ms"],
        "generator_us_per_action": report["generator"]["cpu_us_per_action"],
        "generator_us_per_frame": report["generator"]["cpu_us_per_frame"],
        "platform_us_per_action": round(used[0] / actions * 1e6),
        "broker_us_per_action": round(used[1] / actions * 1e6),
        "generator_lag_p99_ms": report["generator"]["lag_p99_ms"],
        "wrong": report["wrong"],
        "errors": report["errors"],
    }


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seats", type=int, default=60)
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--think-ms", default="300")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures: dict[str, Any] = {game: parts(game) for game in GAMES}
    figures["whole"] = whole(given.seats, given.seconds, given.think_ms, given.jobs)
    if given.json:
        print(json.dumps(figures))
        return
    for name, shown in figures.items():
        print(f"{name:12} " + "  ".join(f"{key} {value:g}" for key, value in shown.items()))


if __name__ == "__main__":
    main()
