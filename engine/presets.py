"""Named rule sets of a game: found by id, changed option by option, and recognised in a record.

A game's options are a frozen dataclass; a preset is a value of it with a name and a version. Options that act
in settlement or display may differ under a preset's name (docs/record-format.md); one that acts in the rules
may not, and makes the rules ``custom@0`` unless they are another preset's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import Field, replace
from typing import Any, ClassVar, Final, Generic, Protocol, TypeVar

from engine.errors import BadNotation, BadOption, UnknownPreset
from engine.options import OptionInfo, check

CUSTOM: Final = "custom"
"""The preset id of options that are no preset's; its version is 0."""


class NamedRules(Protocol):
    """A rule set of any game, as a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def preset(self) -> str:
        """The preset's id, or ``custom``."""
        ...

    @property
    def version(self) -> int:
        """The preset's version, 0 for ``custom``."""
        ...

    @property
    def title(self) -> str:
        """``preset@version``."""
        ...

    def as_json(self) -> str:
        """Return the options as canonical JSON."""
        ...


R = TypeVar("R", bound=NamedRules)


class Presets(Generic[R]):
    """The presets of one game."""

    def __init__(
        self,
        rules: tuple[R, ...],
        options: Mapping[str, OptionInfo],
        aliases: Mapping[str, str] | None = None,
        retired: tuple[R, ...] = (),
    ) -> None:
        """Collect presets.

        Args:
            rules: The presets; the first one is what ``custom`` options start from.
            options: What is known about each option, by name.
            aliases: Other spellings of preset ids that are understood.
            retired: Older versions, as they were: no table is made of them, but their records keep their
                rules.
        """
        self.by_id: dict[str, R] = {each.preset: each for each in rules}
        """The rule sets by preset id."""
        self._first = rules[0]
        self._options = options
        self._aliases = aliases or {}
        self._titles = {each.title: each for each in (*retired, *rules)}
        self._acting = tuple([name for name, info in options.items() if info.acts_in == "rules"])

    def preset(self, preset_id: str, overrides: Mapping[str, Any] | None = None) -> R:
        """Return a preset with options changed; options that are another preset's make it that preset.

        Raises:
            UnknownPreset, UnknownOption: With the known ones listed.
            BadOption: A value the option cannot have.
        """
        rules = self.by_id.get(self._aliases.get(preset_id, preset_id))
        if rules is None:
            raise UnknownPreset(preset_id, self.by_id)
        changes = dict(overrides or {})
        for name, value in changes.items():
            check(self._options, name, value)
        return self.named(replace(rules, **changes)) if changes else rules

    def named(self, rules: R) -> R:
        """Return rules by the name of a preset with the same rules, their own first, or as ``custom@0``."""
        own = self.by_id.get(rules.preset)
        for known in (*((own,) if own is not None else ()), *self.by_id.values()):
            if all(getattr(known, name) == getattr(rules, name) for name in self._acting):
                return replace(rules, preset=known.preset, version=known.version)
        return replace(rules, preset=CUSTOM, version=0)

    def recorded(self, title: str, options: str) -> R:
        """Return the rule set of a record: ``preset@version`` and every option as canonical JSON.

        Raises:
            BadNotation: The text is not what ``as_json`` writes.
            UnknownPreset: There is no such preset or version.
            UnknownOption, BadOption: An option is unknown, missing, impossible, or not the preset's.
        """
        try:
            values = json.loads(options)
        except (ValueError, RecursionError, TypeError) as error:
            raise BadNotation("options as JSON", options) from error
        if not isinstance(values, dict):
            raise BadNotation("options as a JSON object", options)
        for name, value in values.items():
            check(self._options, name, value)
        for name in sorted(self._options):
            if name not in values and self._options[name].absent is None:
                raise BadOption(name, "nothing", "a value in every record")
        rules = self._titled(title, values)
        if rules.as_json() != options:
            raise BadNotation("options in canonical order", options)
        return rules

    def _titled(self, title: str, values: Mapping[str, Any]) -> R:
        """Return options under the name a record gives them, if they may have it."""
        if title == f"{CUSTOM}@0":
            found = self.named(replace(self._first, **values))
            if found.preset != CUSTOM:
                raise BadOption("preset", title, f"the name of these options, {found.title}")
            return found
        known = self._titles.get(title)
        if known is None:
            raise UnknownPreset(title, [*self._titles, f"{CUSTOM}@0"])
        for name in self._acting:
            expected = getattr(known, name)
            if values.get(name, self._options[name].absent) != expected:
                raise BadOption(name, values.get(name), f"{expected!r}, which {title} has")
        return replace(known, **values)
