"""Whether a hand wins, and the best it can be read as."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from services.scoring.core import hands, names, payment
from services.scoring.core.hands import EATEN, Meld
from services.scoring.core.rules import Options

SANTI_QUADS: Final = 3
SANTI_TRIPLES: Final = 5


@dataclass(frozen=True, slots=True)
class Win:
    """A won hand under one rule set, read as well as it can be."""

    xi: int
    deng: int
    zimo_bonus: int
    names: tuple[tuple[str, int], ...]
    fan: int
    points: int
    """What one loser pays, after `point_cap`, before `base_stake`."""
    melds: tuple[Meld, ...]


def _scored(form: Sequence[Meld], traits: names.Traits, options: Options) -> Win:
    xi = sum(meld.xi for meld in form)
    found = names.names_of(traits, options)
    fan = names.multiplier(found)
    deng = payment.deng_of(xi, options)
    bonus = payment.zimo_bonus(traits.source, options)
    points = payment.points_of(deng, bonus, fan, options)
    return Win(xi, deng, bonus, tuple(sorted(found.items())), fan, points, tuple(sorted(form)))


def _preference(win: Win) -> tuple[int, int, int, int, list[str]]:
    return (-win.points, -win.fan, -win.xi, -len(win.names), sorted(meld.text for meld in win.melds))


def best_win(
    hand: Sequence[int],
    melds: Sequence[Meld],
    card: int | None,
    source: str,
    options: Options,
    *,
    last_card: bool = False,
) -> Win | None:
    """Return the reading of a hand that pays most, or None if it does not win.

    Among equal pay: larger multiplier, more 息, more names, text order of the melds.

    Args:
        hand: Counts of the concealed cards, without the winning card (with `liang_dealer`: with it).
        melds: The exposed melds.
        card: The winning card.
        source: `self`, `other`, `liang_dealer`, `liang_other` or `discard`.
        options: The rule set.
        last_card: The winning card is the last of the wall.
    """
    best: Win | None = None
    traits: dict[bool, names.Traits] = {}
    for frame in hands.readings(hand, melds, card, source, po_pao_hu=options.po_pao_hu):
        for form in hands.complete_forms(frame):
            if sum(meld.xi for meld in form) < options.min_xi:
                continue
            duidui = not any(meld.kind in EATEN for meld in form)
            if duidui not in traits:
                cards = hands.all_cards(form)
                traits[duidui] = names.traits_of(
                    cards, without_eaten=duidui, last_card=last_card, source=source
                )
            win = _scored(form, traits[duidui], options)
            if best is None or _preference(win) < _preference(best):
                best = win
    return best


def is_santi(hand: Sequence[int]) -> bool:
    """Say whether dealt cards are 三提五坎: three 提, or five 提 and 坎 together (rules §4.1)."""
    quads = sum(1 for count in hand if count == 4)
    return quads >= SANTI_QUADS or quads + sum(1 for count in hand if count == 3) >= SANTI_TRIPLES


def santi_win(hand: Sequence[int], options: Options) -> Win | None:
    """Return what dealt cards win as 三提五坎, or None if they are not that (rules §8)."""
    if not is_santi(hand):
        return None
    frame = hands.framed(hand, ())
    rest = sum(frame.loose)
    quads = any(meld.kind == "ti" for meld in frame.fixed)
    is_pair = rest == 2 and max(frame.loose) == 2 and quads
    form = list(frame.fixed)
    form += [hands.alike("jiang", frame.loose.index(2))] if is_pair else hands.best_leftovers(frame.loose)
    traits = names.traits_of(hand, without_eaten=rest == 0 or is_pair, last_card=False, source="santi")
    return _scored(form, traits, options)
