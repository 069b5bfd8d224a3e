"""What scoring takes for a play of 斗地主: readings, the list of plays, and the judge of one text."""

import itertools
import random
from collections.abc import Iterator

import pytest

from services.scoring.core.doudizhu import plays
from services.scoring.core.doudizhu.cards import (
    CARDS_MAX,
    COPIES,
    DECK,
    RANKS,
    BadCards,
    Counts,
    counts_of,
    less,
    sorted_text,
    text_of,
)
from services.scoring.core.doudizhu.readings import TYPES, Reading, as_follow, as_lead, readings
from services.scoring.core.doudizhu.rules import Options, with_overrides

CLASSIC = Options()

SWITCHES = (
    *("pair_as_two_solos", "rocket_as_kickers", "bomb_in_kickers"),
    *("trio_in_wings", "adjacent_trio_wing", "four_two"),
)
EVERY_SWITCHING = [
    with_overrides(CLASSIC, dict(zip(SWITCHES, values, strict=True)))
    for values in itertools.product((False, True), repeat=6)
]


def parts_of(hand: Counts) -> Iterator[Counts]:
    """Yield every way to take cards from a hand, without asking what they are."""
    return itertools.product(*(range(held + 1) for held in hand))


def slowly(hand: Counts, table: Reading | None, options: Options) -> list[str]:
    """Return what `plays.legal` must: every part of the hand, judged by itself."""
    found = []
    for cards in parts_of(hand):
        read = readings(cards, options)
        if table is not None:
            found += [f"play {text_of(cards)}"] * (as_follow(read, table) is not None)
        elif read:
            others = {reading.type for reading in read} - {read[0].type}
            found += [f"play {text_of(cards)}", *(f"play {text_of(cards)} as {kind}" for kind in others)]
    return sorted(found)


def some_hand(rng: random.Random, size: int) -> Counts:
    """Return a hand of few ranks, so that it holds trios, fours and neighbours."""
    low = rng.randrange(9)
    near = [card for card in DECK if low <= RANKS.index(card) <= low + 5 or card in "2BR"]
    return counts_of("".join(rng.sample(near, min(size, len(near)))))


def test_there_are_as_many_plays_as_rlcard_lists() -> None:
    """That project's card_type.json has 27,471 plays; it knows no trio beside a plane."""
    beside = Options(adjacent_trio_wing=False)
    for options, count in ((beside, 27_471), (CLASSIC, 27_845)):
        found: dict[Counts, set[Reading]] = {}
        for cards, reading in plays._plays(COPIES, None, options):
            if sum(cards) <= CARDS_MAX:
                found.setdefault(cards, set()).add(reading)
        assert len(found) == count
        assert [
            text_of(cards) for cards, read in found.items() if set(readings(cards, options)) != read
        ] == []


@pytest.mark.parametrize("number", range(len(EVERY_SWITCHING)))
def test_the_list_of_leads_is_every_part_of_the_hand_that_has_a_reading(number: int) -> None:
    rng = random.Random(number)
    options = EVERY_SWITCHING[number]
    for size in (5, 8, 10, 12, 13):
        hand = some_hand(rng, size)
        assert list(plays.legal(hand, None, options)) == slowly(hand, None, options), text_of(hand)


@pytest.mark.parametrize("number", range(24))
def test_the_list_of_follows_is_every_part_of_the_hand_that_beats_the_table(number: int) -> None:
    rng = random.Random(f"follow {number}")
    options = rng.choice(EVERY_SWITCHING)
    hand = some_hand(rng, 11)
    leads = [text.split()[1] for text in plays.legal(some_hand(rng, 14), None, options)]
    for cards in rng.sample(leads, min(12, len(leads))):
        table = as_lead(readings(counts_of(cards), options))
        assert list(plays.legal(hand, table, options)) == slowly(hand, table, options), cards


def test_one_text_is_judged_as_the_list_says() -> None:
    rng = random.Random("judge")
    for _ in range(40):
        options, hand = rng.choice(EVERY_SWITCHING), some_hand(rng, 12)
        table = rng.choice([None, Reading("solo", 1, 2), Reading("plane_solo", 3, 0), Reading("pair", 1, 0)])
        legal = set(plays.legal(hand, table, options))
        for cards in parts_of(hand):
            for named in ("", f" as {rng.choice(TYPES)}"):
                text = f"play {text_of(cards)}{named}"
                try:
                    taken, _ = plays.read_play(text, hand, table, options)
                    assert taken == cards
                    assert text in legal
                except plays.Illegal:
                    assert text not in legal


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("play 43", "stand in order: 34"),
        ("play 5", "does not hold 5"),
        ("play 34", "no combination"),
        ("play", "no play"),
        ("play ", "no play"),
        ("play 3 as", "no play"),
        ("play 3 4", "no play"),
        ("pass", "no play"),
        ("play 33333", "5 cards 3"),
        ("play 33 as trio", "no trio"),
        ("play 33 as pair", "a play has one text"),
        ("play " + "3" * 21, "no play"),
    ],
)
def test_an_illegal_lead_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(plays.Illegal, match=why):
        plays.read_play(text, counts_of("33444"), None, CLASSIC)


def test_a_follow_is_refused_with_its_reason() -> None:
    hand, table = counts_of("33444"), Reading("pair", 1, 0)
    with pytest.raises(plays.Illegal, match="does not beat"):
        plays.read_play("play 33", hand, table, CLASSIC)
    with pytest.raises(plays.Illegal, match="only a lead"):
        plays.read_play("play 44 as pair", hand, table, CLASSIC)
    assert plays.read_play("play 44", hand, table, CLASSIC)[1] == Reading("pair", 1, 1)


def test_four_trios_may_be_led_as_a_plane_with_wings_and_then_mean_the_highest() -> None:
    hand = counts_of("333444555666")
    assert [text for text in plays.legal(hand, None, CLASSIC) if " as " in text] == [
        "play 333444555666 as plane_solo"
    ]
    _, unnamed = plays.read_play("play 333444555666", hand, None, CLASSIC)
    _, named = plays.read_play("play 333444555666 as plane_solo", hand, None, CLASSIC)
    assert unnamed == Reading("trio_chain", 4, 0)
    assert named == Reading("plane_solo", 3, 1)


def test_beating_is_a_strict_order_on_every_type() -> None:
    found = {reading for _, reading in plays._plays(COPIES, None, CLASSIC) if reading.length <= 6}
    assert {reading.type for reading in found} == set(TYPES)
    ordered = sorted(found, key=lambda reading: (reading.type, reading.length, reading.rank))
    for one in ordered:
        assert not one.beats(one)
        for other in ordered:
            if one.beats(other):
                assert not other.beats(one)
                assert all(three.beats(other) for three in ordered if three.beats(one))


def test_cards_are_written_one_way_only() -> None:
    assert sorted_text("RB2AKQJT9876543") == RANKS
    assert counts_of("-") == counts_of("") == (0,) * 15
    assert text_of(counts_of(DECK)) == DECK
    assert less(counts_of("33"), counts_of("4")) is None
    assert less(counts_of("334"), counts_of("34")) == counts_of("3")
    for bad in ("1", "10", "33333", "BB", "3 4", "b", "?"):
        with pytest.raises(BadCards):
            counts_of(bad)
