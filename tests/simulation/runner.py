"""Running worlds: one, or many over all cores, with what came of them."""

from __future__ import annotations

import multiprocessing
import time
import traceback
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial

from services.chassis import log
from services.chassis.clock import run_virtual
from tests.simulation.report import Report, Totals
from tests.simulation.strict import StrictWorld
from tests.simulation.world import HEALED_S

SHOWN_FAILURES_MAX = 20
ALL_FAULTS_SEEDS = 100
"""In so many seeds each kind of fault must have happened: else the storm is broken."""


@dataclass(frozen=True)
class RunOptions:
    """How to run a seed."""

    style: str | None = None
    trace: int = 0
    healed_s: float = 0.0
    """0 = as usual."""


@dataclass
class Outcome:
    """What came of one seed: a report, or what was broken."""

    seed: int
    report: Report | None = None
    broken: str = ""
    where: str = ""
    lines: list[str] = field(default_factory=list)


def run_seed(seed: int, options: RunOptions = RunOptions()) -> Outcome:
    """Run one world, and say what came of it; never raises."""
    log.configure("critical", as_json=True)
    worlds: list[StrictWorld] = []
    began = time.process_time()

    def make(clock: object) -> object:
        world = StrictWorld(
            clock,  # type: ignore[arg-type]
            seed,
            style=options.style,
            healed_s=options.healed_s or HEALED_S,
            trace=options.trace,
        )
        worlds.append(world)
        return world.run()

    try:
        report: Report = run_virtual(make)  # type: ignore[arg-type]
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt | SystemExit):
            raise
        reason = reason_of(error)
        where = "".join(traceback.format_exception(reason, limit=-6))
        broken = f"{type(reason).__name__}: {reason}"
        return Outcome(seed, None, broken, where, worlds[0].lines if worlds else [])
    report.cpu_s = time.process_time() - began
    return Outcome(seed, report, lines=worlds[0].lines)


def reason_of(error: BaseException) -> BaseException:
    """Return the innermost reason of nested groups of exceptions."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def show_one(seed: int, options: RunOptions) -> int:
    """Run one seed and print everything about it; return the exit code."""
    outcome = run_seed(seed, options)
    for line in outcome.lines[-options.trace :] if options.trace else ():
        print(line)
    if outcome.report is None:
        print(f"{outcome.where}\nseed {seed}: {outcome.broken}")
        return 1
    totals = Totals()
    totals.add(outcome.report)
    print(totals.text())
    print(f"seed {seed} is sound; digest {outcome.report.digest}")
    return 0


def run_many(seeds: Sequence[int], options: RunOptions, jobs: int) -> int:
    """Run many seeds over so many processes, with progress; return the exit code."""
    totals, failures = Totals(), []
    began = time.monotonic()
    with multiprocessing.get_context("spawn").Pool(jobs, maxtasksperchild=200) as pool:
        outcomes: Iterable[Outcome] = pool.imap_unordered(partial(run_seed, options=options), seeds)
        for done, outcome in enumerate(outcomes, start=1):
            if outcome.report is not None:
                totals.add(outcome.report)
            else:
                failures.append(outcome)
                print(f"\nseed {outcome.seed}: {outcome.broken}\n    repeat: {repeat(outcome.seed, options)}")
            seconds = time.monotonic() - began
            left = (len(seeds) - done) * seconds / done
            progress = f"{done}/{len(seeds)} seeds, {done / seconds:.2f}/s, {len(failures)} failed"
            print(f"\r{progress}, {left:.0f} s left   ", end="", flush=True)
    seconds = time.monotonic() - began
    print(f"\r{'':78}\r{totals.text()}")
    never = totals.never_done() if len(seeds) >= ALL_FAULTS_SEEDS and not failures else []
    if never:
        print(f"never happened in so many seeds: {', '.join(never)}")
    print(
        f"{len(seeds)} seeds in {seconds:.0f} s ({len(seeds) / seconds:.2f} seeds/s), {len(failures)} failed"
    )
    for outcome in sorted(failures, key=lambda one: one.seed)[:SHOWN_FAILURES_MAX]:
        print(f"seed {outcome.seed}: {outcome.broken}\n    repeat: {repeat(outcome.seed, options)}")
    return 1 if failures or never else 0


def repeat(seed: int, options: RunOptions) -> str:
    """Return the command that runs a seed again."""
    style = f" --style {options.style}" if options.style else ""
    return f"python -m tests.simulation {seed}{style} --trace 200"
