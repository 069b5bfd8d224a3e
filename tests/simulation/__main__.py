"""Run worlds: one seed to be looked at, or many over all cores.

python -m tests.simulation 1234 --trace 200     one seed, and the last lines of what happened
python -m tests.simulation --seeds 2000         seeds 0 … 1999; exit code 1 if one fails
"""

from __future__ import annotations

import argparse
import os
import sys

from tests.simulation.runner import RunOptions, run_many, show_one


def main() -> int:
    """Return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulation", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("seed", nargs="?", type=int, help="one seed")
    parser.add_argument("--seeds", type=int, default=0, help="so many seeds")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: cores)")
    parser.add_argument("--style", choices=("r1", "r3"), help="the broker, instead of the seed's choice")
    parser.add_argument("--trace", type=int, default=0, help="with one seed: print so many last lines")
    parser.add_argument("--healed", type=float, default=0.0, help="virtual seconds to the end, once healed")
    chosen = parser.parse_args()
    options = RunOptions(style=chosen.style, trace=chosen.trace, healed_s=chosen.healed)
    if chosen.seed is not None:
        return show_one(chosen.seed, options)
    if not chosen.seeds:
        parser.error("name a seed, or --seeds N")
    return run_many(range(chosen.first, chosen.first + chosen.seeds), options, chosen.jobs)


if __name__ == "__main__":
    sys.exit(main())
