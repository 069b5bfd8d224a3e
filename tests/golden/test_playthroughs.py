"""Golden rounds: any change of what can be observed of a round shows as a diff of these files.

``GOLDEN_REWRITE=1`` writes them again (``make golden``), with the moves they have; read the diff before you
commit it. Bots choose the moves of a round that has no file yet.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import GAMES, Refusal
from tests.golden.playthrough import playthrough, script_of

HERE = Path(__file__).parent / "playthroughs"
ROOT = Path(__file__).resolve().parents[2]
CASES = [(name, preset) for name in GAMES for preset in GAMES[name].presets]
REWRITE = os.environ.get("GOLDEN_REWRITE") == "1"


def path_of(name: str, preset: str) -> Path:
    return HERE / f"{name}-{preset}.txt"


def rewritten(name: str, preset: str) -> str:
    """Return the golden round as it goes now: with its moves if they are still legal, else by bots."""
    path = path_of(name, preset)
    try:
        return playthrough(name, preset, script_of(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, Refusal, IndexError):
        return playthrough(name, preset)


@pytest.mark.parametrize(("name", "preset"), CASES)
def test_a_round_goes_as_it_went(name: str, preset: str) -> None:
    path = path_of(name, preset)
    if REWRITE:
        path.write_text(rewritten(name, preset), encoding="utf-8")
    assert path.is_file(), "no golden file: run `make golden` and read the diff"
    golden = path.read_text(encoding="utf-8")
    assert playthrough(name, preset, script_of(golden)) == golden


def test_there_is_a_golden_file_for_every_preset_and_no_other() -> None:
    assert sorted(HERE.iterdir()) == sorted(path_of(*case) for case in CASES)


def test_the_golden_rounds_show_every_kind_of_event() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in HERE.iterdir())
    kinds = [
        "deal",
        "liang",
        "ti",
        "wei",
        "pao",
        "peng",
        "chi",
        "draw",
        "discard",
        "river",
        "hu",
        "show",
        "end",
        "ask",
        "answer",
        "mark",
        "withdrawn",
    ]
    assert [kind for kind in kinds if f": {kind} " not in text] == []


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_a_round_goes_the_same_under_other_hash_seeds(hash_seed: str) -> None:
    name, preset = CASES[0]
    script = script_of(path_of(name, preset).read_text(encoding="utf-8"))
    call = f"playthrough({name!r}, {preset!r}, {script!r})"
    program = f"from tests.golden.playthrough import playthrough; print({call}, end='')"
    own = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    text = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env={**os.environ, **own},
        capture_output=True,
        check=True,
    ).stdout.decode()
    assert text == path_of(name, preset).read_text(encoding="utf-8")
