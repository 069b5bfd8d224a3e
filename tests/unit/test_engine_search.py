"""The search finds what a plain exhaustive search finds: on random hands, on hard ones, in every form."""

import importlib
import random
import tracemalloc
from collections.abc import Callable

import pytest

from bench import paohuzi_reference as plain
from bench.hands import jiao_cards, random_cards, winning_cards
from engine.paohuzi.cards import make_hand
from engine.paohuzi.eating import eats
from engine.paohuzi.hu import Form, Laid, forms, shown_huxi
from engine.paohuzi.melds import max_huxi
from engine.paohuzi.waiting import waits

HANDS = 20_000
SOURCES = ("self", "other", "made", "discard")


def test_random_hands_of_21_cards() -> None:
    rng = random.Random(1)
    for _ in range(HANDS):
        cards = random_cards(rng, 21)
        assert max_huxi(make_hand(cards), 0, 21) == plain.max_xi(cards, [], -1, "made"), cards


@pytest.mark.parametrize(
    ("make", "hands"),
    [
        (lambda rng: winning_cards(rng), 6_000),
        (lambda rng: winning_cards(rng, 7, 3, 1), 4_000),
        (lambda rng: winning_cards(rng, 7, 1, 2), 2_000),
        (lambda rng: jiao_cards(rng, 5), 2_000),
        (lambda rng: jiao_cards(rng, 7), 2_000),
    ],
    ids=["with 坎", "with 提", "with two 提", "five 绞", "seven 绞"],
)
def test_winning_hands(make: Callable[[random.Random], list[int]], hands: int) -> None:
    rng = random.Random(2)
    won = 0
    for _ in range(hands):
        cards = make(rng)
        xi = max_huxi(make_hand(cards), 0, len(cards))
        assert xi == plain.max_xi(cards, [], -1, "made"), cards
        won += xi >= 0
    assert won > hands // 2


def laid_out(rng: random.Random, cards: list[int]) -> tuple[list[int], list[Laid], int]:
    """Return a complete hand as a hand in play: some melds laid, one card still to come."""
    hand = list(cards)
    laid: list[Laid] = []
    for card in rng.sample(range(20), 20):
        if len(laid) < 3 and hand.count(card) == 3 and rng.random() < 0.6:
            hand = [at for at in hand if at != card]
            laid.append(Laid(rng.choice(("peng", "wei", "chouwei")), (card,) * 3))
        elif len(laid) < 3 and hand.count(card) == 4:
            hand = [at for at in hand if at != card]
            laid.append(Laid(rng.choice(("ti", "pao")), (card,) * 4))
    missing = rng.choice(hand) if hand else 0
    if hand and rng.random() < 0.8:
        hand.remove(missing)
    triples = [meld.cards[0] for meld in laid if len(meld.cards) == 3]
    if triples and hand and rng.random() < 0.4:
        # Give up another card and wait for the fourth of a laid meld.
        missing = rng.choice(triples)
    return hand, laid, missing


def test_every_form_of_winning_with_a_card() -> None:
    rng = random.Random(3)
    compared = won = 0
    while compared < 12_000:
        cards = winning_cards(rng, 7, 4, 1) if rng.random() < 0.9 else random_cards(rng, 21)
        hand, laid, card = laid_out(rng, cards)
        held = hand.count(card) + sum(meld.cards.count(card) for meld in laid)
        source = rng.choice(SOURCES)
        if held > 3 and source != "made":
            continue
        if source == "discard" and any(meld.kind == "peng" and meld.cards[0] == card for meld in laid):
            continue
        po_pao_hu = rng.random() < 0.7
        compared += 1
        melds = [(meld.kind, meld.cards) for meld in laid]
        expected = plain.max_xi(hand, melds, card, source, po_pao_hu)
        found = max(form.max_xi() for form in forms(make_hand(hand), laid, card, source, po_pao_hu))
        assert found == expected, (hand, laid, card, source)
        won += found >= 0
        if source in ("other", "discard"):
            quick = shown_huxi(
                make_hand(hand),
                card,
                len(hand) + sum(len(meld.cards) for meld in laid),
                sum(len(meld.cards) == 4 for meld in laid),
                sum(meld.xi for meld in laid),
                sum(1 << meld.cards[0] for meld in laid if meld.kind == "peng"),
                sum(1 << meld.cards[0] for meld in laid if meld.kind in ("wei", "chouwei")),
                po_pao_hu,
            )
            assert quick == expected, (hand, laid, card, source)
    assert won > 1_500


