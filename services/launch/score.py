"""`paiju score`: one hand, explained by the engine and by scoring."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import zip_longest
from typing import Any

from rich.console import Console
from rich.table import Table

from engine import GAMES, Refusal
from engine.paohuzi import Laid, best_hu, make_hand, parse_card, parse_cards
from engine.paohuzi.cards import CARD_TEXTS
from engine.paohuzi.hu import SOURCES
from engine.paohuzi.scoring import explain_win
from services.launch import score_tiles
from services.launch.exits import NO, USAGE, Stop
from services.scoring.core.explain import BadHand, BadOptions, HandToScore, score_hand

HANZI = {
    hanzi: f"{size}{rank}"
    for size, row in (("s", "一二三四五六七八九十"), ("b", "壹贰叁肆伍陆柒捌玖拾"))
    for rank, hanzi in enumerate(row, 1)
}

COMPARED = {
    "paohuzi": ("can_hu", "xi", "deng", "zimo_bonus", "names", "fan", "points"),
    "kawuxing": ("can_hu", "names", "fan"),
    "qinghunpeng": ("can_hu", "names", "points"),
}
"""What both sides must find alike, by game whose single hands are scored."""

WAYS = {
    "paohuzi": tuple(source for source in SOURCES if source != "made"),
    "kawuxing": score_tiles.KAWUXING_SOURCES,
    "qinghunpeng": tuple(score_tiles.QINGHUNPENG_SOURCES),
}
"""How the winning card can come, by game; the first is the usual one."""


@dataclass(frozen=True)
class Question:
    """What is asked, as it was typed."""

    game: str
    preset: str
    words: tuple[str, ...]
    source: str
    """Empty = the usual way of the game."""
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
    game = question.game
    if game in GAMES and game not in COMPARED:
        raise Stop(USAGE, f"{game} has no hands that are worth something alone; {', '.join(COMPARED)} have")
    try:
        GAMES[game].ruleset(question.preset)
        ways = WAYS[game]
        asked = replace(question, source=question.source or ways[0])
        if asked.source not in ways:
            raise Stop(USAGE, f"no source {asked.source!r}; there are {', '.join(ways)}")
        # Scoring first: it refuses hands that cannot be, which the engine's search takes as they are.
        if game == "paohuzi":
            hand = hand_of(asked.words, asked.source, _cards)
            scoring, said_by_scoring = _by_scoring(asked, hand)
            engine, said_by_engine = _by_engine(asked, hand)
        else:
            hand = hand_of(asked.words, asked.source, score_tiles.tiles)
            scoring, said_by_scoring = score_tiles.by_scoring(game, _to_score(asked, hand))
            engine, said_by_engine = _BY_ENGINE[game](
                asked.preset, hand.concealed, hand.melds, hand.card, asked.source, asked.last
            )
    except (Refusal, BadHand, BadOptions) as refusal:
        raise Stop(USAGE, str(refusal)) from refusal
    differing = [key for key in COMPARED[game] if engine[key] != scoring[key]]
    if as_json:
        print(json.dumps({"agree": not differing, "engine": engine, "scoring": scoring}, ensure_ascii=False))
    else:
        table = Table("engine", "scoring")
        for row in zip_longest(said_by_engine, said_by_scoring, fillvalue=""):
            table.add_row(*row)
        Console().print(table)
    if differing:
        raise Stop(NO, f"engine and scoring differ in {', '.join(differing)}")


_BY_ENGINE = {
    "kawuxing": score_tiles.kawuxing_by_engine,
    "qinghunpeng": score_tiles.qinghunpeng_by_engine,
}


def hand_of(words: tuple[str, ...], source: str, cards_of: Callable[[str], tuple[str, ...]]) -> Hand:
    """Return the hand that was typed.

    Raises:
        Stop: There are no cards, or more than one is said to win.
        Refusal: A word is no card or meld.
    """
    concealed: list[str] = []
    melds: list[tuple[str, tuple[str, ...]]] = []
    card = ""
    for word in " ".join(words).split():
        plain = "".join(HANZI.get(letter, letter) for letter in word)
        kind, colon, cards = plain.partition(":")
        if colon:
            melds.append((kind, cards_of(cards)))
        elif plain.startswith("+"):
            if card:
                raise Stop(USAGE, f"one winning card, not {word} besides +{card}")
            won = cards_of(plain[1:])
            if len(won) != 1:
                raise Stop(USAGE, f"{word} are {len(won)} cards, and one wins")
            [card] = won
        else:
            concealed += cards_of(plain)
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
        return dict.fromkeys(COMPARED["paohuzi"], 0) | {"can_hu": False, "names": {}}, ["no win"]
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


def _to_score(question: Question, hand: Hand) -> HandToScore:
    # The preset's own spelling: the engine also understands other ones.
    preset = GAMES[question.game].ruleset(question.preset).preset
    return HandToScore(
        preset=preset,
        concealed=hand.concealed,
        exposed=hand.melds,
        card=hand.card or None,
        source=question.source,
        last_card=question.last,
    )


def _by_scoring(question: Question, hand: Hand) -> tuple[dict[str, Any], list[str]]:
    scored = score_hand(_to_score(question, hand))
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
