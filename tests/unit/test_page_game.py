"""The page's small pure parts: the hand's order, 息, actions, nonces, names of files, waiting times."""

from __future__ import annotations

import random
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from engine import GAMES
from engine.arena import shuffled
from engine.paohuzi.hu import Laid
from services.scoring.core import deal
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

COLUMNS = """
const { columnsOf } = await load("js/games/paohuzi/hand.mjs");
answer(job.map(({ hand, order }) => columnsOf(hand, order)));
"""

GOODBYES = [
    "TOKEN_EXPIRED",
    "SESSION_REVOKED",
    "REPLACED",
    "TOO_SLOW",
    "TOO_MANY_REQUESTS",
    "MESSAGE_TOO_LARGE",
    "BAD_MESSAGE",
    "IDLE",
    "SHUTTING_DOWN",
]
"""Why a gateway ends a connection."""

STORAGE = """
class Storage {
  constructor(kept = {}) { this.kept = new Map(Object.entries(kept)); }
  getItem(key) { return this.kept.get(key) ?? null; }
  setItem(key, value) { this.kept.set(key, String(value)); }
  removeItem(key) { this.kept.delete(key); }
  key(at) { return [...this.kept.keys()][at] ?? null; }
  get length() { return this.kept.size; }
}
"""


def _hands() -> list[list[str]]:
    rng = random.Random(11)
    deck: tuple[str, ...] = GAMES["paohuzi"].deck()
    hands = [list(shuffled(deck, rng)[: rng.choice((1, 2, 5, 11, 20, 21))]) for _ in range(300)]
    pairs = [card for card in dict.fromkeys(deck) for _ in range(2)]
    return [
        *hands,
        [*pairs[:20], "b10"],
        [*pairs[20:40], "s1"],
        list(dict.fromkeys(deck)),
        ["s1"] * 4 + ["b2"] * 3,
    ]


@pytest.mark.parametrize("order", ["melds", "ranks"])
def test_a_hand_lies_in_at_most_ten_columns_of_three_with_every_card_once(order: str) -> None:
    hands = _hands()
    for hand, columns in zip(
        hands, node.run(COLUMNS, [{"hand": h, "order": order} for h in hands]), strict=True
    ):
        laid = [card for column in columns for card in column["cards"]]
        assert sorted(laid) == sorted(hand)
        assert len(columns) <= 10
        for column in columns:
            alike = {card: hand.count(card) for card in column["cards"]}
            if column["locked"]:
                assert len(alike) == 1
                assert len(column["cards"]) == hand.count(column["cards"][0]) >= 3
            else:
                assert len(column["cards"]) <= 3
                assert max(alike.values()) <= 2


def test_complete_melds_stand_together() -> None:
    hand = ["s1", "s2", "s3", "b2", "b7", "b10", "s5", "b5", "b5", "s8", "s8"]
    columns = [column["cards"] for column in node.run(COLUMNS, [{"hand": hand, "order": "melds"}])[0]]
    assert [sorted(cards) for cards in columns] == [
        ["b10", "b2", "b7"],
        ["s1", "s2", "s3"],
        ["b5", "b5", "s5"],
        ["s8", "s8"],
    ]


def test_melds_are_worth_what_the_engine_says() -> None:
    melds = [
        (kind, [card] * size)
        for kind, size in (("ti", 4), ("pao", 4), ("wei", 3), ("kan", 3), ("peng", 3))
        for card in ("s7", "b3")
    ]
    melds += [
        ("chi", cards)
        for cards in (
            ["s1", "s2", "s3"],
            ["b1", "b2", "b3"],
            ["s2", "s7", "s10"],
            ["b2", "b7", "b10"],
            ["s4", "s5", "s6"],
            ["s2", "b2", "b2"],
        )
    ]
    source = """
    const { meldXi } = await load("js/games/paohuzi/huxi.mjs");
    answer(job.map(([kind, cards]) => meldXi(kind, cards)));
    """
    from engine.paohuzi.cards import parse_card

    wanted = [Laid(kind, tuple(sorted(parse_card(card) for card in cards))).xi for kind, cards in melds]
    assert node.run(source, melds) == wanted


def test_actions_are_sorted_for_buttons() -> None:
    source = """
    const { sortActions } = await load("js/games/paohuzi/actions.mjs");
    const { claimKeys } = await load("js/games/paohuzi/actions.mjs");
    answer(job.map((actions) => {
      const s = sortActions(actions);
      return { keys: claimKeys(s), chis: s.chis, discards: [...s.discards], isClaim: s.isClaim };
    }));
    """
    claim, own, none = node.run(
        source,
        [["chi s1s2s3", "chi s3s4s5 s3b3b3", "hu", "pass", "peng"], ["discard b2", "discard s1", "hu"], []],
    )
    assert claim["keys"] == ["hu", "peng", "chi", "pass"]
    assert claim["isClaim"]
    assert claim["chis"][1] == {
        "action": "chi s3s4s5 s3b3b3",
        "melds": [["s3", "s4", "s5"], ["s3", "b3", "b3"]],
    }
    assert own == {
        "keys": ["hu"],
        "chis": [],
        "discards": [["b2", "discard b2"], ["s1", "discard s1"]],
        "isClaim": False,
    }
    assert none == {"keys": [], "chis": [], "discards": [], "isClaim": False}


