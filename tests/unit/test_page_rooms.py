"""What the page works out about friends' rooms by itself: the score sheet, and the wish of the form."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf import json_format

from engine import GAMES
from services.table.catalog import list_games
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

SHEET = """
const { sheetOf } = await load("js/game/scoresheet.mjs");
answer(sheetOf(job.sheet, job.table));
"""
PLACES = [{"seat": seat, "player_id": f"p_{seat}"} for seat in range(3)]


def sheet(*rounds: tuple[int, list[int]], table: Any = None) -> Any:
    played = [{"round_no": no, "points": points} for no, points in rounds]
    return node.run(SHEET, {"sheet": {"room": {"places": PLACES}, "rounds": played}, "table": table})


def test_points_are_summed_by_seat_and_the_best_come_first() -> None:
    said = sheet((1, [3, -1, -2]), (2, [-5, 4, 1]), (4, [0, 2, -2]))
    assert [row["no"] for row in said["rows"]] == [1, 2, 4], "a void round is missing"
    assert said["sums"] == [-2, 5, -3]
    assert said["places"] == [{"seat": 1, "place": 1}, {"seat": 0, "place": 2}, {"seat": 2, "place": 3}]
    assert said["best"] == [1]


@pytest.mark.parametrize(
    ("points", "places"),
    [
        ([5, 5, -10], [(0, 1), (1, 1), (2, 3)]),
        ([-10, 5, 5], [(1, 1), (2, 1), (0, 3)]),
        ([-4, 8, -4], [(1, 1), (0, 2), (2, 2)]),
        ([0, 0, 0], [(0, 1), (1, 1), (2, 1)]),
    ],
)
def test_equals_share_a_place_and_stand_by_seat(points: list[int], places: list[tuple[int, int]]) -> None:
    said = sheet((1, points))["places"]
    assert [(one["seat"], one["place"]) for one in said] == places


AGREED = """
const { setLanguage } = await load("js/lib/i18n.mjs");
const { agreedWords } = await load("js/view/room.mjs");
setLanguage(job.language, { setItem() {} });
answer([true, false].map((voice) => agreedWords({ halls: [] }, { level: "", cards: 0, rules: { voice } })));
"""


@pytest.mark.parametrize(
    ("language", "yes", "no"), [("zh-CN", "可以语音", "不语音"), ("en", "Voice allowed", "No voice")]
)
def test_a_room_says_whether_one_may_talk(language: str, yes: str, no: str) -> None:
    allowed, silent = node.run(AGREED, {"language": language})
    assert yes in allowed
    assert no not in allowed
    assert no in silent
    assert yes not in silent


OPTIONS = """
const { setLanguage } = await load("js/lib/i18n.mjs");
const { roomForm } = await load("js/view/roomform.mjs");
setLanguage(job.language, { setItem() {} });
const { games } = job;
const found = [];
const textOf = (node) => node.text ?? node.children.map(textOf).join("");
function walk(node) {
  if (node.names?.split(" ").includes("option")) {
    const [, control, text] = node.children;
    const { "aria-describedby": id, "aria-label": label } = control.props;
    found.push([id === text.props.id, label, textOf(text)]);
  }
  (node.children ?? []).forEach(walk);
}
const dialog = { game: games[0].game };
const state = { games, dialog, halls: [], roomPrices: [], failed: new Set(), busy: new Set() };
roomForm(state, {}).flat().filter(Boolean).forEach(walk);
answer(found);
"""


@pytest.mark.parametrize("language", ["zh-CN", "en"])
@pytest.mark.parametrize("game", sorted(GAMES))
def test_the_form_says_what_every_option_does_and_ties_it_to_what_changes_it(
    game: str, language: str
) -> None:
    said = list_games({game: GAMES[game]}).games[0]
    options = [option for option in said.options if option.name not in ("base_stake", "fee")]
    games = [json_format.MessageToDict(said, preserving_proto_field_name=True)]
    for option in games[0]["options"]:
        option.setdefault("values", [])
    wanted = [
        [True, option.title_en, option.text_en]
        if language == "en"
        else [True, option.title_zh, option.text_zh]
        for option in options
    ]
    assert node.run(OPTIONS, {"games": games, "language": language}) == wanted


def test_winners_share_the_crown_and_nobody_wears_it_for_nothing() -> None:
    assert sheet((1, [2, 2, -4]))["best"] == [0, 1]
    assert sheet((1, [0, 0, 0]))["best"] == []
    assert sheet()["best"] == []


def test_the_round_on_the_table_counts_before_the_sheet_has_it_and_once_when_it_has() -> None:
    table = {"roundNo": 2, "roundEnd": {"result": {"points": [1, 1, -2]}}}
    assert sheet((1, [3, -1, -2]), table=table)["sums"] == [4, 0, -4]
    assert sheet((1, [3, -1, -2]), (2, [1, 1, -2]), table=table)["sums"] == [4, 0, -4]
    assert sheet((1, [3, -1, -2]), table={"roundNo": 2, "roundEnd": None})["sums"] == [3, -1, -2]


FORM = """
const { changedOptions, readNumber } = await load("js/view/roomform.mjs");
const range = { minimum: 1, maximum: 100 };
answer([changedOptions(job.preset, job.chosen), job.typed.map((text) => readNumber(text, range))]);
"""


def test_only_what_differs_from_the_preset_is_asked_for_and_numbers_stay_in_their_range() -> None:
    job = {
        "preset": {"min_xi": 15, "santi": "auto"},
        "chosen": {"min_xi": 15, "santi": "ask"},
        "typed": ["45", "0", "1e9", "", "x", "7.6"],
    }
    changed, numbers = node.run(FORM, job)
    assert changed == {"santi": "ask"}
    assert numbers == [45, 1, 100, None, None, 8]


REFUSED = """
const { setLanguage } = await load("js/lib/i18n.mjs");
const { isWhole, refusalOf } = await load("js/control/replaypage.mjs");
const { Refused } = await load("js/net/refused.mjs");
setLanguage(job.language, { setItem() {} });
const refusal = { message_zh: "服务的话", message_en: "words of the service", details: job.details };
answer([refusalOf(new Refused(refusal)), [[], ["round"], ["round", "m/1"], ["token"]].map(isWhole)]);
"""
WHY = "action 7 (seat 2 discard b8): seat 2 may not 'discard b8' now"


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh-CN", "这份牌谱不成立：第 7 步不合规则。"),
        ("en", "This record does not hold: the rules are broken at step 7."),
    ],
)
def test_a_changed_record_is_refused_in_ones_own_language_with_the_technical_text_beside(
    language: str, words: str
) -> None:
    job = {"language": language, "details": {"kind": "BAD_RECORD_ACTION", "step": "7", "why": WHY}}
    refused, whole = node.run(REFUSED, job)
    assert refused == {"words": words, "why": WHY}
    assert whole == [False, False, True, True]


def test_what_the_page_has_no_sentence_for_is_told_in_the_words_of_the_service() -> None:
    refused, _ = node.run(REFUSED, {"language": "zh-CN", "details": {"kind": "OTHER", "why": WHY}})
    assert refused == {"words": "服务的话", "why": ""}


NUMBERS = """
const { compact, setLanguage, signed } = await load("js/lib/i18n.mjs");
setLanguage(job, { setItem() {} });
answer([[300, 3000, 15000, 100000, 1234567].map(compact), [-12345, 0, 2576].map(signed)]);
"""


@pytest.mark.parametrize(("language", "large"), [("zh-CN", ["10万", "123万"]), ("en", ["100k", "1.2M"])])
def test_numbers_are_written_in_one_way(language: str, large: list[str]) -> None:
    numbers, points = node.run(NUMBERS, language)
    assert numbers == ["300", "3,000", "15,000", *large]
    assert points == ["-12,345", "0", "+2,576"]
