"""Every game's mutants by the mind they are planted in, how they are shown, and where what was found is kept."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from tests.differential.mutants import (
    courses,
    doudizhu_engine,
    doudizhu_scoring,
    engine_mutants,
    kawuxing_engine,
    kawuxing_scoring,
    preset_mutants,
    qinghunpeng_engine,
    qinghunpeng_scoring,
    rounds,
    scoring_mutants,
)
from tests.differential.mutants.planting import Mutant
from tests.differential.mutants.rounds import Key

Found = dict[str, dict[str, tuple[str, Key]]]
"""By side and name of the mutant: the way, and the number of the round."""

SIDES: Final = ("engine", "scoring")


@dataclass(frozen=True, slots=True)
class Catalogue:
    """The mutants of one game."""

    game: str
    sides: Mapping[str, tuple[Mutant, ...]]
    """By the mind they are planted in; the other one must dispute."""
    agree: Callable[..., bool]
    """As `rounds.agree`."""
    tries: Callable[[], Sequence[tuple[str, Iterable[Key]]]]
    """Ways and numbers, in order."""
    file: Path
    """Holds what was found."""

    def kept(self) -> Found:
        """Return what was found."""
        read = json.loads(self.file.read_text()) if self.file.exists() else {}
        return {
            side: {name: (str(way), number) for name, (way, number) in read.get(side, {}).items()}
            for side in self.sides
        }

    def keep(self, found: Found) -> None:
        """Write what was found, one mutant a line, without mutants that are no more."""
        sides = []
        for side, mutants in self.sides.items():
            known = {mutant.name for mutant in mutants}
            rows = [
                f"    {json.dumps(name, ensure_ascii=False)}: {json.dumps(list(how))}"
                for name, how in sorted(found[side].items())
                if name in known
            ]
            sides.append(f"  {json.dumps(side)}: {{\n" + ",\n".join(rows) + "\n  }")
        # In one step, for whoever hunts on the other side meanwhile.
        new = self.file.with_suffix(".new")
        new.write_text("{\n" + ",\n".join(sides) + "\n}\n")
        new.replace(self.file)


def _of_course(game: str, engine: tuple[Mutant, ...], scoring: tuple[Mutant, ...]) -> Catalogue:
    return Catalogue(
        game,
        {"engine": engine, "scoring": scoring},
        partial(courses.agree, game),
        partial(courses.tries, game),
        Path(__file__).with_name(f"found_{game}.json"),
    )


CATALOGUES: Final[Mapping[str, Catalogue]] = {
    "paohuzi": Catalogue(
        "paohuzi",
        {
            "engine": (*engine_mutants.MUTANTS, *preset_mutants.OF_ENGINE),
            "scoring": (*scoring_mutants.MUTANTS, *preset_mutants.OF_SCORING),
        },
        rounds.agree,
        rounds.tries,
        Path(__file__).with_name("found.json"),
    ),
    "kawuxing": _of_course("kawuxing", kawuxing_engine.MUTANTS, kawuxing_scoring.MUTANTS),
    "doudizhu": _of_course("doudizhu", doudizhu_engine.MUTANTS, doudizhu_scoring.MUTANTS),
    "qinghunpeng": _of_course("qinghunpeng", qinghunpeng_engine.MUTANTS, qinghunpeng_scoring.MUTANTS),
}
"""By game."""
