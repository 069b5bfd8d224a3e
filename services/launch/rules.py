"""`paiju rules`: presets and options, as the code has them."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from engine import GAMES, Refusal
from services.launch.exits import USAGE, Stop


def run(game: str | None, preset: str, *, as_json: bool) -> None:
    """Print one game, or the list of games.

    Raises:
        Stop: Unknown game or preset; the known ones are named.
    """
    if game is None:
        names = {name: sorted(GAMES[name].presets) for name in GAMES}
        print(json.dumps(names, ensure_ascii=False) if as_json else "\n".join(_listed(names)))
        return
    try:
        face = GAMES[game]
        chosen = [face.ruleset(preset)] if preset else list(face.presets.values())
    except Refusal as refusal:
        raise Stop(USAGE, str(refusal)) from refusal
    if as_json:
        print(json.dumps(_as_json(game, chosen), ensure_ascii=False, indent=2))
    else:
        print("\n".join(_as_text(game, chosen)))


def _listed(names: dict[str, list[str]]) -> list[str]:
    return [f"{game}: {', '.join(presets)}" for game, presets in names.items()]


def _as_json(game: str, presets: list[Any]) -> dict[str, Any]:
    return {
        "game": game,
        "presets": {
            rules.preset: {
                "version": rules.version,
                "options": {name: getattr(rules, name) for name in sorted(_infos(rules))},
            }
            for rules in presets
        },
        "options": {
            name: {"what": info.doc, "rule": info.rule, "acts_in": info.acts_in, "allowed": info.allowed()}
            for name, info in _infos(presets[0]).items()
        },
    }


def _as_text(game: str, presets: list[Any]) -> list[str]:
    """Return one block per option: its value in the first preset, the presets with another, what it means."""
    lines = [f"{game}: {', '.join(f'{rules.preset}@{rules.version}' for rules in presets)}", ""]
    for name, info in _infos(presets[0]).items():
        values = {rules.preset: _shown(getattr(rules, name)) for rules in presets}
        first = values[presets[0].preset]
        others = [f"; {preset} {value}" for preset, value in values.items() if value != first]
        lines += [
            f"{name} = {first}{''.join(others)}",
            f"    {info.doc} ({info.allowed()}; rule {info.rule}; acts in {info.acts_in})",
        ]
    return lines


def _infos(rules: Any) -> dict[str, Any]:
    """Return what the code says about each option, in the order of the code."""
    infos = ((item.name, item.metadata.get("info")) for item in dataclasses.fields(rules))
    return {name: info for name, info in infos if info is not None}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