def test_a_decomposition_has_the_most_xi_and_uses_every_card() -> None:
    rng = random.Random(4)
    for _ in range(600):
        cards = winning_cards(rng, 7, 3, 1)
        form = Form(make_hand(cards), (), -1)
        xi = form.max_xi()
        if xi < 0:
            continue
        melds = form.best_decomposition()
        assert sum(meld.xi for meld in melds) == xi
        assert sorted(card for meld in melds for card in meld.cards) == cards


@pytest.mark.parametrize("ready", [False, True])
def test_waits(ready: bool) -> None:
    rng = random.Random(5)
    for _ in range(1_500):
        if ready:
            cards = winning_cards(rng, 7, 4, 1)
            cards.pop(rng.randrange(len(cards)))
        else:
            cards = random_cards(rng, 20)
        assert list(waits(make_hand(cards))) == plain.wait_cards(cards, []), cards


def test_waits_behind_laid_melds() -> None:
    rng = random.Random(6)
    waiting = 0
    for _ in range(1_500):
        hand, laid, _ = laid_out(rng, winning_cards(rng, 7, 4, 1))
        melds = [(meld.kind, meld.cards) for meld in laid]
        quads = {meld.cards[0] for meld in laid if len(meld.cards) == 4}
        expected = [(card, xi) for card, xi in plain.wait_cards(hand, melds) if card not in quads]
        found = [(card, xi) for card, xi in waits(make_hand(hand), laid) if card not in quads]
        assert found == expected, (hand, laid)
        waiting += bool(found)
    assert waiting > 300


def plain_eats(hand: list[int], card: int) -> set[tuple[tuple[int, ...], ...]]:
    """Return every legal set of melds, by trying all (Rule 6)."""
    have = hand.count(card)
    if have >= 3:
        return set()
    loose = [at for at in hand if hand.count(at) < 3]
    found = set()

    def grow(left: list[int], copies: int, melds: tuple[tuple[int, ...], ...]) -> None:
        if not copies:
            found.add(tuple(sorted(melds)))
        for meld in plain.eat_melds(card):
            own = meld.count(card)
            rest = list(left)
            if own <= copies and all(rest.count(at) >= meld.count(at) for at in meld if at != card):
                for at in meld:
                    if at != card:
                        rest.remove(at)
                grow(rest, copies - own, (*melds, meld))

    grow([at for at in loose if at != card], have + 1, ())
    return found


def test_eating() -> None:
    rng = random.Random(7)
    eaten = 0
    for _ in range(4_000):
        cards = random_cards(rng, 17)
        hand, card = cards[1:], cards[0]
        rng.shuffle(cards)
        hand, card = sorted(cards[1:]), cards[0]
        loose = [at for at in hand if hand.count(at) < 3]
        found = eats(make_hand(hand), card)
        assert {tuple(sorted(melds)) for melds, _ in found} == plain_eats(hand, card), (hand, card)
        assert len({text for _, text in found}) == len(found)
        kept = [melds for melds, _ in eats(make_hand(hand), card, keep_one=True)]
        assert kept == [melds for melds, _ in found if 3 * len(melds) - 1 < len(loose)]
        eaten += bool(found)
    assert eaten > 1_000


def test_all_tables_and_caches_stay_below_64_mib() -> None:
    modules = [importlib.import_module(f"engine.paohuzi.{name}") for name in ("tables", "eating", "normal")]
    tracemalloc.start()
    try:
        # Every module is made anew under the tracer, so that its tables count as well.
        tables, eating, sensible = [importlib.reload(module) for module in modules]
        for index in range(tables.SUIT_SIZE):
            tables.fits(index)
            for table in range(4):
                sensible.suit_value(index, table)
        rng = random.Random(8)
        for _ in range(3 * eating._CACHE_MAX):
            eating.eats(make_hand(random_cards(rng, 20)), rng.randrange(20))
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert len(eating._CACHE) <= eating._CACHE_MAX
    assert used < 64 * 2**20
