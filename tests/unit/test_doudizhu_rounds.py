"""斗地主: bidding, doubling, the order of play, scores, options and all its text (Rules 1, 3, 4, 6)."""

import json
import random
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.arena import play_round, shuffled
from engine.doudizhu import Doudizhu, parse_cards
from engine.doudizhu.cards import DECK, RANKS, make_cards
from engine.doudizhu.rules import OPTIONS
from engine.doudizhu.scoring import multiplier, settle
from engine.doudizhu.setup import before_bidding, in_play
from engine.doudizhu.tables import Table
from engine.errors import BadDeal, BadNotation, BadOption, IllegalAction, NotAsked, Refusal, RoundOver

GAME = Doudizhu()
CLASSIC = GAME.ruleset("classic")
DOC = (Path(__file__).resolve().parents[2] / "docs/games/doudizhu.md").read_text(encoding="utf-8")


def dealt(first: int = 0, draws: int = 0, **options: Any) -> Any:
    wall = shuffled(GAME.deck(), random.Random(7))
    return GAME.deal(GAME.ruleset("classic", options), wall, first, draws)


def say(position: Any, *words: str) -> None:
    for word in words:
        position.apply(position.to_act()[0], word)


def test_the_deal_follows_the_document() -> None:
    wall = shuffled(GAME.deck(), random.Random(3))
    position = GAME.deal(CLASSIC, wall, 1)
    cards = [RANKS.index(card) for card in wall]
    assert position.hands[1] == make_cards(cards[:17])
    assert position.hands[2] == make_cards(cards[17:34])
    assert position.hands[0] == make_cards(cards[34:51])
    assert position.bottom == make_cards(cards[51:])
    assert position.to_act() == (1,)


def test_the_face_up_card_is_one_of_the_first_speakers_and_everybody_sees_it() -> None:
    position = dealt(2, face_up=True)
    shown = {event.text_for(reader) for event in position.opening_events() for reader in (0, 1, 2, None)}
    card = position.view(None).as_json()["face_up"]
    assert f"face_up 2 {card}" in shown
    assert card in position.view(2).as_json()["hand"]
    assert dealt().view(None).as_json()["face_up"] == ""


def test_every_bid_is_open_that_is_higher_and_three_ends_it() -> None:
    position = dealt(1)
    say(position, "bid 0")
    assert position.legal_actions(2) == ("bid 0", "bid 1", "bid 2", "bid 3")
    say(position, "bid 2")
    assert position.legal_actions(0) == ("bid 0", "bid 3")
    say(position, "bid 3")
    assert (position.landlord, position.bid, position.to_act()) == (0, 3, (0,))


def until_two_pass(bids: tuple[int, ...]) -> tuple[int, int] | None:
    """Return who is landlord with what after these bids by OpenSpiel's auction, or None while it goes on."""
    best, who, passes = 0, -1, 0
    for at, bid in enumerate(bids):
        if bid:
            best, who, passes = bid, at % 3, 0
        else:
            passes += 1
        if best == 3 or (best and passes == 2):
            return who, best
        if passes == 3:
            return -1, 0
    return None


def test_until2pass_goes_on_until_two_pass_on_a_bid() -> None:
    for length in range(1, 7):
        for bids in product(range(4), repeat=length):
            position = before_bidding(GAME.ruleset("classic", {"bid_rounds": "until2pass"}), (0, 0, 0), 0)
            try:
                say(position, *[f"bid {bid}" for bid in bids])
            except (IllegalAction, IndexError):
                continue  # not an auction
            got = (position.landlord, position.bid) if position.phase != "bid" else None
            assert got == until_two_pass(bids), bids


def called(*words: str, first: int = 0) -> Any:
    position = dealt(first, bid="qiang")
    say(position, *words)
    return position


