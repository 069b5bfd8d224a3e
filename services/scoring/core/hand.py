"""One hand to be scored and its score, in any game (gRPC ScoreHand, `paiju score`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

CARDS_MAX: Final = 28
"""More cards than any hand can hold."""


class BadHand(Exception):
    """A hand to be scored is not one: unknown cards, too many copies, no meld, an unknown source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToScore:
    """What is asked: a hand, what completes it, and the rule set. Words and cards are those of the game."""

    preset: str = "876cc"
    overrides: Mapping[str, object] = field(default_factory=dict)
    """Options that differ from the preset."""
    concealed: Sequence[str] = ()
    """Cards in hand before the winning card (跑胡子, with `liang_dealer` and `santi`: all that are held)."""
    exposed: Sequence[tuple[str, Sequence[str]]] = ()
    """Melds on the table: kind and cards."""
    card: str | None = None
    """The winning card; 跑胡子: none with `santi`."""
    source: str = "self"
    """How it was won; 卡五星: `zimo`, `gangkai`, `discard`, `gangpao`, `qianggang`."""
    last_card: bool = False
    """The winning card is the last of the wall."""


@dataclass(frozen=True, slots=True)
class ScoredMeld:
    """A meld of the winning reading."""

    kind: str
    cards: tuple[str, ...]
    xi: int
    rule: str


@dataclass(frozen=True, slots=True)
class ScoredName:
    """A name with its 番."""

    name: str
    fan: int
    rule: str


@dataclass(frozen=True, slots=True)
class ScoredHand:
    """What a hand scores, and why."""

    can_hu: bool
    xi: int = 0
    """息; 跑胡子 only, as `deng` and `zimo_bonus`."""
    deng: int = 0
    zimo_bonus: int = 0
    names: tuple[ScoredName, ...] = ()
    fan: int = 0
    per_loser: int = 0
    """With `point_cap` and `base_stake`; for a won discard a third party's share is paid by the discarder."""
    winner_gain: int = 0
    melds: tuple[ScoredMeld, ...] = ()
    text_zh: tuple[str, ...] = ()
    text_en: tuple[str, ...] = ()
