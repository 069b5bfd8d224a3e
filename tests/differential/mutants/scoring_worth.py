"""Mutants of scoring in what a hand is worth: 息, names, 等, points, and how the winning card counts."""

from __future__ import annotations

from typing import Any, Final

from tests.differential.mutants.planting import Mutant

CHEAP: Final = {"min_xi": 3, "deng_first": 3}
"""Nearly every complete hand wins."""

HANDS, JUDGE, NAMES, PAYMENT, TILES = "hands.py", "judge.py", "names.py", "payment.py", "tiles.py"


def _mutant(name: str, rule: str, file: str, old: str, new: str, anchor: str = "", **more: Any) -> Mutant:
    return Mutant(name, rule, file, old, new, anchor, **more)


def _xi(kind: str, right: str, small: str, big: str) -> list[Mutant]:
    return [
        _mutant(f"a {size} {kind} has other 息", "§2", HANDS, f'"{kind}": {right}', f'"{kind}": {wrong}', options=CHEAP)
        for size, wrong in (("small", small), ("big", big))
    ]  # fmt: skip


MELD_VALUES: Final = (
    *_xi("ti", "(9, 12)", "(6, 12)", "(9, 9)"),
    *_xi("pao", "(6, 9)", "(9, 9)", "(6, 12)"),
    *_xi("wei", "(3, 6)", "(1, 6)", "(3, 3)"),
    *_xi("chouwei", "(3, 6)", "(1, 6)", "(3, 3)"),
    *_xi("kan", "(3, 6)", "(1, 6)", "(3, 3)"),
    *_xi("peng", "(1, 3)", "(3, 3)", "(1, 6)"),
    *_xi("yiersan", "(3, 6)", "(0, 6)", "(3, 3)"),
    *_xi("erqishi", "(3, 6)", "(0, 6)", "(3, 3)"),
    *_xi("shun", "(0, 0)", "(1, 0)", "(0, 1)"),
    _mutant("a 绞 has 1 息", "§2", HANDS, '"jiao": (0, 0)', '"jiao": (1, 0)', options=CHEAP),
    _mutant("a big 将 has 1 息", "§2", HANDS, '"jiang": (0, 0)', '"jiang": (0, 1)', options=CHEAP),
)

