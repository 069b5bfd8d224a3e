"""Presets have the numbers of rules §12; a record's options are read strictly."""

import json

import pytest

from services.scoring.core import names, rules
from services.scoring.core.names import Traits


@pytest.mark.parametrize(
    ("preset", "numbers"),
    [
        ("876cc", (15, 15, 3, "876", True)),
        ("luzhou-10xi", (10, 10, 3, "876", True)),
        ("bafang-yongzhou", (15, 15, 3, "qmt", True)),
        ("tongyi-qmt", (15, 15, 3, "qmt", False)),
        ("tongyi-quanmingtang", (15, 15, 3, "qmt", False)),
        ("changde-hhd", (15, 15, 3, "hhd", True)),
        ("changde-qmt", (15, 15, 3, "changde-qmt", True)),
        ("changde-dhd", (15, 15, 3, "changde-dhd", True)),
        ("ningxiang", (15, 12, 3, "ningxiang", True)),
        ("shaoyang", (10, 10, 5, "none", True)),
    ],
)
def test_presets_have_the_numbers_of_rule_12(preset: str, numbers: tuple[object, ...]) -> None:
    options = rules.preset_named(preset)
    found = options.min_xi, options.deng_first, options.deng_step, options.names, options.dead_peng_blocks_chi
    assert found == numbers
    assert options.zimo_deng == 1
    assert (options.haidi_plain_total, options.wu_dui_total) == (1, 10)
    assert (options.red_cap, options.big_cap, options.small_cap) == (16, 14, 16)
    assert options.huangzhuang_change_after == 3
    assert not options.discard_hu
    assert options.point_cap is None


def _traits(**changes: object) -> Traits:
    base: dict[str, object] = {
        "reds": 5, "bigs": 10, "smalls": 11, "without_eaten": False, "last_card": False, "source": "other",
    }  # fmt: skip
    return Traits(**{**base, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "changes", "expected"),
    [
        ("876", {"reds": 0}, {"乌胡": 5}), ("876", {"reds": 1}, {"点胡": 3}), ("876", {"reds": 2}, {}),
        ("876", {"reds": 9}, {}), ("876", {"reds": 10}, {"红胡": 2}), ("876", {"reds": 12}, {"红胡": 2}),
        ("876", {"reds": 13}, {"红乌": 4}), ("876", {"without_eaten": True}, {"对对胡": 4}),
        ("876", {"reds": 0, "without_eaten": True}, {"乌胡": 5, "对对胡": 5}),
        ("876", {"last_card": True}, {"海底": 1}), ("876", {"reds": 1, "last_card": True},
        {"点胡": 3, "海底": 2}),
        ("876", {"source": "liang_dealer"}, {}), ("876", {"source": "liang_other"}, {}),
        ("876", {"bigs": 20}, {}),
        ("qmt", {"reds": 0}, {"乌胡": 6}), ("qmt", {"reds": 1}, {"点胡": 4}),
        ("qmt", {"reds": 10}, {"红胡": 2}),
        ("qmt", {"reds": 24}, {"红胡": 16}), ("qmt", {"bigs": 17}, {}), ("qmt", {"bigs": 18},
        {"大字胡": 6}),
        ("qmt", {"bigs": 26}, {"大字胡": 14}), ("qmt", {"smalls": 15}, {}),
        ("qmt", {"smalls": 16}, {"小字胡": 8}),
        ("qmt", {"smalls": 26}, {"小字胡": 16}), ("qmt", {"last_card": True}, {"海底胡": 6}),
        ("qmt", {"source": "santi"}, {"天胡": 6}), ("qmt", {"source": "liang_dealer"}, {"天胡": 6}),
        ("qmt", {"source": "liang_other"}, {"地胡": 6}),
        ("qmt", {"reds": 0, "without_eaten": True, "last_card": True},
        {"乌胡": 6, "对对胡": 6, "海底胡": 6}),
        ("none", {"reds": 0, "without_eaten": True, "last_card": True}, {}),
        ("hhd", {"reds": 0, "without_eaten": True, "last_card": True}, {"乌胡": 5, "对对胡": 4}),
        ("hhd", {"reds": 13}, {"红乌": 4}), ("hhd", {"reds": 1}, {"点胡": 3}),
        ("hhd", {"reds": 10}, {"红胡": 2}),
        ("changde-qmt", {"reds": 12}, {"红胡": 5}), ("changde-qmt", {"reds": 0}, {"乌胡": 8}),
        ("changde-qmt", {"reds": 1, "without_eaten": True}, {"点胡": 6, "对对胡": 8}),
        ("changde-qmt", {"bigs": 20}, {"大字胡": 10}), ("changde-qmt", {"smalls": 17}, {"小字胡": 11}),
        ("changde-qmt", {"last_card": True, "source": "liang_other"}, {"地胡": 6, "海底胡": 6}),
        ("changde-dhd", {"reds": 13}, {"红胡": 5}), ("changde-dhd", {"reds": 9}, {}),
        ("changde-dhd", {"reds": 11, "without_eaten": True}, {"红胡": 3, "对对胡": 5}),
        ("changde-dhd", {"reds": 0, "without_eaten": True, "last_card": True}, {"乌胡": 5, "对对胡": 5}),
        ("changde-dhd", {"reds": 1, "source": "santi", "bigs": 20}, {"点胡": 3}),
        ("ningxiang", {"reds": 0}, {"乌胡": 5}), ("ningxiang", {"reds": 1}, {"点胡": 4}),
        ("ningxiang", {"reds": 2}, {"双漂": 2}), ("ningxiang", {"reds": 3}, {"三扁": 3}),
        ("ningxiang", {"reds": 4}, {"四扁": 4}), ("ningxiang", {"reds": 11}, {"红胡": 3}),
        ("ningxiang", {"bigs": 19}, {"大字胡": 6}), ("ningxiang", {"smalls": 18}, {"小字胡": 5}),
        ("ningxiang", {"without_eaten": True, "source": "santi"}, {"对对胡": 5, "天胡": 5}),
    ],
)  # fmt: skip
def test_each_name_has_the_fan_of_its_table(
    table: str, changes: dict[str, object], expected: dict[str, int]
) -> None:
    options = rules.with_overrides(rules.Options(), {"names": table})
    found = names.names_of(_traits(**changes), options)
    assert found == expected
    assert names.multiplier(found) == (sum(expected.values()) or 1)


