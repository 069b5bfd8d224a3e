"""What the page knows of a player who may not play on: the same from a frame as from a view."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from paiju.table.v1 import play_pb2 as play

from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FOLD = """
const { Codec } = await load("js/net/codec.mjs");
const { Table } = await load("js/game/table.mjs");
const codec = new Codec(table);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const start = (view) => {
  const one = new Table("0-t");
  one.applyView(codec.decode("paiju.table.v1.TableView", bytes(view)), 1);
  return one;
};
const told = start(job.before);
const first = told.sentAway;
told.applyFrame(codec.decode("paiju.table.v1.Frame", bytes(job.frame)), 1);
answer([first, told.sentAway, start(job.after).sentAway, told.isBroken]);
"""

WORDS = """
const { setLanguage } = await load("js/lib/i18n.mjs");
const { endingWords } = await load("js/control/limits.mjs");
Date.now = () => 1_000_000;
answer(["zh-CN", "en"].map((language) => {
  setLanguage(language, { setItem() {} });
  return job.map((after) => endingWords({ ends_at_ms: 1_000_000 + after }));
}));
"""


def packed(message: Any) -> str:
    return base64.b64encode(message.SerializeToString()).decode()


def test_why_one_was_sent_away_is_the_same_from_a_frame_and_from_a_view() -> None:
    sent = play.SentAway(
        reason="DAILY_TIME_REACHED", again_at_ms=1_796_659_200_000, message_zh="明天", message_en="tomorrow"
    )
    before = play.TableView(
        number=4,
        table_id="0-t",
        match_id="0-t",
        game="paohuzi",
        preset="876cc@1",
        options_json="{}",
        timing_json="{}",
        phase="between",
        seats=[play.SeatState(seat=number, player_id=f"p_{number}", taken=True) for number in range(3)],
    )
    after = play.TableView()
    after.CopyFrom(before)
    after.number = 5
    after.sent_away.CopyFrom(sent)
    frame = play.Frame(number=5, at_ms=9, sent_away=sent)
    job = {"before": packed(before), "frame": packed(frame), "after": packed(after)}
    none, of_frame, of_view, is_broken = node.run(FOLD, job)
    assert none is None
    assert not is_broken
    assert of_frame == of_view
    assert (of_frame["reason"], of_frame["message_zh"], of_frame["message_en"]) == (
        "DAILY_TIME_REACHED",
        "明天",
        "tomorrow",
    )


def test_an_end_that_comes_is_told_in_whole_minutes() -> None:
    chinese, english = node.run(WORDS, [600_000, 599_000, 61_000, 60_000, 1, -5_000])
    assert [words.split(" ")[1] for words in chinese] == ["10", "10", "2", "1", "1", "1"]
    assert [words.partition(" left")[0] for words in english] == [
        "10 minutes",
        "10 minutes",
        "2 minutes",
        "1 minute",
        "1 minute",
        "1 minute",
    ]
