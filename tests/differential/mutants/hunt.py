"""Find for each mutant a round or hand that the other mind sees differently, and keep its number.

    python -m tests.differential.mutants.hunt [SIDE [WORD ...]]

SIDE is `engine` or `scoring`; with words only mutants whose name holds one of them are hunted, without words
those that are not caught by their kept number. `found.json` holds what is kept: of each mutant the way and the
number.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from tests.differential.mutants import engine_mutants, preset_mutants, scoring_mutants
from tests.differential.mutants.planting import ENGINE, SCORING, Mutant, planted
from tests.differential.mutants.rounds import Key, agree, examples

FOUND: Final = Path(__file__).with_name("found.json")


def tries() -> dict[str, Iterable[Key]]:
    """Return what is tried, way by way; a record is what scoring really audits, so records come first."""
    return {
        "record": range(250),
        "lockstep": range(1_500),
        "hand": range(8_000),
        "example": examples(),
        "options": range(1),
    }


SIDES: Final[dict[str, tuple[Mutant, ...]]] = {
    "engine": (*engine_mutants.MUTANTS, *preset_mutants.OF_ENGINE),
    "scoring": (*scoring_mutants.MUTANTS, *preset_mutants.OF_SCORING),
}
"""The mutants by the mind they are planted in; the other one must dispute."""


def kept() -> dict[str, dict[str, tuple[str, Key]]]:
    """Return what was found, by side and name of the mutant."""
    if not FOUND.exists():
        return {side: {} for side in SIDES}
    return {
        side: {name: (str(way), number) for name, (way, number) in found.items()}
        for side, found in json.loads(FOUND.read_text()).items()
    }


def keep(found: dict[str, dict[str, tuple[str, Key]]]) -> None:
    """Write what was found, one mutant a line, without mutants that are no more."""
    known = {side: {mutant.name for mutant in mutants} for side, mutants in SIDES.items()}
    sides = []
    for side in SIDES:
        rows = [
            f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(list(how))}"
            for name, how in sorted(found[side].items())
            if name in known[side]
        ]
        sides.append(f"  {json.dumps(side)}: {{\n" + ",\n".join(rows) + "\n  }")
    FOUND.write_text("{\n" + ",\n".join(sides) + "\n}\n")


def is_caught(side: str, mutant: Mutant, way: str, number: Key) -> bool:
    """Say whether both minds agree on a round while neither is mutated, and differ while one is."""
    return agree(way, mutant, number) and not agrees_mutated(side, mutant, way, number)


def agrees_mutated(side: str, mutant: Mutant, way: str, number: Key) -> bool:
    """Say whether both minds agree on a round with the mutant planted in one of them."""
    with planted(ENGINE if side == "engine" else SCORING, mutant) as alias:
        return agree(way, mutant, number, **{side: alias})


def hunt(side: str, mutant: Mutant) -> tuple[str, Key] | None:
    """Return the first way and number that catch a mutant."""
    with planted(ENGINE if side == "engine" else SCORING, mutant) as alias:
        for way, numbers in tries().items():
            for number in numbers:
                try:
                    if not agree(way, mutant, number, **{side: alias}) and agree(way, mutant, number):
                        return way, number
                except Exception as broken:  # noqa: BLE001 - a mutant may do anything; a crash is no dispute
                    print(f"    {way} {number}: {type(broken).__name__} {broken}"[:150])
                    break
    return None


def main(arguments: list[str]) -> int:
    """Hunt, print each result, keep them; the exit code is the number of mutants that nothing catches."""
    sides, words = arguments[:1] or list(SIDES), arguments[1:]
    found = kept()
    missed = 0
    for side in sides:
        for mutant in SIDES[side]:
            if words and not any(word in mutant.name for word in words):
                continue
            how = found[side].get(mutant.name)
            if not words and how is not None and is_caught(side, mutant, *how):
                continue
            how = hunt(side, mutant)
            if how is None:
                found[side].pop(mutant.name, None)
                missed += 1
            else:
                found[side][mutant.name] = how
            print(f"{side}: {mutant.name}: {'NOT CAUGHT' if how is None else how}", flush=True)
            keep(found)
    return min(missed, 99)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