@pytest.mark.parametrize(
    ("words", "landlord", "robs"),
    [
        (("call", "no_rob", "no_rob"), 0, 0),
        (("call", "rob", "no_rob", "no_rob"), 1, 1),
        (("call", "rob", "no_rob", "rob"), 0, 2),
        (("call", "rob", "rob", "no_rob"), 2, 2),
        (("call", "rob", "rob", "rob"), 0, 3),
        (("call", "no_rob", "rob", "rob"), 0, 2),
        (("no_call", "call", "no_rob"), 1, 0),
        (("no_call", "call", "rob", "no_rob"), 2, 1),
        (("no_call", "no_call", "call"), 2, 0),
    ],
)
def test_calling_and_robbing_finds_the_landlord(words: tuple[str, ...], landlord: int, robs: int) -> None:
    position = called(*words)
    assert (position.landlord, position.robs, position.bid) == (landlord, robs, 1)
    assert position.phase == "play"
    assert position.to_act() == (landlord,)


@pytest.mark.parametrize(("bid", "word"), [("score", "bid 0"), ("qiang", "no_call")])
def test_when_all_decline_the_round_is_a_draw_and_everything_is_shown(bid: str, word: str) -> None:
    position = dealt(1, bid=bid)
    say(position, word, word)
    events = position.apply(0, word)
    texts = [event.text_for(None) for event in events]
    assert texts[-1] == "end -1 draw 0 0 0"
    assert texts[2].startswith("bottom 1 ")
    assert position.outcome().result()["winners"] == []
    assert GAME.explain(position.rules, position.outcome()) == ()
    assert all(position.view(None).hands)
    with pytest.raises(RoundOver):
        position.apply(1, word)


@pytest.mark.parametrize(("bid", "word"), [("score", "bid 0"), ("qiang", "no_call")])
def test_after_enough_redeals_the_first_speaker_is_landlord_with_one(bid: str, word: str) -> None:
    for draws, crowned in ((2, False), (3, True), (4, True)):
        position = dealt(1, draws, bid=bid, redeal_limit=3)
        say(position, word, word, word)
        assert (position.outcome() is None) == crowned
        assert position.landlord == (1 if crowned else -1)
        assert position.bid == int(crowned)


def test_who_speaks_first_next() -> None:
    won = {"winners": [0, 2], "last": 2}
    for speaker, after_win in (("random", -1), ("winner", 2), ("rotate", 2)):
        rules = GAME.ruleset("classic", {"first_speaker": speaker})
        assert GAME.succession(rules, 1, 4, won) == (after_win, 0)
        assert GAME.succession(rules, 1, 4, {"winners": []}) == (-1 if speaker == "random" else 1, 5)
        assert GAME.succession(rules, 1, 0, None) == (-1 if speaker == "random" else 1, 1)


def test_answers_to_doubling_are_hidden_until_the_last_is_in() -> None:
    position = dealt(double="on")
    say(position, "bid 3")
    assert position.to_act() == (0, 1, 2)
    events = position.apply(1, "double 2")
    assert [event.text_for(0) for event in events] == [None]
    assert position.view(1).doubles == (0, 2, 0)
    assert [position.view(reader).doubles for reader in (0, 2, None)] == [(0, 0, 0)] * 3
    with pytest.raises(NotAsked):
        position.apply(1, "double 1")
    position.apply(2, "double 1")
    events = position.apply(0, "double 2")
    assert [event.text_for(None) for event in events] == [
        None,
        "doubled 0 2",
        "doubled 1 2",
        "doubled 2 1",
        None,
    ]
    assert position.view(None).doubles == (2, 2, 1)
    assert position.to_act() == (0,)


def test_a_play_has_one_text() -> None:
    position = in_play(
        CLASSIC, [parse_cards(hand) for hand in ("3334445556667", "777888999TJQK", "TTJJ")], 0, 0
    )
    for text in (
        "play 43",
        "play 333444 as trio_chain",
        "play 333444 as trio_solo",
        "play 333444555666 as solo",
    ):
        with pytest.raises(IllegalAction):
            position.clone().apply(0, text)
    plain = position.clone()
    plain.apply(0, "play 333444555666")
    assert plain.legal_actions(1) == ("pass",)
    position.apply(0, "play 333444555666 as plane_solo")
    assert "play 777888999TJQ" in position.legal_actions(1)
    assert GAME.parse_action("play 4343 as pair") == "play 3344 as pair"


