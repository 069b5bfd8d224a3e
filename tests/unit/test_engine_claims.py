"""Questions and their resolution, the turn machine, and what is told to whom, in positions made by hand."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from engine.errors import BadNotation, IllegalAction, NotAsked, Refusal
from engine.paohuzi.cards import CARD_TEXTS, format_cards, hand_cards, make_hand, parse_card, parse_cards
from engine.paohuzi.game import Paohuzi
from engine.paohuzi.hu import Laid
from engine.paohuzi.position import Position
from engine.paohuzi.setup import SeatSetup, discard, draw, set_up

GAME = Paohuzi()
RULES = GAME.ruleset("876cc")


def seat(hand: str = "", *melds: str, filler: int = 0, dead_hand: bool = False) -> SeatSetup:
    return SeatSetup(
        hand=parse_cards(hand) if hand else (),
        melds=[Laid(kind, parse_cards(cards)) for kind, cards in (meld.split(":") for meld in melds)],
        filler=filler,
        dead_hand=dead_hand,
    )


NOBODY = SeatSetup(filler=20)
READY = ("s4s5s6b8b8s8s7s8", "wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6")


def drawn(seats: Sequence[SeatSetup], who: int, card: str, wall: str = "b7") -> Position:
    position = set_up(RULES, seats, wall=parse_cards(wall))
    draw(position, who, parse_card(card))
    return position


def thrown(seats: Sequence[SeatSetup], who: int, card: str, wall: str = "b7") -> Position:
    position = set_up(RULES, seats, wall=parse_cards(wall))
    discard(position, who, parse_card(card))
    return position


def test_a_hidden_pao_that_no_hu_can_precede_asks_nobody() -> None:
    eater = seat("s4s6b9b10", filler=16)
    assert drawn([eater, NOBODY, NOBODY], 0, "s5").legal_actions(0) == ("chi s4s5s6", "pass")
    hidden = drawn([eater, NOBODY, seat("s5s5s5", filler=17)], 0, "s5")
    assert [event.text_for(0) for event in hidden.events][:2] == ["draw 0 s5", "pao 2 s5 kan"]
    assert hidden.chi_dead[0] == 0


def test_beside_an_open_hu_a_hidden_pao_changes_no_question() -> None:
    eater = seat("s7s8b9b10", filler=16)
    without = drawn([eater, seat(*READY), NOBODY], 0, "s9")
    hidden = drawn([eater, seat(*READY), seat("s9s9s9", filler=17)], 0, "s9")
    for at in range(3):
        assert hidden.legal_actions(at) == without.legal_actions(at)
    assert hidden.to_act() == (0, 1)
    hidden.apply(0, "chi s7s8s9")
    events = hidden.apply(1, "pass")
    assert [event.text_for(None) for event in events if event.text_for(None)] == ["pao 2 s9 kan"]
    assert hidden.chi_dead[0] == 0


@pytest.mark.parametrize("meld", ["peng:s5s5s5", "chouwei:s5s5s5"])
def test_a_pao_that_all_can_see_coming_leaves_no_peng_and_no_chi(meld: str) -> None:
    eater = seat("s4s6b9b10", filler=16)
    position = drawn([eater, NOBODY, seat("", meld, filler=17)], 0, "s5")
    assert position.melds[2][0].kind == "pao"
    assert position.legal_actions(0) == ()


def test_a_laid_peng_promises_nothing_on_a_discard() -> None:
    position = thrown([NOBODY, seat("s4s6b9b10", filler=16), seat("", "peng:s5s5s5", filler=17)], 0, "s5")
    assert position.legal_actions(1) == ("chi s4s5s6", "pass")


def test_an_answer_that_cannot_be_beaten_withdraws_the_other_questions() -> None:
    seats = [seat("s4s6b9b10", filler=16), seat("s6s7b9b10", filler=16), seat("s5s5b9b10", filler=16)]
    position = drawn(seats, 0, "s5")
    assert position.to_act() == (0, 1, 2)
    events = position.apply(2, "peng")
    assert [event.text_for(0) for event in events if event.text_for(0)] == ["withdrawn 0", "peng 2 s5"]
    with pytest.raises(NotAsked):
        position.apply(0, "pass")
    assert position.chi_dead == [0, 0, 0]


def test_a_farther_answer_waits_for_the_nearer() -> None:
    seats = [seat("s4s6b9b10", filler=16), seat("s6s7b9b10", filler=16), seat("s5s5b9b10", filler=16)]
    position = drawn(seats, 0, "s5")
    assert [event.kind for event in position.apply(1, "chi s5s6s7")] == ["answer"]
    assert [event.kind for event in position.apply(0, "pass")] == ["answer"]
    assert [event.kind for event in position.apply(2, "pass")][:2] == ["answer", "mark"]
    assert position.melds[1] == [Laid("chi", (4, 5, 6))]
    five = 1 << parse_card("s5")
    assert (position.chi_dead, position.peng_dead) == ([five, 0, 0], [0, 0, five])


def test_one_question_takes_one_answer() -> None:
    position = drawn([seat("s4s6", filler=18), seat("s6s7", filler=18), NOBODY], 0, "s5")
    position.apply(0, "pass")
    with pytest.raises(NotAsked):
        position.apply(0, "pass")


def test_hu_beats_peng_from_a_nearer_seat() -> None:
    position = drawn([NOBODY, seat("s9s9", filler=18), seat(*READY)], 0, "s9")
    position.apply(1, "peng")
    position.apply(2, "hu")
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.winner, outcome.how, outcome.source) == (2, "wall", 0)


def test_the_drawer_of_a_wei_may_win_or_discard() -> None:
    hand = "b10b10b10b9b9b9s7s6s8s6s5s4b4b5b6b3s3s3s2s2"
    position = drawn([seat(hand), NOBODY, NOBODY], 0, "s2")
    legal = position.legal_actions(0)
    assert "hu" in legal
    assert "discard s3" in legal
    assert not {"pass", "discard b10", "discard b9", "discard s2"} & set(legal)
    declined = position.clone()
    declined.apply(0, "discard s3")
    assert declined.passed_hu[0] == {parse_card("s2"): 15}
    position.apply(0, "hu")
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.how, outcome.points) == ("zimo", (4, -2, -2))


def test_a_wei_that_owes_no_discard_is_asked_to_win_or_pass() -> None:
    # Two opening 提 leave one discard less; seven melds with 将 stand on 22 cards.
    hand = ("s2s2s4s5s6b4b5b6s8s8s9s10", "ti:b1b1b1b1", "ti:b3b3b3b3")
    position = drawn([seat(*hand), NOBODY, NOBODY], 0, "s2")
    assert position.held[0] == 21
    assert position.to_act() != (0,)


def test_nobody_else_learns_what_a_wei_is() -> None:
    position = drawn([seat("s5s5b9", filler=17), NOBODY, NOBODY], 0, "s5")
    made = next(event for event in position.events if event.kind == "wei")
    told = [made.text_for(reader) for reader in (0, 1, 2, None)]
    assert told == ["wei 0 s5", "wei 0 ?", "wei 0 ?", "wei 0 ?"]
    assert position.view(0).melds[0][0].cards == (4, 4, 4)
    assert position.view(1).melds[0][0].cards == ()
    assert position.view(None).table_xi(0) == 0


def test_a_dead_hand_is_asked_nothing_but_still_runs() -> None:
    stiff = seat(
        "s8s8s8s5s5s5", "wei:s2s2s2", "chi:b4b5b6", "chi:b4b5b6", "chi:s1b1b1", "chi:s7b7b7", dead_hand=True
    )
    eaten = thrown([NOBODY, stiff, NOBODY], 0, "s6")
    assert eaten.legal_actions(1) == ()
    run = thrown([NOBODY, stiff, NOBODY], 0, "s8")
    assert run.melds[1][-1].kind == "pao"
    assert run.legal_actions(1) == ()


def test_a_river_holds_what_nobody_took() -> None:
    position = drawn([NOBODY, NOBODY, NOBODY], 0, "s5", wall="b7b9b1b2b3b4b5")
    assert [river[:1] for river in position.rivers] == [
        [parse_card("s5")],
        [parse_card("b7")],
        [parse_card("b9")],
    ]


def test_an_empty_wall_ends_the_round_without_a_winner() -> None:
    position = drawn([NOBODY, NOBODY, NOBODY], 0, "s5", wall="b7")
    outcome = position.outcome()
    assert outcome is not None
    assert outcome.result()["end"] == "draw"
    assert outcome.points == (0, 0, 0)


def test_an_action_is_refused_in_any_but_its_canonical_form() -> None:
    position = drawn([seat("s4s6b9b10", filler=16), NOBODY, NOBODY], 0, "s5")
    for action in ("chi s6s5s4", "chi s4s5s6 ", "CHI s4s5s6", "chi s5s6s7"):
        with pytest.raises(IllegalAction):
            position.apply(0, action)
    assert GAME.parse_action("chi s6s5s4") == "chi s4s5s6"
    assert GAME.parse_action("chi s9b9b9 s9s7s8") == "chi s7s8s9 s9b9b9"


def test_cards_and_hands_round_trip() -> None:
    for card, text in enumerate(CARD_TEXTS):
        assert parse_card(text) == card
    cards = parse_cards("s1s10s10b2b10")
    assert format_cards(hand_cards(make_hand(cards))) == "s1s10s10b2b10"
    for text in ("s0", "s11", "x1", "", "s", "b01"):
        with pytest.raises(BadNotation):
            parse_card(text)


@pytest.mark.parametrize(
    "texts",
    [
        [],
        ["draw 0 s5"],
        ["deal 0 876cc@1 {} ?20 ?20 ?20"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "poem 0"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "draw"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "draw x s5"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "draw 0 s11"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "pao 0 s5 wei 3"],
        [f"deal 0 876cc@1 {RULES.as_json()} ?20 ?20 ?20", "chi 0 s1s2s3"],
    ],
)
def test_texts_that_are_no_round_cannot_be_folded(texts: list[str]) -> None:
    with pytest.raises(Refusal):
        GAME.fold(texts)


def test_every_kind_of_event_is_in_the_notation() -> None:
    root = Path(__file__).parents[2]
    notation = (root / "docs" / "notation.md").read_text(encoding="utf-8")
    code = "".join(path.read_text(encoding="utf-8") for path in (root / "engine" / "paohuzi").glob("*.py"))
    kinds = set(re.findall(r'emit\("(\w+)"', code)) | {"wei", "chouwei", "answer"}
    assert len(kinds) > 15
    written = set(re.findall(r"^(\w+) (?:n|winner)\b", notation, re.MULTILINE))
    assert kinds - written == set()
