"""What economy hands to transactions that write, read from its sources."""

from __future__ import annotations

import ast
from pathlib import Path

from services import economy


def written_by_economy() -> set[str]:
    """Return the functions that economy hands to a transaction that writes, as `module.function`.

    The reconciler's notes are no part of the book.
    """
    folder = Path(str(economy.__file__)).parent
    found = set()
    for path in sorted(folder.rglob("*.py")):
        if {"store", "migrations"} & set(path.relative_to(folder).parts) or path.stem == "reconcile":
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"))
        named = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        origin = _imported(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _is_run(node.func):
                called = node.args[0]
                if isinstance(called, ast.Name) and called.id in named:
                    called = named[called.id].body[0]  # type: ignore[assignment] # a local function, whole
                found.add(_function(called, origin, path))
    return found


def _is_run(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and func.attr == "run" and ast.unparse(func.value).endswith("_db")


def _imported(tree: ast.Module) -> dict[str, str]:
    """Return what a name of a module means: `store` → `room_cards`, `hear` → `rounds.hear`."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("services.economy.store"):
            place = str(node.module).removeprefix("services.economy.store").lstrip(".")
            for one in node.names:
                names[one.asname or one.name] = f"{place}.{one.name}" if place else one.name
    return names


def _function(called: ast.AST, origin: dict[str, str], path: Path) -> str:
    """Return the first function of the store that is named within an expression."""
    for node in ast.walk(called):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in origin:
            return f"{origin[node.value.id]}.{node.attr}"
        if isinstance(node, ast.Name) and "." in origin.get(node.id, ""):
            return origin[node.id]
    raise AssertionError(f"{path.name}: {ast.unparse(called)} hands nothing of the store to a transaction")
