"""`paiju score`: one hand, explained by the engine and by scoring."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from rich.console import Console
from rich.table import Table

from engine import GAMES, Refusal
from engine.paohuzi import Laid, best_hu, make_hand, parse_card, parse_cards
from engine.paohuzi.cards import CARD_TEXTS
from engine.paohuzi.hu import SOURCES
from engine.paohuzi.scoring import explain_win
from services.launch.exits import NO, USAGE, Stop
from services.scoring.core.explain import BadHand, BadOptions, HandToScore, score_hand

HANZI = {
    hanzi: f"{size}{rank}"
    for size, row in (("s", "一二三四五六七八九十"), ("b", "壹贰叁肆伍陆柒捌玖拾"))
    for rank, hanzi in enumerate(row, 1)
}

COMPARED = ("can_hu", "xi", "deng", "zimo_bonus", "names", "fan", "points")
"""What both sides must find alike."""


@dataclass(frozen=True)
class Question:
    """What is asked, as it was typed."""

    game: str
    preset: str
    words: tuple[str, ...]
    source: str
    last: bool


@dataclass(frozen=True)
class Hand:
    """The same, as cards."""

    concealed: tuple[str, ...]
    melds: tuple[tuple[str, tuple[str, ...]], ...]
    card: str


def run(question: Question, *, as_json: bool) -> None:
    """Print both explanations.

    Raises:
        Stop: Something in the question is unknown or cannot be (`USAGE`); the two sides differ (`NO`).
    """
    if question.source not in SOURCES or question.source == "made":
        raise Stop(
            USAGE, f"no source {question.source!r}; there are {', '.join(s for s in SOURCES if s != 'made')}"
        )
    try:
        hand = hand_of(question.words, question.source)
        # Scoring first: it refuses hands that cannot be, which the engine's search takes as they are.
        scoring, said_by_scoring = _by_scoring(question, hand)
        engine, said_by_engine = _by_engine(question, hand)
    except (Refusal, BadHand, BadOptions) as refusal:
        raise Stop(USAGE, str(refusal)) from refusal
    differing = [key for key in COMPARED if engine[key] != scoring[key]]
    if as_json:
        print(json.dumps({"agree": not differing, "engine": engine, "scoring": scoring}, ensure_ascii=False))
    else:
        table = Table("engine", "scoring")
        for row in zip_longest(said_by_engine, said_by_scoring, fillvalue=""):
            table.add_row(*row)
        Console().print(table)
    if differing:
        raise Stop(NO, f"engine and scoring differ in {', '.join(differing)}")


def hand_of(words: tuple[str, ...], source: str) -> Hand:
    """Return the hand that was typed.

    Raises:
        Stop: There are no cards.
        Refusal: A word is no card or meld.
    """
    concealed: list[str] = []
    melds: list[tuple[str, tuple[str, ...]]] = []
    card = ""
    for word in " ".join(words).split():
        plain = "".join(HANZI.get(letter, letter) for letter in word)
        kind, colon, cards = plain.partition(":")
        if colon:
            melds.append((kind, _cards(cards)))
        elif plain.startswith("+"):
            [card] = _cards(plain[1:])[:1]
        else:
            concealed += _cards(plain)
    if not card and source != "santi":
        if not concealed:
            raise Stop(USAGE, "there are no cards")
        # The 亮张 stays among the dealer's cards; any other winning card is not yet in the hand.
        card = concealed[-1] if source == "liang_dealer" else concealed.pop()
    return Hand(tuple(concealed), tuple(melds), card)


def _cards(text: str) -> tuple[str, ...]:
    return tuple(CARD_TEXTS[card] for card in parse_cards(text))


def _by_engine(question: Question, hand: Hand) -> tuple[dict[str, Any], list[str]]:
    rules = GAMES[question.game].ruleset(question.preset)
    win = best_hu(
        rules,
        make_hand(map(parse_card, hand.concealed)),
        [Laid(kind, tuple(map(parse_card, cards))) for kind, cards in hand.melds],
        parse_card(hand.card) if hand.card else -1,
        question.source,
        question.last,
    )
    if win is None:
        return dict.fromkeys(COMPARED, 0) | {"can_hu": False, "names": {}}, ["no win"]
    found = {
        "can_hu": True,
        "xi": win.xi,
        "deng": win.deng,
        "zimo_bonus": win.zimo_bonus,
        "names": dict(win.names),
        "fan": win.fan,
        "points": win.points,
        "melds": [meld.text for meld in win.melds],
    }
    return found, [f"{line.text}: {line.value} ({line.rule})" for line in explain_win(rules, win)]


def _by_scoring(question: Question, hand: Hand) -> tuple[dict[str, Any], list[str]]:
    # The preset's own spelling: the engine also understands other ones.
    preset = GAMES[question.game].ruleset(question.preset).preset
    asked = HandToScore(
        preset=preset,
        concealed=hand.concealed,
        exposed=hand.melds,
        card=hand.card or None,
        source=question.source,
        last_card=question.last,
    )
    scored = score_hand(asked)
    found = {
        "can_hu": scored.can_hu,
        "xi": scored.xi,
        "deng": scored.deng,
        "zimo_bonus": scored.zimo_bonus,
        "names": {name.name: name.fan for name in scored.names},
        "fan": scored.fan,
        "points": scored.per_loser,
        "melds": [f"{meld.kind}:{''.join(meld.cards)}" for meld in scored.melds],
    }
    return found, list(scored.text_zh)
