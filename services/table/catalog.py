"""The games as the page and integrators see them, with their names for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Final

from paiju.table.v1 import table_service_pb2 as s

from engine.face import Game
from services.table.titles import Name, Titles
from services.table.titles.doudizhu import TITLES as DOUDIZHU
from services.table.titles.kawuxing import TITLES as KAWUXING
from services.table.titles.paohuzi import TITLES as PAOHUZI
from services.table.titles.qinghunpeng import TITLES as QINGHUNPENG

TITLES: Final[Mapping[str, Titles]] = {
    "paohuzi": PAOHUZI,
    "doudizhu": DOUDIZHU,
    "kawuxing": KAWUXING,
    "qinghunpeng": QINGHUNPENG,
}
"""By game. What is missing here is shown under its own name."""

_NONE: Final = Titles(("", ""), {}, {}, {})


def list_games(games: Mapping[str, Game]) -> s.ListGamesResponse:
    """Return every game with its presets, options and bots, in the engine's order."""
    return s.ListGamesResponse(games=[_game(game) for game in games.values()])


def _game(game: Game) -> s.Game:
    titles = TITLES.get(game.name, _NONE)
    title_zh, title_en = (one or game.name for one in titles.game)
    first = next(iter(game.presets.values()))
    return s.Game(
        game=game.name,
        title_zh=title_zh,
        title_en=title_en,
        seats=game.seats,
        presets=[_preset(titles, name, rules) for name, rules in game.presets.items()],
        options=[
            _option(titles, field.name, getattr(first, field.name), field.metadata["info"])
            for field in dataclasses.fields(first)
            if "info" in field.metadata
        ],
        bots=list(game.bots),
    )


def _preset(titles: Titles, name: str, rules: Any) -> s.GamePreset:
    title_zh, title_en = titles.presets.get(name, (name, name))
    return s.GamePreset(
        preset=name,
        version=rules.version,
        title_zh=title_zh,
        title_en=title_en,
        options_json=rules.as_json(),
    )


def _option(titles: Titles, name: str, value: object, info: Any) -> s.GameOption:
    kind = "enum" if info.choices else "bool" if isinstance(value, bool) else "int"
    title_zh, title_en = titles.options.get(name, (info.doc, info.doc))
    named = titles.values.get(name, {})
    words: list[Name] = [named.get(choice, (choice, choice)) for choice in info.choices]
    return s.GameOption(
        name=name,
        type=kind,
        values=info.choices,
        values_zh=[zh for zh, _ in words],
        values_en=[en for _, en in words],
        minimum=info.low,
        maximum=info.high,
        optional=info.optional,
        title_zh=title_zh,
        title_en=title_en,
        text_en=info.doc,
        text_zh=titles.texts.get(name, info.doc),
        rule=info.rule,
        acts_in=info.acts_in,
    )
