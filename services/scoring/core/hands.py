"""All ways to read a hand as seven 门子: plain exhaustive search (rules §2, §3, §8)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from services.scoring.core.tiles import KINDS, RANKS, counted, is_big, other_size, rank, spread, text_of

GROUPS: Final = 7
"""A complete hand has seven 门子; the 将 is one of them."""

HUXI: Final[dict[str, tuple[int, int]]] = {
    "ti": (9, 12),
    "pao": (6, 9),
    "wei": (3, 6),
    "chouwei": (3, 6),
    "kan": (3, 6),
    "peng": (1, 3),
    "yiersan": (3, 6),
    "erqishi": (3, 6),
    "shun": (0, 0),
    "jiao": (0, 0),
    "jiang": (0, 0),
}
"""息 of each kind of meld, small and big (rules §2). 吃 makes the kinds from 一二三 to 绞."""

QUADS: Final = frozenset({"ti", "pao"})
EATEN: Final = frozenset({"yiersan", "erqishi", "shun", "jiao"})
GROWING: Final = frozenset({"kan", "wei", "chouwei", "peng"})
"""What a fourth card turns into a quad."""

LAID: Final = frozenset({"ti", "pao", "wei", "chouwei", "peng", "chi"})
"""The kinds of exposed melds in notation; `chi` stands for any of the eaten ones."""


class BadMeld(Exception):
    """Cards do not form the meld they are said to be."""


@dataclass(frozen=True, slots=True, order=True)
class Meld:
    """Some cards that belong together."""

    kind: str
    """A key of `HUXI`."""
    cards: tuple[int, ...]
    """In order, small before big."""

    @property
    def xi(self) -> int:
        """息."""
        return HUXI[self.kind][is_big(self.cards[0])]

    @property
    def text(self) -> str:
        """The cards, written together."""
        return text_of(self.cards)


def alike(kind: str, card: int) -> Meld:
    """Return the 提 跑 偎 坎 碰 or 将 of a card."""
    return Meld(kind, (card,) * (4 if kind in QUADS else 2 if kind == "jiang" else 3))


def eaten(cards: Sequence[int]) -> Meld:
    """Return the meld that three cards make when eaten: a run, 二七十 or 绞.

    Raises:
        BadMeld: They make none.
    """
    trio = tuple(sorted(cards))
    if trio not in _EATEN:
        raise BadMeld(f"{text_of(trio)} is no 一句话, 二七十 or 绞")
    return _EATEN[trio]


def laid(kind: str, cards: Sequence[int]) -> Meld:
    """Return an exposed meld from its notation `kind, cards`.

    Raises:
        BadMeld: The kind is unknown or the cards do not fit it.
    """
    if kind == "chi":
        return eaten(cards)
    if kind not in LAID:
        raise BadMeld(f"no exposed meld is called {kind!r}")
    if not cards or tuple(cards) != alike(kind, cards[0]).cards:
        raise BadMeld(f"{text_of(cards)} is no {kind}")
    return alike(kind, cards[0])


def _all_eaten() -> dict[tuple[int, ...], Meld]:
    found: dict[tuple[int, ...], Meld] = {}
    for first in range(KINDS):
        if rank(first) <= RANKS - 2:
            run = (first, first + 1, first + 2)
            found[run] = Meld("yiersan" if rank(first) == 1 else "shun", run)
        if rank(first) == 2:
            found[first, first + 5, first + 8] = Meld("erqishi", (first, first + 5, first + 8))
        if not is_big(first):
            big = other_size(first)
            for trio in ((first, first, big), (first, big, big)):
                found[trio] = Meld("jiao", trio)
    return found


_EATEN: Final = _all_eaten()

EATEN_WITH: Final = tuple(
    tuple(meld for meld in _EATEN.values() if card in meld.cards) for card in range(KINDS)
)
"""For each card, every meld of the eaten kinds that holds it."""

_BY_RANK: Final = sorted(range(KINDS), key=lambda card: (rank(card), card))
_STARTED_BY: Final = tuple(
    tuple(meld for meld in EATEN_WITH[card] if min(meld.cards, key=_BY_RANK.index) == card)
    for card in range(KINDS)
)
"""The melds in which a card is the first, going through the ranks and through small before big."""

PARTITIONS_KEPT: Final = 1 << 13


@lru_cache(maxsize=PARTITIONS_KEPT)
def partitions(counts: tuple[int, ...], with_pair: bool) -> frozenset[tuple[Meld, ...]]:
    """Return every way to lay all the cards out in eaten melds, and in one 将 besides if `with_pair`.

    No two ways hold the same melds. Three of a kind are never laid together: 坎 are set apart before.
    """
    first = next((card for card in _BY_RANK if counts[card]), None)
    if first is None:
        return frozenset() if with_pair else frozenset({()})
    ways: set[tuple[Meld, ...]] = set()
    for meld in _STARTED_BY[first]:
        rest = _without(counts, meld)
        if rest is not None:
            ways.update(tuple(sorted((meld, *way))) for way in partitions(rest, with_pair))
    if with_pair and counts[first] >= 2:
        pair = alike("jiang", first)
        rest = _without(counts, pair)
        assert rest is not None
        ways.update(tuple(sorted((pair, *way))) for way in partitions(rest, False))
    return frozenset(ways)


def _without(counts: tuple[int, ...], meld: Meld) -> tuple[int, ...] | None:
    left = list(counts)
    for card in meld.cards:
        left[card] -= 1
        if left[card] < 0:
            return None
    return tuple(left)


@dataclass(frozen=True, slots=True)
class Frame:
    """A hand with its fixed melds set apart; what is loose may be laid out freely."""

    fixed: tuple[Meld, ...]
    loose: tuple[int, ...]
    """Counts of the twenty kinds."""

    def with_card(self, card: int) -> "Frame":
        """Return the frame with one more loose card."""
        loose = list(self.loose)
        loose[card] += 1
        return Frame(self.fixed, tuple(loose))

    def taking(self, meld: Meld, from_loose: int = 0, instead_of: Meld | None = None) -> "Frame":
        """Return the frame with one more fixed meld, made of loose cards or of another fixed meld."""
        fixed = list(self.fixed)
        if instead_of is not None:
            fixed.remove(instead_of)
        loose = list(self.loose)
        loose[meld.cards[0]] -= from_loose
        return Frame((*fixed, meld), tuple(loose))


def framed(hand: Sequence[int], melds: Sequence[Meld]) -> Frame:
    """Set a hand's 坎 and dealt quads apart: they are never split (rules §2)."""
    loose = list(hand)
    fixed = list(melds)
    for card in range(KINDS):
        if loose[card] >= 3:
            fixed.append(alike("ti" if loose[card] == 4 else "kan", card))
            loose[card] = 0
    return Frame(tuple(fixed), tuple(loose))


