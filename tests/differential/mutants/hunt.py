"""Find for each mutant a round or hand that the other mind sees differently, and keep its number.

    python -m tests.differential.mutants.hunt [GAME] [SIDE [WORD ...]]

GAME is `paohuzi` unless another is named; SIDE is `engine` or `scoring`; with words only mutants whose name
holds one of them are hunted, without words those that are not caught by their kept number. A game's file
`found….json` holds what is kept: of each mutant the way and the number.
"""

from __future__ import annotations

import sys
from typing import Final

from tests.differential.mutants.catalogues import CATALOGUES, Catalogue
from tests.differential.mutants.planting import ENGINE, SCORING, Mutant, planted
from tests.differential.mutants.rounds import Key

CRASHES_MAX: Final = 3
"""A way is given up after so many."""


def is_caught(catalogue: Catalogue, side: str, mutant: Mutant, way: str, number: Key) -> bool:
    """Say whether both minds agree on a round while neither is mutated, and differ while one is."""
    agreed = catalogue.agree(way, mutant, number)
    return agreed and not agrees_mutated(catalogue, side, mutant, way, number)


def agrees_mutated(catalogue: Catalogue, side: str, mutant: Mutant, way: str, number: Key) -> bool:
    """Say whether both minds agree on a round with the mutant planted in one of them."""
    with planted(ENGINE if side == "engine" else SCORING, mutant) as alias:
        return catalogue.agree(way, mutant, number, **{side: alias})


def hunt(catalogue: Catalogue, side: str, mutant: Mutant) -> tuple[str, Key] | None:
    """Return the first way and number that catch a mutant."""
    agree = catalogue.agree
    with planted(ENGINE if side == "engine" else SCORING, mutant) as alias:
        for way, numbers in catalogue.tries():
            crashes = 0
            for number in numbers:
                try:
                    if not agree(way, mutant, number, **{side: alias}) and agree(way, mutant, number):
                        return way, number
                except Exception as broken:  # noqa: BLE001 - a mutant may do anything; a crash is no dispute
                    print(f"    {way} {number}: {type(broken).__name__} {broken}"[:150])
                    crashes += 1
                if crashes == CRASHES_MAX:
                    break
    return None


def main(arguments: list[str]) -> int:
    """Hunt, print each result, keep them; the exit code is the number of mutants that nothing catches."""
    if arguments[:1] and arguments[0] in CATALOGUES:
        catalogue, arguments = CATALOGUES[arguments[0]], arguments[1:]
    else:
        catalogue = CATALOGUES["paohuzi"]
    sides, words = arguments[:1] or list(catalogue.sides), arguments[1:]
    missed = 0
    for side in sides:
        for mutant in catalogue.sides[side]:
            if words and not any(word in mutant.name for word in words):
                continue
            how = catalogue.kept()[side].get(mutant.name)
            if not words and how is not None and is_caught(catalogue, side, mutant, *how):
                continue
            how = hunt(catalogue, side, mutant)
            found = catalogue.kept()
            if how is None:
                found[side].pop(mutant.name, None)
                missed += 1
            else:
                found[side][mutant.name] = how
            print(f"{side}: {mutant.name}: {'NOT CAUGHT' if how is None else how}", flush=True)
            catalogue.keep(found)
    return min(missed, 99)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
