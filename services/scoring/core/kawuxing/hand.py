"""One hand of 卡五星, scored and explained (gRPC ScoreHand)."""

from collections.abc import Iterator, Sequence
from typing import Final

from services.scoring.core.hand import BadHand, HandToScore, ScoredHand, ScoredMeld, ScoredName
from services.scoring.core.kawuxing import names
from services.scoring.core.kawuxing.explain import HOW_NAMES, Line, named
from services.scoring.core.kawuxing.melds import MELD_KINDS, Meld, laid, waits_of
from services.scoring.core.kawuxing.names import RULE_OF, Moment, Win
from services.scoring.core.kawuxing.payment import Purse
from services.scoring.core.kawuxing.rules import Options, preset_named, with_overrides
from services.scoring.core.kawuxing.tiles import (
    COPIES,
    HAND_TILES,
    NAMES,
    BadTiles,
    Counts,
    counted,
    hanzi,
    kind_named,
    kinds_in_play,
)

LEAST_FAN: Final = 2
"""起胡, where there is one."""


def score_hand(asked: HandToScore) -> ScoredHand:
    """Score a hand as well as it can be read, explained; nobody has revealed, staked or turned anything.

    Raises:
        BadHand: The tiles cannot be such a hand.
        BadOptions: The preset or an option is unknown or out of range.
    """
    options = with_overrides(preset_named(asked.preset), dict(asked.overrides))
    try:
        hand = counted(kind_named(tile) for tile in asked.concealed)
        melds = [_meld(how, cards) for how, cards in asked.exposed]
        kind = kind_named(asked.card)
    except BadTiles as bad:
        raise BadHand(str(bad)) from None
    _check(hand, melds, kind, asked.source, options)
    moment = Moment(how=asked.source, last=asked.last_card)
    win = names.best_win(hand, melds, kind, moment, options)
    if win is None:
        seen = " ".join(hanzi(each) for each in waits_of(hand, melds, kinds_in_play(options.suits)))
        zh, en = f"不成牌（§4）；听 {seen or '无'}", f"Not complete (§4); it waits for {seen or 'nothing'}."
        return ScoredHand(False, text_zh=(zh,), text_en=(en,))
    purse = Purse(options, options.base)
    units = purse.capped(win.fan, 1) + purse.extra(0, 1, win.kan, 0)
    per_loser = units * purse.stake * options.base_stake
    may_win = win.fan >= LEAST_FAN or _may_be_small(moment, melds, options)
    lines = [_how(asked.source, kind), *named(win)]
    if may_win:
        lines += _worth(win, units, per_loser, options)
    else:
        lines.append(("不够起胡番数（§6）", "Too little to win with (§6)."))
        per_loser = 0
    return ScoredHand(
        may_win,
        names=tuple(ScoredName(name, worth, RULE_OF.get(name, "§5")) for name, worth in win.names.items()),
        fan=win.fan,
        per_loser=per_loser,
        winner_gain=per_loser * (2 if moment.is_self_drawn else 1),
        melds=tuple(
            ScoredMeld(part.shape, tuple(NAMES[each] for each in part.kinds), 0, "§4") for part in win.parts
        ),
        text_zh=tuple(zh for zh, _ in lines),
        text_en=tuple(en for _, en in lines),
    )


def _may_be_small(moment: Moment, melds: Sequence[Meld], options: Options) -> bool:
    """Say whether 起胡 lets a hand of one 番 win, among seats that have not revealed (rules §6)."""
    open_to_it = {
        "none": True,
        "hard": False,
        "soft": any(meld.is_kong for meld in melds),
        "pao2": moment.is_self_drawn,
    }
    return open_to_it[options.min_fan]


def _how(how: str, kind: int) -> Line:
    zh, en = HOW_NAMES[how]
    return f"{zh} {hanzi(kind)}（§4）", f"Won with {hanzi(kind)}: {en} (§4)."


def _worth(win: Win, units: int, per_loser: int, options: Options) -> Iterator[Line]:
    if options.cap and win.fan > options.cap:
        yield f"封顶 {options.cap}（§8）", f"capped at {options.cap} (§8)"
    if options.shukan and win.kan:
        yield f"数坎 +{win.kan}（§9）", f"concealed triplets and kongs: +{win.kan} (§9)"
    stake = options.base * options.base_stake
    yield f"每家 {units} × {stake} = {per_loser}（§8）", f"each payer {units} × {stake} = {per_loser} (§8)"


def _meld(how: str, cards: Sequence[str]) -> Meld:
    if how not in MELD_KINDS:
        raise BadHand(f"no meld {how[:20]!r}; there are {', '.join(MELD_KINDS)}")
    kinds = [kind_named(card) for card in cards]
    meld = Meld(how, kinds[0] if kinds else 0)
    if kinds != [meld.kind] * meld.size:
        raise BadHand(f"{' '.join(cards)} is no {how}")
    return meld


def _check(hand: Counts, melds: Sequence[Meld], kind: int, how: str, options: Options) -> None:
    if how not in names.HOWS:
        raise BadHand(f"no source {how[:20]!r}; there are {', '.join(names.HOWS)}")
    among = kinds_in_play(options.suits)
    whole = [own + out for own, out in zip(hand, laid(melds), strict=True)]
    whole[kind] += 1
    if any(count > COPIES for count in whole):
        raise BadHand("more than four of a tile")
    if any(count and each not in among for each, count in enumerate(whole)):
        raise BadHand(f"a tile that is not in play with suits {options.suits}")
    if sum(hand) + 3 * len(melds) != HAND_TILES:
        raise BadHand(f"{sum(hand)} tiles and {len(melds)} melds are no hand of {HAND_TILES}")
