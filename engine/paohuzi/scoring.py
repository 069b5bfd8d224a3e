"""What a win is worth (Rules 8 and 10): 息, 等, names, multiplier, points; the best form is taken."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.face import Line
from engine.paohuzi.cards import (
    BIG,
    CARD_NAMES,
    CARD_TEXTS,
    RED,
    count_cards,
    distinct,
    hand_cards,
    kans_of,
    loose_of,
    quads_of,
)
from engine.paohuzi.hu import CHI, Laid, forms
from engine.paohuzi.names import MELD_NAMES, NAME_TABLES, NAMES_EN
from engine.paohuzi.rules import RuleSet

Names = tuple[tuple[str, int], ...]
"""Names and their 番, in the order of the table."""

MELD_RULES = {"chi": "§2", "jiang": "§2", "rest": "§8 三提五坎"}


@dataclass(frozen=True, slots=True)
class Win:
    """A scored winning hand."""

    xi: int
    """Total 息."""
    deng: int
    """等 (囤) without the self-draw bonus."""
    zimo_bonus: int
    """等 added for a self-draw."""
    names: Names
    """The names that apply."""
    fan: int
    """The multiplier."""
    points: int
    """What one loser pays, after ``point_cap``, before ``base_stake``."""
    melds: tuple[Laid, ...]
    """The decomposition."""


def is_santi(hand: int) -> bool:
    """Return whether dealt cards win as 三提五坎 (Rule 4.1)."""
    quads = count_cards(quads_of(hand))
    return quads >= 3 or quads + count_cards(kans_of(hand)) >= 5


def best_hu(
    rules: RuleSet, hand: int, laid: Sequence[Laid], card: int, source: str, last_card: bool = False
) -> Win | None:
    """Return the best-paid way to win, or ``None`` if the hand does not win.

    Ties: larger multiplier, then more 息, then more names, then the text of the melds
    (docs/record-format.md).

    Args:
        rules: The options.
        hand: The hand as for ``forms``; all dealt cards for ``santi``.
        laid: The laid melds.
        card: The winning card, -1 for ``santi``.
        source: One of ``hu.SOURCES``.
        last_card: Whether the winning card is the last of the wall.
    """
    if not may_win_by(rules, source):
        return None
    if source == "santi":
        return _santi(rules, hand)
    best: tuple[tuple[int, int, int, int, list[str]], Win] | None = None
    for form in forms(hand, laid, card, source, rules.po_pao_hu):
        xi = form.max_xi()
        if xi < rules.min_xi:
            continue
        melds = form.best_decomposition()
        win = score(
            rules,
            xi,
            melds,
            [at for meld in melds for at in meld.cards],
            zimo=source in ("self", "made", "liang_dealer")
            or (source == "liang_other" and rules.liang_xian_zimo),
            duidui=form.is_duidui(),
            haidi=last_card,
            tian=source == "liang_dealer",
            di=source == "liang_other",
        )
        key = (-win.points, -win.fan, -win.xi, -len(win.names), sorted(meld.text for meld in melds))
        if best is None or key < best[0]:
            best = (key, win)
    return None if best is None else best[1]


def may_win_by(rules: RuleSet, source: str) -> bool:
    """Return whether the options allow a win by such a card at all (Rule 12)."""
    if source == "discard":
        return rules.discard_hu
    if source == "liang_dealer":
        return rules.liangzhang_hu != "off"
    if source == "liang_other":
        return rules.liangzhang_hu == "all"
    return source != "santi" or rules.santi_wukan == "auto"


def _santi(rules: RuleSet, hand: int) -> Win | None:
    """Score 三提五坎: 提, 坎 and the best 一二三 and 二七十 that do not overlap (Rule 8)."""
    if not is_santi(hand):
        return None
    melds = [Laid("ti", (card,) * 4) for card in distinct(quads_of(hand))]
    melds += [Laid("kan", (card,) * 3) for card in distinct(kans_of(hand))]
    loose = list(hand_cards(loose_of(hand)))
    leftovers = list(loose)
    for base in (0, 10):
        for ranks in ((0, 1, 2), (1, 6, 9)):
            cards = tuple(base + rank for rank in ranks)
            while all(card in leftovers for card in cards):
                melds.append(Laid(CHI, cards))
                for card in cards:
                    leftovers.remove(card)
    xi = sum(meld.xi for meld in melds)
    quads = count_cards(quads_of(hand))
    jiang = quads > 0 and len(loose) == 2 and loose[0] == loose[1]
    if jiang:
        melds.append(Laid("jiang", (loose[0], loose[1])))
    elif leftovers:
        melds.append(Laid("rest", tuple(leftovers)))
    return score(
        rules,
        xi,
        tuple(melds),
        hand_cards(hand),
        zimo=True,
        duidui=not loose or jiang,
        haidi=False,
        tian=True,
        di=False,
    )


def score(
    rules: RuleSet,
    xi: int,
    melds: tuple[Laid, ...],
    cards: Iterable[int],
    *,
    zimo: bool,
    duidui: bool,
    haidi: bool,
    tian: bool,
    di: bool,
) -> Win:
    """Return what a complete hand of known 息 is worth."""
    held = list(cards)
    red = sum(RED[card] for card in held)
    big = sum(BIG[card] for card in held)
    measures = {
        "red": red,
        "big": big,
        "small": len(held) - big,
        "dui": int(duidui),
        "haidi": int(haidi),
        "tian": int(tian),
        "di": int(di),
    }
    names = names_of(rules, measures)
    fan = sum(worth for _, worth in names) if names else 1
    deng = (xi - rules.deng_first) // rules.deng_step + 1
    bonus = rules.zimo_deng if zimo else 0
    points = (deng + bonus) * fan if rules.zimo_stage == "before_fan" else deng * fan + bonus
    if rules.point_cap is not None:
        points = min(points, rules.point_cap)
    return Win(xi, deng, bonus, names, fan, points, melds)


def names_of(rules: RuleSet, measures: Mapping[str, int]) -> Names:
    """Return the names that apply to a hand with these measures (Rule 10)."""
    table = NAME_TABLES[rules.names]
    names: dict[str, int] = {}
    for rule in table.names:
        measure = measures[rule.measure]
        if rule.low <= measure <= rule.high:
            fan = rule.fan + rule.per_card * (measure - rule.low)
            names[rule.name] = min(fan, getattr(rules, rule.cap)) if rule.cap else fan
    if table.wu_dui and "乌胡" in names and "对对胡" in names:
        names["对对胡"] = rules.wu_dui_total - names["乌胡"]
    if table.plain_haidi and list(names) == ["海底"]:
        names["海底"] = rules.haidi_plain_total
    return tuple(names.items())


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a round of 跑胡子 ended."""

    end: str
    """``hu`` or ``draw``."""
    winner: int
    """The winning seat, -1 for a draw."""
    how: str
    """``zimo``, ``wall``, ``liang``, ``santi``, ``discard``, or empty."""
    source: int
    """The seat whose card it was, or -1."""
    card: int
    """The winning card, or -1."""
    points: tuple[int, ...]
    """By seat; the sum is 0."""
    win: Win | None
    """How the hand was scored."""

    @property
    def winners(self) -> tuple[int, ...]:
        """The winning seats."""
        return (self.winner,) if self.winner >= 0 else ()

    def result(self) -> dict[str, Any]:
        """Return the Result of docs/record-format.md without ``dealer_next`` and ``draws_in_row_next``."""
        win = self.win
        return {
            "end": self.end,
            "winners": list(self.winners),
            "how": self.how,
            "from": self.source,
            "card": CARD_TEXTS[self.card] if self.card >= 0 else "",
            "points": list(self.points),
            "huxi": win.xi if win else 0,
            "deng": win.deng if win else 0,
            "zimo_bonus": win.zimo_bonus if win else 0,
            "names": dict(win.names) if win else {},
            "fan": win.fan if win else 0,
            "melds": [[meld.kind, *[CARD_TEXTS[card] for card in meld.cards]] for meld in win.melds]
            if win
            else [],
        }


