"""Winning forms: how the winning card may be counted, and what a form is worth (Rule 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from engine.paohuzi.cards import (
    ONE,
    count_cards,
    distinct,
    format_cards,
    hand_cards,
    kans_of,
    loose_of,
    quads_of,
)
from engine.paohuzi.melds import Meld, cards_to_win, max_huxi, max_huxi_split, meld_xi, partitions

MELD_XI: Final = {
    "ti": (9, 12),
    "pao": (6, 9),
    "wei": (3, 6),
    "chouwei": (3, 6),
    "kan": (3, 6),
    "peng": (1, 3),
}
"""息 by kind, small and big (Rule 2); 吃-type melds see ``meld_xi``."""

QUAD_KINDS: Final = frozenset({"ti", "pao"})
CHI: Final = "chi"

SOURCES: Final = ("self", "other", "made", "liang_dealer", "liang_other", "discard", "santi")
"""Where a winning card comes from. ``made``: the own 偎 or 提 is already laid and completes the hand."""


class Laid(NamedTuple):
    """A meld with its kind: chi peng pao ti wei chouwei, in hand also kan, and jiang."""

    kind: str
    cards: Meld

    @property
    def xi(self) -> int:
        """息 of the meld (Rule 2)."""
        worth = MELD_XI.get(self.kind)
        if worth is not None:
            return worth[1] if self.cards[0] >= 10 else worth[0]
        return meld_xi(self.cards) if self.kind == CHI else 0

    @property
    def text(self) -> str:
        """The meld as one word."""
        return f"{self.kind}:{format_cards(self.cards)}"


class Form(NamedTuple):
    """One way to count the winning card."""

    hand: int
    """Cards in hand that are still to be parted; three alike are a 坎, four a 提."""
    laid: tuple[Laid, ...]
    """Melds that stand, with the one the winning card makes."""
    split: int
    """The card of which three are loose, although they are alike (a split pair); -1 if none."""

    @property
    def quads(self) -> int:
        """跑 and 提, those in hand included."""
        return sum(meld.kind in QUAD_KINDS for meld in self.laid) + count_cards(quads_of(self._locked))

    @property
    def _locked(self) -> int:
        return self.hand - ONE[self.split] if self.split >= 0 else self.hand

    @property
    def cards(self) -> int:
        """All cards of the form."""
        return count_cards(self.hand) + sum(len(meld.cards) for meld in self.laid)

    def max_xi(self) -> int:
        """Return the most 息 over all partitions, -1 if the form is not complete."""
        laid_quads = sum(meld.kind in QUAD_KINDS for meld in self.laid)
        if self.split >= 0:
            xi = max_huxi_split(self._locked, self.split, laid_quads, self.cards)
        else:
            xi = max_huxi(self.hand, laid_quads, self.cards)
        return -1 if xi < 0 else xi + sum(meld.xi for meld in self.laid)

    def is_duidui(self) -> bool:
        """Return whether there is no 吃-type meld; the same for every partition of the form."""
        if any(meld.kind == CHI for meld in self.laid):
            return False
        loose = count_cards(loose_of(self._locked)) + (1 if self.split >= 0 else 0)
        return loose == 0 or (loose == 2 and self.quads > 0)

    def decompositions(self) -> Iterator[tuple[Laid, ...]]:
        """Yield every complete decomposition, all melds in a fixed order."""
        locked = self._locked
        fixed = list(self.laid)
        fixed += [Laid("ti", (card,) * 4) for card in distinct(quads_of(locked))]
        fixed += [Laid("kan", (card,) * 3) for card in distinct(kans_of(locked))]
        loose = loose_of(locked) + (ONE[self.split] if self.split >= 0 else 0)
        jiang = self.quads > 0
        if self.cards != cards_to_win(self.quads):
            return
        for melds, pair in partitions(hand_cards(loose), jiang):
            rest = [Laid(CHI, meld) for meld in melds]
            if pair is not None:
                rest.append(Laid("jiang", pair))
            yield (*fixed, *rest)

    def best_decomposition(self) -> tuple[Laid, ...]:
        """Return the decomposition of most 息, the first by text among equals.

        Raises:
            ValueError: The form is not complete.
        """
        return min(
            self.decompositions(),
            key=lambda melds: (-sum(meld.xi for meld in melds), sorted(meld.text for meld in melds)),
        )


def forms(hand: int, laid: Sequence[Laid], card: int, source: str, po_pao_hu: bool = True) -> list[Form]:
    """Return every way to count the winning card (Rule 8, "How X is counted").

    Args:
        hand: The hand without the winning card; with it for ``liang_dealer`` and ``made``.
        laid: The laid melds.
        card: The winning card; unused for ``made`` and ``liang_dealer``.
        source: One of SOURCES but ``santi``. ``self`` lays the forced 偎 or 提 first.
        po_pao_hu: Whether one's own 坎, 偎 or 碰 of the card may stay (破跑胡).
    """
    melds = tuple(laid)
    if source in ("made", "liang_dealer"):
        return [Form(hand, melds, -1)]
    count = hand >> (3 * card) & 7
    one = ONE[card]
    four = (card,) * 4
    # A 碰 runs only on a card from the wall (Rule 2), so a discard leaves it alone.
    upgradable = ("wei", "chouwei") if source == "discard" else ("wei", "chouwei", "peng")
    at = next(
        (at for at, meld in enumerate(melds) if meld.kind in upgradable and meld.cards[0] == card),
        -1,
    )
    if source == "self":
        if count == 3:
            return [Form(hand - 3 * one, (*melds, Laid("ti", four)), -1)]
        if at >= 0 and melds[at].kind != "peng":
            return [Form(hand, _replaced(melds, at, Laid("ti", four)), -1)]
        if count == 2:
            return [Form(hand - 2 * one, (*melds, Laid("wei", four[:3])), -1)]
    found = []
    if count == 3:
        found.append(Form(hand - 3 * one, (*melds, Laid("pao", four)), -1))
        if po_pao_hu:
            found.append(Form(hand - 2 * one, (*melds, Laid("kan", four[:3])), -1))
    elif count == 2:
        found.append(Form(hand - 2 * one, (*melds, Laid("peng", four[:3])), -1))
        found.append(Form(hand + one, melds, card))
    elif at >= 0:
        found.append(Form(hand, _replaced(melds, at, Laid("pao", four)), -1))
        if po_pao_hu:
            found.append(Form(hand + one, melds, -1))
    else:
        found.append(Form(hand + one, melds, -1))
    return found


def _replaced(melds: tuple[Laid, ...], at: int, meld: Laid) -> tuple[Laid, ...]:
    return (*melds[:at], meld, *melds[at + 1 :])


def shown_huxi(
    hand: int, card: int, held: int, quads: int, table_xi: int, pengs: int, weis: int, po_pao_hu: bool
) -> int:
    """Return the most 息 with a shown card that is no 偎 or 提 of the seat, -1 if it completes nothing.

    The quick form of ``forms``: the same cases without objects.
    """
    count = hand >> (3 * card) & 7
    one = ONE[card]
    cards = held + 1
    big = card >= 10
    if count < 2:
        if not (pengs | weis) >> card & 1:
            best = max_huxi(hand + one, quads, cards)
            return best if best < 0 else best + table_xi
        best = max_huxi(hand, quads + 1, cards)
        if best >= 0:
            best += (9 if big else 6) - ((3 if big else 1) if pengs >> card & 1 else (6 if big else 3))
        if po_pao_hu:
            best = max(best, max_huxi(hand + one, quads, cards))
    elif count == 2:
        best = max_huxi(hand - 2 * one, quads, cards)
        if best >= 0:
            best += 3 if big else 1
        best = max(best, max_huxi_split(hand, card, quads, cards))
    elif count == 3:
        best = max_huxi(hand - 3 * one, quads + 1, cards)
        if best >= 0:
            best += 9 if big else 6
        if po_pao_hu:
            keep = max_huxi(hand - 2 * one, quads, cards)
            if keep >= 0:
                best = max(best, keep + (6 if big else 3))
    else:
        return -1
    return best if best < 0 else best + table_xi
