"""Wins of 清混碰 by plain search on lists of tile texts: measure of the bench, judge of the tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bench import mahjong_reference as plain

Sets = tuple[tuple[str, ...], ...]
Melds = Sequence[tuple[str, str]]
"""Kind and tile of each meld, of a run the lowest."""


def laid_tiles(melds: Melds) -> list[str]:
    """Return the tiles of melds."""
    found: list[str] = []
    for kind, tile in melds:
        if kind == "chi":
            found += [f"{tile[0]}{int(tile[1]) + step}" for step in (0, 1, 2)]
        else:
            found += [tile] * (3 if kind == "peng" else 4)
    return found


class Plain:
    """One hand with its winning tile, and what it is worth."""

    def __init__(self, rules: Any, hand: list[str], melds: Melds, tile: str, flowers: int) -> None:
        self.rules, self.hand, self.melds, self.tile, self.exposed = rules, hand, melds, tile, flowers

    def flowers(self, sets: Sets) -> int:
        """Return the flowers of a reading."""
        triplets = [one[0] for one in sets if len(one) == 3 and one[0] == one[2]]
        triplets += [tile for kind, tile in self.melds if kind != "chi"]
        total = self.exposed
        for tile in triplets:
            total += 2 if tile in ("z5", "z6", "z7") else 1 if tile[0] == "z" else 0
        for kind, _ in self.melds:
            total += {"an": 2, "ming": 1, "bu": 1}.get(kind, 0)
        return total

    def row(self, sets: Sets | None) -> tuple[str, int]:
        """Return the pattern of a reading, or of honours without one, and its points."""
        rules, all_tiles = self.rules, [*self.hand, *laid_tiles(self.melds)]
        suits = {tile[0] for tile in all_tiles} - {"z"}
        honours = any(tile[0] == "z" for tile in all_tiles)
        runs = sets is not None and any(one[0] != one[1] for one in sets)
        pungs = sets is not None and not runs and all(kind != "chi" for kind, _ in self.melds)
        formula = min(rules.lezi, rules.formula_base + self.flowers(sets or ()))
        if not suits:
            name = "字碰" if pungs else "乱风向"
        elif len(suits) > 1:
            name = "碰碰胡" if pungs else "平胡"
        elif honours:
            name = "混碰" if pungs else "混一色"
        else:
            name = "清碰" if pungs else "清一色"
        fixed = {
            "字碰": rules.fixed_zipeng,
            "乱风向": rules.fixed_luanfengxiang,
            "混碰": rules.fixed_hunpeng,
            "清碰": rules.fixed_qingpeng,
            "清一色": rules.fixed_qingyise,
            "平胡": 0,
        }
        return name, formula if name in ("碰碰胡", "混一色") else rules.lezi * fixed[name]

    def extras(self, moment: Any) -> dict[str, int]:
        """Return the extras and their points."""
        rules, found = self.rules, {}
        concealed = any(kind == "an" for kind, _ in self.melds)
        if (
            len(self.melds) == 4
            and self.hand == [self.tile] * 2
            and (rules.dadiaoche_angang or not concealed)
        ):
            found["大吊车"] = rules.floor_dadiaoche
        if moment.gangkai:
            found["杠开"] = rules.floor_gangkai
        if moment.how == "qianggang":
            found["抢杠"] = rules.floor_qianggang
        if moment.last:
            found["海底"] = rules.floor_haidi
        if moment.first == "tian" and rules.fixed_tianhu:
            found["天胡"] = rules.fixed_tianhu
        if moment.first == "di" and rules.fixed_dihu:
            found["地胡"] = rules.fixed_dihu
        return {name: rules.lezi * worth for name, worth in found.items()}

    def best(self, moment: Any) -> tuple[int, bool, dict[str, int]] | None:
        """Return points, whether the label is one of pungs, and the names; none if the hand may not win."""
        rules, extras = self.rules, self.extras(moment)
        ways: list[Sets | None] = list(plain.readings(self.hand))
        if all(tile[0] == "z" for tile in [*self.hand, *laid_tiles(self.melds)]) and not ways:
            ways.append(None)
        starts = {"大吊车": ("dadiaoche", "both"), "杠开": ("gangkai", "both")}
        opened = any(
            (name in ("天胡", "地胡") and rules.tian_di_waive)
            or rules.extra_can_start in starts.get(name, ())
            for name in extras
        )
        found = []
        for sets in ways:
            name, worth = self.row(sets)
            if name == "平胡" and not opened:
                continue
            worths = [worth, *extras.values()]
            points = sum(worths) if rules.stack == "add" else max(worths)
            if rules.cap:
                points = min(points, rules.cap)
            if moment.how == "zimo" or points >= rules.min_ron:
                found.append((points, "碰" in name, {name: worth, **extras}))
        return max(found, key=lambda way: way[:2], default=None)
