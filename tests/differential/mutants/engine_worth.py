"""Mutants of the engine in what a hand is worth: 息, names, 等, points, and how the winning card counts."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.mutants.planting import Mutant

CHEAP: Final = {"min_xi": 3, "deng_first": 3}
"""Nearly every complete hand wins."""

CARDS, HU, MELDS = "paohuzi/cards.py", "paohuzi/hu.py", "paohuzi/melds.py"
NAMES, SCORING, TABLES = "paohuzi/names.py", "paohuzi/scoring.py", "paohuzi/tables.py"


def _mutant(name: str, rule: str, file: str, old: str, new: str, anchor: str = "", **more: Any) -> Mutant:
    return Mutant(name, rule, file, old, new, anchor, **more)


def _xi(kind: str, right: str, small: str, big: str) -> list[Mutant]:
    return [
        _mutant(
            f"a {size} {kind} has other 息",
            "§2",
            HU,
            f'"{kind}": {right}',
            f'"{kind}": {wrong}',
            options=CHEAP,
        )
        for size, wrong in (("small", small), ("big", big))
    ]


MELD_VALUES: Final = (
    *_xi("ti", "(9, 12)", "(8, 12)", "(9, 11)"),
    *_xi("pao", "(6, 9)", "(9, 9)", "(6, 12)"),
    *_xi("wei", "(3, 6)", "(1, 6)", "(3, 3)"),
    *_xi("chouwei", "(3, 6)", "(1, 6)", "(3, 3)"),
    *_xi("peng", "(1, 3)", "(3, 3)", "(1, 6)"),
    *_xi("kan", "(3, 6)", "(1, 6)", "(3, 3)"),
    _mutant("a small 坎 in hand has 1 息", "§2", TABLES, "KAN_XI: Final = (3, 6)", "KAN_XI: Final = (1, 6)", options=CHEAP),
    _mutant("a big 坎 in hand has 3 息", "§2", TABLES, "KAN_XI: Final = (3, 6)", "KAN_XI: Final = (3, 3)", options=CHEAP),
    _mutant("a small 提 in hand has 6 息", "§2", TABLES, "TI_XI: Final = (9, 12)", "TI_XI: Final = (6, 12)", options=CHEAP),
    _mutant("a big 提 in hand has 9 息", "§2", TABLES, "TI_XI: Final = (9, 12)", "TI_XI: Final = (9, 9)", options=CHEAP),
    _mutant("一二三 has no 息", "§2", MELDS, "ranks == (0, 1, 2) or ranks == TWO_SEVEN_TEN", "ranks == TWO_SEVEN_TEN", options=CHEAP),
    _mutant("二七十 has no 息", "§2", MELDS, "ranks == (0, 1, 2) or ranks == TWO_SEVEN_TEN", "ranks == (0, 1, 2)", options=CHEAP),
    _mutant("一二三 and 二七十 have 3 息 in big cards too", "§2", MELDS, "return 6 if meld[0] >= 10 else 3", "return 3", options=CHEAP),
    _mutant("二七十 in hand has no 息", "§2", TABLES, "int(ranks in (RUNS[0], TWO_SEVEN_TEN))", "int(ranks == RUNS[0])", "def _run_tables", options=CHEAP),
    _mutant("肆伍陆 counts as 壹贰叁", "§11.13", TABLES, "int(ranks in (RUNS[0], TWO_SEVEN_TEN))", "int(ranks in (RUNS[0], RUNS[3], TWO_SEVEN_TEN))", "def _run_tables", options=CHEAP),
    _mutant("big runs in hand count as small ones", "§2", MELDS, "best = units + 2 * others", "best = units + others", options=CHEAP),
)  # fmt: skip

FORMS: Final = (
    _mutant("a pair with another's card is a 坎", "§8", HU, 'Laid("peng", four[:3])', 'Laid("kan", four[:3])', options=CHEAP),
    _mutant("a pair is never split for the winning card", "§8", HU, "        found.append(Form(hand + one, melds, card))\n", "", options=CHEAP),
    _mutant("the own third card is a 碰", "§8", HU, 'Laid("wei", four[:3])', 'Laid("peng", four[:3])', options=CHEAP),
    _mutant("a 碰 runs on a won discard", "§8", HU, '("wei", "chouwei") if source == "discard" else', '("wei", "chouwei", "peng") if source == "discard" else', options={**CHEAP, "discard_hu": True}),
    _mutant("a 坎 run by the winning card stays a 坎", "§8", HU, 'found.append(Form(hand - 3 * one, (*melds, Laid("pao", four)), -1))', 'found.append(Form(hand - 3 * one, (*melds, Laid("kan", four[:3])), -1))', options=CHEAP),
    _mutant("a 坎 must be run by the winning card", "§8 破跑胡", HU, "        if po_pao_hu:\n            found.append(Form(hand - 2 * one", "        if False:\n            found.append(Form(hand - 2 * one", options=CHEAP),
    _mutant("a laid 偎 or 碰 must be run by the winning card", "§8 破跑胡", HU, "        if po_pao_hu:\n            found.append(Form(hand + one, melds, -1))", "        if False:\n            found.append(Form(hand + one, melds, -1))", options=CHEAP),
    _mutant("the own fourth card of a 偎 leaves it a 偎", "§8", HU, '_replaced(melds, at, Laid("ti", four))', "melds", options=CHEAP),
    _mutant("a laid 碰 that runs becomes a 提", "§8", HU, '_replaced(melds, at, Laid("pao", four))', '_replaced(melds, at, Laid("ti", four))', options=CHEAP),
    _mutant("a hand with quads needs no 将", "§2", MELDS, "units = loose_units(s & _INDEX, b & _INDEX, quads > 0)", "units = loose_units(s & _INDEX, b & _INDEX, False)", options=CHEAP),
    _mutant("a hand with quads is complete with one card more", "§3", MELDS, "cards != (20 + quads if quads else 21)", "cards != 21 + quads", "def max_huxi(", options=CHEAP),
    _mutant("only one quad counts for the number of cards", "§3", MELDS, "quads += lock >> QUAD_SHIFT", "quads = min(1, quads + (lock >> QUAD_SHIFT))", "def max_huxi(", options=CHEAP),
    _mutant("the first way to part two suits is taken", "§8", MELDS, "others != NO_RUNS and units + 2 * others > best", "others != NO_RUNS and best < 0", options=CHEAP),
    _mutant("a big pair cannot be the 将", "§2", MELDS, "best = _match(small, big, shape, RUN_JIANG)", "best = _match(small, big, shape, RUN)", options=CHEAP),
    _mutant("a small pair cannot be the 将", "§2", MELDS, "pairs = (SHAPE[small] >> 10) & 1023", "pairs = 0", options=CHEAP),
    _mutant("the way of fewest points is taken", "§8", SCORING, "key = (-win.points, -win.fan", "key = (win.points, -win.fan", options=CHEAP),
    _mutant("two 绞 of one rank cannot stand together", "§2", TABLES, "key + 2 * power if key // power % 3 == 0 else key - power", "key + 2 * power", options=CHEAP),
    _mutant("a run of the last three ranks does not count", "§2", TABLES, "for rank in range(8))", "for rank in range(7))", options=CHEAP),
    _mutant("seven are not red", "§1", CARDS, "RED_RANKS: Final = (2, 7, 10)", "RED_RANKS: Final = (2, 10)", options=CHEAP),
    _mutant("拾 counts as a small card", "§1", CARDS, "card >= 10 for card in range(KINDS)", "10 <= card < 19 for card in range(KINDS)", preset="tongyi-qmt", options=CHEAP),
)  # fmt: skip

MONEY: Final = (
    _mutant("15 息 are enough only if exceeded", "§8", SCORING, "if xi < rules.min_xi:", "if xi <= rules.min_xi:"),
    _mutant("the ladder begins one 等 lower", "§10", SCORING, "// rules.deng_step + 1", "// rules.deng_step"),
    _mutant("a begun step counts", "§10", SCORING, "(xi - rules.deng_first) // rules.deng_step + 1", "-((rules.deng_first - xi) // rules.deng_step) + 1"),
    _mutant("the ladder begins at min_xi", "§10", SCORING, "deng = (xi - rules.deng_first)", "deng = (xi - rules.min_xi)", options={"min_xi": 15, "deng_first": 9}),
    _mutant("自摸 is two 等", "§10", SCORING, "bonus = rules.zimo_deng if zimo else 0", "bonus = rules.zimo_deng + 1 if zimo else 0"),
    _mutant("an own 偎 that wins is no 自摸", "§10", SCORING, 'zimo=source in ("self", "made", "liang_dealer")', 'zimo=source in ("self", "liang_dealer")', options=CHEAP),
    _mutant("an own draw that wins is no 自摸", "§10", SCORING, 'zimo=source in ("self", "made", "liang_dealer")', 'zimo=source in ("made", "liang_dealer")', options=CHEAP),
    _mutant("the dealer who wins the 亮张 is not self-drawn", "§8 天胡", SCORING, 'zimo=source in ("self", "made", "liang_dealer")', 'zimo=source in ("self", "made")', options=CHEAP, rig="ready"),
    _mutant("a 闲家 who wins the 亮张 is self-drawn", "§11.21", SCORING, 'source == "liang_other" and rules.liang_xian_zimo', 'source == "liang_other"', options=CHEAP, rig="ready"),
    _mutant("a 闲家 who wins the 亮张 never is self-drawn", "§11.21", SCORING, 'source == "liang_other" and rules.liang_xian_zimo', "False", options={**CHEAP, "liang_xian_zimo": True}, rig="ready"),
    _mutant("三提五坎 is not self-drawn", "§8", SCORING, "zimo=True,", "zimo=False,", rig="santi"),
    _mutant("自摸 is added after multiplying", "§11.5", SCORING, 'if rules.zimo_stage == "before_fan" else', 'if rules.zimo_stage == "after_fan" else', "bonus = rules.zimo_deng", options=CHEAP),
    _mutant("after_fan is taken for before_fan", "§11.5", SCORING, 'if rules.zimo_stage == "before_fan" else', "if True else", "bonus = rules.zimo_deng", options={**CHEAP, "zimo_stage": "after_fan"}),
    _mutant("the cap of points is a floor", "§12", SCORING, "points = min(points, rules.point_cap)", "points = max(points, rules.point_cap)", options={**CHEAP, "point_cap": 5}),
    _mutant("there is no cap of points", "§12", SCORING, "points = min(points, rules.point_cap)", "points = points + 0", options={**CHEAP, "point_cap": 2}),
    _mutant("of several names the best counts", "§10", SCORING, "fan = sum(worth for", "fan = max(worth for", options=CHEAP),
    _mutant("names multiply", "§10", SCORING, "fan = sum(worth for _, worth in names) if names else 1", "fan = __import__('math').prod(worth for _, worth in names) if names else 1", options=CHEAP),
    _mutant("without a name the hand is worth two", "§10", SCORING, "for _, worth in names) if names else 1", "for _, worth in names) if names else 2"),
    _mutant("乌胡 with 对对胡 is their plain sum", "§11.6", SCORING, 'if table.wu_dui and "乌胡" in names', 'if False and "乌胡" in names', options=CHEAP, rig="ready"),
    _mutant("乌胡 with 对对胡 is ten whatever the option says", "§12", SCORING, "rules.wu_dui_total - names", "10 - names", options={**CHEAP, "wu_dui_total": 12}, rig="ready"),
    _mutant("海底 alone is two", "§11.7", SCORING, 'if table.plain_haidi and list(names) == ["海底"]:', "if False:", options=CHEAP),
    _mutant("海底 alone is one whatever the option says", "§12", SCORING, '= rules.haidi_plain_total', "= 1", options={**CHEAP, "haidi_plain_total": 3}),
    _mutant("海底 is worth haidi_plain_total beside other names too", "§11.7", SCORING, 'list(names) == ["海底"]', '"海底" in names', options=CHEAP, rig="ready"),
    _mutant("the cap of 红胡 does not act", "§10b", NAMES, '_colour("红胡", 10, MOST, 2, 1, "red_cap")', '_colour("红胡", 10, MOST, 2, 1)', preset="tongyi-qmt", options={**CHEAP, "red_cap": 3}),
    _mutant("the cap of 大字胡 does not act", "§10b", NAMES, '18, MOST, 6, 1, "big_cap"', "18, MOST, 6, 1", preset="tongyi-qmt", options={**CHEAP, "big_cap": 6}, rig="ready"),
    _mutant("the cap of 小字胡 does not act", "§10b", NAMES, '16, MOST, 8, 1, "small_cap"', "16, MOST, 8, 1", preset="tongyi-qmt", options={**CHEAP, "small_cap": 8}, rig="ready"),
    _mutant("the dealer who wins the 亮张 has no 天胡", "§10b", SCORING, 'tian=source == "liang_dealer"', "tian=False", preset="tongyi-qmt", options=CHEAP, rig="ready"),
    _mutant("三提五坎 has no 天胡", "§10b", SCORING, "tian=True", "tian=False", preset="tongyi-qmt", rig="santi"),
    _mutant("a 闲家 who wins the 亮张 has no 地胡", "§10b", SCORING, 'di=source == "liang_other"', "di=False", preset="tongyi-qmt", options=CHEAP, rig="ready"),
    _mutant("对对胡 may hold one 吃", "§10a", HU, "if any(meld.kind == CHI for meld in self.laid):", "if sum(meld.kind == CHI for meld in self.laid) > 1:", options=CHEAP),
    _mutant("对对胡 with a 将 is none", "§10a", HU, "return loose == 0 or (loose == 2 and self.quads > 0)", "return loose == 0", options=CHEAP),
    _mutant("对对胡 with 三提五坎 may leave cards over", "§11.27", SCORING, "duidui=not loose or jiang", "duidui=True", rig="santi"),
    _mutant("a pair left over by 三提五坎 is no 将", "§11.27", SCORING, "jiang = quads > 0 and len(loose) == 2 and", "jiang = False and", rig="santi"),
    _mutant("the leftovers of 三提五坎 have no 息", "§8", SCORING, "while all(card in leftovers for card in cards):", "while False:", rig="santi"),
    _mutant("the leftovers of 三提五坎 may share cards", "§8", SCORING, "                for card in cards:\n                    leftovers.remove(card)", "                leftovers.remove(cards[2])", rig="santi"),
    _mutant("the leftovers of 三提五坎 count only 一二三", "§8", SCORING, "for ranks in ((0, 1, 2), (1, 6, 9)):", "for ranks in ((0, 1, 2),):", rig="santi"),
    _mutant("only one loser pays", "§10", "paohuzi/position.py", "points[seat] = 2 * pay", "points[seat] = pay"),
    _mutant("all pay for a won discard", "§12", "paohuzi/position.py", 'how == "discard" and self.rules.discard_hu_pays == "discarder"', "False", options={**CHEAP, "discard_hu": True}),
    _mutant("the discarder pays though all should", "§12", "paohuzi/position.py", 'how == "discard" and self.rules.discard_hu_pays == "discarder"', 'how == "discard"', options={**CHEAP, "discard_hu": True, "discard_hu_pays": "all"}),
    _mutant("the discarder pays only his own part", "§12", "paohuzi/position.py", "points[source] = -2 * pay", "points[source] = -pay", options={**CHEAP, "discard_hu": True}),
)  # fmt: skip

TABLE_LINES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "876": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 6'), ('"乌胡", 0, 0, 5', '"乌胡", 0, 1, 5'),
        ('"点胡", 1, 1, 3', '"点胡", 1, 1, 4'), ('"点胡", 1, 1, 3', '"点胡", 1, 2, 3'),
        ('"红胡", 10, 12, 2', '"红胡", 10, 12, 3'), ('"红胡", 10, 12, 2', '"红胡", 9, 12, 2'),
        ('"红胡", 10, 12, 2', '"红胡", 11, 12, 2'), ('"红胡", 10, 12, 2', '"红胡", 10, 11, 2'),
        ('"红乌", 13, MOST, 4', '"红乌", 13, MOST, 3'), ('"红乌", 13, MOST, 4', '"红乌", 14, MOST, 4'),
        ('"对对胡", "dui", 4', '"对对胡", "dui", 5'), ('"海底", "haidi", 2', '"海底", "haidi", 3'),
    ),
    "qmt": (
        ('"点胡", 1, 1, 4', '"点胡", 1, 1, 3'), ('"红胡", 10, MOST, 2, 1', '"红胡", 10, MOST, 3, 1'),
        ('"红胡", 10, MOST, 2, 1', '"红胡", 9, MOST, 2, 1'), ('"红胡", 10, MOST, 2, 1', '"红胡", 10, MOST, 2, 0'),
        ('"乌胡", 0, 0, 6', '"乌胡", 0, 0, 5'), ('"对对胡", "dui", 6', '"对对胡", "dui", 4'),
        ('"big", 18, MOST, 6, 1', '"big", 18, MOST, 5, 1'), ('"big", 18, MOST, 6, 1', '"big", 17, MOST, 6, 1'),
        ('"big", 18, MOST, 6, 1', '"big", 18, MOST, 6, 0'), ('"small", 16, MOST, 8, 1', '"small", 16, MOST, 7, 1'),
        ('"small", 16, MOST, 8, 1', '"small", 17, MOST, 8, 1'), ('"small", 16, MOST, 8, 1', '"small", 16, MOST, 8, 2'),
        ('"海底胡", "haidi", 6', '"海底胡", "haidi", 5'), ('"天胡", "tian", 6', '"天胡", "tian", 5'),
        ('"地胡", "di", 6', '"地胡", "di", 5'),
    ),
    "hhd": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 4'), ('"点胡", 1, 1, 3', '"点胡", 1, 1, 2'),
        ('"红胡", 10, 12, 2', '"红胡", 10, 12, 1'), ('"红乌", 13, MOST, 4', '"红乌", 13, MOST, 5'),
        ('"对对胡", "dui", 4', '"对对胡", "dui", 3'),
    ),
    "changde-qmt": (
        ('"点胡", 1, 1, 6', '"点胡", 1, 1, 5'), ('"红胡", 10, MOST, 3, 1', '"红胡", 10, MOST, 2, 1'),
        ('"乌胡", 0, 0, 8', '"乌胡", 0, 0, 7'), ('"对对胡", "dui", 8', '"对对胡", "dui", 6'),
        ('"big", 18, MOST, 8, 1', '"big", 18, MOST, 6, 1'), ('"small", 16, MOST, 10, 1', '"small", 16, MOST, 8, 1'),
        ('"海底胡", "haidi", 6', '"海底胡", "haidi", 8'), ('"天胡", "tian", 6', '"天胡", "tian", 8'),
        ('"地胡", "di", 6', '"地胡", "di", 8'),
    ),
    "changde-dhd": (
        ('"红胡", 10, MOST, 2, 1', '"红胡", 10, MOST, 2, 0'), ('"点胡", 1, 1, 3', '"点胡", 1, 1, 4'),
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 6'), ('"对对胡", "dui", 5', '"对对胡", "dui", 4'),
    ),
    "ningxiang": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 4'), ('"点胡", 1, 1, 4', '"点胡", 1, 1, 3'),
        ('"双漂", 2, 2, 2', '"双漂", 2, 2, 3'), ('"三扁", 3, 3, 3', '"三扁", 3, 3, 4'),
        ('"四扁", 4, 4, 4', '"四扁", 4, 4, 5'), ('"红胡", 10, MOST, 2, 1', '"红胡", 10, MOST, 3, 1'),
        ('"big", 18, MOST, 5, 1', '"big", 18, MOST, 6, 1'), ('"small", 18, MOST, 5, 1', '"small", 16, MOST, 5, 1'),
        ('"对对胡", "dui", 5', '"对对胡", "dui", 4'), ('"天胡", "tian", 5', '"天胡", "tian", 6'),
        ('"地胡", "di", 5', '"地胡", "di", 6'),
    ),
}  # fmt: skip
"""For each table of names, what stands in one of its lines and what is put there."""

NAME_LINES: Final = tuple(
    _mutant(
        f"table {table} has {new}",
        "§10",
        NAMES,
        old,
        new,
        f'"{table}": NameTable(',
        options={**CHEAP, "names": table},
        rig="santi" if "tian" in old else "ready",
    )
    for table, lines in TABLE_LINES.items()
    for old, new in lines
)

MUTANTS: Final = (*MELD_VALUES, *FORMS, *MONEY, *NAME_LINES)
