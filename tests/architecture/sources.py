"""The project's own source files, for the tests that read them."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

SERVICES = (
    "accounts",
    "anticheat",
    "chat",
    "economy",
    "gateway",
    "matchmaking",
    "progress",
    "scoring",
    "table",
)
"""The nine, in the order of the alphabet."""


def modules(*folders: str) -> list[Path]:
    """Return the Python files under folders of the checkout, sorted."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def name(path: Path) -> str:
    """Return a file's path as a person would say it."""
    return path.relative_to(ROOT).as_posix()


def dotted(path: Path) -> str:
    """Return the import name of a module."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def strings(path: Path) -> Iterator[tuple[int, str]]:
    """Yield line and value of each string in a module that is no docstring; of f-strings the fixed parts."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in bare:
            yield node.lineno, node.value