def test_a_follow_takes_the_highest_reading() -> None:
    hands = [parse_cards(hand) for hand in ("333444555789", "444555666777K", "888999TTTJJJ")]
    position = in_play(CLASSIC, hands, 0, 0, plays=(1, 1, 1))
    position.apply(0, "play 33344455578" + "9")
    assert position.outcome() is not None
    hands[0] += parse_cards("2")
    position = in_play(CLASSIC, hands, 0, 0, plays=(1, 1, 1))
    position.apply(0, "play 333444555789")
    assert "play 444555666777 as plane_solo" not in position.legal_actions(1)
    events = position.apply(1, "play 444555666777")
    assert events[1].text_for(None) == "play 1 444555666777 plane_solo 3 5"


@pytest.mark.parametrize(
    "text",
    [
        "play",
        "play ",
        "play 3 as",
        "play 3 as poker",
        "play 33333",
        "play BB",
        "play x",
        "play 3 4",
        "bid 4",
        "bid",
        "double 3",
        "double",
        "call 1",
        "play " + "3333444455556666" + "77778",
        "play 3 as pair ",
        "Play 3",
    ],
)
def test_what_is_no_action_is_refused(text: str) -> None:
    with pytest.raises(BadNotation):
        GAME.parse_action(text)


def test_a_refused_seat_learns_nothing_of_other_hands() -> None:
    for hands in (("39", "4K", "5A"), ("39", "56", "78")):
        position = in_play(CLASSIC, [parse_cards(hand) for hand in hands], 0, 0, plays=(1, 1, 1))
        with pytest.raises(IllegalAction, match="seat 0 may not 'play K' now"):
            position.apply(0, "play K")
        with pytest.raises(NotAsked):
            position.apply(1, "play K")


def points(**given: Any) -> list[int]:
    options = {
        name: given.pop(name) for name in list(given) if name in OPTIONS and name not in ("bid", "double")
    }
    base = {"landlord": 0, "winner": 0, "bid": 1, "plays": (3, 1, 1)}
    return list(settle(GAME.ruleset("classic", options), **{**base, **given}).points)


def test_scores() -> None:
    assert points(bid=3) == [6, -3, -3]
    assert points(bid=2, winner=1) == [-4, 2, 2]
    assert points(bid=2, bombs=1, rockets=1, plays=(4, 0, 0)) == [32, -16, -16]
    assert points(bid=3, bombs=3, winner=2, plays=(1, 4, 4)) == [-96, 48, 48]
    assert points(robs=2, double=(2, 1, 2)) == [24, -8, -16]
    assert points(plays=(1, 0, 0)) == [4, -2, -2]
    assert points(winner=1, plays=(2, 3, 0)) == [-2, 1, 1]


def test_options_of_the_score_act() -> None:
    assert points(bombs=2, bomb_mult=3) == [18, -9, -9]
    assert points(rockets=1, rocket_mult=4) == [8, -4, -4]
    assert points(plays=(2, 0, 0), spring=3) == [6, -3, -3]
    assert points(plays=(2, 0, 0), spring=1) == [2, -1, -1]
    assert points(bombs=3, rockets=1, bomb_cap=2) == [8, -4, -4]
    assert points(bombs=3, rockets=1, bomb_cap=1, rocket_mult=4) == [8, -4, -4]
    assert points(bid=3, bombs=2, rockets=1, plays=(4, 0, 0), scoring="linear") == [30, -15, -15]
    assert points(bid=2, scoring="linear") == [4, -2, -2]
    assert points(bombs=2, rockets=1, scoring="linear", bomb_cap=2) == [6, -3, -3]


