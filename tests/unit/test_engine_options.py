"""Every option of every preset acts where its rule says, is validated, and is documented."""

import json
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from engine.errors import BadNotation, BadOption, Refusal, UnknownOption
from engine.paohuzi.actions import HU, PASS
from engine.paohuzi.cards import make_hand, parse_card, parse_cards
from engine.paohuzi.game import Paohuzi
from engine.paohuzi.hu import Laid
from engine.paohuzi.position import Position
from engine.paohuzi.presets import ALIASES, PRESETS
from engine.paohuzi.rules import OPTIONS, RuleSet
from engine.paohuzi.scoring import Win, best_hu, explain_win
from engine.paohuzi.setup import SeatSetup, discard, draw, open_round, set_up

GAME = Paohuzi()
PRESET_IDS = list(PRESETS)


def rules(preset: str = "876cc", **overrides: Any) -> RuleSet:
    return GAME.ruleset(preset, overrides)


def laid(*melds: str) -> tuple[Laid, ...]:
    return tuple(Laid(kind, parse_cards(cards)) for kind, cards in (meld.split(":") for meld in melds))


def seat(hand: str = "", *melds: str, **more: Any) -> SeatSetup:
    cards = parse_cards(hand) if hand else ()
    return SeatSetup(hand=cards, melds=laid(*melds), **more)


def traced(chosen: RuleSet, seats: Sequence[SeatSetup], kind: str, who: int, card: str) -> Position:
    position = set_up(chosen, seats)
    position.trace = []
    (draw if kind == "draw" else discard)(position, who, parse_card(card))
    return position


def pass_all(position: Position) -> list[str]:
    """Let everybody pass, and return the trace up to the next draw or discard."""
    while position.to_act() and PASS in position.legal_actions(position.to_act()[0]):
        position.apply(position.to_act()[0], PASS)
    assert position.trace is not None
    return position.trace


NOBODY = SeatSetup(filler=20)

# A hand worth 15 with s9 drawn by another, and its laid melds.
READY = ("s4s5s6b8b8s8s7s8", "wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6")


def won(
    chosen: RuleSet, hand: str, melds: Sequence[str], card: str, source: str = "other", last: bool = False
) -> Win | None:
    winning = parse_card(card) if card else -1
    return best_hu(chosen, make_hand(parse_cards(hand)), laid(*melds), winning, source, last)


def scored(chosen: RuleSet, *args: Any, **kwargs: Any) -> Win:
    win = won(chosen, *args, **kwargs)
    assert win is not None
    return win


def test_every_option_is_documented_ruled_and_classed() -> None:
    assert set(OPTIONS) == {item.name for item in fields(RuleSet)} - {"preset", "version"}
    for name, info in OPTIONS.items():
        assert info.doc.endswith("."), name
        assert info.rule.startswith("§"), name
        assert info.acts_in in ("rules", "settlement", "display"), name
        assert info.allowed(), name
    assert {name for name, info in OPTIONS.items() if info.acts_in == "settlement"} == {
        "base_stake",
        "fee",
        "win_cap_by_balance",
    }
    assert [name for name, info in OPTIONS.items() if info.acts_in == "display"] == ["opening_ti_show_one"]


@pytest.mark.parametrize("preset", PRESET_IDS)
def test_a_preset_spells_out_every_option(preset: str) -> None:
    assert list(rules(preset).options()) == sorted(set(OPTIONS) - {"fee"})
    assert rules(preset).title == f"{preset}@1"


@pytest.mark.parametrize(("alias", "preset"), ALIASES.items())
def test_an_alias_names_a_preset(alias: str, preset: str) -> None:
    assert rules(alias) == rules(preset)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("value", ["sometimes", -1, 10**12, 1.5, [], {}])
def test_an_option_refuses_what_it_cannot_be(name: str, value: Any) -> None:
    with pytest.raises(BadOption) as refused:
        rules(**{name: value})
    assert refused.value.option == name
    assert OPTIONS[name].allowed() in str(refused.value)


