"""Whether a record can have happened at all: times, causes, seats, and the winning hand it shows.

The rules do not speak of these. Whoever writes records must tell them right all the same: people and programs
read them.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from services.scoring.core import hands
from services.scoring.core.record import Record
from services.scoring.core.replay import Figures
from services.scoring.core.tiles import NAMES, UnknownCard, kind_of

ROUND_MS_MAX: Final = 7 * 24 * 3600 * 1000
"""No answer comes later after the deal than seven days."""

Doubt = tuple[str, str, str]
"""The field, what the record says, and why that cannot be."""


def doubts(record: Record) -> Iterator[Doubt]:
    """Yield what of a record cannot have happened, of each kind the first."""
    if record.started_ms == 0:
        yield "started", "0", "a time after 1970"
    people = [seat for seat in record.seats if not seat.startswith("bot:")]
    twice = next((seat for seat in people if people.count(seat) > 1), None)
    if twice is not None:
        yield "seats", " ".join(record.seats), f"{twice} can sit in one seat only"
    yield from _of_times(record)
    yield from _of_causes(record)


def _of_times(record: Record) -> Iterator[Doubt]:
    before = 0
    for number, action in enumerate(record.actions, start=1):
        if action.at_ms < before:
            yield f"action {number} time", str(action.at_ms), f"not before {before}, the action before it"
            return
        if action.at_ms > ROUND_MS_MAX:
            yield f"action {number} time", str(action.at_ms), f"at most {ROUND_MS_MAX} after the deal"
            return
        before = action.at_ms


def _of_causes(record: Record) -> Iterator[Doubt]:
    for number, action in enumerate(record.actions, start=1):
        is_bot = record.seats[action.seat].startswith("bot:")
        if is_bot != (action.cause == "bot"):
            why = "bot, it is one" if is_bot else "not bot, it is a person's seat"
            yield f"action {number} cause", action.cause or "none", f"seat {action.seat} needs {why}"
            return


def doubt_of_melds(record: Record, ours: Figures) -> Iterator[Doubt]:
    """Yield what is wrong with the melds that a record of 跑胡子 shows.

    They are seven, their cards are the winner's, and their 息 add up to what the hand is worth. Which of
    several right readings it is, is not compared; of a 三提五坎 nothing is.
    """
    said = "; ".join(" ".join(meld) for meld in record.melds) or "none"
    if not ours.result.winners:
        if record.melds and not record.result.winners:
            yield "melds", said, "none, nobody won"
        return
    if ours.result.how == "santi" or not record.result.winners:
        return
    try:
        melds = [_meld(kind, cards) for kind, *cards in record.melds]
    except (hands.BadMeld, UnknownCard) as bad:
        yield "melds", said, str(bad)
        return
    pairs = sum(meld.kind == "jiang" for meld in melds)
    shown = Counter(NAMES[card] for meld in melds for card in meld.cards)
    held = Counter(card for _, *cards in ours.melds for card in cards)
    xi = sum(meld.xi for meld in melds)
    if len(melds) != hands.GROUPS or pairs > 1:
        yield "melds", said, f"{hands.GROUPS} 门子, at most one of them a 将"
    elif shown != held:
        yield "melds", said, f"the winner's cards, {' '.join(sorted(held.elements()))}"
    elif xi != ours.result.huxi:
        yield "melds", said, f"{ours.result.huxi} 息 together, these have {xi}"


def _meld(kind: str, cards: Sequence[str]) -> hands.Meld:
    """Return a meld of a winning hand; 坎 and 将 are the two kinds that are never laid."""
    kinds = sorted(kind_of(card) for card in cards)
    if kind not in ("kan", "jiang"):
        return hands.laid(kind, kinds)
    if not kinds or tuple(kinds) != hands.alike(kind, kinds[0]).cards:
        raise hands.BadMeld(f"{' '.join(cards)} is no {kind}")
    return hands.alike(kind, kinds[0])