def test_the_explanation_names_everything_that_counts_and_comes_to_the_points() -> None:
    rules = GAME.ruleset("qiang", {"bomb_cap": 2})
    outcome = settle(
        rules, landlord=1, winner=1, bid=1, plays=(0, 5, 0), robs=2, bombs=2, rockets=1, double=(1, 2, 2)
    )
    lines = [(line.text, line.value) for line in GAME.explain(rules, outcome)]
    assert lines == [
        ("叫分", "1"),
        ("抢地主 2", "×4"),
        ("炸弹 2 (封顶 2)", "×2"),
        ("火箭", "×2"),
        ("春天", "×2"),
        ("倍数", "×32"),
        ("农民座位 0 加倍 ×2", "-64"),
        ("农民座位 2 加倍 ×4", "-128"),
        ("地主座位 1", "+192"),
    ]
    assert [line.en for line in GAME.explain(rules, outcome)][2:4] == [
        "Bombs 2 (at most 2 count): ×2 (§4)",
        "Rocket: ×2 (§4)",
    ]
    linear = GAME.ruleset("contest")
    outcome = settle(linear, landlord=0, winner=1, bid=2, plays=(1, 2, 2), bombs=2)
    assert [line.value for line in GAME.explain(linear, outcome)] == [
        "2",
        "+2",
        "+1",
        "×4",
        "+8",
        "+8",
        "-16",
    ]


def test_a_bomb_counts_as_it_is_played() -> None:
    position = in_play(
        CLASSIC, [parse_cards(hand) for hand in ("33335", "4444BR6", "7")], 0, 0, bid=2, plays=(1, 1, 1)
    )
    say(position, "play 3333", "play 4444")
    assert position.view(None).multiplier == 4
    say(position, "pass", "pass", "play BR", "pass", "pass", "play 6")
    outcome = position.outcome()
    assert outcome is not None
    assert (outcome.names, outcome.fan) == ({"炸弹": 2, "火箭": 1}, 8)
    assert outcome.points == (-32, 16, 16)


def test_the_document_lists_every_option_with_its_value() -> None:
    for name, info in OPTIONS.items():
        row = re.search(
            rf"^\| `{name}` \({info.rule}\) \| (.+?) \| (.+?) \| {info.acts_in} \|$", DOC, re.MULTILINE
        )
        assert row, name
        value = getattr(CLASSIC, name)
        shown = json.dumps(value) if not isinstance(value, str) else f"`{value}`"
        assert row[2].startswith(shown), name
        assert all(f"`{each}`" in row[1] for each in info.choices), name


def test_the_document_lists_every_key_of_a_result_and_of_a_view() -> None:
    position = dealt()
    say(position, "bid 0", "bid 0", "bid 0")
    for key in [*position.outcome().result(), *position.view(0).as_json()]:
        assert f"`{key}`" in DOC, key


def test_the_document_lists_every_event_and_action() -> None:
    rng = random.Random(1)
    kinds = set()
    for preset in GAME.presets:
        for number in range(6):
            position = GAME.deal(
                GAME.ruleset(preset, {"face_up": True}), shuffled(GAME.deck(), rng), number % 3
            )
            events = [*position.opening_events()]
            while position.outcome() is None:
                seat = position.to_act()[0]
                events += position.apply(seat, rng.choice(position.legal_actions(seat)))
            kinds |= {event.kind for event in events}
    assert {"deal", "landlord", "doubled", "play", "pass", "show", "end", "bid", "face_up"} <= kinds
    blocks = "".join(re.findall(r"```\n(.*?)```", DOC, re.DOTALL))
    assert all(re.search(rf"^(.* \| )?{kind} [nD]|^{kind} last", blocks, re.MULTILINE) for kind in kinds), (
        kinds
    )


@pytest.mark.parametrize("name", [name for name, info in OPTIONS.items() if info.high])
def test_numbers_out_of_range_are_refused(name: str) -> None:
    info = OPTIONS[name]
    for value in (info.low - 1, info.high + 1, True, "2", 2.0):
        with pytest.raises(BadOption):
            GAME.ruleset("classic", {name: value})
    if not info.optional:
        with pytest.raises(BadOption):
            GAME.ruleset("classic", {name: None})


