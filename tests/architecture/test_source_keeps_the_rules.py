"""Rules of the code that a linter has no word for."""

import ast
import re
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, modules, name, strings

LINES_MAX = 400

# `paiju.table.v1.…` is a proto's name; `paiju.table.cmd` is a subject.
SUBJECT = re.compile(r"^paiju\.[a-z_]+\.(?!v\d)[a-z_]")


def is_bus_module(path: Path) -> bool:
    """Return whether subjects may be spelt here: where they are built, and in each service's bus room."""
    return "bus" in path.with_suffix("").parts


def literal_subjects(path: Path) -> list[str]:
    """Return where a module spells a subject."""
    return [f"{path}:{line}: {text}" for line, text in strings(path) if SUBJECT.match(text)]


def test_no_subject_is_spelt_outside_the_bus_modules() -> None:
    found = [
        where
        for path in modules("engine", "services")
        if not is_bus_module(path)
        for where in literal_subjects(path)
    ]
    assert found == []


def test_a_spelt_subject_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text(
        '"""paiju.table.in_a_docstring"""\nA = "paiju.table.cmd.3"\nB = "paiju.table.v1.TableService"\n'
    )
    assert literal_subjects(planted) == [f"{planted}:2: paiju.table.cmd.3"]


def reads_of_loop_time(path: Path) -> list[str]:
    """Return where a module asks an event loop for the time: `loop.time()`, `get_running_loop().time()`."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "time":
            owner = ast.unparse(node.func.value)
            if "loop" in owner:
                found.append(f"{path}:{node.lineno}: {owner}.time()")
    return found


def test_nobody_but_the_clock_asks_a_loop_for_the_time() -> None:
    clock = ROOT / "services/chassis/clock.py"
    found = [
        where for path in modules("engine", "services") if path != clock for where in reads_of_loop_time(path)
    ]
    assert found == []


def test_a_read_of_a_loops_time_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("import asyncio\nnow = asyncio.get_running_loop().time()\n")
    assert len(reads_of_loop_time(planted)) == 1


@pytest.mark.parametrize("root", [".", "protos"])
def test_no_name_at_an_import_root_hides_the_standard_library(root: str) -> None:
    top = {path.stem for path in (ROOT / root).iterdir() if path.is_dir() or path.suffix == ".py"}
    assert top & set(sys.stdlib_module_names) == set()


def test_no_module_is_too_long_to_read() -> None:
    lengths = {
        name(path): len(path.read_text(encoding="utf-8").splitlines())
        for path in modules("engine", "services", ".ci")
    }
    assert {path: lines for path, lines in lengths.items() if lines > LINES_MAX} == {}


# Put together here, so that this file does not accuse itself.
EXCEPTION = re.compile(r"#\s*(noqa\b(?!: [A-Z0-9, ]+ - \S)|type: ignore(?!\[[a-z-, ]+\]\s+# \S))")
UNFINISHED = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X)\b")


def test_every_exception_to_a_check_gives_its_reason() -> None:
    found = [
        f"{name(path)}:{number}: {line.strip()}"
        for path in modules("engine", "services")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if EXCEPTION.search(line)
    ]
    assert found == []


@pytest.mark.parametrize(
    ("line", "accused"),
    [
        ("x = 1  # noqa: E501 - a table reads better unbroken", False),
        ("x = 1  # noqa: E501", True),
        ("x = f()  # type: ignore[no-any-return] # the stub has no type", False),
        ("x = f()  # type: ignore[no-any-return]", True),
        ("x = f()  # type: ignore", True),
    ],
)
def test_an_exception_without_a_reason_is_found(line: str, accused: bool) -> None:
    assert bool(EXCEPTION.search(line)) is accused


def test_nothing_is_left_for_later() -> None:
    found = [
        f"{name(path)}: {match.group()}"
        for path in modules("engine", "services", "tests")
        if (match := UNFINISHED.search(path.read_text(encoding="utf-8")))
    ]
    assert found == []
