"""The page's modules as one file, made when the gateway starts.

A browser that asks for two hundred modules spends longer on asking than on reading them, even where it has
kept them all. So they are joined: each becomes a function that is called once, in the order in which modules
would run, with what it imports as constants. That is the same as long as the modules keep to a few forms,
which is checked; where one does not, nothing is joined, and the page loads module by module as it is written.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

MODULE: Final = ".mjs"
"""What is joined; scripts of others (`.js`) stay files of their own, which the joined one imports."""

_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?function|const|class) ([A-Za-z_$][\w$]*)", re.MULTILINE)
_LIST = re.compile(r"^export \{([^}]*)\};$", re.MULTILINE)
_STRANGE = re.compile(r"^(?:import|export|await)\b.*|\bimport\(", re.MULTILINE)
"""What must not be left once the known forms are gone."""


class NotJoined(Exception):
    """The modules are written in a way that can't be joined; says which and why."""


@dataclass
class _Module:
    """What is known of one module."""

    path: str
    source: str
    number: int
    imports: list[tuple[str, str]] = field(default_factory=list)
    """What is between the braces, and the path it comes from."""
    exports: dict[str, str] = field(default_factory=dict)
    """Name → `const`, `function`, `async function`, `class`; empty = from the list at the end."""

    @property
    def name(self) -> str:
        return f"module_{self.number}"


def joined(entry: str, place: str, sources: Mapping[str, str]) -> str:
    """Return a module that does what `entry` does, with all modules it needs in it.

    Args:
        entry: The path of the first module, `/js/app.mjs`.
        place: The path at which the new module is served.
        sources: The text of each module by path; of other scripts only the paths matter.

    Raises:
        NotJoined: A module is missing, or keeps to none of the known forms.
    """
    modules: dict[str, _Module] = {}
    order: list[_Module] = []
    others: dict[str, str] = {}
    _gather(entry, sources, modules, order, others)
    folder = posixpath.dirname(place)
    parts = [
        f'import * as {name} from "{_near(posixpath.relpath(path, folder))}";'
        for path, name in others.items()
    ]
    done: set[str] = set()
    for module in order:
        parts.append(_written(module, modules, others, done, folder))
        done.add(module.path)
    return "\n".join([*parts, ""])


def _gather(
    path: str,
    sources: Mapping[str, str],
    modules: dict[str, _Module],
    order: list[_Module],
    others: dict[str, str],
) -> None:
    """Read a module and, before it takes its place in the order, those it imports."""
    if path not in sources:
        raise NotJoined(f"{path} is not there")
    if not path.endswith(MODULE):
        others.setdefault(path, f"other_{len(others)}")
        return
    if path in modules:
        return
    module = modules[path] = _Module(path, sources[path], len(modules))
    for names, source in _IMPORT.findall(module.source):
        if not source.startswith("."):
            raise NotJoined(f"{path} imports {source}")
        module.imports.append((names, posixpath.normpath(posixpath.join(posixpath.dirname(path), source))))
    module.exports = {name: kind for kind, name in _EXPORT.findall(module.source)}
    for names in _LIST.findall(module.source):
        module.exports |= {name.strip(): "" for name in names.split(",") if name.strip()}
    for _, needed in module.imports:
        _gather(needed, sources, modules, order, others)
    order.append(module)


def _written(
    module: _Module,
    modules: Mapping[str, _Module],
    others: Mapping[str, str],
    done: set[str],
    folder: str,
) -> str:
    """Return a module as a function that is called at once."""
    given = [
        _imported(module, names, modules.get(needed), others.get(needed, ""), is_done=needed in done)
        for names, needed in module.imports
    ]
    body = _LIST.sub("", _EXPORT.sub(r"\1 \2", _IMPORT.sub("", module.source)))
    if (strange := _STRANGE.search(body)) is not None:
        raise NotJoined(f"{module.path}: {strange[0]}")
    own = _near(posixpath.relpath(module.path, folder))
    body = body.replace("import.meta.url", f'new URL("{own}", import.meta.url).href')
    returned = ", ".join(module.exports)
    head = f"const {module.name} = (() => {{ // {module.path}"
    return "\n".join([head, *given, body.strip("\n"), f"return {{ {returned} }};", "})();"])


def _imported(module: _Module, names: str, source: _Module | None, other: str, *, is_done: bool) -> str:
    """Return the constants that stand for what a module imports from one other."""
    pairs = [tuple(re.split(r"\s+as\s+", name.strip())) for name in names.split(",") if name.strip()]
    if source is None or is_done:
        inside = ", ".join(": ".join(pair) for pair in pairs)
        return f"const {{ {inside} }} = {source.name if source else other};"
    # It runs after this one, which therefore can't use it before it is called.
    lines = []
    for pair in pairs:
        if not source.exports.get(pair[0], "").endswith("function"):
            raise NotJoined(
                f"{module.path} and {source.path} import each other, and {pair[0]} is no function"
            )
        lines.append(f"const {pair[-1]} = (...given) => {source.name}.{pair[0]}(...given);")
    return "\n".join(lines)


def _near(path: str) -> str:
    """Return a relative path as imports want it."""
    return path if path.startswith(".") else f"./{path}"