FORMS: Final = (
    _mutant("six 门子 are enough", "§3", HANDS, "GROUPS: Final = 7", "GROUPS: Final = 6", options=CHEAP),
    _mutant("a 跑 needs no 将", "§2", HANDS, 'QUADS: Final = frozenset({"ti", "pao"})', 'QUADS: Final = frozenset({"ti"})', options=CHEAP),
    _mutant("a hand with quads needs no 将", "§2", HANDS, "if cards != 3 * wanted - (1 if quads else 0):", "if cards != 3 * wanted:", options=CHEAP),
    _mutant("a 坎 may be split", "§2", HANDS, "        if loose[card] >= 3:", "        if loose[card] >= 4:", options=CHEAP),
    _mutant("a dealt 提 is a 坎 and a loose card", "§2", HANDS, "            loose[card] = 0", "            loose[card] = 0 if loose[card] == 3 else 1", options=CHEAP),
    _mutant("a pair with another's card is a 坎", "§8", HANDS, 'frame.taking(alike("peng", card)', 'frame.taking(alike("kan", card)', options=CHEAP),
    _mutant("a pair is never split for the winning card", "§8", HANDS, '            yield frame.taking(alike("peng", card), from_loose=2)\n        yield', '            yield frame.taking(alike("peng", card), from_loose=2)\n            return\n        yield', options=CHEAP),
    _mutant("a pair is always split for the winning card", "§8", HANDS, "        if frame.loose[card] == 2:\n            yield frame.taking(alike(\"peng\"", "        if frame.loose[card] == 3:\n            yield frame.taking(alike(\"peng\"", options=CHEAP),
    _mutant("the own third card is a 碰", "§8", HANDS, 'frame.taking(alike("wei", card)', 'frame.taking(alike("peng", card)', options=CHEAP),
    _mutant("the own third card need not be 偎", "§5 D1", HANDS, 'elif source == "self" and frame.loose[card] == 2:', "elif False:", options=CHEAP),
    _mutant("the own fourth card runs", "§8", HANDS, 'frame.taking(alike("ti", card), instead_of=own)', 'frame.taking(alike("pao", card), instead_of=own)', options=CHEAP),
    _mutant("the own fourth card of a 碰 is a 提", "§13.5", HANDS, 'own is not None and own.kind != "peng":', "own is not None:", options=CHEAP),
    _mutant("a 碰 runs on a won discard", "§8", HANDS, 'own.kind == "peng" and source == "discard"', "False", options={**CHEAP, "discard_hu": True}),
    _mutant("another's fourth card makes a 提", "§8", HANDS, 'frame.taking(alike("pao", card), instead_of=own)', 'frame.taking(alike("ti", card), instead_of=own)', options=CHEAP),
    _mutant("the own meld must be run by the winning card", "§8 破跑胡", HANDS, "        if po_pao_hu:", "        if False:", options=CHEAP),
    _mutant("po_pao_hu acts though switched off", "§12", HANDS, "        if po_pao_hu:", "        if True:", options={**CHEAP, "po_pao_hu": False}),
    _mutant("a 坎 does not grow", "§8", HANDS, 'GROWING: Final = frozenset({"kan", "wei", "chouwei", "peng"})', 'GROWING: Final = frozenset({"wei", "chouwei", "peng"})', options=CHEAP),
    _mutant("a 碰 does not grow", "§8", HANDS, 'GROWING: Final = frozenset({"kan", "wei", "chouwei", "peng"})', 'GROWING: Final = frozenset({"kan", "wei", "chouwei"})', options=CHEAP),
    _mutant("一二三 is a plain run", "§2", HANDS, '"yiersan" if rank(first) == 1 else "shun"', '"shun"', options=CHEAP),
    _mutant("二三四 counts as 一二三", "§2", HANDS, '"yiersan" if rank(first) == 1 else "shun"', '"yiersan" if rank(first) <= 2 else "shun"', options=CHEAP),
    _mutant("八九十 is no run", "§2", HANDS, "if rank(first) <= RANKS - 2:", "if rank(first) <= RANKS - 3:", options=CHEAP),
    _mutant("二七十 is no meld", "§2", HANDS, "if rank(first) == 2:", "if False:", options=CHEAP),
    _mutant("一六九 is a meld like 二七十", "§2", HANDS, "if rank(first) == 2:", "if rank(first) in (1, 2):", options=CHEAP),
    _mutant("a 绞 has two small cards", "§2", HANDS, "((first, first, big), (first, big, big))", "((first, first, big),)", options=CHEAP),
    _mutant("the cheapest reading counts", "§8", JUDGE, "_preference(win) < _preference(best)", "_preference(win) > _preference(best)", options=CHEAP),
    _mutant("the reading of least 息 counts", "§8", JUDGE, "_preference(win) < _preference(best):", "win.xi < best.xi:", options=CHEAP),
    _mutant("sevens are not red", "§1", TILES, "frozenset({2, 7, 10})", "frozenset({2, 10})", options=CHEAP),
    _mutant("拾 is a small card", "§1", TILES, "return kind >= RANKS", "return RANKS <= kind < KINDS - 1", options=CHEAP),
)  # fmt: skip

