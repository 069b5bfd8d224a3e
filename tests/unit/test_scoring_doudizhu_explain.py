"""Scoring says in words, Chinese and English, why a round of 斗地主 was worth what it was."""

import math
import re
from typing import Any

from services.scoring.core.doudizhu.explain import explained, summary
from services.scoring.core.doudizhu.payment import Won
from services.scoring.core.doudizhu.result import Result, result_after
from services.scoring.core.doudizhu.rules import Options


def after(options: Options, **more: Any) -> Result:
    given = {"landlord": 1, "last": 0, "bid": 2, "plays": (2, 1, 3), **more}
    return result_after(options, 0, 0, Won(**given))


def test_each_factor_and_each_stake_has_its_line_with_its_rule() -> None:
    options = Options(bomb_cap=3, rocket_mult=4, base_stake=5)
    result = after(options, robs=2, bombs=4, rockets=1, double=(1, 2, 2))
    zh, en = explained(options, result)
    assert en == (
        "Landlord: seat 1, bid 2 (§3).",
        "A peasant, seat 0, went out first (§4).",
        "robbed 2: ×4 (§3)",
        "rocket 1: ×4 (§4)",
        "bombs 4, 2 count: ×4 (§4)",
        "反春天 (the landlord played one hand only): ×2 (§4)",
        "multiplier 128",
        "seat 0: 2 × 128 × 2 × 1 = 512, gets it; stake × 5 = 2560 (§4)",
        "seat 2: 2 × 128 × 2 × 2 = 1024, gets it; stake × 5 = 5120 (§4)",
    )
    assert zh[4] == "炸弹 4，计 2：×4（§4）"
    assert zh[-1] == "2 号位：2 × 128 × 2 × 2 = 1024，得，× 底 5 = 5120（§4）"
    assert len(zh) == len(en)


def test_the_products_in_words_are_the_products() -> None:
    for robs in range(4):
        for bombs in range(4):
            for double in ((1, 1, 1), (2, 1, 2)):
                options = Options(scoring="multiply" if robs % 2 else "linear")
                result = after(options, robs=robs, bombs=bombs, double=double, last=1)
                stakes = [line for line in explained(options, result)[1] if line.startswith("seat")]
                assert len(stakes) == 2
                for line in stakes:
                    product, total = re.findall(r": ([\d × ]+) = (\d+), pays it", line)[0]
                    assert math.prod(map(int, product.split(" × "))) == int(total)
                    assert result.points[int(line[5])] == -int(total)


def test_the_contest_adds() -> None:
    options = Options(scoring="linear")
    result = after(options, bombs=2, last=1, plays=(0, 4, 0))
    _, en = explained(options, result)
    assert en[1:5] == (
        "The landlord, seat 1, went out first (§4).",
        "bombs 2: +2 (§4)",
        "春天 (no peasant played a hand): +1 (§4)",
        "multiplier 4",
    )


def test_a_redeal_is_said_to_be_one() -> None:
    result = result_after(Options(), 0, 0, None)
    assert explained(Options(), result) == (
        ("三家都不要：重新发牌（§3）",),
        ("All three declined: a new deal (§3).",),
    )
    assert summary(result) == "all declined, a redeal"


def test_a_round_in_a_few_words() -> None:
    assert summary(after(Options(), bombs=1)) == (
        "the peasants by the last card of seat 0, bid 2 × 4, 炸弹 1, 反春天 1"
    )
    assert summary(after(Options(), last=1)) == (
        "the landlord, seat 1, by the last card of seat 1, bid 2 × 1"
    )
