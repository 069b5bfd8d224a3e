"""`paiju vectors`: worked examples, through the engine and through scoring."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from engine.doudizhu import vectors as doudizhu_engine
from engine.kawuxing import vectors as kawuxing_engine
from engine.paohuzi import vectors as paohuzi_engine
from engine.qinghunpeng import vectors as qinghunpeng_engine
from services.launch.exampleform import faults
from services.launch.exits import NO, USAGE, Stop
from services.scoring.core import vectors as scoring
from services.scoring.core.games import GAMES as AUDITED

Judge = Callable[[Mapping[str, Any]], list[str]]
"""Takes an example and returns a sentence for everything it expects and does not get."""

ENGINES: Mapping[str, Judge] = {
    "paohuzi": paohuzi_engine.run_case,
    "doudizhu": doudizhu_engine.run_case,
    "kawuxing": kawuxing_engine.run_case,
    "qinghunpeng": qinghunpeng_engine.run_case,
}
"""By game, the engine's own."""
JUDGES: Mapping[str, tuple[tuple[str, Judge], ...]] = {
    name: (("engine", engine), ("scoring", scoring.run_case)) for name, engine in ENGINES.items()
}
"""By game, who must agree with its examples."""
SHORT_NAMES: Mapping[str, str] = {game.short: name for name, game in AUDITED.items()}
"""How examples may call a game."""


def run(files: list[Path]) -> None:
    """Run every line of the files; print each failure, and the counts last.

    Raises:
        Stop: A file cannot be read or a line is no JSON object (`USAGE`); an example failed (`NO`).
    """
    passed = failed = 0
    for where, case in [example for file in files for example in _examples(file)]:
        game = _game(where, case)
        wrong = [f"no example: {sentence}" for sentence in faults(game, case)] or [
            f"{name}: {sentence}"
            for name, judge in JUDGES[game]
            for sentence in judged(judge, {**case, "game": game})
        ]
        for line in wrong:
            print(f"{case.get('id', where)}: {line}")
        passed += not wrong
        failed += bool(wrong)
    print(f"{passed} passed, {failed} failed")
    if failed:
        raise Stop(NO, f"{failed} of {passed + failed} examples failed")
    if not passed:
        raise Stop(USAGE, "there was no example in what was given")


def judged(judge: Judge, case: Mapping[str, Any]) -> list[str]:
    """Return what a judge finds wrong; an example it cannot even read is one more thing that is wrong."""
    try:
        return judge(case)
    except Exception as error:  # noqa: BLE001 - one malformed example must not hide the verdict on the others
        return [f"cannot be run: {type(error).__name__}: {error}"]


def _examples(file: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        lines = file.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise Stop(USAGE, f"{file} cannot be read: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Stop(USAGE, f"{file}:{number} is not JSON: {error}") from error
        if not isinstance(case, dict):
            raise Stop(USAGE, f"{file}:{number} is not a JSON object")
        yield f"{file.name}:{number}", case


def _game(where: str, case: Mapping[str, Any]) -> str:
    """Return the game an example is of: as it says, or as its file is called, or else 跑胡子.

    Raises:
        Stop: The example names a game that nobody here can judge (`USAGE`).
    """
    said = case.get("game")
    if said is not None and SHORT_NAMES.get(str(said), str(said)) not in JUDGES:
        raise Stop(USAGE, f"{where}: no game {said!r}; known are {', '.join(JUDGES)}")
    named = [str(said), *where.split(":")[0].split(".")[0].split("_")]
    known = (SHORT_NAMES.get(name, name) for name in named)
    return next((name for name in known if name in JUDGES), next(iter(JUDGES)))
