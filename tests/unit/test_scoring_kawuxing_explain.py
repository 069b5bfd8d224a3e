"""Rounds and single hands of 卡五星 explained by scoring, in Chinese and English, each step with its rule."""

import re
from typing import Any

import pytest

from services.scoring.core.games import GAMES
from services.scoring.core.hand import BadHand, HandToScore
from services.scoring.core.kawuxing.explain import explained
from services.scoring.core.kawuxing.hand import score_hand
from services.scoring.core.kawuxing.tiles import NAMES, kinds_of_groups
from services.scoring.core.rules import BadOptions
from tests.unit.test_scoring_kawuxing_course import IDLE, OTHER, WAITS_P5, Round


def lines(played: Round) -> list[tuple[str, str]]:
    assert played.ended
    zh, en = explained(played.table)
    assert all(re.search(r"§\d", line) for line in (*zh, *en)), (zh, en)
    return list(zip(zh, en, strict=True))


def test_a_fed_hand_after_a_kong_is_explained_step_by_step() -> None:
    hands = ["p1111 s1358 z67 p24 s6 p9", WAITS_P5, OTHER]
    fed = Round(hands, "p9", wall="p5 p9 p9", revealed=(1,)).play("0 gang an p1", "0 discard p5")
    assert lines(fed) == [
        ("暗杠 [2 × 1]：1 号位付 0 号位 20（§3）", "concealed kong [2 × 1]: seat 1 pays seat 0 20 (§3)"),
        ("暗杠 [2 × 1]：2 号位付 0 号位 20（§3）", "concealed kong [2 × 1]: seat 2 pays seat 0 20 (§3)"),
        ("1 号位胡 五筒：杠上炮（§4）", "Seat 1 won 五筒: discarded right after a kong (§4)."),
        ("卡五星：2 番（§5）", "卡五星: 2 fan (§5)"),
        ("杠上炮：2 番（§5）", "杠上炮: 2 fan (§5)"),
        ("番数 2 × 2 = 4（§5）", "together 2 × 2 = 4 (§5)"),
        ("独卡五星：只听这一张（§5）", "The 5 was the only wait: 独卡五星 (§5)."),
        ("包胡 [16]：0 号位付 1 号位 160（§7）", "pays for all [16]: seat 0 pays seat 1 160 (§7)"),
    ]


def test_a_self_draw_with_everything_on_top() -> None:
    options: dict[str, Any] = {"mai_ma": "du", "base_stake": 5, "shanglou": "after", "cap": 1}
    drawn = Round([IDLE, f"{WAITS_P5} p5", OTHER], "p5", turn=1, **options).play("1 hu")
    assert [zh for zh, _ in lines(drawn)] == [
        "上楼：底 10（×1，§9）",
        "1 号位胡 五筒：自摸（§4）",
        "卡五星：2 番（§5）",
        "独卡五星：只听这一张（§5）",
        "买马 二筒：+2（§9）",
        "自摸 [2 × 1 → 1 + 2]：2 号位付 1 号位 30（§8）",
        "自摸 [2 × 1 → 1 + 2]：0 号位付 1 号位 30（§8）",
        "× 底分 5：-150, +300, -150（§8）",
    ]


@pytest.mark.parametrize(
    ("hz", "zh", "en"),
    [
        ("chadajiao", "查大叫：0 号位付 1 号位 40（§8）", "not ready: seat 0 pays seat 1 40 (§8)"),
        ("suizhou", "查叫：0 号位付 1 号位 10（§9）", "not ready: seat 0 pays seat 1 10 (§9)"),
        ("shiyan", "亮倒：1 号位付 2 号位 20（§9）", "revealed: seat 1 pays seat 2 20 (§9)"),
        ("ljlc", "亮进亮出：1 号位付 2 号位 40（§8）", "first to reveal: seat 1 pays seat 2 40 (§8)"),
        ("jtt", "讲听头：2 号位付 1 号位 40（§8）", "waits are paid: seat 2 pays seat 1 40 (§8)"),
    ],
)
def test_the_end_of_the_wall_is_explained(hz: str, zh: str, en: str) -> None:
    end = Round([f"{IDLE} z5", WAITS_P5, OTHER], "z5", wall="", hz=hz, revealed=(1,)).play("0 discard z5")
    found = lines(end)
    assert ("1 号位听牌，最大 2 番（§8）", "Seat 1: ready, up to 2 fan (§8).") in found
    assert (zh, en) in found


def hand(concealed: str, won: str, *exposed: str, **more: Any) -> HandToScore:
    melds = []
    for each in exposed:
        how, tile = each.split(":")
        melds.append((how, [tile] * (3 if how == "peng" else 4)))
    tiles = [NAMES[kind] for kind in kinds_of_groups(concealed)]
    return HandToScore(**{"preset": "seed004", **more}, concealed=tiles, exposed=melds, card=won)


