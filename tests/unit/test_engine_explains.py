"""Why a round scored what it scored, in lines that a person reads: no notation, no pinyin in Chinese."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest

from engine import GAMES
from engine.arena import shuffled
from engine.face import Line
from engine.paohuzi import Laid, best_hu, make_hand, parse_card, parse_cards
from engine.paohuzi.names import MELD_NAMES, NAME_TABLES, NAMES_EN
from engine.paohuzi.scoring import Outcome, Win, explain_win

MIXED = ("s2s7s10s6s7s8b4b5b6b8s8", ("wei:b10b10b10", "wei:b2b2b2", "peng:b7b7b7"), "b8")


def explained(hand: tuple[str, tuple[str, ...], str], source: str = "other", **options: Any) -> list[Line]:
    """Return the explanation of a hand under 876."""
    rules = GAMES["paohuzi"].ruleset("876cc", options)
    cards, melds, card = hand
    laid = []
    for meld in melds:
        kind, _, text = meld.partition(":")
        laid.append(Laid(kind, tuple(parse_cards(text))))
    win = best_hu(rules, make_hand(parse_cards(cards)), laid, parse_card(card), source)
    assert isinstance(win, Win)
    return list(explain_win(rules, win))


def test_a_win_is_explained_in_chinese_step_by_step_with_the_rule() -> None:
    lines = [line.zh for line in explained(MIXED, "self")]
    assert lines[3:] == [
        "句 二七十：3 息（§2）",
        "句 六七八：0 息（§2）",
        "绞 八捌捌：0 息（§2）",
        "句 肆伍陆：0 息（§2）",
        "总息：18 息，15 息起胡（§8）",
        "等数：(18−15)÷3+1 = 2（§10）",
        "自摸：加 1 等（§11.5）",
        "番：红乌 4（§10a）",
        "得分：(2+1)×4 = 12（§10）",
    ]


def test_the_same_in_english() -> None:
    lines = [line.en for line in explained(MIXED, "self", point_cap=5)]
    assert lines[-7:] == [
        "Run 肆伍陆: 0 huxi (§2)",
        "In all: 18 huxi, 15 needed (§8)",
        "Deng: (18−15)÷3+1 = 2 (§10)",
        "Self-drawn: 1 deng more (§11.5)",
        "Fan: very red 4 (§10a)",
        "Points: (2+1)×4 = 12 (§10)",
        "Cap: at most 5 points each (§12)",
    ]


def test_a_division_with_a_rest_says_that_it_is_rounded_down() -> None:
    by_zh = {line.text: line for line in explained(MIXED, deng_step=2)}
    assert by_zh["等数"].zh == "等数：(18−15)÷2 取整 +1 = 2（§10）"
    assert by_zh["等数"].en == "Deng: floor((18−15)÷2)+1 = 2 (§10)"


def test_a_bonus_after_the_names_is_added_last() -> None:
    lines = explained(MIXED, "self", zimo_stage="after_fan")
    assert lines[-1].zh == "得分：2×4+1 = 9（§10）"


def test_several_names_are_added_up_and_none_is_plain() -> None:
    hand = ("b8b8b8s9s9s9s6s6", ("peng:b1b1b1", "wei:b9b9b9", "peng:s3s3s3", "peng:s5s5s5"), "s6")
    assert "番：乌胡 5 + 对对胡 5 = 10（§10a）" in [line.zh for line in explained(hand)]
    assert "番：平胡 1（§12）" in [line.zh for line in explained(MIXED, names="none")]


def test_every_name_and_meld_has_words() -> None:
    names = {rule.name for table in NAME_TABLES.values() for rule in table.names}
    assert names == set(NAMES_EN)
    assert all(zh and en for zh, en in MELD_NAMES.values())


@pytest.mark.parametrize("preset", sorted(GAMES["paohuzi"].presets))
def test_no_explanation_of_played_rounds_shows_notation_or_pinyin(preset: str) -> None:
    game: Any = GAMES["paohuzi"]
    rules = game.ruleset(preset)
    said: list[Line] = []
    for seed in range(12):
        rng = random.Random(seed)
        position = game.deal(rules, shuffled(game.deck(), rng), 0)
        while position.outcome() is None:
            seat = position.to_act()[0]
            position.apply(seat, game.bots["normal"](position.view(seat), rng))
        outcome = position.outcome()
        assert isinstance(outcome, Outcome)
        said += game.explain(rules, outcome)
    assert said
    for line in said:
        assert not re.search(r"[A-Za-z_]", line.text + line.value), line.zh
        assert not re.search(r"[sb]\d|_|[息等番分]", line.en), line.en
