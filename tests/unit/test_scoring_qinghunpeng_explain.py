"""Scoring says in words, Chinese and English, why a hand and a round of 清混碰 were worth what they were."""

from collections import deque
from typing import Any

import pytest

from services.scoring.core.hand import BadHand, HandToScore
from services.scoring.core.qinghunpeng.explain import ENGLISH, explained, summary
from services.scoring.core.qinghunpeng.hand import BadCount, score_hand
from services.scoring.core.qinghunpeng.melds import Meld
from services.scoring.core.qinghunpeng.result import result_after
from services.scoring.core.qinghunpeng.rules import Options
from services.scoring.core.qinghunpeng.table import Ending, Table
from services.scoring.core.qinghunpeng.tiles import KIND, TEXTS, counted, kinds_of
from services.scoring.core.qinghunpeng.worth import BY_FLOWERS, FIXED, PATTERNS, PLAIN, Moment, eight_flowers
from services.scoring.core.rules import BadOptions


def hand(concealed: str, won: str, *exposed: str, **more: Any) -> HandToScore:
    tiles = [TEXTS[kind] for kind in kinds_of(concealed)]
    laid = [(word.split(":")[0], [TEXTS[kind] for kind in kinds_of(word.split(":")[1])]) for word in exposed]
    given: dict[str, Any] = {"preset": "seed000", "source": "zimo", **more}
    return HandToScore(concealed=tiles, exposed=laid, card=won, **given)


def test_a_hand_is_explained_set_by_set_with_its_flowers() -> None:
    options = {"base_stake": 5, "cap": 30}
    asked = hand("m123456 z5511", "z5", "an:z2222", "flowers:f35", source="gangkai", overrides=options)
    scored = score_hand(asked)
    assert scored.can_hu
    assert [(name.name, name.fan) for name in scored.names] == [("混一色", 8), ("杠开", 10)]
    assert {name.rule for name in scored.names} == {"§4"}
    assert (scored.per_loser, scored.winner_gain) == (50, 150)
    assert [(meld.kind, "".join(meld.cards)) for meld in scored.melds] == [
        ("run", "m1m2m3"),
        ("run", "m4m5m6"),
        ("pair", "z1z1"),
        ("triplet", "z5z5z5"),
    ]
    assert scored.text_en == (
        "flower tiles: 2 (§4)",
        "concealed kong 南南南南: 3 flowers (§4)",
        "run 一万二万三万 (§3)",
        "run 四万五万六万 (§3)",
        "pair 东东 (§3)",
        "triplet 中中中: 2 flowers (§4)",
        "混一色, half flush: min(10, 1 + 7) = 8 (§4)",
        "杠开, on a replacement: 10 (§4)",
        "one share: min(30, max(8, 10)) = 10 points; × stake 5 = 50 (§4)",
    )
    assert scored.text_zh[1] == "暗杠 南南南南：3 花（§4）"
    assert scored.text_zh[-1] == "每份 min(30, max(8, 10)) = 10 分，× 底 5 = 50（§4）"


def test_a_fixed_row_says_its_lezi_and_tells_no_flowers() -> None:
    scored = score_hand(hand("z111222333 z4455", "z5", "flowers:f12345678"))
    assert scored.text_en[-2:] == ("字碰, all honours, pungs: 4 × 10 = 40 (§4)", "one share: 40 points (§4)")
    assert not any("flower" in line for line in scored.text_en)


def test_extras_that_add_are_shown_as_a_sum() -> None:
    options = {"stack": "add"}
    scored = score_hand(hand("m234567 m888 m9", "m9", "an:m1111", source="gangkai", overrides=options))
    assert scored.text_en[-1] == "one share: 10 + 10 = 20 points (§4)"


@pytest.mark.parametrize(
    ("source", "names", "per_loser", "gain"),
    [
        ("zimo", ["清一色"], 10, 30),
        ("gangkai", ["清一色", "杠开"], 10, 30),
        ("flower", ["清一色", "杠开"], 10, 30),
        ("tianhu", ["清一色", "天胡"], 40, 120),
        ("dihu", ["清一色", "地胡"], 20, 60),
        ("discard", ["清一色"], 10, 10),
        ("dihu_discard", ["清一色", "地胡"], 20, 20),
        ("qianggang", ["清一色", "抢杠"], 30, 30),
    ],
)
def test_how_a_tile_came_decides_names_and_shares(
    source: str, names: list[str], per_loser: int, gain: int
) -> None:
    scored = score_hand(hand("s1112345678999", "s5", source=source))
    assert [name.name for name in scored.names] == names
    assert (scored.per_loser, scored.winner_gain) == (per_loser, gain)


def test_the_last_tile_has_its_name() -> None:
    scored = score_hand(hand("s1112345678999", "s5", last_card=True, preset="shanghai@1"))
    assert [(name.name, name.fan) for name in scored.names] == [("清一色", 10), ("海底", 10)]


def test_a_hand_that_does_not_win_says_why() -> None:
    scored = score_hand(hand("m123 p123 s123 m789 z1", "z1"))
    assert (scored.can_hu, scored.per_loser, scored.names, scored.melds) == (False, 0, (), ())
    assert "§3" in scored.text_zh[0]
    assert "§3" in scored.text_en[0]