def test_a_hand_is_scored_and_explained() -> None:
    scored = score_hand(hand("p12346 s111789 z55", "p5", source="zimo"))
    assert (scored.can_hu, scored.fan, scored.per_loser, scored.winner_gain) == (True, 2, 20, 40)
    assert [(name.name, name.fan, name.rule) for name in scored.names] == [("卡五星", 2, "§5")]
    assert [meld.cards for meld in scored.melds] == [
        ("p1", "p2", "p3"),
        ("p4", "p5", "p6"),
        ("s1", "s1", "s1"),
        ("s7", "s8", "s9"),
        ("z5", "z5"),
    ]
    assert scored.text_zh == (
        "自摸 五筒（§4）",
        "卡五星：2 番（§5）",
        "独卡五星：只听这一张（§5）",
        "每家 2 × 10 = 20（§8）",
    )
    assert scored.text_en[-1] == "each payer 2 × 10 = 20 (§8)"


def test_a_discard_is_paid_by_one_seat_and_the_cap_is_said() -> None:
    scored = score_hand(hand("z77 p333 s99", "z7", "peng:z5", "peng:z6", preset="xiaogan", source="discard"))
    # 16 capped at 8; p333 is concealed: 数坎 1.
    assert (scored.fan, scored.per_loser, scored.winner_gain) == (16, 9, 9)
    assert "封顶 8（§8）" in scored.text_zh
    assert "数坎 +1（§9）" in scored.text_zh


def test_the_last_tile_counts_where_it_does() -> None:
    scored = score_hand(hand("p12346 s111789 z55", "p5", preset="xiangyang", source="zimo", last_card=True))
    assert {name.name: name.rule for name in scored.names} == {"卡五星": "§5", "海底捞": "§9"}


def test_a_hand_that_does_not_win_is_told_what_it_waits_for() -> None:
    scored = score_hand(hand("p12346 s111789 z55", "p4", source="zimo"))
    assert not scored.can_hu
    assert scored.text_zh == ("不成牌（§4）；听 五筒",)
    assert score_hand(hand("p13579 s13579 z567", "p4", source="zimo")).text_en == (
        "Not complete (§4); it waits for nothing.",
    )


@pytest.mark.parametrize(
    ("rule", "source", "exposed", "wins"),
    [
        ("none", "discard", (), True),
        ("hard", "zimo", (), False),
        ("pao2", "zimo", (), True),
        ("pao2", "discard", (), False),
        ("soft", "discard", (), False),
        ("soft", "discard", ("an:p9",), True),
    ],
)
def test_a_hand_of_one_fan_wins_as_the_rules_say(
    rule: str, source: str, exposed: tuple[str, ...], wins: bool
) -> None:
    concealed = "p456 s78911 z55" if exposed else "p123456 s78911 z55"
    scored = score_hand(hand(concealed, "z5", *exposed, source=source, overrides={"min_fan": rule}))
    assert (scored.can_hu, scored.fan, scored.per_loser > 0) == (wins, 1, wins)
    assert ("不够起胡番数（§6）" in scored.text_zh) != wins


@pytest.mark.parametrize(
    "asked",
    [
        hand("p12346 s111789 z55", "p0", source="zimo"),
        hand("p12346 s111789 z55", "", source="zimo"),
        hand("p12346 s111789 z55", "p5", source="wall"),
        hand("p12346 s111789 z5", "p5", source="zimo"),
        hand("p12346 s111789 z55", "p5", "peng:z7", source="zimo"),
        hand("p12346 s789 z55", "p5", "peng:z5", source="zimo"),
        hand("m12346 s111789 z55", "m5", source="zimo"),
        hand("p12346 s789 z55", "p5", "chi:z7", source="zimo"),
        HandToScore(preset="seed004", concealed=["p1"], exposed=[("peng", ["p2", "p3", "p4"])], card="p1"),
        HandToScore(preset="seed004", concealed=["p1"], exposed=[("peng", [])], card="p1", source="zimo"),
    ],
)
def test_what_is_no_hand_is_refused(asked: HandToScore) -> None:
    with pytest.raises(BadHand):
        score_hand(asked)


def test_unknown_presets_and_options_are_refused() -> None:
    for more in ({"preset": "poker"}, {"overrides": {"no": 1}}, {"overrides": {"cap": True}}):
        with pytest.raises(BadOptions):
            score_hand(hand("p12346 s111789 z55", "p5", source="zimo", **more))


def test_the_game_scores_single_hands() -> None:
    scorer = GAMES["kawuxing"].hands
    assert scorer is not None
    assert scorer.score(hand("p12346 s111789 z55", "p5", source="zimo")).fan == 2
    assert sorted(scorer.presets) == ["seed004@1", "shiyan@1", "suizhou@1", "xiangyang@1", "xiaogan@1"]