MONEY: Final = (
    _mutant("15 息 are enough only if exceeded", "§8", JUDGE, "for meld in form) < options.min_xi:", "for meld in form) <= options.min_xi:"),
    _mutant("the ladder begins one 等 lower", "§10", PAYMENT, "// options.deng_step + 1", "// options.deng_step"),
    _mutant("the ladder begins at min_xi", "§10", PAYMENT, "xi - options.deng_first", "xi - options.min_xi", options={"min_xi": 15, "deng_first": 9}),
    _mutant("a step is three 息 whatever the option says", "§12", PAYMENT, "// options.deng_step", "// 3", options={**CHEAP, "deng_step": 5}),
    _mutant("自摸 is one 等 whatever the option says", "§12", PAYMENT, "return options.zimo_deng if", "return 1 if", options={**CHEAP, "zimo_deng": 3}),
    _mutant("an own draw that wins is no 自摸", "§10", PAYMENT, '{"self", "liang_dealer", "santi"}', '{"liang_dealer", "santi"}', options=CHEAP),
    _mutant("the dealer who wins the 亮张 is not self-drawn", "§8 天胡", PAYMENT, '{"self", "liang_dealer", "santi"}', '{"self", "santi"}', options=CHEAP, rig="ready"),
    _mutant("三提五坎 is not self-drawn", "§8", PAYMENT, '{"self", "liang_dealer", "santi"}', '{"self", "liang_dealer"}', rig="santi"),
    _mutant("a 闲家 who wins the 亮张 is self-drawn", "§11.21", PAYMENT, 'source == "liang_other" and options.liang_xian_zimo', 'source == "liang_other"', options=CHEAP, rig="ready"),
    _mutant("a 闲家 who wins the 亮张 never is self-drawn", "§11.21", PAYMENT, 'source == "liang_other" and options.liang_xian_zimo', "False", options={**CHEAP, "liang_xian_zimo": True}, rig="ready"),
    _mutant("自摸 is added after multiplying", "§11.5", PAYMENT, 'if options.zimo_stage == "after_fan" else', "if True else", options=CHEAP),
    _mutant("after_fan is taken for before_fan", "§11.5", PAYMENT, 'if options.zimo_stage == "after_fan" else', "if False else", options={**CHEAP, "zimo_stage": "after_fan"}),
    _mutant("the cap of points is a floor", "§12", PAYMENT, "else min(options.point_cap, points)", "else max(options.point_cap, points)", options={**CHEAP, "point_cap": 5}),
    _mutant("only one loser pays", "§10", PAYMENT, "total = points * (seats - 1)", "total = points"),
    _mutant("all pay for a won discard", "§12", PAYMENT, 'how == "discard" and options.discard_hu_pays == "discarder"', "False", options={**CHEAP, "discard_hu": True}),
    _mutant("the discarder pays though all should", "§12", PAYMENT, 'how == "discard" and options.discard_hu_pays == "discarder"', 'how == "discard"', options={**CHEAP, "discard_hu": True, "discard_hu_pays": "all"}),
    _mutant("of several names the best counts", "§10", NAMES, "return sum(names.values()) if names else 1", "return max(names.values()) if names else 1", options=CHEAP),
    _mutant("without a name the hand is worth two", "§10", NAMES, "return sum(names.values()) if names else 1", "return sum(names.values()) if names else 2"),
    _mutant("乌胡 with 对对胡 is their plain sum", "§11.6", NAMES, 'both = table.wu_dui and "乌胡" in found', "both = False", options=CHEAP, rig="ready"),
    _mutant("乌胡 with 对对胡 is ten whatever the option says", "§12", NAMES, 'options.wu_dui_total - found["乌胡"]', '10 - found["乌胡"]', options={**CHEAP, "wu_dui_total": 12}, rig="ready"),
    _mutant("海底 alone is two", "§11.7", NAMES, "if table.haidi_plain and not found else fan", "if False else fan", options=CHEAP),
    _mutant("海底 is worth haidi_plain_total beside other names too", "§11.7", NAMES, "if table.haidi_plain and not found else fan", "if table.haidi_plain else fan", options=CHEAP, rig="ready"),
    _mutant("caps do not act", "§10b", NAMES, "min(fan, getattr(options, rising.cap)) if rising.cap else fan", "fan", preset="tongyi-qmt", options={**CHEAP, "red_cap": 2}),
    _mutant("a rising name needs one card more", "§10b", NAMES, "if beyond >= 0:", "if beyond > 0:", preset="tongyi-qmt", options=CHEAP),
    _mutant("a rising name does not rise", "§10b", NAMES, "fan = rising.fan + beyond", "fan = rising.fan", preset="tongyi-qmt", options=CHEAP),
    _mutant("the dealer who wins the 亮张 has no 天胡", "§10b", NAMES, '{"liang_dealer", "santi"}', '{"santi"}', preset="tongyi-qmt", options=CHEAP, rig="ready"),
    _mutant("三提五坎 has no 天胡", "§10b", NAMES, '{"liang_dealer", "santi"}', '{"liang_dealer"}', preset="tongyi-qmt", rig="santi"),
    _mutant("the dealer has 地胡 too", "§10b", NAMES, 'traits.source == "liang_other" and table.di', 'traits.source.startswith("liang") and table.di', preset="tongyi-qmt", options=CHEAP, rig="ready"),
    _mutant("对对胡 may hold a 绞", "§10a", HANDS, 'EATEN: Final = frozenset({"yiersan", "erqishi", "shun", "jiao"})', 'EATEN: Final = frozenset({"yiersan", "erqishi", "shun"})', options=CHEAP),
    _mutant("对对胡 may hold a 一二三", "§10a", HANDS, 'EATEN: Final = frozenset({"yiersan", "erqishi", "shun", "jiao"})', 'EATEN: Final = frozenset({"erqishi", "shun", "jiao"})', options=CHEAP),
    _mutant("三提五坎 needs four 提", "§4", JUDGE, "SANTI_QUADS: Final = 3", "SANTI_QUADS: Final = 4", rig="santi"),
    _mutant("三提五坎 needs six 坎", "§4", JUDGE, "SANTI_TRIPLES: Final = 5", "SANTI_TRIPLES: Final = 6", rig="santi"),
    _mutant("a 提 is no 坎 for 三提五坎", "§4", JUDGE, "quads + sum(1 for count in hand if count == 3)", "sum(1 for count in hand if count == 3)", rig="santi"),
    _mutant("对对胡 with 三提五坎 may leave cards over", "§11.27", JUDGE, "without_eaten=rest == 0 or is_pair", "without_eaten=True", rig="santi"),
    _mutant("a pair left over by 三提五坎 is no 将", "§11.27", JUDGE, "is_pair = rest == 2 and", "is_pair = False and", rig="santi"),
    _mutant("a pair left over by five 坎 is a 将", "§11.27", JUDGE, "max(frame.loose) == 2 and quads", "max(frame.loose) == 2", rig="santi"),
    _mutant("the leftovers of 三提五坎 have no 息", "§8", JUDGE, "else hands.best_leftovers(frame.loose)", "else ()", rig="santi"),
    _mutant("the leftovers of 三提五坎 may share cards", "§8", HANDS, "tried = (meld, *best_leftovers(rest))", "tried = (meld, *best_leftovers(tuple(n - (at == meld.cards[2]) for at, n in enumerate(counts))))", rig="santi"),
    _mutant("三提五坎 counts the names of its melds alone", "§8", JUDGE, "traits = names.traits_of(hand,", "traits = names.traits_of(hands.all_cards(form),", preset="tongyi-qmt", rig="santi"),
)  # fmt: skip

