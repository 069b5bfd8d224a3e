"""One hand, scored and explained (gRPC ScoreHand, `paiju score`): 跑胡子."""

from typing import Final

from services.scoring.core import hands, judge, names, tiles
from services.scoring.core.hand import (
    CARDS_MAX,
    BadHand,
    HandToScore,
    ScoredHand,
    ScoredMeld,
    ScoredName,
)
from services.scoring.core.hands import Meld
from services.scoring.core.rules import BadOptions, Options, preset_named, with_overrides

SOURCES: Final = ("self", "other", "liang_dealer", "liang_other", "santi", "discard")

_MELD_NAMES: Final = {
    "ti": ("提", "ti"),
    "pao": ("跑", "pao"),
    "wei": ("偎", "wei"),
    "chouwei": ("臭偎", "chouwei"),
    "kan": ("坎", "kan"),
    "peng": ("碰", "peng"),
    "yiersan": ("一二三", "run 1-2-3"),
    "erqishi": ("二七十", "2-7-10"),
    "shun": ("一句话", "run"),
    "jiao": ("绞", "jiao"),
    "jiang": ("将", "pair"),
}

_SOURCE_NAMES: Final = {
    "self": ("自摸", "self-drawn"),
    "other": ("别家摸出", "drawn by another seat"),
    "liang_dealer": ("庄家亮张", "the dealer's own turned-up card"),
    "liang_other": ("闲家胡亮张", "the dealer's turned-up card"),
    "santi": ("三提五坎", "three quads, or five triples and quads, dealt"),
    "discard": ("放炮", "discarded by another seat"),
}


def score_hand(asked: HandToScore) -> ScoredHand:
    """Score a hand as well as it can be read, with each meld, name and sum explained.

    Raises:
        BadHand: The cards cannot be such a hand.
        BadOptions: The preset or an option is unknown or out of range.
    """
    hand, melds, card = _read(asked)
    _check_cards(hand, melds, card, asked.source)
    return _scored(asked, hand, melds, card)


def score_example(asked: HandToScore) -> ScoredHand:
    """Score a worked example: its position is made by hand and may hold more copies of a card than there are.

    Raises:
        BadHand: Something in it is no card, meld or source.
        BadOptions: The preset or an option is unknown or out of range.
    """
    return _scored(asked, *_read(asked))


def _scored(asked: HandToScore, hand: list[int], melds: list[Meld], card: int | None) -> ScoredHand:
    options = with_overrides(preset_named(asked.preset), dict(asked.overrides))
    if not _is_open(asked.source, options):
        how_zh, how_en = _SOURCE_NAMES[asked.source]
        closed_zh = f"这套规则不许这样胡：{how_zh}（§12）"
        return ScoredHand(False, text_zh=(closed_zh,), text_en=(f"No win this way here: {how_en} (§12).",))
    if asked.source == "santi":
        win = judge.santi_win(hand, options)
    else:
        win = judge.best_win(hand, melds, card, asked.source, options, last_card=asked.last_card)
    if win is None:
        return ScoredHand(False, text_zh=(_why_not_zh(options),), text_en=(_why_not_en(options),))
    return _explained(win, asked, options)


def _is_open(source: str, options: Options) -> bool:
    """Say whether a rule set lets anybody win with such a card (rules §12)."""
    closed = {
        "discard": not options.discard_hu,
        "liang_dealer": options.liangzhang_hu == "off",
        "liang_other": options.liangzhang_hu != "all",
        "santi": options.santi_wukan == "off",
    }
    return not closed.get(source, False)


def _read(asked: HandToScore) -> tuple[list[int], list[Meld], int | None]:
    if asked.source not in SOURCES:
        raise BadHand(f"no source {asked.source!r}; there are {', '.join(SOURCES)}")
    try:
        hand = tiles.counted(tiles.kind_of(card) for card in asked.concealed)
        melds = [hands.laid(kind, [tiles.kind_of(card) for card in cards]) for kind, cards in asked.exposed]
        card = tiles.kind_of(asked.card) if asked.card else None
    except (tiles.UnknownCard, hands.BadMeld) as bad:
        raise BadHand(str(bad)) from None
    if card is None and asked.source != "santi":
        raise BadHand(f"a hand won by {asked.source} needs its winning card")
    return hand, melds, card