def readings(
    hand: Sequence[int], melds: Sequence[Meld], card: int | None, source: str, *, po_pao_hu: bool
) -> Iterator[Frame]:
    """Yield each way the winning card may be counted (the table of rules §8).

    Args:
        hand: Counts of the concealed cards, without the winning card (with `liang_dealer`: with it).
        melds: The exposed melds.
        card: The winning card.
        source: `self`, `other`, `liang_dealer`, `liang_other` or `discard`.
        po_pao_hu: Whether a winner may leave his own 坎 偎 碰 as it is instead of running it.
    """
    frame = framed(hand, melds)
    if source == "liang_dealer" or card is None:
        yield frame
        return
    own = next((meld for meld in frame.fixed if meld.cards[0] == card and meld.kind in GROWING), None)
    if source == "self" and own is not None and own.kind != "peng":
        yield frame.taking(alike("ti", card), instead_of=own)
    elif source == "self" and frame.loose[card] == 2:
        yield frame.taking(alike("wei", card), from_loose=2)
    elif own is not None and not (own.kind == "peng" and source == "discard"):
        yield frame.taking(alike("pao", card), instead_of=own)
        if po_pao_hu:
            yield frame.with_card(card)
    else:
        if frame.loose[card] == 2:
            yield frame.taking(alike("peng", card), from_loose=2)
        yield frame.with_card(card)


def complete_forms(frame: Frame) -> Iterator[tuple[Meld, ...]]:
    """Yield every complete hand a frame can become: seven 门子, with a 将 exactly if there is a quad."""
    quads = any(meld.kind in QUADS for meld in frame.fixed)
    cards = sum(frame.loose)
    wanted = GROUPS - len(frame.fixed)
    if cards != 3 * wanted - (1 if quads else 0):
        return
    for way in partitions(frame.loose, quads):
        yield (*frame.fixed, *way)


def best_leftovers(loose: Sequence[int]) -> tuple[Meld, ...]:
    """Return the 一二三 and 二七十 with most 息 that fit into some cards, sharing none (rules §8)."""
    counts = tuple(loose)
    best: tuple[Meld, ...] = ()
    for meld in _EATEN.values():
        rest = _without(counts, meld) if meld.xi else None
        if rest is not None:
            tried = (meld, *best_leftovers(rest))
            if sum(m.xi for m in tried) > sum(m.xi for m in best):
                best = tried
    return tuple(sorted(best))


def all_cards(form: Sequence[Meld], loose: Sequence[int] = ()) -> list[int]:
    """Return the counts of every card of a form, and of cards besides."""
    return counted([card for meld in form for card in meld.cards] + (spread(loose) if loose else []))