def test_true_is_no_number_and_one_is_no_truth() -> None:
    with pytest.raises(BadOption):
        rules(min_xi=True)
    with pytest.raises(BadOption):
        rules(po_pao_hu=1)


def test_an_unknown_option_is_refused_with_the_known_ones_listed() -> None:
    with pytest.raises(UnknownOption) as refused:
        rules(min_huxi=15)
    assert all(name in str(refused.value) for name in OPTIONS)


def test_the_first_deng_is_within_reach_of_the_smallest_win() -> None:
    with pytest.raises(BadOption):
        rules(min_xi=12)
    assert rules(min_xi=12, deng_first=12).min_xi == 12


def test_changed_rules_lose_the_name_of_their_preset() -> None:
    assert rules(zimo_deng=2).title == "custom@0"
    assert rules(min_xi=10, deng_first=10).title == "luzhou-10xi@1"
    assert rules(zimo_deng=1).title == "876cc@1"


def test_a_fee_is_spelt_out_only_where_there_is_one() -> None:
    """A record from before there were fees is still canonical; a round without one is written as ever."""
    assert "fee" not in rules().options()
    assert rules(fee=20).options()["fee"] == 20
    assert GAME.ruleset_from("876cc@1", rules().as_json()).fee == 0
    assert GAME.ruleset_from("876cc@1", rules(fee=20).as_json()) == rules(fee=20)
    spelt = json.dumps({**rules().options(), "fee": 0}, sort_keys=True, separators=(",", ":"))
    with pytest.raises(BadNotation):
        GAME.ruleset_from("876cc@1", spelt)


def test_settlement_and_display_options_do_not_change_the_name() -> None:
    changed = rules(base_stake=5, fee=20, win_cap_by_balance=True, opening_ti_show_one=False)
    assert changed.title == "876cc@1"
    assert GAME.ruleset_from("876cc@1", changed.as_json()) == changed


@pytest.mark.parametrize(
    ("title", "change"),
    [
        ("876cc@1", {"zimo_deng": 2}),
        ("876cc@2", {}),
        ("custom@0", {}),
        ("nowhere@1", {}),
        ("876cc", {}),
        ("custom@0", {"min_xi": 99}),
    ],
)
def test_a_record_whose_options_are_not_its_names_is_refused(title: str, change: dict[str, Any]) -> None:
    options = json.dumps({**rules().options(), **change}, sort_keys=True, separators=(",", ":"))
    with pytest.raises(Refusal):
        GAME.ruleset_from(title, options)


@pytest.mark.parametrize("options", ["", "[]", "{}", "{", '{"min_xi": 15}', "null"])
def test_options_that_are_no_complete_canonical_object_are_refused(options: str) -> None:
    with pytest.raises(Refusal):
        GAME.ruleset_from("876cc@1", options)


# --- what a hand is worth ---


def test_min_xi() -> None:
    assert won(rules(), *READY[:1], READY[1:], "s9") is not None
    assert won(rules(min_xi=16), READY[0], READY[1:], "s9") is None


def test_deng_first_and_deng_step() -> None:
    assert scored(rules(), READY[0], READY[1:], "s9").deng == 1
    assert scored(rules(deng_first=9), READY[0], READY[1:], "s9").deng == 3
    assert scored(rules(deng_first=9, deng_step=2), READY[0], READY[1:], "s9").deng == 4


PAIRS = ("b8b8b8s9s9s9s6s6", ("peng:b1b1b1", "wei:b9b9b9", "peng:s3s3s3", "peng:s5s5s5"), "s6")
RED = ("s2s7s10s6s7s8b4b5b6b8s8", ("wei:b10b10b10", "wei:b2b2b2", "peng:b7b7b7"), "b8")
SMALL = ("s2s7s10s4s5s6s9s9", ("wei:s1s1s1", "wei:s8s8s8", "wei:s3s3s3", "wei:s6s6s6"), "b9")
BIG = ("b2b7b10b4b5b6b9b9", ("wei:b1b1b1", "wei:b8b8b8", "wei:b3b3b3", "chi:b4b5b6"), "s9")


