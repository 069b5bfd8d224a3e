"""Load a package afresh under another name, with one line of its source changed."""

from __future__ import annotations

import ast
import importlib
import importlib.abc
import importlib.machinery
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

ROOT = Path(__file__).parents[3]

ENGINE = "engine"
SCORING = "services.scoring.core"


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
    """What stands there, exactly once, or once below the anchor before anything else like it."""
    new: str
    """What stands there instead."""
    anchor: str = ""
    """What stands in the file exactly once, above a line that stands there more than once."""
    preset: str = "876cc"
    """Empty: any, drawn anew for each round."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Changed options under which the rule matters, or matters more often."""
    rig: str = ""
    """The rigged wall to hunt with; empty: any."""

    def planted_in(self, source: str) -> str:
        """Return a source with the wrong line in it.

        Raises:
            AssertionError: The line to be changed is not there, or not once.
        """
        unique = self.anchor or self.old
        count = source.count(unique)
        assert count == 1, f"{self.file}: {unique!r} stands there {count} times, not once"
        at = source.find(self.old, source.index(unique))
        assert at >= 0, f"{self.file}: no {self.old!r} below {self.anchor!r}"
        return source[:at] + self.new + source[at + len(self.old) :]


def line(name: str, rule: str, old: str, new: str, anchor: str = "", rig: str = "", **options: Any) -> Mutant:
    """Return a wrong line of a file that `in_file` names, under any preset with some options changed."""
    return Mutant(name, rule, "", old, new, anchor, preset="", options=options, rig=rig)


def in_file(file: str, *mutants: Mutant) -> tuple[Mutant, ...]:
    """Return wrong lines as those of one file."""
    return tuple(replace(mutant, file=file) for mutant in mutants)


@lru_cache(maxsize=4)
def _imports_of(package: str) -> Mapping[str, frozenset[str]]:
    """Return for each module of a package which of its modules it imports by name."""
    base = ROOT / package.replace(".", "/")
    files = {}
    for file in sorted(base.rglob("*.py")):
        inner = file.relative_to(base).with_suffix("").as_posix().replace("/", ".")
        files[f"{package}.{inner}".removesuffix(".__init__")] = file
    found = {}
    for name, file in files.items():
        named: set[str] = set()
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = {f"{node.module}.{alias.name}" for alias in node.names}
                # `from package import module` names the module; anything else, the module it stands in.
                named |= {one if one in files else node.module for one in inside}
        found[name] = frozenset(named & files.keys())
    return found


def _touched(package: str, edited: str) -> frozenset[str]:
    """Return the modules whose behaviour may depend on an edited one: those that import it, and so on."""
    imports = _imports_of(package)
    touched = {edited}
    while more := {name for name, named in imports.items() if named & touched} - touched:
        touched |= more
    return frozenset(touched)


@lru_cache(maxsize=512)
def _renamed(file: Path, package: str, alias: str) -> CodeType:
    """Return an unchanged module of a package, compiled to import the others under an alias."""
    return _compiled(file.read_text(), file, package, alias)


def _compiled(source: str, file: Path, package: str, alias: str) -> CodeType:
    imports = rf"(?m)^(\s*(?:from|import) ){re.escape(package)}(?=[.\s])"
    return compile(re.sub(imports, rf"\g<1>{alias}", source), str(file), "exec", dont_inherit=True)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves `package` from its sources under the name `alias`."""

    def __init__(self, package: str, alias: str, mutant: Mutant) -> None:
        self._package, self._alias, self._mutant = package, alias, mutant
        self._edited = ROOT / package.replace(".", "/") / mutant.file

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
        if file == self._edited:
            source = self._mutant.planted_in(file.read_text())
            code = _compiled(source, file, self._package, self._alias)
        else:
            code = _renamed(file, self._package, self._alias)
        exec(code, module.__dict__)


@contextmanager
def planted(package: str, mutant: Mutant) -> Iterator[str]:
    """Yield the name under which the package with the mutant in it can be imported; forget it afterwards.

    Modules that do not depend on the changed one are the package's own: they behave alike anyway.
    """
    alias = "planted_" + package.replace(".", "_")
    edited = f"{package}.{mutant.file.removesuffix('.py').replace('/', '.')}"
    for name in (package, edited):
        importlib.import_module(name)
    in_use = _imports_of(package).keys() & sys.modules.keys()
    touched = _touched(package, edited)
    finder = _Finder(package, alias, mutant)
    sys.meta_path.insert(0, finder)
    try:
        for name in in_use - touched:
            if not hasattr(sys.modules[name], "__path__"):
                sys.modules[alias + name.removeprefix(package)] = sys.modules[name]
        for name in sorted(in_use & touched):
            importlib.import_module(alias + name.removeprefix(package))
        yield alias
    finally:
        sys.meta_path.remove(finder)
        for name in [name for name in sys.modules if name == alias or name.startswith(alias + ".")]:
            del sys.modules[name]
