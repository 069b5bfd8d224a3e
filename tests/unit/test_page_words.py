"""Every text of the page exists in Chinese and English, and none is set too small."""

from __future__ import annotations

import re

import pytest

from engine.doudizhu.readings import TYPES
from engine.doudizhu.rules import OPTIONS as DOUDIZHU_OPTIONS
from engine.paohuzi.names import NAME_TABLES
from engine.paohuzi.rules import OPTIONS
from services.accounts.core import choices
from services.accounts.core.regions import REGIONS
from services.economy.core.kinds import KINDS
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FAMILIES = {
    "act": "hu peng chi pass discard",
    "audit": "PENDING AGREED DISPUTED DECIDED VOIDED",
    "cause": "timeout auto",
    "currency": "gold room_card activity gem gold.for room_card.for activity.for gem.for",
    "detached": "REPLACED TABLE_CLOSED TABLE_UNKNOWN WATCH_SENT_AWAY",
    "felt": "green blue red slate",
    "friends": "received sent blocked remove block",
    "friends.since": "received sent blocked",
    "friends.sure": "remove block",
    "fair.check": "commitment nonce dealer hand wall",
    "how": "zimo wall liang santi discard",
    "limits": "played left net left.loss",
    "limits.band": "1 2 3 4",
    "limits.reason": (
        "SELF_EXCLUDED OUTSIDE_PLAY_WINDOW DAILY_TIME_REACHED DAILY_LOSS_REACHED AGE_NOT_DECLARED"
    ),
    "match": "all_rounds score_reached dissolved left stake_short voided disputed",
    "meld": "ti pao wei chouwei kan peng chi jiang rest",
    "offer": "draw discard liang",
    "paused": "SETTLEMENT_PENDING ROUND_DISPUTED",
    "say": "ti pao wei chouwei peng chi hu",
    "shape": "ti pao wei chouwei kan peng shun jiao jiang rest",
    "replay.bad": (
        "BAD_RECORD_LINE BAD_RECORD_ACTION RECORD_UNFINISHED RECORD_ENDS_OTHERWISE RECORD_SEED_WRONG"
    ),
    "replay": "back run on first last score lesson share",
    "room.payer": "owner each winner",
    "room.pays": "owner each winner nothing",
    "room.chat": "all phrases no",
    "room.watching": "no ask yes",
    "room.refused": "ROOM_CARDS_TOO_FEW",
    "vote.who": "yes no open",
    "round": "OUTCOME_ENGINE OUTCOME_SCORING OUTCOME_VOID",
    "round.col": "who points before coins fee net",
    "security.scope": "friends play profile records.read records.share wallet.read",
    "security.session.way": "guest password",
    "security.way": "key password oidc",
    "side": "own right left",
    "topup.state": "CREATED WAITING PAID EXPIRED CLOSED PART_REFUNDED REFUNDED CHARGED_BACK",
    "wallet.today": "win_cap loss_cap",
    "staff.again": "other refuses",
    "staff.alert": "audit_contradicts void_contradicts",
    "staff.cause": "disputed stakes_missing stakes_of_others stakes_in_several_currencies seats_not_numbered "
    "points_not_zero_sum settlement_options_bad no_figures no_record record_changed record_unreadable",
    "staff.deal": "heard commitment seed",
    "staff.means": "VOID points coins",
    "staff.outcome": "ENGINE SCORING VOID",
    "staff.part": "record engine scoring deal",
    "staff.side": "engine scoring",
    "staff.stake": "open closing closed tombstone",
    "staff.state": "waiting settled disputed voided",
    "staff.tab": "disputes alerts orders problems debts log",
    "staff.cause_of": "player provider provider_event query expiry staff refund_refused",
    "staff.deed": "topup.refund topup.resolve_problem topup.waive_debt",
    "staff.event": "paid closed refunded charged_back chargeback_reversed",
    "staff.orders": "UNSPECIFIED PAID RETURNED WAITING",
    "staff.outcome_of": "applied repeated nothing_new",
    "staff.problem": "unknown_order wrong_amount wrong_currency other_content paid_twice "
    "returned_more_than_paid return_contradicts refund_refused",
    "staff.refund": "done",
    "staff.resolve": "done",
    "staff.return": "refund provider_refund chargeback asked done refused reversed",
    "staff.waive": "done",
    "statistics": "STATISTICS_PRIVATE INVALID_ARGUMENT",
    "statistics.col": "when rounds wins points sum",
    "statistics.figure": "rounds rate mean win_mean self_share deal_in draws huxi",
    "statistics.how": "landlord peasants",
    "statistics.plot": "points rounds",
}
"""Keys that are put together at run time."""

STRINGS = 'const { STRINGS } = await load("js/lib/strings.mjs"); answer(STRINGS);'


def _strings() -> dict[str, list[str]]:
    said: dict[str, list[str]] = node.run(STRINGS)
    return said


def _used() -> set[str]:
    keys = {f"{family}.{name}" for family, names in FAMILIES.items() for name in names.split()}
    keys |= {f"phrase_{at:02}" for at in range(1, 11)} | {f"bot.{at}" for at in range(4)}
    for path in sorted((node.WEB / "js").rglob("*.mjs")):
        text = path.read_text("utf-8")
        keys |= set(re.findall(r"\bt\(\s*\"([^\"]+)\"", text))
        for call in re.findall(r"\bt\([^()\"]*\?[^()]*?\)", text):
            keys |= set(re.findall(r"\"([a-z_.]+)\"", call))
    return keys


def test_every_text_the_page_asks_for_has_words_in_both_languages() -> None:
    strings = _strings()
    assert sorted(_used() - set(strings)) == []
    for key, pair in strings.items():
        assert len(pair) == 2, key
        assert all(pair), key


