"""斗地主: what cards are, what beats what, and every legal play of a hand (Rule 2)."""

import hashlib
import random
from collections import Counter
from itertools import product

import pytest

from bench import doudizhu_reference as plain
from engine.doudizhu.cards import DECK, RANKS, WHOLE, format_cards, holds, make_cards, parse_cards, size_of
from engine.doudizhu.plays import book_of
from engine.doudizhu.readings import Reading, Wings, beats, read
from engine.doudizhu.tables import PLAY, Budget, Table

NAMES = tuple(plain.DEFAULTS)
ALL_OPTIONS = [dict(zip(NAMES, values, strict=True)) for values in product((False, True), repeat=len(NAMES))]


def shown(readings: tuple[Reading, ...]) -> list[plain.Reading]:
    return [(reading.type, reading.length, RANKS[reading.rank]) for reading in readings]


def types(cards: str, **options: bool) -> list[plain.Reading]:
    return shown(read(parse_cards(cards), Wings(**options)))


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("3", [("solo", 1, "3")]),
        ("RR"[:1], [("solo", 1, "R")]),
        ("22", [("pair", 1, "2")]),
        ("BR", [("rocket", 1, "R")]),
        ("222", [("trio", 1, "2")]),
        ("2223", [("trio_solo", 1, "2")]),
        ("22233", [("trio_pair", 1, "2")]),
        ("3333", [("bomb", 1, "3")]),
        ("TJQKA2", []),
        ("JQKA2", []),
        ("3456", []),
        ("QQKKAA22", []),
        ("33344456", [("plane_solo", 2, "3")]),
        ("333444BR", []),
        ("3334445566", [("plane_pair", 2, "3")]),
        ("3334445555", []),
        ("333344", [("four_two_solo", 1, "3")]),
        ("33334455", [("four_two_pair", 1, "3")]),
        ("3334445556667", []),
        ("22233344455566", []),
        ("34455", []),
    ],
)
def test_cards_are_what_the_rules_call_them(cards: str, expected: list[plain.Reading]) -> None:
    assert types(cards) == expected


def test_a_chain_of_four_trios_is_also_a_plane_of_three_either_way() -> None:
    assert types("333444555666") == [("trio_chain", 4, "3"), ("plane_solo", 3, "4"), ("plane_solo", 3, "3")]
    assert types("333444555666", adjacent_trio_wing=False) == [("trio_chain", 4, "3")]
    assert types("333444555666", trio_in_wings=False) == [("trio_chain", 4, "3")]
    assert types("333444555666", pair_as_two_solos=False) == [("trio_chain", 4, "3")]


def test_a_trio_of_twos_is_never_beside_a_chain() -> None:
    assert types("QQQKKKAAA222", adjacent_trio_wing=False) == [("plane_solo", 3, "Q")]


def test_each_option_about_kickers_acts() -> None:
    assert types("333344", pair_as_two_solos=False) == []
    assert types("33344455", pair_as_two_solos=False) == []
    assert types("3333BR", rocket_as_kickers=True) == [("four_two_solo", 1, "3")]
    assert types("333444BR", rocket_as_kickers=True) == [("plane_solo", 2, "3")]
    assert types("33334444", bomb_in_kickers=True) == [("four_two_pair", 1, "4"), ("four_two_pair", 1, "3")]
    assert types("3334445555", bomb_in_kickers=True) == [("plane_pair", 2, "3")]
    assert types("3334445556667777", bomb_in_kickers=True)[0] == ("plane_solo", 4, "3")
    assert types("333444555777", trio_in_wings=False) == []
    assert types("333345", four_two=False) == []
    assert types("33334455", four_two=False) == []


def test_every_play_of_the_whole_deck_is_known_with_its_type() -> None:
    """Without trios beside their chain these are the 27,471 plays of the public RLCard list, type by type."""
    book = book_of(Wings(adjacent_trio_wing=False))
    plays = {
        text.removeprefix(PLAY): book.readings(parse_cards(text.removeprefix(PLAY)))
        for text in book.leads(WHOLE)
        if len(text.removeprefix(PLAY)) <= 20
    }
    assert len(plays) == 27_471
    assert all(len(readings) == 1 for readings in plays.values())
    assert Counter(readings[0].type for readings in plays.values()) == {
        "solo": 15,
        "pair": 13,
        "trio": 13,
        "bomb": 13,
        "rocket": 1,
        "trio_solo": 182,
        "trio_pair": 156,
        "solo_chain": 36,
        "pair_chain": 52,
        "trio_chain": 45,
        "plane_solo": 21_822,
        "plane_pair": 2_939,
        "four_two_solo": 1_326,
        "four_two_pair": 858,
    }
    text = "\n".join(f"{cards} {readings[0].type}" for cards, readings in sorted(plays.items()))
    assert hashlib.sha256(text.encode()).hexdigest() == DIGEST


DIGEST = "5007ae03dfddcce081e2c077ac2afd6d2bf9585f17258e2e3aac206cf3d1ac2f"
"""Of the list as `cards type`, sorted; computed from card_type.json of RLCard 1.2.0, not from this engine."""