@pytest.mark.parametrize(
    ("table", "hand", "names"),
    [
        ("876", PAIRS, {"乌胡": 5, "对对胡": 5}),
        ("876", RED, {"红乌": 4}),
        ("qmt", PAIRS, {"乌胡": 6, "对对胡": 6}),
        ("qmt", RED, {"红胡": 5}),
        ("qmt", SMALL, {"小字胡": 12}),
        ("qmt", BIG, {"大字胡": 8}),
        ("none", PAIRS, {}),
        ("hhd", PAIRS, {"乌胡": 5, "对对胡": 4}),
        ("hhd", RED, {"红乌": 4}),
        ("changde-qmt", PAIRS, {"乌胡": 8, "对对胡": 8}),
        ("changde-qmt", RED, {"红胡": 6}),
        ("changde-qmt", SMALL, {"小字胡": 14}),
        ("ningxiang", PAIRS, {"乌胡": 5, "对对胡": 5}),
        ("ningxiang", SMALL, {"三扁": 3, "小字胡": 7}),
    ],
)
def test_names(table: str, hand: tuple[str, tuple[str, ...], str], names: dict[str, int]) -> None:
    win = scored(rules(names=table), *hand)
    assert dict(win.names) == names
    assert win.fan == (sum(names.values()) or 1)


def test_zimo_deng_and_zimo_stage() -> None:
    hand = ("s1s2s3b4b5b6s4s5s6s8s8", ("wei:b1b1b1", "peng:b3b3b3", "peng:b9b9b9"), "b8", "self")
    assert scored(rules(), *hand).points == (1 + 1) * 3
    assert scored(rules(zimo_deng=4), *hand).points == (1 + 4) * 3
    assert scored(rules(zimo_stage="after_fan"), *hand).points == 1 * 3 + 1


def test_haidi_plain_total() -> None:
    plain = ("b7b7b5s5s5b4b4s4s2s2", ("pao:s3s3s3s3", "pao:b9b9b9b9", "peng:s6s6s6"), "b2")
    assert dict(scored(rules(), *plain, last=True).names) == {"海底": 1}
    assert scored(rules(haidi_plain_total=2), *plain, last=True).fan == 2
    assert dict(scored(rules(haidi_plain_total=5), *PAIRS, last=True).names)["海底"] == 2


def test_wu_dui_total() -> None:
    assert scored(rules(wu_dui_total=12), *PAIRS).fan == 12
    assert dict(scored(rules(wu_dui_total=12), *PAIRS).names) == {"乌胡": 5, "对对胡": 7}


def test_red_cap_big_cap_and_small_cap() -> None:
    assert dict(scored(rules(names="qmt", red_cap=4), *RED).names) == {"红胡": 4}
    assert dict(scored(rules(names="qmt", big_cap=7), *BIG).names) == {"大字胡": 7}
    assert dict(scored(rules(names="qmt", small_cap=9), *SMALL).names) == {"小字胡": 9}


def test_point_cap() -> None:
    assert scored(rules(point_cap=7), *PAIRS).points == 7
    assert scored(rules(), *PAIRS).points == 30
    capped = rules(point_cap=7)
    lines = explain_win(capped, scored(capped, *PAIRS))
    assert lines[-1].zh == "封顶：每家最多 7 分（§12）"


def test_base_stake_does_not_change_points() -> None:
    assert scored(rules(base_stake=50), *PAIRS).points == scored(rules(), *PAIRS).points


def test_po_pao_hu() -> None:
    hand = ("s2s2s2s7s10s4s5s6b8b8s8", ("peng:b1b1b1", "wei:b9b9b9", "chi:b4b5b6"), "s2")
    assert scored(rules(), *hand).xi == 15
    assert won(rules(po_pao_hu=False), *hand) is None


def test_liang_xian_zimo() -> None:
    hand = ("b1b1b1b9b9b9s7s6s8s6s5s4b4b5b6s1s2s3b8b8", (), "b8", "liang_other")
    assert scored(rules(), *hand).zimo_bonus == 0
    assert scored(rules(liang_xian_zimo=True), *hand).zimo_bonus == 1


