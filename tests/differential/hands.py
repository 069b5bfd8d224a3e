"""Winning hands, and hands that nearly win, of every make: worth the same on both sides."""

from __future__ import annotations

import importlib
import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tests.differential.rigged import CARDS, STYLES, fits, some_meld

SOURCES: Final = ("self", "other", "liang_dealer", "liang_other", "discard", "santi")
COPIES: Final = 4


@dataclass(frozen=True, slots=True)
class Hand:
    """What is asked of both sides."""

    preset: str
    options: Mapping[str, Any]
    concealed: tuple[str, ...]
    exposed: tuple[tuple[str, tuple[str, ...]], ...]
    card: str
    source: str
    last_card: bool


def hand_of(words: str, preset: str, options: Mapping[str, Any]) -> Hand:
    """Return the hand that follows from some words; no card is in it more than four times."""
    rng = random.Random(words)
    while True:
        hand = _drawn(rng, preset, options)
        cards = [*hand.concealed, *(card for _, meld in hand.exposed for card in meld)]
        if hand.card and hand.source != "liang_dealer":
            cards.append(hand.card)
        if cards and max(Counter(cards).values()) <= COPIES:
            return hand


def _drawn(rng: random.Random, preset: str, options: Mapping[str, Any]) -> Hand:
    source = rng.choice(SOURCES)
    style = rng.choice(STYLES)
    concealed: list[str] = []
    exposed: list[tuple[str, tuple[str, ...]]] = []
    quads = rng.choice([0, 0, 1, 1, 2, 3])
    if source == "santi":
        kinds = [card for card in rng.sample(CARDS, len(CARDS)) if fits(card, style)]
        for count, times in ((4, rng.choice([0, 1, 2, 3, 3, 4])), (3, rng.choice([0, 1, 2, 3, 5]))):
            for _ in range(times):
                if kinds and len(concealed) + count <= 21:
                    concealed += [kinds.pop()] * count
        while len(concealed) < 19 and rng.random() < 0.7:
            concealed += some_meld(rng, "any")
        if kinds and len(concealed) <= 19 and rng.random() < 0.3:
            concealed += [kinds.pop()] * 2
        return Hand(preset, dict(options), tuple(concealed), (), "", source, False)
    dealt = source.startswith("liang")
    for at in range(6 if quads else 7):
        if at < quads:
            card = rng.choice([card for card in CARDS if fits(card, style)])
            exposed.append((rng.choice(["ti", "pao"]), (card,) * 4))
            continue
        meld = some_meld(rng, style)
        if dealt or rng.random() < 0.5:
            concealed += meld
        elif len(set(meld)) == 1:
            exposed.append((rng.choice(["peng", "wei", "chouwei"]), tuple(meld)))
        else:
            exposed.append(("chi", tuple(sorted(meld, key=CARDS.index))))
    if quads:
        concealed += [rng.choice([card for card in CARDS if fits(card, style)])] * 2
    triples = [cards[0] for kind, cards in exposed if kind in ("peng", "wei", "chouwei")]
    if triples and rng.random() < 0.2:
        card = rng.choice(triples)
    else:
        card = rng.choice(concealed or [cards[0] for _, cards in exposed])
        if card in concealed and source != "liang_dealer":
            concealed.remove(card)
    return Hand(preset, dict(options), tuple(concealed), tuple(exposed), card, source, rng.random() < 0.3)


def best_of_engine(engine: str, hand: Hand) -> dict[str, Any] | None:
    """Return what an engine makes of a hand; None if it does not win."""
    paohuzi = importlib.import_module(f"{engine}.paohuzi")
    rules = importlib.import_module(engine).GAMES["paohuzi"].ruleset(hand.preset, dict(hand.options))
    win = paohuzi.best_hu(
        rules,
        paohuzi.make_hand(paohuzi.parse_card(card) for card in hand.concealed),
        [paohuzi.Laid(kind, tuple(map(paohuzi.parse_card, cards))) for kind, cards in hand.exposed],
        paohuzi.parse_card(hand.card) if hand.card else -1,
        hand.source,
        hand.last_card,
    )
    if win is None:
        return None
    return {
        "xi": win.xi,
        "deng": win.deng,
        "zimo_bonus": win.zimo_bonus,
        "names": dict(win.names),
        "fan": win.fan,
        "per_loser": win.points * rules.base_stake,
    }


def best_of_scoring(scoring: str, hand: Hand) -> dict[str, Any] | None:
    """Return what a scoring makes of a hand; None if it does not win."""
    explain = importlib.import_module(f"{scoring}.explain")
    found = explain.score_example(
        explain.HandToScore(
            preset=hand.preset,
            overrides=dict(hand.options),
            concealed=hand.concealed,
            exposed=hand.exposed,
            card=hand.card or None,
            source=hand.source,
            last_card=hand.last_card,
        )
    )
    if not found.can_hu:
        return None
    fields = ("xi", "deng", "zimo_bonus", "fan", "per_loser")
    return {name: getattr(found, name) for name in fields} | {
        "names": {name.name: name.fan for name in found.names}
    }
