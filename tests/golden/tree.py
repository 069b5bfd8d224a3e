"""Perft: how many sequences of answers a small position has, and a second, slow generator of them.

The slow generator tries every text that is an action of some position. A plain reading of the rules says
whether it is legal here, and `apply` must accept and refuse the same.
"""

from itertools import combinations_with_replacement
from typing import Any

from bench import paohuzi_reference as plain
from engine.errors import ActionRefused
from engine.paohuzi.cards import CARD_TEXTS, format_cards, hand_cards, parse_cards
from engine.paohuzi.hu import Laid
from engine.paohuzi.setup import SeatSetup, discard, draw, set_up

POSITIONS: dict[str, dict[str, Any]] = {
    "a draw that two may eat and one may peng": {
        "hands": ["s4s6b9b10b2", "s6s7b9b10b2", "s5s5b9b10b1"],
        "melds": [["wei:b1b1b1", "peng:b3b3b3"], ["peng:b4b4b4"], ["wei:s9s9s9"]],
        "wall": "s8b9s1",
        "event": ("draw", 0, "s5"),
    },
    "eating with many comparisons": {
        "hands": ["s1s2s4s6s7s7s8s8s9s9s10b5b7b7b8", "b1b4b10", "s3s5b2"],
        "melds": [["chi:b1b2b3"], [], []],
        "wall": "b9s3",
        "event": ("draw", 0, "s7"),
    },
    "a win that may be declined": {
        "hands": ["b2b6", "s4s5s6b8b8s8s7s8", "s9s9b6"],
        "melds": [[], ["wei:b9b9b9", "peng:b3b3b3", "wei:b1b1b1", "chi:b4b5b6"], []],
        "wall": "b7s1",
        "event": ("draw", 0, "s9"),
    },
    "a wei that completes a hand": {
        "hands": ["b10b10b10b9b9b9s7s6s8s6s5s4b4b5b6b3s3s3s2s2", "b1b7", "s1b8"],
        "melds": [[], [], []],
        "wall": "s10b5",
        "event": ("draw", 0, "s2"),
    },
    "a discard that runs from a hidden kan": {
        "hands": ["s1b5", "s5s6s9b7b9", "s4s4s4s10b2b7"],
        "melds": [[], ["peng:b1b1b1"], ["ti:b3b3b3b3"]],
        "wall": "s4s8",
        "event": ("discard", 0, "s4"),
    },
}
"""Small hands; ``build`` can count them as full ones, so that claims owe their discards."""


def build(rules: Any, case: dict[str, Any], full: bool) -> Any:
    """Return the position of a case; with ``full`` each seat holds as many cards as a discard needs."""
    seats = []
    for hand, melds in zip(case["hands"], case["melds"], strict=True):
        laid = [Laid(kind, parse_cards(cards)) for kind, cards in (meld.split(":") for meld in melds)]
        cards = parse_cards(hand)
        held = len(cards) + sum(len(meld.cards) for meld in laid)
        quads = sum(meld.kind in ("ti", "pao") for meld in laid)
        rest = 19 + quads if quads else 20
        seats.append(SeatSetup(hand=cards, melds=laid, deficit=held - rest if full else 0))
    position = set_up(rules, seats, wall=parse_cards(case["wall"]))
    kind, seat, card = case["event"]
    (draw if kind == "draw" else discard)(position, seat, parse_cards(card)[0])
    return position


def perft(position: Any, depth: int) -> int:
    """Count the sequences of that many answers, shorter ones that end the round included."""
    if depth == 0 or position.outcome() is not None:
        return 1
    total = 0
    for seat in position.to_act():
        for action in position.legal_actions(seat):
            after = position.clone()
            after.apply(seat, action)
            total += perft(after, depth - 1)
    return total


def conceivable() -> list[str]:
    """Return every text that is an action of some position."""
    texts = ["hu", "pass", "peng", *[f"discard {text}" for text in CARD_TEXTS]]
    for card in range(20):
        words = sorted(format_cards(sorted(meld)) for meld in plain.eat_melds(card))
        for size in (1, 2, 3):
            texts += ["chi " + " ".join(melds) for melds in combinations_with_replacement(words, size)]
    return sorted(set(texts))


CONCEIVABLE = conceivable()


def slow_perft(position: Any, depth: int) -> int:
    """Count as ``perft`` does, by trying every conceivable action of every seat."""
    if depth == 0 or position.outcome() is not None:
        return 1
    total = 0
    after = position.clone()
    for seat in range(3):
        for action in CONCEIVABLE:
            expected = is_plainly_legal(position, seat, action)
            try:
                after.apply(seat, action)
            except ActionRefused:
                assert not expected, (seat, action)
                continue
            assert expected, (seat, action)
            total += slow_perft(after, depth - 1)
            after = position.clone()
    return total


def is_plainly_legal(position: Any, seat: int, action: str) -> bool:
    """Return whether the rules, read plainly, allow this answer to the seat's open question."""
    if position.asked[seat] is None:
        return False
    kind = position.open_kind
    hand = list(hand_cards(position.hands[seat]))
    loose = [card for card in hand if hand.count(card) < 3]
    laid = [(meld.kind, meld.cards) for meld in position.melds[seat]]
    quads = sum(meld_kind in ("ti", "pao") for meld_kind, _ in laid)
    rest = 19 + quads if quads else 20
    held = position.held[seat] - position.deficit[seat]
    card = position.open_card
    if action.startswith("discard"):
        owed = kind in ("", "made") and held > rest
        return owed and any(CARD_TEXTS[at] == action.split(" ")[1] for at in loose)
    if kind in ("", "made"):
        if action == "hu":
            total = plain.max_xi(hand, laid, card, "made")
            return bool(kind == "made" and total >= position.rules.min_xi)
        return action == "pass" and kind == "made" and not (held > rest and loose)
    if action == "pass":
        return True
    own = seat == position.open_seat
    if action == "hu":
        source = "self" if own else "other"
        total = plain.max_xi(hand, laid, card, source)
        barred = position.passed_hu[seat].get(card) == total
        return kind == "draw" and total >= position.rules.min_xi and not barred
    runs = hand.count(card) == 3 or any(
        melds[0] == card and (meld_kind != "peng" or kind == "draw")
        for meld_kind, melds in laid
        if meld_kind in ("peng", "wei", "chouwei")
    )
    seen = any(
        meld.cards[0] == card and (meld.kind == "chouwei" or (meld.kind == "peng" and kind == "draw"))
        for other in range(3)
        if other != seat
        for meld in position.melds[other]
    )
    marked = (position.own_dead[seat] | position.peng_dead[seat] | position.chi_dead[seat]) >> card & 1
    if runs or seen or marked:
        return False
    due = held + 1 > rest
    if action == "peng":
        return not own and hand.count(card) == 2 and (not due or len(loose) > 2)
    if seat != (position.open_seat + 1) % 3 and not (own and kind == "draw"):
        return False
    melds = [parse_cards(word) for word in action.split(" ")[1:]]
    used = [at for meld in melds for at in meld]
    if any(card not in meld for meld in melds) or used.count(card) != hand.count(card) + 1:
        return False
    taken = [at for at in used if at != card] + [card] * hand.count(card)
    fits = all(taken.count(at) <= loose.count(at) for at in taken)
    return fits and not (due and len(taken) >= len(loose))