def test_options_of_presets_keep_or_lose_the_name() -> None:
    assert GAME.ruleset("classic", {"scoring": "linear"}).title == "contest@1"
    assert GAME.ruleset("classic", {"base_stake": 50}).title == "classic@1"
    assert GAME.ruleset("classic", {"four_two": False}).title == "custom@0"
    rules = GAME.ruleset("qiang", {"spring": 3})
    assert GAME.ruleset_from(rules.title, rules.as_json()) == rules


@pytest.mark.parametrize(
    ("title", "change"),
    [
        ("classic@1", {"four_two": False}),
        ("custom@0", {}),
        ("classic@2", {}),
        ("poker@1", {}),
        ("classic@1", {"no": 1}),
        ("classic@1", {"spring": None}),
    ],
)
def test_a_record_with_other_options_than_its_preset_is_refused(title: str, change: dict[str, Any]) -> None:
    options = {**CLASSIC.options(), **change}
    text = json.dumps(options, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    with pytest.raises(Refusal):
        GAME.ruleset_from(title, text)


@pytest.mark.parametrize("text", ["", "[]", "{", "{}", CLASSIC.as_json().replace(",", ", "), "1"])
def test_options_that_are_not_canonical_are_refused(text: str) -> None:
    with pytest.raises(Refusal):
        GAME.ruleset_from("classic@1", text)


def test_a_wall_that_is_no_deck_is_refused() -> None:
    for wall in ([*DECK[:-1], "B"], [*DECK, "3"], [*DECK[:-1], "x"], [*DECK[:-1], ["R"]]):
        with pytest.raises(BadDeal):
            GAME.deal(CLASSIC, wall, 0)  # type: ignore[arg-type]


def test_the_compact_question_stands_for_every_play() -> None:
    rng = random.Random(2)
    seen = set()
    for number in range(20):
        position = GAME.deal(GAME.ruleset("qiang"), shuffled(GAME.deck(), rng), number % 3)
        while position.outcome() is None:
            for seat in position.to_act():
                question = GAME.question(position, seat)
                legal = position.legal_actions(seat)
                assert "play*" not in question or any(action.startswith("play ") for action in legal)
                assert [each for each in question if each != "play*"] == [
                    each for each in legal if not each.startswith("play ")
                ]
                seen.add(question)
            seat = rng.choice(position.to_act())
            position.apply(seat, rng.choice(position.legal_actions(seat)))
        assert GAME.question(position, 0) == ()
    assert {("play*",), ("pass", "play*"), ("pass",), ("double 1", "double 2"), ("no_rob", "rob")} <= seen


def test_events_that_cannot_be_are_refused() -> None:
    first = "deal 0 classic@1 " + CLASSIC.as_json() + " ?17 ?17 ?17"
    assert GAME.fold([first]).counts == (17, 17, 17)
    for text in (
        "poem 0",
        "play 0",
        "play 0 3 solo 1",
        "play x 3 solo 1 3",
        "bid 0",
        "landlord 0 1",
        "deal 0",
        "",
    ):
        with pytest.raises(Refusal):
            GAME.fold([first, text])
    with pytest.raises(Refusal):
        GAME.fold([])
    with pytest.raises(Refusal):
        GAME.fold(["bid 0 1"])


def test_multipliers_of_a_round_so_far() -> None:
    assert multiplier(CLASSIC, 1, 2, 1) == 16
    assert multiplier(GAME.ruleset("contest"), 0, 2, 1) == 4


def test_bots_play_whole_rounds_of_every_preset() -> None:
    rng = random.Random(4)
    for preset in GAME.presets:
        for bots in (("easy", "normal", "random"), ("normal", "easy", "normal")):
            names = [GAME.bots[name] for name in bots]
            played = play_round(GAME, GAME.ruleset(preset), shuffled(GAME.deck(), rng), 0, names, rng)
            assert sum(played.outcome.points) == 0


def test_a_full_table_is_emptied_and_filled_again() -> None:
    table: Table[int, int] = Table(lambda key: key * key, 3)
    assert [table[key] for key in (1, 2, 3, 4, 1)] == [1, 4, 9, 16, 1]
    assert len(table) == 2