@pytest.mark.parametrize(
    ("source", "closed"),
    [
        ("discard", {"discard_hu": False}),
        ("liang_other", {"liangzhang_hu": "dealer"}),
        ("liang_dealer", {"liangzhang_hu": "off"}),
        ("santi", {"santi_wukan": "off"}),
    ],
)
def test_a_way_to_win_that_is_closed_scores_nothing(source: str, closed: dict[str, Any]) -> None:
    hands = {
        "discard": ("s4s5s6b8b8s8s7s8", READY[1:], "s9"),
        "liang_other": ("b1b1b1b9b9b9s7s6s8s6s5s4b4b5b6s1s2s3b8b8", (), "b8"),
        "liang_dealer": (LIANG_DEALER, (), "s1"),
        "santi": ("s5s5s5s6s6s6s9s9s9b5b5b5b9b9b9s2s7s10b1b8", (), ""),
    }
    assert won(rules(discard_hu=True), *hands[source], source) is not None
    assert won(rules(**closed), *hands[source], source) is None


# --- the course of a round ---


def test_dead_peng_blocks_chi() -> None:
    seats = [NOBODY, seat("s2s2s1s3b2", dead_peng=parse_cards("s2"), filler=15), NOBODY]
    assert pass_all(traced(rules(), seats, "discard", 0, "s2")) == ["river@0", "draw@1"]
    split = rules(dead_peng_blocks_chi=False)
    assert pass_all(traced(split, seats, "discard", 0, "s2")) == ["chi?@1", "river@0", "draw@1"]


def test_own_discard_dead() -> None:
    seats = [seat("s4s6", own_discards=parse_cards("s5"), filler=18), NOBODY, NOBODY]
    assert pass_all(traced(rules(), seats, "draw", 0, "s5")) == ["river@0", "draw@1"]
    free = rules(own_discard_dead=False)
    assert pass_all(traced(free, seats, "draw", 0, "s5")) == ["chi?@0", "river@0", "draw@1"]


@pytest.mark.parametrize(
    ("chou_hu", "record", "offered"),
    [
        ("off", 15, True),
        ("win_xi", 15, False),
        ("win_xi", 12, True),
        ("table_xi", 15, False),
        ("table_xi", 12, True),
    ],
)
def test_chou_hu(chou_hu: str, record: int, offered: bool) -> None:
    seats = [NOBODY, seat(*READY, passed_hu={parse_card("s9"): record}), NOBODY]
    position = traced(rules(chou_hu=chou_hu), seats, "draw", 0, "s9")
    assert (HU in position.legal_actions(1)) is offered
    assert ("hu?@1:15" in pass_all(position)) is offered


def test_chou_hu_by_table_xi_leaves_out_what_is_in_hand() -> None:
    hand = "s4s5s6b8b8s8s7s8s1s1s1"
    seats = [NOBODY, seat(hand, "wei:b9b9b9", "peng:b3b3b3", "chi:b4b5b6"), NOBODY]
    position = traced(rules(chou_hu="table_xi", min_xi=12, deng_first=12), seats, "draw", 0, "s9")
    pass_all(position)
    assert position.passed_hu[1] == {parse_card("s9"): 9}


@pytest.mark.parametrize(("pays", "points"), [("discarder", (-12, 12, 0)), ("all", (-6, 12, -6))])
def test_discard_hu_and_who_pays(pays: str, points: tuple[int, ...]) -> None:
    seats = [NOBODY, seat(*READY), NOBODY]
    closed = traced(rules(), seats, "discard", 0, "s9")
    assert HU not in closed.legal_actions(1)
    chosen = rules(discard_hu=True, discard_hu_pays=pays, deng_first=12)
    position = traced(chosen, seats, "discard", 0, "s9")
    position.apply(1, HU)
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.source, outcome.points) == ("discard", 0, points)