def test_totals_and_caps_are_options() -> None:
    options = rules.with_overrides(rules.Options(), {"haidi_plain_total": 2, "wu_dui_total": 9})
    assert names.names_of(_traits(last_card=True), options) == {"海底": 2}
    assert names.names_of(_traits(reds=0, without_eaten=True), options) == {"乌胡": 5, "对对胡": 4}
    low = rules.with_overrides(rules.preset_named("tongyi-qmt"), {"red_cap": 3, "big_cap": 7, "small_cap": 9})
    assert names.names_of(_traits(reds=20, bigs=26, smalls=26), low) == {"红胡": 3, "大字胡": 7, "小字胡": 9}


def test_a_record_spells_out_every_option_canonically() -> None:
    for preset, options in rules.PRESETS.items():
        text = options.canonical()
        assert list(json.loads(text)) == sorted(json.loads(text))
        assert rules.options_of_record(text, preset) == options


def _changed(**changes: object) -> str:
    given = {**json.loads(rules.PRESETS["876cc@1"].canonical()), **changes}
    return json.dumps(given, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def test_a_preset_must_have_its_own_options() -> None:
    with pytest.raises(rules.BadOptions, match="min_xi"):
        rules.options_of_record(_changed(min_xi=16), "876cc@1")
    assert rules.options_of_record(_changed(min_xi=16), "custom@0").min_xi == 16
    with pytest.raises(rules.BadOptions, match="876cc@1"):
        rules.options_of_record(_changed(), "custom@0")
    with pytest.raises(rules.BadOptions, match="no preset"):
        rules.options_of_record(_changed(), "876cc@2")


def test_the_stake_leaves_the_preset_as_it_is_and_nothing_else_does() -> None:
    assert rules.options_of_record(_changed(base_stake=50), "876cc@1").base_stake == 50
    with pytest.raises(rules.BadOptions, match="custom@0 has the very options of 876cc@1"):
        rules.options_of_record(_changed(base_stake=50), "custom@0")
    # Caps of a table of names that is not in use are the preset's all the same.
    with pytest.raises(rules.BadOptions, match="876cc@1 has big_cap 14, the record 13"):
        rules.options_of_record(_changed(big_cap=13), "876cc@1")


@pytest.mark.parametrize(
    "changes",
    [{"point_cap": 0}, {"red_cap": None}, {"min_xi": 14}, {"min_xi": 61}, {"deng_first": 16}, {"big_cap": 5}],
)
def test_a_value_that_no_table_can_have_is_no_option_of_a_record(changes: dict[str, object]) -> None:
    with pytest.raises(rules.BadOptions):
        rules.options_of_record(_changed(**changes), "custom@0")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "{", "[" * 5000, _changed(wings=1), _changed(min_xi=None), _changed(names="877"),
     _changed(discard_hu=0), _changed().replace(",", ", ", 1), _changed(haidi_plain_total=None)],
)  # fmt: skip
def test_options_that_are_not_canonical_or_complete_are_refused(text: str) -> None:
    with pytest.raises(rules.BadOptions):
        rules.options_of_record(text, "876cc@1")