TABLE_LINES: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "876": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 6'), ('"点胡", 1, 1, 3', '"点胡", 1, 1, 4'),
        ('"点胡", 1, 1, 3', '"点胡", 1, 2, 3'), ('"红胡", 10, 12, 2', '"红胡", 10, 12, 3'),
        ('"红胡", 10, 12, 2', '"红胡", 9, 12, 2'), ('"红胡", 10, 12, 2', '"红胡", 10, 11, 2'),
        ('"红乌", 13, _ALL, 4', '"红乌", 13, _ALL, 3'), ('"红乌", 13, _ALL, 4', '"红乌", 14, _ALL, 4'),
        ("duidui=4", "duidui=5"), ('"海底", 2', '"海底", 3'),
    ),
    "qmt": (
        ('"乌胡", 0, 0, 6', '"乌胡", 0, 0, 5'), ('"点胡", 1, 1, 4', '"点胡", 1, 1, 3'),
        ('"reds", 10, 2', '"reds", 10, 3'), ('"reds", 10, 2', '"reds", 9, 2'),
        ('"bigs", 18, 6', '"bigs", 18, 5'), ('"bigs", 18, 6', '"bigs", 17, 6'),
        ('"smalls", 16, 8', '"smalls", 16, 7'), ('"smalls", 16, 8', '"smalls", 17, 8'),
        ('"smalls", 16, 8, "small_cap"', '"smalls", 16, 8, "big_cap"'),
        ("duidui=6", "duidui=4"), ("tian=6", "tian=5"), ("        di=6", "        di=5"),
        ('"海底胡", 6', '"海底胡", 5'),
    ),
    "hhd": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 4'), ('"点胡", 1, 1, 3', '"点胡", 1, 1, 2'),
        ('"红胡", 10, 12, 2', '"红胡", 10, 12, 1'), ('"红乌", 13, _ALL, 4', '"红乌", 13, _ALL, 5'),
        ("duidui=4", "duidui=3"),
    ),
    "changde-qmt": (
        ('"乌胡", 0, 0, 8', '"乌胡", 0, 0, 7'), ('"点胡", 1, 1, 6', '"点胡", 1, 1, 5'),
        ('"reds", 10, 3', '"reds", 10, 2'), ('"bigs", 18, 8', '"bigs", 18, 6'),
        ('"smalls", 16, 10', '"smalls", 16, 8'), ("duidui=8", "duidui=6"), ("tian=6", "tian=8"),
        ("        di=6", "        di=8"), ('"海底胡", 6', '"海底胡", 8'),
    ),
    "changde-dhd": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 6'), ('"点胡", 1, 1, 3', '"点胡", 1, 1, 4'),
        ('"reds", 10, 2', '"reds", 10, 3'), ("duidui=5", "duidui=4"),
    ),
    "ningxiang": (
        ('"乌胡", 0, 0, 5', '"乌胡", 0, 0, 4'), ('"点胡", 1, 1, 4', '"点胡", 1, 1, 3'),
        ('"双漂", 2, 2, 2', '"双漂", 2, 2, 3'), ('"三扁", 3, 3, 3', '"三扁", 3, 3, 4'),
        ('"四扁", 4, 4, 4', '"四扁", 4, 4, 5'), ('"reds", 10, 2', '"reds", 10, 3'),
        ('"bigs", 18, 5', '"bigs", 18, 6'), ('"smalls", 18, 5', '"smalls", 16, 5'),
        ("duidui=5", "duidui=4"), ("tian=5", "tian=6"), ("        di=5", "        di=6"),
    ),
}  # fmt: skip
"""For each table of names, what stands in one of its lines and what is put there."""

NAME_LINES: Final = tuple(
    _mutant(
        f"table {table} has {new.strip()}",
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