def _check_cards(hand: list[int], melds: list[Meld], card: int | None, source: str) -> None:
    if source == "santi" and melds:
        raise BadHand("三提五坎 is won with dealt cards: there are no exposed melds")
    if source == "liang_dealer" and card is not None and not hand[card]:
        raise BadHand("with liang_dealer the 亮张 is among the concealed cards")
    total = hands.all_cards(melds, hand)
    if card is not None and source != "liang_dealer":
        total[card] += 1
    if max(total) > tiles.COPIES:
        raise BadHand(f"more than four {tiles.NAMES[total.index(max(total))]}")
    if sum(total) > CARDS_MAX:
        raise BadHand(f"{sum(total)} cards are more than a hand can hold")


def _explained(win: judge.Win, asked: HandToScore, options: Options) -> ScoredHand:
    table = names.TABLES[options.names]
    melds = tuple(
        ScoredMeld(meld.kind, tuple(tiles.NAMES[card] for card in meld.cards), meld.xi, "§2")
        for meld in win.melds
    )
    found = tuple(ScoredName(name, fan, table.rule) for name, fan in win.names)
    per_loser = win.points * options.base_stake
    return ScoredHand(
        True,
        win.xi,
        win.deng,
        win.zimo_bonus,
        found,
        win.fan,
        per_loser,
        2 * per_loser,
        melds,
        _lines(win, asked, options, 0),
        _lines(win, asked, options, 1),
    )


def _lines(win: judge.Win, asked: HandToScore, options: Options, language: int) -> tuple[str, ...]:
    """Return the explanation, Chinese (0) or English (1), one step a line."""
    zh = language == 0
    card = tiles.HANZI[tiles.kind_of(asked.card)] if asked.card else ""
    how = _SOURCE_NAMES[asked.source][language]
    lines = [f"{how} {card}".rstrip() if zh else f"Won with {card or 'dealt cards'}: {how}."]
    for meld in win.melds:
        name = _MELD_NAMES[meld.kind][language]
        cards = tiles.hanzi_of(meld.cards)
        lines.append(f"{name} {cards}：{meld.xi} 息（§2）" if zh else f"{name} {cards}: {meld.xi} xi (§2)")
    first, step = options.deng_first, options.deng_step
    ladder = f"({win.xi} − {first}) div {step} + 1"
    lines.append(
        f"共 {win.xi} 息（起胡 {options.min_xi}，§8）；等 = {ladder} = {win.deng}（§10）"
        if zh
        else f"{win.xi} xi in all ({options.min_xi} needed, §8); deng = {ladder} = {win.deng} (§10)"
    )
    if win.zimo_bonus:
        lines.append(
            f"自摸 +{win.zimo_bonus} 等（§10）" if zh else f"self-drawn: +{win.zimo_bonus} deng (§10)"
        )
    rule = names.TABLES[options.names].rule
    for name, fan in win.names:
        lines.append(f"{name}：{fan} 番（{rule}）" if zh else f"{name}: {fan} fan ({rule})")
    if options.zimo_stage == "after_fan":
        product = f"{win.deng} × {win.fan} + {win.zimo_bonus}"
    else:
        product = f"({win.deng} + {win.zimo_bonus}) × {win.fan}"
    if options.point_cap is not None:
        product = f"min({options.point_cap}, {product})"
    sum_zh, sum_en = f"每家 {product} = {win.points} 分", f"each loser: {product} = {win.points} points"
    if options.base_stake != 1:
        sum_zh += f"，× 底 {options.base_stake} = {win.points * options.base_stake}"
        sum_en += f", × stake {options.base_stake} = {win.points * options.base_stake}"
    lines.append(f"{sum_zh}（§10）" if zh else f"{sum_en} (§10)")
    return tuple(lines)


def _why_not_zh(options: Options) -> str:
    return f"没有七门子且满 {options.min_xi} 息的组合（§3、§8）：不能胡"


def _why_not_en(options: Options) -> str:
    return f"No reading has seven groups and at least {options.min_xi} xi (§3, §8): no win."


__all__ = [
    "SOURCES",
    "BadHand",
    "BadOptions",
    "HandToScore",
    "ScoredHand",
    "ScoredMeld",
    "ScoredName",
    "score_example",
    "score_hand",
]