def test_a_discard_is_offered_to_the_next_seat_before_the_previous() -> None:
    other = seat("s4s5s6b6b6s6s7s8", "wei:b9b9b9", "peng:s3s3s3", "wei:b1b1b1", "peng:b4b4b4")
    position = traced(rules(discard_hu=True), [NOBODY, seat(*READY), other], "discard", 0, "s9")
    position.apply(2, HU)
    assert position.outcome() is None
    position.apply(1, HU)
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.winner == 1


LIANG_DEALER = "b10b10b10b10b9b9b9b8b8b8s6s5s4b4b5b6b3s3s3s1s1"
LIANG_WAITING = "b1b1b1b7b7b7s7s8s9s6s7s8b4b5b6s2s3s2s3s1"


@pytest.mark.parametrize(("value", "asked"), [("off", ()), ("dealer", (0,)), ("all", (0, 1))])
def test_liangzhang_hu(value: str, asked: tuple[int, ...]) -> None:
    position = set_up(rules(liangzhang_hu=value), [seat(LIANG_DEALER), seat(LIANG_WAITING), NOBODY])
    open_round(position, parse_card("s1"))
    willing = tuple(at for at in position.to_act() if HU in position.legal_actions(at))
    assert willing == asked


@pytest.mark.parametrize(("value", "ended"), [("auto", True), ("off", False)])
def test_santi_wukan(value: str, ended: bool) -> None:
    hand = "b6b6b6b6s3s3s3s3b8b8b8b8s4s5s7b2b5s9s1s2s10"
    position = set_up(rules(santi_wukan=value), [seat(hand), NOBODY, NOBODY])
    position.trace = []
    open_round(position, parse_card("s10"))
    # Without the automatic win, three 提 owe no first discard (Rule 3).
    played_on = ["ti!@0:s3", "ti!@0:b6", "ti!@0:b8", "draw@1"]
    assert position.trace == (["autowin@0"] if ended else played_on)


@pytest.mark.parametrize("forbid", [True, False])
def test_forbid_claim_without_discard(forbid: bool) -> None:
    hand = ("s4s6s9s9s9s8s8s8", "chi:b4b5b6", "chi:b4b5b6", "chi:s1b1b1", "chi:s7b7b7")
    chosen = rules(forbid_claim_without_discard=forbid)
    position = traced(chosen, [NOBODY, seat(*hand), NOBODY], "discard", 0, "s5")
    assert ("chi s4s5s6" in position.legal_actions(1)) is not forbid
    if not forbid:
        position.apply(1, "chi s4s5s6")
        assert position.dead[1]


def test_huangzhuang_change_after() -> None:
    chosen = rules()
    assert [GAME.succession(chosen, 0, draws, None) for draws in (0, 1, 2)] == [(0, 1), (0, 2), (1, 0)]
    assert GAME.succession(rules(huangzhuang_change_after=1), 2, 0, None) == (0, 0)
    assert GAME.succession(chosen, 0, 2, {"winners": [2]}) == (2, 0)


@pytest.mark.parametrize("shown", [True, False])
def test_opening_ti_show_one(shown: bool) -> None:
    hand = "b6b6b6b6s3s4s5s7b8b8b2b5s9s1s2s10b10b4b1b3s6"
    position = set_up(rules(opening_ti_show_one=shown), [seat(hand), NOBODY, NOBODY])
    open_round(position, parse_card("s6"))
    laid_down = [event for event in position.events if event.kind == "ti"]
    assert [event.text_for(0) for event in laid_down] == ["ti 0 b6 hand"]
    assert [event.text_for(1) for event in laid_down] == ["ti 0 b6 hand" if shown else "ti 0 ? hand"]
    assert bool(position.view(1).melds[0][0].cards) is shown
    assert position.view(0).melds[0][0].cards == (15,) * 4


def test_win_cap_by_balance_is_left_to_the_settlement() -> None:
    assert scored(rules(win_cap_by_balance=True), *PAIRS) == scored(rules(), *PAIRS)


def test_every_option_has_a_test_that_names_it() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [name for name in OPTIONS if text.count(name) == 0] == []
