"""A table folded from its frames is the table that a view describes; gaps and repeats are noticed."""

from __future__ import annotations

import base64
import random
from typing import Any

import pytest
from paiju.table.v1 import play_pb2 as play

from tests.browser.support import node
from tests.browser.support.staged_table import StagedTable

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

FOLD = """
const { Codec } = await load("js/net/codec.mjs");
const { Table } = await load("js/game/table.mjs");
const codec = new Codec(table);
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));
const plain = (value) => JSON.parse(JSON.stringify(value, (key, one) => {
  if (one instanceof Map) return [...one];
  if (one instanceof Set) return [...one].sort();
  if (one instanceof Uint8Array || one?.type === "Buffer") return Buffer.from(one).toString("hex");
  return one;
}));
const FIELDS = "seats phase roundNo roundId round question roundEnd settlement matchEnd number texts";
const NAMES = FIELDS.split(" ");
const seen = (one) => plain(Object.fromEntries(NAMES.map((name) => [name, one[name]])));
const start = (view) => {
  const one = new Table("0-t");
  one.applyView(codec.decode("paiju.table.v1.TableView", bytes(view)), 1);
  return one;
};
"""


async def _told(seed: int) -> list[tuple[play.Frame, play.TableView]]:
    """Play a match of two rounds; return each frame with the view after it."""
    told: list[tuple[play.Frame, play.TableView]] = []

    async def say(frame: play.Frame) -> None:
        told.append((frame, staged.view()))
        if frame.WhichOneof("body") == "round_opening":
            assert staged.nonce is not None
            staged.nonce.set_result(b"\x07" * 32)
        staged.ready.set()

    rng = random.Random(seed)
    staged = StagedTable("0-t", "p_a", "876cc", rng, rounds=2, pace_s=0.0, say=say)
    staged.taken = staged.auto_play = True
    await staged.run()
    return told


def _packed(message: Any) -> str:
    return base64.b64encode(message.SerializeToString()).decode()


@pytest.mark.parametrize("seed", range(4))
async def test_frames_and_views_give_the_same_table_at_every_moment(seed: int) -> None:
    told = await _told(seed)
    source = (
        FOLD
        + """
    const folded = start(job[0].view);
    answer(job.slice(1).map(({ frame, view }) => {
      folded.applyFrame(codec.decode("paiju.table.v1.Frame", bytes(frame)), 1);
      return [seen(folded), seen(start(view))];
    }));
    """
    )
    job = [{"frame": _packed(frame), "view": _packed(view)} for frame, view in told]
    pairs = node.run(source, job)
    assert len(pairs) > 20
    for (frame, _), (folded, shown) in zip(told[1:], pairs, strict=True):
        for name in folded:
            assert folded[name] == shown[name], (frame.number, frame.WhichOneof("body"), name)


async def test_a_new_owner_gives_open_deadlines_their_grace_and_takes_nothing_from_longer_ones() -> None:
    view = play.TableView(number=1, table_id="0-t", game="paohuzi", phase="playing", seat=0)
    view.play.turn_seat, view.play.turn_deadline_at_ms = 0, 61_000
    view.play.question.number = 4
    view.play.question.actions.append("pass")
    view.play.question.deadline_at_ms = 1_000
    frame = play.Frame(number=2, at_ms=50_000, resumed=play.Resumed(grace_ms=5_000))
    source = (
        FOLD
        + """
    const folded = start(job.view);
    const told = folded.applyFrame(codec.decode("paiju.table.v1.Frame", bytes(job.frame)), 9);
    const { question, turnDeadline, epoch } = folded;
    answer([told, question.number, question.deadline_at_ms, turnDeadline, epoch]);
    """
    )
    job = {"view": _packed(view), "frame": _packed(frame)}
    assert node.run(source, job) == [[], 4, 55_000, 61_000, 9]


async def test_a_repeated_frame_is_no_news_and_a_gap_asks_for_a_view() -> None:
    told = await _told(1)
    source = (
        FOLD
        + """
    const frames = job.map(({ frame }) => codec.decode("paiju.table.v1.Frame", bytes(frame)));
    const folded = start(job[0].view);
    const first = folded.applyFrame(frames[1], 1);
    const again = folded.applyFrame(frames[1], 1);
    const beforeGap = folded.isBroken;
    const gap = folded.applyFrame(frames[3], 1);
    answer({ first: first !== null, again, beforeGap, gap, broken: folded.isBroken, number: folded.number });
    """
    )
    job = [{"frame": _packed(frame), "view": _packed(view)} for frame, view in told[:5]]
    assert node.run(source, job) == {
        "first": True,
        "again": None,
        "beforeGap": False,
        "gap": None,
        "broken": True,
        "number": 2,
    }
