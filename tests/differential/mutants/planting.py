"""Load a package afresh under another name, with one line of its source changed."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One wrong line in one of the two minds."""

    name: str
    """A sentence: what the mutated side believes."""
    rule: str
    """The rule it breaks, e.g. `§8`."""
    file: str
    """Below the package, e.g. `paohuzi/claims.py`."""
    old: str
    """What stands there, exactly once."""
    new: str
    """What stands there instead."""
    preset: str = "876cc"
    options: dict[str, Any] = field(default_factory=dict)
    """Changed options under which the rule matters more often."""
    bots: tuple[str, str, str] = ("random", "random", "random")


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves `package` from its sources under the name `alias`."""

    def __init__(self, package: str, alias: str, edits: dict[Path, tuple[str, str]]) -> None:
        self._package, self._alias, self._edits = package, alias, edits
        inner = re.escape(package)
        self._imports = re.compile(rf"(?m)^(\s*(?:from|import) ){inner}(?=[.\s])")

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._alias and not fullname.startswith(self._alias + "."):
            return None
        below = fullname[len(self._alias) :].strip(".").replace(".", "/")
        base = ROOT / self._package.replace(".", "/") / below
        file = base / "__init__.py" if base.is_dir() else base.with_suffix(".py")
        if not file.is_file():
            return None
        spec = importlib.machinery.ModuleSpec(fullname, self, origin=str(file), is_package=base.is_dir())
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        assert module.__spec__ is not None
        file = Path(str(module.__spec__.origin))
        source = file.read_text()
        if file in self._edits:
            old, new = self._edits[file]
            assert source.count(old) == 1, f"{file}: {old!r} stands there {source.count(old)} times, not once"
            source = source.replace(old, new)
        source = self._imports.sub(rf"\g<1>{self._alias}", source)
        exec(compile(source, str(file), "exec"), module.__dict__)


@contextmanager
def planted(package: str, mutant: Mutant | None) -> Iterator[str]:
    """Yield the name under which the package with the mutant in it can be imported; forget it afterwards."""
    alias = "planted_" + package.replace(".", "_")
    edits: dict[Path, tuple[str, str]] = {}
    if mutant is not None:
        edits[ROOT / package.replace(".", "/") / mutant.file] = (mutant.old, mutant.new)
    finder = _Finder(package, alias, edits)
    sys.meta_path.insert(0, finder)
    try:
        importlib.import_module(alias)
        yield alias
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name == alias or name.startswith(alias + ".")]:
            del sys.modules[name]
