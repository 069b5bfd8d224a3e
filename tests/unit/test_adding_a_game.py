"""CONTRIBUTING's recipe for a game: one folder, one line in the registry, one word of what it may show."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TINY = ROOT / "tests" / "support" / "bidaxiao"

REGISTRY = "engine/registry.py"
SKELETONS = "tests/property/test_every_game_leaks_nothing.py"
STEPS = (
    (REGISTRY, "from engine.doudizhu.game", "from engine.bidaxiao import Bidaxiao\n"),
    (REGISTRY, "GAMES: Final = Games(", "Bidaxiao(), "),
    (SKELETONS, "SKELETONS: dict[str, Callable[[str, int | None], str | None]] = {\n", "BIDAXIAO"),
)
SKELETON = """    "bidaxiao": lambda text, reader: (
        None
        if text.split(" ")[0] in ("ask", "answer")
        else " ".join(text.split(" ")[:4] + (text.split(" ")[4 + reader :][:1] if reader is not None else []))
        if text.startswith("deal")
        else text
    ),
"""


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the engine and its properties to which the recipe was applied, step by step."""
    copy = tmp_path_factory.mktemp("recipe")
    for folder in ("engine", "services", "protos", "tests/property", "tests/support", "tests/golden"):
        ignored = shutil.ignore_patterns("__pycache__", "web", "*.so")
        shutil.copytree(ROOT / folder, copy / folder, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", copy)
    shutil.copytree(TINY, copy / "engine" / "bidaxiao")
    for name, before, added in STEPS:
        path = copy / name
        text = path.read_text()
        assert text.count(before) == 1, (
            f"{name} has changed; so must the recipe in CONTRIBUTING and this test"
        )
        added = SKELETON if added == "BIDAXIAO" else added
        whole = added + before if before.startswith("from") else before + added
        path.write_text(text.replace(before, whole))
    yield copy
    shutil.rmtree(copy)


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy, on the copy."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout}:{checkout / 'protos'}"},
        capture_output=True,
        text=True,
        check=False,
    )


def test_every_property_of_all_games_runs_on_the_new_one(checkout: Path) -> None:
    tests = ("tests/property/test_every_game_keeps_its_promises.py", SKELETONS)
    done = run(checkout, "-m", "pytest", "-q", "-n", "0", "--noconftest", *tests, "-k", "bidaxiao or says")
    assert done.returncode == 0, done.stdout[-3000:]
    passed = int(done.stdout.rsplit(" passed", 1)[0].rsplit(maxsplit=1)[-1])
    # Thirteen properties for both presets, the refused texts, and the search for leaks.
    assert passed >= 2 * 13 + 10


def paiju(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line of the copy."""
    return run(checkout, "-c", f"from services.launch.main import app; app({list(arguments)!r})")


def test_the_command_line_knows_the_game_and_its_options(checkout: Path) -> None:
    done = paiju(checkout, "rules", "bidaxiao")
    assert "low_wins = no; low yes" in done.stdout, done.stderr
    assert "Points the loser pays. (1 to 100; rule §4" in done.stdout


def test_what_scoring_cannot_audit_is_not_simulated(checkout: Path) -> None:
    done = paiju(checkout, "simulate", "bidaxiao", "--preset", "low")
    assert done.returncode == 2
    assert "scoring cannot audit bidaxiao yet" in done.stderr
