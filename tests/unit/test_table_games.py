"""Which games tables are opened for."""

from typing import Any

import pytest

from engine import GAMES
from engine.registry import Games
from services.chassis.errors import Refusal
from services.scoring.core.games import GAMES as AUDITED
from services.table.core.spec import make_spec
from services.table.settings import TableSettings


def test_tables_are_opened_for_every_game_whose_rounds_can_be_audited() -> None:
    assert set(TableSettings().games) == set(AUDITED) & set(GAMES)


def test_a_game_that_is_not_opened_is_refused_by_name_with_the_open_ones() -> None:
    opened = Games(*(GAMES[name] for name in TableSettings(games=("paohuzi", "kawuxing")).games))
    with pytest.raises(Refusal) as refused:
        make_spec(
            opened,
            game="doudizhu",
            preset="classic",
            options_json="",
            rounds=4,
            players=["p_a", "bot:random", "bot:random"],
            stake=None,
            timing_json="",
            room_code="",
            spectators=False,
        )
    assert "doudizhu" in str(refused.value)
    assert "paohuzi, kawuxing" in str(refused.value)


@pytest.mark.parametrize("name", GAMES)
def test_a_table_has_as_many_seats_as_its_game(name: str) -> None:
    game = GAMES[name]
    for seats in (game.seats - 1, game.seats, game.seats + 1):
        request: dict[str, Any] = {
            "game": name,
            "preset": next(iter(game.presets)),
            "options_json": "",
            "rounds": 1,
            "players": ["p_a", *["bot:normal"] * (seats - 1)],
            "stake": None,
            "timing_json": "",
            "room_code": "",
            "spectators": True,
        }
        if seats == game.seats:
            assert len(make_spec(GAMES, **request).players) == seats
        else:
            with pytest.raises(Refusal, match="seats"):
                make_spec(GAMES, **request)