@pytest.mark.parametrize(
    ("more", "why"),
    [
        ({"source": "luck"}, "no source"),
        ({"exposed": [("flowers", ["f1", "f1"])]}, "no flowers"),
        ({"exposed": [("flowers", ["z1"])]}, "no flowers"),
        ({"exposed": [("flowers", ["f1"])] * 9}, "9 flowers"),
        ({"card": "f1"}, "never held"),
        ({"card": "z8"}, "no tile"),
        ({"card": None}, "no tile"),
        ({"exposed": [("chi", ["m8", "m9", "m9"])]}, "no meld"),
        ({"exposed": [("chi", ["z1", "z2", "z3"])]}, "no meld"),
        ({"exposed": [("chi", ["m1", "m2", "m4"])]}, "is no chi"),
        ({"exposed": [("peng", ["m1", "m1"])]}, "is no peng"),
        ({"exposed": [("peng", ["f1"] * 3)]}, "no meld"),
        ({"exposed": [("peng", [])]}, "no tile"),
        ({"exposed": [("wei", ["m1"] * 3)]}, "no meld"),
        ({"exposed": [("peng", ["p9"] * 3)]}, "are not 13"),
        ({"concealed": ["m1"] * 12}, "12 tiles m1"),
    ],
)
def test_what_is_no_hand_is_refused(more: dict[str, Any], why: str) -> None:
    tiles = ["m1", "m2", "m3"] * 4 + ["z1"]
    given: dict[str, Any] = {"concealed": tiles, "card": "z1", "source": "zimo", **more}
    with pytest.raises(BadHand, match=why):
        score_hand(HandToScore(preset="seed000", **given))


def test_a_fifth_copy_in_a_meld_is_refused() -> None:
    with pytest.raises(BadCount, match="5 tiles m1"):
        score_hand(hand("m1123456789", "m9", "peng:m111"))


def test_options_that_are_none_are_refused() -> None:
    for overrides in ({"lezi": 0}, {"moon": 1}, {"stack": "heap"}, {"head_bump": 1}, {"cap": True}):
        with pytest.raises(BadOptions):
            score_hand(hand("m123456789 z1155", "z1", overrides=overrides))
    with pytest.raises(BadOptions):
        score_hand(hand("m123456789 z1155", "z1", preset="876cc"))


def a_table(options: Options, **more: Any) -> Table:
    table = Table(options, 0, deque(kinds_of("p1 p2 p3")), **more)
    table.seats[1].hand = counted(kinds_of("m1122"))
    table.seats[1].melds = [Meld("peng", KIND[tile], 3) for tile in ("m5", "m7", "m9")]
    return table


def won(table: Table, how: str, giver: int) -> Ending:
    by = {"discard": "discard", "qianggang": "robbed"}.get(how, "self")
    win = table.given_win(1, KIND["m1"], Moment(by=by, times=table.times))
    assert win is not None
    return Ending(how, {1: win}, giver, KIND["m1"])


def test_each_share_has_its_line() -> None:
    table = a_table(Options(chengbao=True))
    zh, en = explained(table, won(table, "zimo", 1))
    assert en[0] == "Seat 1 wins 一万, self-drawn (§5)."
    assert en[-3:] == (
        "seat 0 pays 1 share: 20 (§5)",
        "seat 2 pays 1 share: 20 (§5)",
        "seat 3 pays 3 shares, 2 of them for being bound: 60 (§5)",
    )
    assert zh[-1] == "3 号位付 3 份，其中承包 2 份：60（§5）"
    assert len(zh) == len(en)


def test_who_pays_nothing_has_no_line() -> None:
    table = a_table(Options())
    _, en = explained(table, won(table, "qianggang", 2))
    assert [line for line in en if line.startswith("seat")] == ["seat 2 pays 3 shares: 60 (§5)"]
    assert en[0] == "Seat 1 wins 一万, robbed from a kong (§5)."


def test_the_shares_in_words_are_the_points() -> None:
    for how, giver in (("zimo", 1), ("gangkai", 1), ("discard", 0), ("discard", 3), ("qianggang", 2)):
        for chengbao in (False, True):
            table = a_table(Options(chengbao=chengbao, huangfan=True), times=2)
            ending = won(table, how, giver)
            paid = {
                int(line[5]): int(line.split(": ")[1].split()[0])
                for line in explained(table, ending)[1]
                if line.startswith("seat")
            }
            points = result_after(table, 1, ending).points
            assert {seat: -points[seat] for seat in range(4) if seat != 1 and points[seat]} == paid


def test_eight_flowers_and_a_drawn_hand() -> None:
    table = a_table(Options())
    ending = Ending("bahua", {1: eight_flowers(table.options, 1)}, 1, KIND["f8"])
    _, en = explained(table, ending)
    assert en[0] == "Seat 1 wins 菊, the eighth flower (§5)."
    assert "八花, eight flowers: 4 × 10 = 40 (§4)" in en
    nobody = Ending("huangzhuang", {})
    assert explained(table, nobody) == (
        ("荒庄：没有人胡，不付（§1）",),
        ("Drawn: nobody won, nobody pays (§1).",),
    )
    assert summary(result_after(table, 0, nobody)) == "荒庄"
    assert summary(result_after(table, 0, ending)) == "bahua: seat 1 40 (八花)"


def test_every_name_has_its_english() -> None:
    patterns = {*PATTERNS.values(), *FIXED, *BY_FLOWERS, PLAIN}
    assert patterns | {"大吊车", "杠开", "抢杠", "海底", "天胡", "地胡"} == set(ENGLISH)
