"""The JavaScript fair deal says the same as the Python one, with and without crypto.subtle."""

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from services.scoring.core import deal
from services.scoring.core.record import parse_record
from services.scoring.core.tiles import DECK, NAMES

ROOT = Path(__file__).parents[2]
MODULE = ROOT / "services" / "gateway" / "web" / "fairdeal.mjs"
VECTORS: dict[str, Any] = json.loads((ROOT / "tests" / "vectors" / "fair_deal.json").read_text("utf-8"))

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

DRIVER = """
import { readFileSync } from "node:fs";
const job = JSON.parse(readFileSync(0, "utf8"));
if (job.plain) Object.defineProperty(globalThis, "crypto", { value: undefined });
const m = await import(job.module);
const bytes = (hex) => (hex === null ? null : m.fromHex(hex));
const does = {
  lp: async (a) => m.toHex(m.lp(bytes(a.bytes))),
  commitment: async (a) => m.toHex(await m.commitment(a.round_id, bytes(a.seed))),
  chain: async (a) => (await m.nonceChain(bytes(a.secret), a.rounds)).map(m.toHex),
  deal: async (a) => m.shuffled(bytes(a.seed), a.round_id, a.nonces.map(bytes), a.cards),
  dealer: async (a) => m.firstDealer(bytes(a.seed), a.round_id, a.nonces.map(bytes)),
  pick: async (a) => m.pick(a.words.map((w) => parseInt(w, 16)).values(), a.choices),
  record: async (a) => m.checkRecord(a.text, a.heard),
};
const answers = [];
for (const [what, input] of job.calls) {
  answers.push(await does[what](input).catch((e) => "error: " + e.message));
}
console.log(JSON.stringify(answers));
"""


def _node(calls: list[tuple[str, dict[str, Any]]], *, plain: bool) -> list[Any]:
    assert NODE is not None
    job = {"module": MODULE.as_uri(), "plain": plain, "calls": calls}
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", DRIVER],
        input=json.dumps(job),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    answers: list[Any] = json.loads(done.stdout)
    return answers


@pytest.mark.parametrize("plain", [False, True], ids=["subtle", "plain"])
def test_javascript_agrees_with_the_published_vectors(plain: bool) -> None:
    calls: list[tuple[str, dict[str, Any]]] = []
    expected: list[Any] = []
    for kind, key, answer in (
        ("lp", "lp", "lp"),
        ("commitment", "commitments", "commitment"),
        ("chain", "chains", "chain"),
        ("pick", "picks", "number"),
        ("deal", "deals", "places"),
        ("dealer", "deals", "first_dealer"),
    ):
        calls += [(kind, case) for case in VECTORS[key]]
        expected += [case[answer] for case in VECTORS[key]]
    assert _node(calls, plain=plain) == expected


@pytest.mark.parametrize("plain", [False, True], ids=["subtle", "plain"])
def test_javascript_agrees_with_python_on_random_inputs(plain: bool) -> None:
    rng = random.Random(20260)
    calls: list[tuple[str, dict[str, Any]]] = []
    expected: list[Any] = []
    for number in range(40):
        seed = rng.randbytes(32)
        nonces = [rng.randbytes(32) if rng.random() < 0.6 else None for _ in range(rng.randint(2, 4))]
        case: dict[str, Any] = {
            "seed": seed.hex(),
            "round_id": f"{rng.choice(['3-k2', '厅', 'x' * 70])}{number}/{rng.randint(1, 99)}",
            "nonces": [None if nonce is None else nonce.hex() for nonce in nonces],
            "cards": rng.choice([54, 80, 84, 136]),
        }
        calls += [("deal", case), ("dealer", case), ("commitment", case)]
        expected += [
            list(deal.shuffled(seed, case["round_id"], nonces, case["cards"])),
            deal.first_dealer(seed, case["round_id"], nonces),
            deal.commitment_of(case["round_id"], seed).hex(),
        ]
    assert _node(calls, plain=plain) == expected


def test_javascript_checks_the_deal_of_a_record_and_names_what_is_wrong() -> None:
    seed, nonce = bytes(range(32)), bytes([9]) * 32
    heard = deal.commitment_of("3-a/1", seed).hex()
    dealer = deal.first_dealer(seed, "3-a/1", [None, nonce, None])
    text = (
        f"Paiju-Record: 1\nRound: 3-a/1\nGame: paohuzi\nDealer: {dealer}\nCommitment: {heard}\n"
        f"Seed: {seed.hex()}\nNonces: -,{nonce.hex()},-\n\n\nResult: {{}}\n"
    )
    other = text.replace(f"Dealer: {dealer}", f"Dealer: {(dealer + 1) % 3}")
    good, unheard, dealt, broken = _node(
        [
            ("record", {"text": text, "heard": heard}),
            ("record", {"text": text, "heard": "00" * 32}),
            ("record", {"text": other, "heard": None}),
            ("record", {"text": "no record", "heard": None}),
        ],
        plain=False,
    )
    assert good["ok"]
    assert (good["contributed"], good["seats"]) == (1, 3)
    deck = [f"{size}{rank}" for size in "sb" for rank in range(1, 11) for _ in range(4)]
    assert good["wall"] == [deck[at] for at in deal.shuffled(seed, "3-a/1", [None, nonce, None], 80)]
    assert unheard["problems"] == ["the seed does not give the commitment heard before the deal"]
    assert dealt["problems"] == [f"the first dealer should be seat {dealer}"]
    assert broken["problems"] == ["the record has no Round"]


def test_javascript_refuses_nonces_of_the_wrong_length() -> None:
    case = {"seed": "00" * 32, "round_id": "a/1", "nonces": ["aa"], "cards": 80}
    assert _node([("deal", case)], plain=True) == ["error: a nonce has 1 bytes, not 32"]


def test_javascript_deals_the_golden_record_as_scoring_does() -> None:
    text = (ROOT / "tests" / "vectors" / "paohuzi_record.txt").read_text("utf-8")
    record = parse_record(text.encode())
    (checked,) = _node([("record", {"text": text, "heard": record.commitment.hex()})], plain=True)
    assert (checked["ok"], checked["round"], checked["contributed"]) == (True, record.round_id, 1)
    places = deal.shuffled(record.seed, record.round_id, record.nonces, 80)
    assert checked["wall"] == [NAMES[DECK[place]] for place in places]
