"""How the page is drawn again: descriptions against a document, and folds that go on from where they are."""

from __future__ import annotations

import json
from typing import Any

import pytest
from paiju.table.v1 import replay_service_pb2 as s

from engine import GAMES
from services.table.replays import replay_of
from tests.browser.support import node
from tests.support.finished import PlayedMatch

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

DOCUMENT = """
class Node {
  constructor(tag, text = "") {
    Object.assign(this, { tag, nodeValue: text, childNodes: [], parent: null, attributes: {} });
  }
  get firstChild() { return this.childNodes[0] ?? null; }
  get lastChild() { return this.childNodes.at(-1) ?? null; }
  get nextSibling() {
    const all = this.parent.childNodes;
    return all[all.indexOf(this) + 1] ?? null;
  }
  remove() {
    this.parent.childNodes.splice(this.parent.childNodes.indexOf(this), 1);
    this.parent = null;
  }
  insertBefore(node, before) {
    if (node.parent) node.remove();
    this.childNodes.splice(before ? this.childNodes.indexOf(before) : this.childNodes.length, 0, node);
    node.parent = this;
  }
  setAttribute(name, value) { this.attributes[name] = value; }
  removeAttribute(name) { delete this.attributes[name]; }
  get html() {
    if (!this.tag) return this.nodeValue;
    const names = Object.keys(this.attributes).filter((name) => this.attributes[name]).sort();
    const inside = this.childNodes.map((child) => child.html).join("");
    return `<${this.tag} ${names.map((name) => `${name}=${this.attributes[name]}`)}>${inside}</${this.tag}>`;
  }
}
globalThis.document = {
  createElement: (tag) => new Node(tag),
  createElementNS: (_, tag) => new Node(tag),
  createTextNode: (text) => new Node("", text),
};
"""
"""As much of a document as the drawing needs."""

DRAWS = """
const { h, patch } = await load("js/lib/vdom.mjs");
let seed = 7;
const chance = (below) => { seed = (seed * 48271) % 2147483647; return seed % below; };
const some = (deep) => {
  const keys = [0, 1, 2, 3, 4, 5].filter(() => chance(3)).sort(() => chance(3) - 1);
  const props = (key) => ({ key, class: ["", "x"][chance(2)], "data-n": chance(3) || null });
  const inside = () => (deep ? some(deep - 1) : String(chance(9)));
  const keyed = keys.map((key) => h(["b", "i"][chance(2)], props(key), inside()));
  const word = () => (chance(2) ? h("p", {}, chance(9)) : `t${chance(9)}`);
  const plain = Array.from({ length: chance(4) }, word);
  return [keyed, plain, chance(2) ? h("u", { key: "last" }, "!") : null].flat().sort(() => chance(3) - 1);
};
const root = new Node("main");
let wrong = 0;
let lost = 0;
for (let turn = 0; turn < 400; turn += 1) {
  const wanted = h("div", {}, some(2));
  const here = root.firstChild?.childNodes ?? [];
  const before = new Map(here.filter((one) => one.key).map((one) => [one.key, one]));
  patch(root, wanted);
  const fresh = new Node("main");
  patch(fresh, wanted);
  if (root.html !== fresh.html) wrong += 1;
  for (const [at, vnode] of wanted.children.entries()) {
    const now = root.firstChild.childNodes[at];
    const key = vnode.key == null ? "" : `${vnode.tag}/${vnode.key}`;
    if (key && before.has(key) && before.get(key) !== now) lost += 1;
    now.key = key;
  }
}
answer({ wrong, lost });
"""

FOLDS = """
const { fromService, seenBy, seenFromAbove } = await load("js/game/replay.mjs");
const plain = (_, one) => (one instanceof Map || one instanceof Set ? [...one] : one);
const written = (value) => JSON.stringify(value, plain);
let wrong = 0;
let looks = 0;
for (const { replay, places } of job) {
  const round = fromService({ replay, record: new Uint8Array(0) });
  const seats = [...round.scripts.keys()];
  for (const at of places) {
    for (const see of [seenBy, seenFromAbove]) {
      const seat = seats[looks % seats.length];
      const shown = written(see(round, seat, at).round);
      const anew = fromService({ replay: structuredClone(replay), record: new Uint8Array(0) });
      if (shown !== written(see(anew, seat, at).round)) wrong += 1;
      looks += 1;
    }
  }
}
answer({ wrong, looks });
"""


def test_a_document_that_is_drawn_again_is_what_a_new_one_would_be_and_keeps_its_elements() -> None:
    assert node.run(DOCUMENT + DRAWS) == {"wrong": 0, "lost": 0}


def job(replay: s.Replay) -> dict[str, Any]:
    """Return a replay as the page reads it, and the steps that are looked at: on, back, and far away."""
    last = len(replay.steps) - 1
    said = {
        "round_id": replay.round_id,
        "game": replay.game,
        "preset": replay.preset,
        "players": list(replay.players),
        "points": list(replay.points),
        "steps": [{"at_ms": step.at_ms, "answers": step.answers} for step in replay.steps],
        "answers": [],
        "scripts": [
            {"seat": one.seat, "events": list(one.events), "told": list(one.told)} for one in replay.scripts
        ],
        "explanation_zh": [],
        "explanation_en": [],
        "seat": 0,
        "viewer": "VIEWER_ABOVE",
    }
    places = [0, 1, 2, last, last // 2, last // 2 + 1, last // 2 + 2, 3, last, 0]
    return {"replay": said, "places": places}


def test_a_step_that_goes_on_from_the_last_one_shows_what_a_fold_from_the_deal_shows() -> None:
    presets = {
        "paohuzi": "tongyi-qmt",
        "doudizhu": "classic",
        "kawuxing": "xiangyang",
        "qinghunpeng": "shanghai",
    }
    jobs = []
    for game, preset in presets.items():
        players = ("p_a", "p_b", "bot:normal", "bot:normal")[: GAMES[game].seats]
        _, fact = PlayedMatch(game=game, preset=preset, players=players, seed=3).round()
        jobs.append(job(replay_of(GAMES, fact.record, None)))
    found = node.run(FOLDS, json.loads(json.dumps(jobs)))
    assert found["looks"] == 80
    assert found["wrong"] == 0