def hands(rng: random.Random, size: int, number: int) -> list[str]:
    """Return hands; every second one is drawn from few ranks, so that it holds long combinations."""
    found = []
    for at in range(number):
        start = rng.randrange(9)
        deck = list(DECK) if at % 2 else [card for card in DECK if card in RANKS[start : start + 6] + "BR"]
        found.append(format_cards(parse_cards("".join(rng.sample(deck, min(size, len(deck)))))))
    return found


@pytest.mark.parametrize(
    "options", ALL_OPTIONS, ids=lambda options: "".join("01"[on] for on in options.values())
)
def test_cards_read_as_a_plain_reader_reads_them(options: dict[str, bool]) -> None:
    rng = random.Random(f"read {options}")
    wings = Wings(**options)
    cards = [hand for size in range(1, 21) for hand in hands(rng, size, 4)]
    leads = [
        text.split(" ")[1] for hand in hands(rng, 20, 2) for text in book_of(wings).leads(parse_cards(hand))
    ]
    for text in [*cards, *rng.sample(leads, min(len(leads), 60))]:
        assert shown(read(parse_cards(text), wings)) == plain.readings(text, options), text


@pytest.mark.parametrize(
    "options", ALL_OPTIONS[::9], ids=lambda options: "".join("01"[on] for on in options.values())
)
def test_leads_are_what_a_plain_search_finds(options: dict[str, bool]) -> None:
    rng = random.Random(f"lead {options}")
    book = book_of(Wings(**options))
    for hand in hands(rng, 9, 4):
        assert sorted(book.leads(parse_cards(hand))) == plain.actions(hand, None, options), hand


@pytest.mark.parametrize(
    "options", ALL_OPTIONS[::9], ids=lambda options: "".join("01"[on] for on in options.values())
)
def test_follows_are_what_a_plain_search_finds(options: dict[str, bool]) -> None:
    rng = random.Random(f"follow {options}")
    book = book_of(Wings(**options))
    for hand in hands(rng, 8, 3):
        lead = rng.choice(book.leads(parse_cards(hands(rng, 12, 1)[0]))).split(" ")[1]
        for cards in (lead, rng.choice(hand), "3", "33", "4443", "33344"):
            over = book.readings(parse_cards(cards))[0]
            expected = plain.actions(hand, (over.type, over.length, RANKS[over.rank]), options)
            assert sorted([*book.follows(parse_cards(hand), over), "pass"]) == expected, (hand, cards)


@pytest.mark.parametrize("length", [3, 4])
@pytest.mark.parametrize("bombs", [False, True])
def test_long_planes_are_followed_with_every_wing(length: int, bombs: bool) -> None:
    options = {**plain.DEFAULTS, "bomb_in_kickers": bombs}
    book = book_of(Wings(bomb_in_kickers=bombs))
    over = Reading("plane_solo", length, 0)
    hand = "".join(RANKS[rank] * 3 for rank in range(1, length + 1)) + "KKKK222"[: 20 - 3 * length - 1]
    expected = plain.actions(hand, ("plane_solo", length, "3"), options)
    assert sorted([*book.follows(parse_cards(hand), over), "pass"]) == expected
    assert len(expected) > 1


def test_what_beats_what() -> None:
    book = book_of(Wings())
    plays = [
        book.readings(parse_cards(cards))
        for cards in (
            "3",
            "2",
            "B",
            "R",
            "BR",
            "33",
            "3333",
            "4444",
            "333345",
            "34567",
            "45678",
            "456789",
            "3334",
        )
    ]
    for one in plays:
        for two in plays:
            expected = plain.beats(shown(one)[0], shown(two)[0])
            assert beats(one[0], two[0]) == expected, (one, two)


def test_nothing_beats_the_rocket_and_a_four_with_two_is_no_bomb() -> None:
    book = book_of(Wings())
    assert book.follows(parse_cards("333344445555"), Reading("rocket", 1, 14)) == []
    assert book.follows(parse_cards("444456"), Reading("bomb", 1, 0)) == ["play 4444"]


def test_two_fours_are_led_with_each_other_once() -> None:
    leads = book_of(Wings(bomb_in_kickers=True)).leads(parse_cards("33334444"))
    assert leads.count("play 33334444") == 1
    assert len(leads) == len(set(leads))


def test_chains_may_be_headed_by_a_rank_held_four_times() -> None:
    assert "play 34567" in book_of(Wings()).leads(parse_cards("33334567"))
    assert "play 334455" in book_of(Wings()).leads(parse_cards("33334455"))


def test_cards_count_as_integers_and_as_text() -> None:
    rng = random.Random(5)
    for size in range(1, 21):
        text = "".join(rng.sample(list(DECK), size))
        cards = parse_cards(text)
        assert size_of(cards) == size
        assert sorted(format_cards(cards)) == sorted(text)
        assert make_cards(RANKS.index(card) for card in text) == cards
        assert holds(WHOLE, cards)
        assert holds(cards, cards)
        assert not holds(cards - (cards & -cards), cards)


def test_tables_that_share_a_budget_never_hold_more_than_it_allows() -> None:
    budget = Budget(100)
    tables: list[Table[int, int]] = [Table(lambda key: key * key, budget=budget) for _ in range(3)]
    for key in range(400):
        assert tables[key % 3][key] == key * key
        assert sum(len(table) for table in tables) <= 100
    assert sum(len(table) for table in tables) > 0
