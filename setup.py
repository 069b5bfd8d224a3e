"""Builds Paiju's wheel; everything about it but the compiled engine is in pyproject.toml.

``PAIJU_ENGINE_FAST=1`` compiles the engine with mypyc, which must be installed then
(``pip wheel --no-build-isolation``). Without it, or where no C compiler is found, the wheel is plain Python.
"""

from __future__ import annotations

import os
from pathlib import Path

from setuptools import Extension, setup

PLAIN = {
    "engine/doudizhu/events.py": "an event of 斗地主 is a tuple, and compiled classes cannot be",
    "engine/errors.py": "exceptions are classes of the interpreter",
    "engine/face.py": "protocols, which nothing calls",
}
"""Modules that stay interpreted, and why. Faces, registries and examples stay so too: see below."""


TABLE = ("answers", "beats", "duties", "fold", "table", "turns")
"""Modules of `services/table/core` that are compiled too: what makes a table from the events of its log."""


def compiled_modules() -> list[str]:
    """Return the modules to compile: all of the engine that works during a round, and the fold of a table."""
    kept = [f"services/table/core/{name}.py" for name in TABLE]
    for path in sorted(Path("engine").rglob("*.py")):
        name = path.name
        if name in ("__init__.py", "game.py", "registry.py") or name.endswith("vectors.py"):
            continue
        if path.as_posix() not in PLAIN:
            kept.append(path.as_posix())
    return kept


def extensions() -> list[Extension]:
    """Return the compiled engine, or nothing if nobody asked for it."""
    if os.environ.get("PAIJU_ENGINE_FAST", "") not in ("1", "true", "yes"):
        return []
    # Imported here: a plain build needs neither mypy nor a compiler.
    from mypyc.build import mypycify

    found: list[Extension] = mypycify(
        compiled_modules(), opt_level="3", multi_file=True, group_name="paiju_engine"
    )
    for extension in found:
        # A build that fails leaves the plain module in place, which does the same, slower.
        extension.optional = os.environ.get("PAIJU_ENGINE_FAST") != "yes"
    return found


if __name__ == "__main__":
    setup(ext_modules=extensions())
