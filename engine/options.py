"""Options of a rule set: what is known about one besides its value, and how a value is checked.

A game's rule set is a frozen dataclass derived from ``Options``; its option fields carry an ``OptionInfo`` in
``metadata["info"]``, which ``flag``, ``number`` and ``choice`` make.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from functools import lru_cache
from typing import Any, ClassVar, Protocol

from engine.errors import BadOption, UnknownOption


@dataclass(frozen=True, slots=True)
class OptionInfo:
    """What is known about an option besides its value."""

    doc: str
    """One sentence for people who play, English, without identifiers."""

    rule: str
    """The number of the rule that gives it its meaning."""

    acts_in: str
    """``rules`` (the engine), ``settlement`` (the money) or ``display`` (the page)."""

    choices: tuple[str, ...] = ()
    """The values of an enumeration."""

    low: int = 0
    """Smallest integer."""

    high: int = 0
    """Largest integer; 0 if the option is no integer."""

    optional: bool = False
    """Whether ``None`` is allowed."""

    absent: int | None = None
    """The value that a record leaves out, of an option younger than records; None: it is always spelt out."""

    def allowed(self) -> str:
        """Return the values the option can have, in words."""
        if self.choices:
            return ", ".join(self.choices)
        if self.high:
            return f"{self.low} to {self.high}" + (" or none" if self.optional else "")
        return "true, false"

    def allows(self, value: object) -> bool:
        """Return whether the option can have the value."""
        if self.choices:
            return isinstance(value, str) and value in self.choices
        if not self.high:
            return isinstance(value, bool)
        if value is None:
            return self.optional
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


def flag(doc: str, rule: str, acts_in: str = "rules") -> Any:
    """Return the field of an option that is true or false."""
    return field(metadata={"info": OptionInfo(doc, rule, acts_in)})


def number(doc: str, rule: str, low: int, high: int, acts_in: str = "rules", optional: bool = False) -> Any:
    """Return the field of an option that is a whole number, or none if ``optional``."""
    return field(metadata={"info": OptionInfo(doc, rule, acts_in, (), low, high, optional)})


def younger_number(doc: str, rule: str, high: int, acts_in: str) -> Any:
    """Return the field of a number that records left out before it existed, and leave out while it is 0."""
    return field(default=0, metadata={"info": OptionInfo(doc, rule, acts_in, (), 0, high, False, 0)})


def choice(doc: str, rule: str, *choices: str) -> Any:
    """Return the field of an option that acts in the rules and is one of some words."""
    return field(metadata={"info": OptionInfo(doc, rule, "rules", choices)})


class _DataclassInstance(Protocol):
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


def infos(kind: type[_DataclassInstance]) -> dict[str, OptionInfo]:
    """Return what is known about each option of a rule set, by name, in the order of the code."""
    return {item.name: item.metadata["info"] for item in fields(kind) if "info" in item.metadata}


def check(known: Mapping[str, OptionInfo], name: str, value: object) -> None:
    """Check one option.

    Raises:
        UnknownOption: There is no such option; the known ones are listed.
        BadOption: The value is of the wrong type or out of range.
    """
    info = known.get(name)
    if info is None:
        raise UnknownOption(name, sorted(known))
    if not info.allows(value):
        raise BadOption(name, value, info.allowed())


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the rule sets of all games have in common.

    Raises:
        BadOption: A value is of the wrong type or out of its range.
    """

    preset: str
    """The id of the preset, or ``custom``."""

    version: int
    """The version of the preset, 0 for ``custom``."""

    def __post_init__(self) -> None:
        known = infos(type(self))
        for name in known:
            check(known, name, getattr(self, name))

    def options(self) -> dict[str, Any]:
        """Return every option that a record spells out by name, sorted."""
        return {
            name: value
            for name, info in sorted(infos(type(self)).items())
            if (value := getattr(self, name)) != info.absent or info.absent is None
        }

    def as_json(self) -> str:
        """Return the options as canonical JSON (docs/record-format.md)."""
        return _canonical(self)

    @property
    def title(self) -> str:
        """``preset@version``."""
        return f"{self.preset}@{self.version}"


@lru_cache(maxsize=256)
def _canonical(rules: Options) -> str:
    return json.dumps(rules.options(), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
