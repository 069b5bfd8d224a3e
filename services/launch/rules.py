"""`paiju rules`: presets and options, as the code has them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from paiju.table.v1.table_service_pb2 import GameOption

from engine import GAMES, Refusal
from services.launch.exits import USAGE, Stop
from services.table.catalog import list_games

Language: TypeAlias = Literal["en", "zh"]
"""Of the sentences on options. Names and values are the same in both: one types them."""

_ACTS_IN_ZH: Final = {"rules": "牌局", "settlement": "结算", "display": "显示"}


def run(game: str | None, preset: str, language: Language, *, as_json: bool) -> None:
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
        print("\n".join(_as_text(game, chosen, language)))


def _listed(names: dict[str, list[str]]) -> list[str]:
    return [f"{game}: {', '.join(presets)}" for game, presets in names.items()]


def _as_json(game: str, presets: list[Any]) -> dict[str, Any]:
    said = _said(game)
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
            name: {
                "what": info.doc,
                "what_zh": said[name].text_zh,
                "rule": info.rule,
                "acts_in": info.acts_in,
                "allowed": info.allowed(),
            }
            for name, info in _infos(presets[0]).items()
        },
    }


def _as_text(game: str, presets: list[Any], language: Language) -> list[str]:
    """Return one block per option: its value in the first preset, the presets with another, what it means."""
    lines = [f"{game}: {', '.join(f'{rules.preset}@{rules.version}' for rules in presets)}", ""]
    said = _said(game)
    for name, info in _infos(presets[0]).items():
        values = {rules.preset: _shown(getattr(rules, name)) for rules in presets}
        first = values[presets[0].preset]
        others = [f"; {preset} {value}" for preset, value in values.items() if value != first]
        lines += [
            f"{name} = {first}{''.join(others)}",
            f"    {_what_zh(said[name], info) if language == 'zh' else _what(info)}",
        ]
    return lines


def _what(info: Any) -> str:
    return f"{info.doc} ({info.allowed()}; rule {info.rule}; acts in {info.acts_in})"


def _what_zh(option: GameOption, info: Any) -> str:
    if info.high:
        allowed = f"{info.low} 至 {info.high}" + ("，或 none" if info.optional else "")
    else:
        allowed = "、".join(info.choices or ("true", "false"))
    acts_in = _ACTS_IN_ZH[info.acts_in]
    return f"{option.title_zh}：{option.text_zh}（可填 {allowed}；规则 {info.rule}；用于{acts_in}）"


def _said(game: str) -> Mapping[str, GameOption]:
    """Return what the catalogue tells people of each option, by name."""
    listed = list_games({game: GAMES[game]}).games[0]
    return {option.name: option for option in listed.options}


def _infos(rules: Any) -> dict[str, Any]:
    """Return what the code says about each option, in the order of the code."""
    infos = ((item.name, item.metadata.get("info")) for item in dataclasses.fields(rules))
    return {name: info for name, info in infos if info is not None}


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
