"""Hands are read exhaustively, and the reading that pays most is found."""

import itertools
import random

import pytest

from services.scoring.core import eating, explain, hands, judge, payment, rules, tiles
from services.scoring.core.hands import Meld

OPTIONS = rules.preset_named("876cc")


def _counts(text: str) -> list[int]:
    return tiles.counted(tiles.cards_in(text))


def _slow_partitions(cards: tuple[int, ...], pair: bool) -> set[tuple[tuple[int, ...], ...]]:
    """Try every set of melds for the first card, by positions: nothing shared with the code."""
    if not cards:
        return set() if pair else {()}
    found = set()
    first, rest = cards[0], cards[1:]
    for others in itertools.combinations(range(len(rest)), 2):
        trio = (first, rest[others[0]], rest[others[1]])
        ranks = sorted(card % 10 + 1 for card in trio)
        sizes = {card // 10 for card in trio}
        is_run = len(sizes) == 1 and ranks == [ranks[0], ranks[0] + 1, ranks[0] + 2]
        is_red = len(sizes) == 1 and ranks == [2, 7, 10]
        is_jiao = len(sizes) == 2 and len(set(ranks)) == 1
        if is_run or is_red or is_jiao:
            left = tuple(card for at, card in enumerate(rest) if at not in others)
            found |= {tuple(sorted((tuple(sorted(trio)), *way))) for way in _slow_partitions(left, pair)}
    if pair:
        for at, card in enumerate(rest):
            if card == first:
                left = rest[:at] + rest[at + 1 :]
                found |= {tuple(sorted(((first, card), *way))) for way in _slow_partitions(left, False)}
    return found


def test_partitions_equal_a_search_by_positions() -> None:
    rng = random.Random(31)
    decomposable = 0
    for number in range(250):
        melds = rng.choices([m for menu in hands.EATEN_WITH for m in menu], k=rng.randint(1, 3))
        cards = [card for meld in melds for card in meld.cards]
        pair = number % 2 == 0
        cards += [rng.randrange(20)] * 2 if pair else []
        if rng.random() < 0.3:
            cards[0] = rng.randrange(20)
        counts = tiles.counted(cards)
        if max(counts) > 4:
            continue
        ways = hands.partitions(tuple(counts), pair)
        plain = {tuple(sorted(meld.cards for meld in way)) for way in ways}
        assert plain == _slow_partitions(tuple(sorted(cards)), pair)
        assert len(plain) == len(ways)
        decomposable += bool(plain)
    assert decomposable > 150


def test_a_meal_lays_down_every_copy_and_only_melds_with_the_card() -> None:
    rng = random.Random(8)
    meals_seen = 0
    for _ in range(300):
        hand = tiles.counted(rng.sample(tiles.DECK, 20))
        card = rng.randrange(20)
        for meal in eating.legal_meals(hand, card, must_keep_loose=True):
            meals_seen += 1
            laid = tiles.counted(c for meld in meal for c in meld.cards)
            assert laid[card] == hand[card] + 1
            assert all(card in meld.cards for meld in meal)
            assert all(laid[c] <= hand[c] and hand[c] < 3 for c in range(20) if c != card and laid[c])
    assert meals_seen > 100


def test_the_best_win_is_the_maximum_over_all_forms() -> None:
    """Hands with many partitions: the points equal the maximum found by scoring each form alone."""
    rng = random.Random(4)
    checked = 0
    while checked < 40:
        trios = rng.choices([m for menu in hands.EATEN_WITH for m in menu], k=5)
        counts = tiles.counted(card for meld in trios for card in meld.cards)
        if max(counts) > 2:
            continue
        fixed = [hands.alike("wei", kind) for kind in range(20) if not counts[kind]][:2]
        card = trios[0].cards[0]
        counts[card] -= 1
        win = judge.best_win(counts, fixed, card, "other", OPTIONS)
        counts[card] += 1
        best = max(sum(meld.xi for meld in way) for way in hands.partitions(tuple(counts), False)) + sum(
            meld.xi for meld in fixed
        )
        assert (win.xi if win else 0) == (best if best >= 15 else 0)
        checked += 1


@pytest.mark.parametrize(
    ("kind", "card", "xi"),
    [
        ("ti", "s1", 9), ("ti", "b1", 12), ("pao", "s1", 6), ("pao", "b1", 9),
        ("wei", "s1", 3), ("wei", "b1", 6),
        ("chouwei", "s1", 3), ("chouwei", "b1", 6), ("kan", "s1", 3), ("kan", "b1", 6), ("peng", "s1", 1),
        ("peng", "b1", 3), ("jiang", "b2", 0),
    ],
)  # fmt: skip
def test_like_cards_have_the_huxi_of_rule_2(kind: str, card: str, xi: int) -> None:
    assert hands.alike(kind, tiles.kind_of(card)).xi == xi


@pytest.mark.parametrize(
    ("cards", "kind", "xi"),
    [
        ("s1s2s3", "yiersan", 3), ("b1b2b3", "yiersan", 6), ("s2s7s10", "erqishi", 3),
        ("b2b7b10", "erqishi", 6),
        ("s2s3s4", "shun", 0), ("b8b9b10", "shun", 0), ("s5s5b5", "jiao", 0), ("s5b5b5", "jiao", 0),
    ],
)  # fmt: skip
def test_eaten_melds_have_the_huxi_of_rule_2(cards: str, kind: str, xi: int) -> None:
    meld = hands.eaten(tiles.cards_in(cards))
    assert (meld.kind, meld.xi, meld.text) == (kind, xi, cards)


@pytest.mark.parametrize("cards", ["s9s10b1", "s1s2b3", "s1s3s5", "s2s7b10", "s5s5s5", "s9s10s1", "s2s7"])
def test_other_cards_are_no_meld(cards: str) -> None:
    with pytest.raises(hands.BadMeld):
        hands.eaten(tiles.cards_in(cards))


def test_an_exposed_meld_must_be_what_it_says() -> None:
    assert hands.laid("pao", [3, 3, 3, 3]) == Meld("pao", (3, 3, 3, 3))
    for kind, cards in (("pao", [3, 3, 3]), ("peng", [3, 3, 4]), ("kan", [3, 3, 3]), ("wei", [])):
        with pytest.raises(hands.BadMeld):
            hands.laid(kind, cards)


def test_eight_cards_of_the_deck_each_four_times_and_text_goes_both_ways() -> None:
    assert len(tiles.DECK) == 80
    assert [tiles.NAMES[kind] for kind in (0, 9, 10, 19)] == ["s1", "s10", "b1", "b10"]
    assert tiles.cards_in(tiles.text_of(tiles.DECK)) == tiles.DECK
    assert sum(tiles.is_red(kind) for kind in tiles.DECK) == 24
    for wrong in ("s0", "s11", "b", "x1", "s1 ", "", None):
        with pytest.raises(tiles.UnknownCard):
            tiles.kind_of(wrong)  # type: ignore[arg-type]
    with pytest.raises(tiles.UnknownCard):
        tiles.cards_in("s1b0")


def test_points_sum_to_zero_whoever_pays() -> None:
    pays = rules.with_overrides(OPTIONS, {"discard_hu": True})
    equal = rules.with_overrides(pays, {"discard_hu_pays": "all"})
    assert payment.points_by_seat(5, 1, "wall", 0, OPTIONS) == (-5, 10, -5)
    assert payment.points_by_seat(5, 1, "discard", 0, pays) == (-10, 10, 0)
    assert payment.points_by_seat(5, 1, "discard", 0, equal) == (-5, 10, -5)


def test_a_winner_gets_no_more_than_his_balance_and_the_seat_before_him_pays_the_odd_coin() -> None:
    capped = rules.with_overrides(OPTIONS, {"win_cap_by_balance": True, "base_stake": 10})
    assert payment.coins_by_seat((-5, 10, -5), 1, 51, capped) == (-26, 51, -25)
    assert payment.coins_by_seat((-5, 10, -5), 1, 100, capped) == (-50, 100, -50)
    assert payment.coins_by_seat((0, 10, -10), 1, 51, capped) == (0, 51, -51)
    free = rules.with_overrides(OPTIONS, {"base_stake": 10})
    assert payment.coins_by_seat((-5, 10, -5), 1, 51, free) == (-50, 100, -50)


def test_a_point_cap_bounds_what_a_loser_pays_before_the_stake() -> None:
    capped = rules.with_overrides(OPTIONS, {"point_cap": 20, "base_stake": 3})
    assert payment.points_of(8, 1, 10, capped) == 20
    assert payment.points_of(1, 1, 2, capped) == 4


def _asked(**changes: object) -> explain.HandToScore:
    base: dict[str, object] = {
        "preset": "tongyi-qmt",
        "concealed": ["s1", "s2", "s3", "b4", "b5", "b6", "s4", "s5", "s6", "s8", "s8"],
        "exposed": [("wei", ["b1"] * 3), ("peng", ["b3"] * 3), ("peng", ["b9"] * 3)],
        "card": "b8",
        "source": "self",
    }
    return explain.HandToScore(**{**base, **changes})  # type: ignore[arg-type]


def test_a_scored_hand_is_explained_meld_by_meld_with_rule_numbers() -> None:
    scored = explain.score_hand(_asked(overrides={"base_stake": 2}))
    assert (scored.xi, scored.deng, scored.zimo_bonus, scored.fan) == (15, 1, 1, 4)
    assert (scored.per_loser, scored.winner_gain) == (16, 32)
    assert sum(meld.xi for meld in scored.melds) == scored.xi
    assert ("yiersan", ("s1", "s2", "s3"), 3, "§2") in [
        (meld.kind, meld.cards, meld.xi, meld.rule) for meld in scored.melds
    ]
    assert [(name.name, name.fan, name.rule) for name in scored.names] == [("点胡", 4, "§10b")]
    assert "偎 壹壹壹：6 息（§2）" in scored.text_zh
    assert "自摸 +1 等（§10）" in scored.text_zh
    assert scored.text_zh[-1] == "每家 (1 + 1) × 4 = 8 分，× 底 2 = 16（§10）"
    assert scored.text_en[-1] == "each loser: (1 + 1) × 4 = 8 points, × stake 2 = 16 (§10)"
    assert len(scored.text_zh) == len(scored.text_en)


def test_a_hand_that_does_not_win_says_why() -> None:
    scored = explain.score_hand(_asked(card="b9", exposed=[("wei", ["b1"] * 3)]))
    assert not scored.can_hu
    assert scored.per_loser == 0
    assert "15 xi" in scored.text_en[0]


@pytest.mark.parametrize(
    ("source", "overrides", "opening"),
    [
        ("discard", {}, {"discard_hu": True}),
        ("liang_other", {"liangzhang_hu": "dealer"}, {"liangzhang_hu": "all"}),
        ("liang_other", {"liangzhang_hu": "off"}, {"liangzhang_hu": "all"}),
    ],
)
def test_a_way_to_win_that_the_options_close_wins_nothing(
    source: str, overrides: dict[str, object], opening: dict[str, object]
) -> None:
    assert explain.score_hand(_asked(source=source, overrides=opening)).can_hu
    closed = explain.score_hand(_asked(source=source, overrides=overrides))
    assert not closed.can_hu
    assert "§12" in closed.text_zh[0]
    assert "No win this way" in closed.text_en[0]


@pytest.mark.parametrize(
    "changes",
    [
        {"card": "s11"}, {"card": None}, {"source": "sky"}, {"concealed": ["s8"] * 5},
        {"card": "s8", "concealed": ["s8"] * 4},
        {"exposed": [("peng", ["b1", "b1", "b2"])]}, {"exposed": [("tower", ["b1"] * 3)]},
        {"source": "santi"}, {"source": "liang_dealer"}, {"concealed": [f"s{r}" for r in range(1, 11)] * 2},
    ],
)  # fmt: skip
def test_what_is_no_hand_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(explain.BadHand):
        explain.score_hand(_asked(**changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"preset": "mars"}, {"overrides": {"minimum": 3}}, {"overrides": {"min_xi": "15"}},
        {"overrides": {"min_xi": True}},
        {"overrides": {"min_xi": -1}}, {"overrides": {"names": "999"}}, {"overrides": {"point_cap": -4}},
    ],
)  # fmt: skip
def test_unknown_presets_and_options_are_refused_by_name(changes: dict[str, object]) -> None:
    with pytest.raises(explain.BadOptions, match=r"mars|minimum|min_xi|names|point_cap"):
        explain.score_hand(_asked(**changes))