def test_every_kind_of_entry_that_a_player_can_have_is_told_in_plain_words() -> None:
    strings = _strings()
    of_players = {
        kind
        for kind, spots in KINDS.items()
        if {"wallet", "stake"} & {spot.place for spot in spots.takes_from | spots.gives_to}
    }
    assert len(of_players) >= 10
    wanted = [f"entry.{kind}" for kind in of_players]
    wanted += [f"entry.{kind}.why" for kind in of_players - {"settlement"}]
    wanted += [f"entry.settlement.{how}" for how in ("won", "lost", "even", "fee")]
    assert sorted(key for key in wanted if key not in strings) == []


PLACES = """
const { REGIONS, DIALECTS } = await load("js/view/places.mjs");
const { THEMES } = await load("js/lib/theme.mjs");
answer({ REGIONS, DIALECTS, THEMES });
"""


def test_the_profile_offers_what_accounts_takes_with_the_same_names() -> None:
    said, strings = node.run(PLACES), _strings()
    assert said["REGIONS"] == list(REGIONS)
    assert said["DIALECTS"] == list(choices.DIALECTS)
    assert said["THEMES"] == list(choices.THEMES)
    for stem, table in (("region", REGIONS), ("dialect", choices.DIALECTS)):
        for code, names in table.items():
            assert tuple(strings[f"{stem}.{code}"]) == names
    assert all(f"theme.{theme}" in strings for theme in choices.THEMES)


DOUDIZHU = {
    "type": " ".join(TYPES),
    "act": "bid.0 bid.1 bid.2 bid.3 call no_call rob no_rob double.1 double.2 pass",
    "ask": "bid no_call no_rob double",
    "why": "none shape type length low cannot",
    "suit": "s h c d",
    "card": "B R",
    "joker": "B R",
    "role": "landlord peasant",
    "result": "landlord peasants",
    "tally": "pays gets own.pays own.gets",
    "say": "solo_chain pair_chain trio_chain plane_solo plane_pair four_two_solo four_two_pair bomb rocket "
    "landlord spring anti left",
    "facts": "score qiang multiply linear",
    "rules": "goal deal play beat end bid.score bid.qiang bomb rocket spring",
    "name": "抢地主 炸弹 火箭 春天 反春天 加倍",
}
"""Keys of 斗地主 that are put together at run time."""


def test_every_text_of_doudizhu_has_words() -> None:
    strings = _strings()
    keys = [f"doudizhu.{family}.{name}" for family, names in DOUDIZHU.items() for name in names.split()]
    keys += [f"doudizhu.value.{choice}" for info in DOUDIZHU_OPTIONS.values() for choice in info.choices]
    assert sorted(key for key in keys if key not in strings) == []


def test_both_languages_fill_in_the_same_values() -> None:
    for key, (zh, en) in _strings().items():
        assert sorted(re.findall(r"\{(\w+)\}", zh)) == sorted(re.findall(r"\{(\w+)\}", en)), key


ROUNDS = """
const { setLanguage, t } = await load("js/lib/i18n.mjs");
const storage = { setItem() {} };
answer(["zh-CN", "en"].map((language) => {
  setLanguage(language, storage);
  return job.map((points) => t("table.between.points", { points }));
}));
"""


def test_one_is_singular_in_english_whatever_its_sign_and_all_else_plural() -> None:
    chinese, english = node.run(ROUNDS, [0, 1, "+1", -1, 2, "+12"])
    assert english == ["0 points", "1 point", "+1 point", "-1 point", "2 points", "+12 points"]
    assert chinese == [f"本局 {points} 分" for points in (0, 1, "+1", -1, 2, "+12")]


def test_no_english_text_has_a_plural_that_one_would_not_fit() -> None:
    for key, (_, en) in _strings().items():
        counted = re.findall(r"\{(\w+)\} [a-z]+s\b", en)
        assert [name for name in counted if name not in ("who", "from", "to")] == [], (key, en)


def test_every_name_and_every_choice_of_the_rules_has_words() -> None:
    strings = _strings()
    names = {rule.name for table in NAME_TABLES.values() for rule in table.names}
    choices = {choice for info in OPTIONS.values() for choice in info.choices}
    missing = [f"name.{name}" for name in names] + [f"value.{choice}" for choice in choices]
    assert sorted(key for key in missing if key not in strings) == []


def test_no_rule_of_the_style_sheets_sets_type_below_14_px() -> None:
    for path in sorted((node.WEB / "css").glob("*.css")):
        for line in path.read_text("utf-8").splitlines():
            declared = re.match(r"\s*(?:font|font-size):\s*(.*);", line)
            sizes = re.findall(r"(?<![\w.-])(\d+(?:\.\d+)?)px", declared[1]) if declared else []
            assert all(float(size) >= 14 for size in sizes), f"{path.name}: {line.strip()}"


def test_the_page_asks_nobody_but_its_own_origin() -> None:
    for path in sorted(node.WEB.rglob("*")):
        if path.suffix in {".mjs", ".html", ".css", ".svg"} and "vendor" not in path.parts:
            text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
            assert not re.search(r"https?://[a-z]", text), path.name
            assert "innerHTML" not in text, path.name
            assert not re.search(r"\beval\(|new Function\(", text), path.name


def test_vendored_code_keeps_its_licences() -> None:
    vendor = node.WEB / "vendor"
    for folder in sorted(path for path in vendor.iterdir() if path.is_dir()):
        assert "MIT License" in (folder / "LICENSE").read_text("utf-8"), folder.name
        assert f"`{folder.name}/`" in (vendor / "README.md").read_text("utf-8")