def test_a_nonce_chain_survives_a_reload_and_gives_each_round_one_link() -> None:
    source = (
        STORAGE
        + """
    const { NonceChains } = await load("js/game/noncechain.mjs");
    const { toHex } = await load("fairdeal.mjs");
    const storage = new Storage();
    const bytes = (n) => new Uint8Array(n).fill(7);
    const first = new NonceChains(storage, bytes);
    const head = toHex(await first.head("0-a", 8, 1));
    const one = toHex(await first.nonce("0-a", "0-a/1"));
    const reloaded = new NonceChains(storage, () => { throw new Error("a second secret"); });
    answer({
      head, one,
      headAgain: toHex(await reloaded.head("0-a", 8, 1)),
      oneAgain: toHex(await reloaded.nonce("0-a", "0-a/1")),
      two: toHex(await reloaded.nonce("0-a", "0-a/2")),
      stranger: await reloaded.nonce("0-b", "0-b/1"),
    });
    """
    )
    said = node.run(source)
    assert said["headAgain"] == said["head"]
    assert said["oneAgain"] == said["one"]
    assert deal.is_revealed(bytes.fromhex(said["head"]), bytes.fromhex(said["one"]))
    assert deal.is_revealed(bytes.fromhex(said["one"]), bytes.fromhex(said["two"]))
    assert said["stranger"] is None


def test_old_nonce_chains_are_forgotten_and_broken_ones_ignored() -> None:
    source = (
        STORAGE
        + """
    const { NonceChains } = await load("js/game/noncechain.mjs");
    const storage = new Storage({ "other": "stays", "paiju.nonces.0-bad": "{" });
    const chains = new NonceChains(storage, (n) => new Uint8Array(n));
    for (let i = 0; i < 30; i++) await chains.head(`0-${i}`, 1, i + 1);
    answer([...storage.kept.keys()]);
    """
    )
    kept = node.run(source)
    assert "other" in kept
    assert "paiju.nonces.0-29" in kept
    assert "paiju.nonces.0-bad" not in kept
    assert len(kept) == 13


def test_the_guests_signature_is_good_and_the_key_is_kept() -> None:
    source = (
        STORAGE
        + """
    const { guestKey, answer: sign } = await load("js/net/identity.mjs");
    const { toHex } = await load("fairdeal.mjs");
    const storage = new Storage();
    const key = guestKey(storage);
    const again = guestKey(storage);
    const no = () => { throw new Error("no"); };
    const other = guestKey({ getItem: no, setItem: no });
    const signature = toHex(sign(key, new Uint8Array(32).fill(9)));
    answer({ keys: [key, again, other].map((one) => toHex(one.publicKey)), signature });
    """
    )
    said = node.run(source)
    first, again, other = said["keys"]
    public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(first))
    public.verify(bytes.fromhex(said["signature"]), b"paiju-guest-1" + b"\x09" * 32)
    assert again == first != other


def test_waits_double_up_to_a_bound_and_every_goodbye_has_a_way_on() -> None:
    source = """
    const { waitMs, afterGoodbye } = await load("js/net/backoff.mjs");
    const { hasWords } = await load("js/lib/i18n.mjs");
    const tries = [0, 1, 2, 9, 99];
    answer({
      low: tries.map((n) => waitMs(n, 0)),
      high: tries.map((n) => waitMs(n, 0.999)),
      ways: job.map((reason) => [reason, afterGoodbye(reason), hasWords(`goodbye.${reason}`)]),
    });
    """
    said = node.run(source, GOODBYES)
    assert said["low"] == [150, 300, 600, 5000, 5000]
    assert all(low < high <= 2 * low for low, high in zip(said["low"], said["high"], strict=True))
    stays = [reason for reason, way, _ in said["ways"] if not way["again"]]
    assert stays == ["SESSION_REVOKED", "REPLACED"]
    assert all(words for _, _, words in said["ways"])


def test_the_servers_clock_is_followed() -> None:
    source = """
    const { ServerClock } = await load("js/lib/countdown.mjs");
    let now = 1000;
    const clock = new ServerClock(() => now);
    clock.hear(5000);
    const seconds = [6001, 5000, 0].map((at) => clock.secondsUntil(at));
    const first = [clock.now(), ...seconds, clock.shareLeft(7000, 4000)];
    clock.hear(5100);
    answer([...first, clock.now()]);
    """
    assert node.run(source) == [6000, 1, 0, None, 0.25, 6030]


def test_a_record_is_read_line_by_line() -> None:
    actions = "2 discard s9 @1520 bot\n0 chi s7s8s9 @4021\n1 pass @4022 timeout"
    text = f'Round: 0-a/1\nSeats: p_a bot:x bot:y\n\n{actions}\n\nResult: {{"end":"draw"}}\n'
    source = """
    const { parseRecord, recordFileName } = await load("js/game/record.mjs");
    const { head, actions, result } = parseRecord(job);
    let bad; try { parseRecord("x"); } catch (error) { bad = error.message; }
    answer({ head: Object.fromEntries(head), actions, result, bad, name: recordFileName("0-a/1") });
    """
    said: dict[str, Any] = node.run(source, text)
    assert said["head"]["Seats"] == "p_a bot:x bot:y"
    assert said["actions"] == [
        {"seat": 2, "action": "discard s9", "atMs": 1520, "cause": "bot"},
        {"seat": 0, "action": "chi s7s8s9", "atMs": 4021, "cause": ""},
        {"seat": 1, "action": "pass", "atMs": 4022, "cause": "timeout"},
    ]
    assert said["result"] == {"end": "draw"}
    assert (said["bad"], said["name"]) == ("not a record", "paiju-0-a-1.txt")