def explain_win(rules: RuleSet, win: Win) -> tuple[Line, ...]:
    """Return how a win adds up: each meld, 息, 等, names, the product and what a cap leaves of it."""
    rule = NAME_TABLES[rules.names].rule
    lines = [_meld_line(meld) for meld in win.melds]
    lines.append(
        Line(
            "总息",
            f"{win.xi} 息，{rules.min_xi} 息起胡",
            "§8",
            "In all",
            f"{win.xi} huxi, {rules.min_xi} needed",
        )
    )
    steps = f"({win.xi}−{rules.deng_first})÷{rules.deng_step}"
    exact = (win.xi - rules.deng_first) % rules.deng_step == 0
    lines.append(
        Line(
            "等数",
            f"{steps}{'' if exact else ' 取整 '}+1 = {win.deng}",
            "§10",
            "Deng",
            f"{steps if exact else f'floor({steps})'}+1 = {win.deng}",
        )
    )
    if win.zimo_bonus:
        lines.append(
            Line("自摸", f"加 {win.zimo_bonus} 等", "§11.5", "Self-drawn", f"{win.zimo_bonus} deng more")
        )
    lines.append(_names_line(win, rule))
    if rules.zimo_stage == "before_fan":
        total = (win.deng + win.zimo_bonus) * win.fan
        product = f"({win.deng}+{win.zimo_bonus})×{win.fan}" if win.zimo_bonus else f"{win.deng}×{win.fan}"
    else:
        total = win.deng * win.fan + win.zimo_bonus
        product = f"{win.deng}×{win.fan}{f'+{win.zimo_bonus}' if win.zimo_bonus else ''}"
    lines.append(Line("得分", f"{product} = {total}", "§10", "Points", f"{product} = {total}"))
    if rules.point_cap is not None and total > rules.point_cap:
        cap = rules.point_cap
        lines.append(Line("封顶", f"每家最多 {cap} 分", "§12", "Cap", f"at most {cap} points each"))
    return tuple(lines)


def _meld_line(meld: Laid) -> Line:
    kind = meld.kind
    if kind == CHI:
        kind = "shun" if len({BIG[card] for card in meld.cards}) == 1 else "jiao"
    zh, en = MELD_NAMES[kind]
    cards = "".join(CARD_NAMES[card] for card in meld.cards)
    return Line(
        f"{zh} {cards}",
        f"{meld.xi} 息",
        MELD_RULES.get(meld.kind, "§2"),
        f"{en} {cards}",
        f"{meld.xi} huxi",
    )


def _names_line(win: Win, rule: str) -> Line:
    zh, en = "平胡 1", "plain 1"
    if win.names:
        total = f" = {win.fan}" if len(win.names) > 1 else ""
        zh = " + ".join([f"{name} {fan}" for name, fan in win.names]) + total
        en = " + ".join([f"{NAMES_EN[name]} {fan}" for name, fan in win.names]) + total
    return Line("番", zh, rule, "Fan", en)
