"""Search for seeds that convict mutants: `python -m tests.simulation.mutants NAME [--seeds N] [--from K]`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from tests.simulation.mutants import found, page
from tests.simulation.mutants.catalogue import MUTANTS
from tests.simulation.mutants.hunt import SEEDS_MAX, Found
from tests.simulation.mutants.parallel import search_all


def main(argv: Sequence[str] | None = None) -> int:
    """Search as asked; return 1 if a mutant is not caught."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.mutants", description=__doc__)
    parser.add_argument("names", nargs="*", help="mutants; none: all")
    parser.add_argument("--seeds", type=int, default=SEEDS_MAX, help="how many seeds to try for each")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first seed to try")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument(
        "--record", action="store_true", help="write what is found into found.json and the page"
    )
    parser.add_argument("--list", action="store_true", help="name the mutants, and the rules they break")
    args = parser.parse_args(argv)
    unknown = [name for name in args.names if name not in MUTANTS]
    if unknown:
        parser.error(f"no such mutant: {', '.join(unknown)}")
    if args.list:
        for mutant in MUTANTS.values():
            print(f"{mutant.name}\n    {mutant.breaks}")
        return 0
    names = args.names or list(MUTANTS)
    caught: dict[str, Found] = {}
    for name, result, others in search_all(names, args.first, args.seeds, args.jobs):
        if result is None:
            print(f"{name}: survives {args.seeds} seeds from {args.first}")
        else:
            caught[name] = result
            if args.record:
                found.write(found.read() | {name: result}, MUTANTS)
                page.write(found.read(), MUTANTS)
            print(f"{name}: seed {result.seed}: {result.verdict.invariant}: {result.verdict.message}")
        for other, count in sorted(others.items(), key=lambda pair: -pair[1])[:5]:
            print(f"    but {count} times {other}")
        sys.stdout.flush()
    return 0 if len(caught) == len(names) else 1


if __name__ == "__main__":
    sys.exit(main())
