"""Which games tables are opened for."""

import pytest

from engine import GAMES
from engine.registry import Games
from services.chassis.errors import Refusal
from services.scoring.core.record import GAMES as AUDITED
from services.table.core.spec import make_spec
from services.table.settings import TableSettings


def test_tables_are_opened_only_for_games_whose_rounds_can_be_audited() -> None:
    assert TableSettings().games
    assert set(TableSettings().games) <= set(AUDITED) <= set(GAMES)


def test_a_game_that_is_not_opened_is_refused_by_name_with_the_open_ones() -> None:
    opened = Games(*(GAMES[name] for name in TableSettings().games))
    closed = next(name for name in GAMES if name not in opened)
    with pytest.raises(Refusal) as refused:
        make_spec(
            opened,
            game=closed,
            preset="classic",
            options_json="",
            rounds=4,
            players=["p_a", "bot:random", "bot:random"],
            stake=None,
            timing_json="",
            room_code="",
            spectators=False,
        )
    assert closed in str(refused.value)
    assert "paohuzi" in str(refused.value)
