"""The fair deal as scoring computes it equals the published vectors, byte for byte."""

import hashlib
import hmac
import json
from pathlib import Path
from typing import Any

import pytest

from services.scoring.core import deal

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parents[1] / "vectors" / "fair_deal.json").read_text("utf-8")
)


def _nonces(case: dict[str, Any]) -> list[bytes | None]:
    return [None if nonce is None else bytes.fromhex(nonce) for nonce in case["nonces"]]


def test_length_prefix_is_two_bytes_big_endian() -> None:
    for case in VECTORS["lp"]:
        assert deal.lp(bytes.fromhex(case["bytes"])).hex() == case["lp"]
    assert deal.lp(bytes(65_535))[:2] == b"\xff\xff"
    with pytest.raises(deal.DealError):
        deal.lp(bytes(65_536))


def test_commitments_bind_round_and_seed() -> None:
    for case in VECTORS["commitments"]:
        seed = bytes.fromhex(case["seed"])
        assert deal.commitment_of(case["round_id"], seed).hex() == case["commitment"]
        assert deal.commitment_of(case["round_id"] + "0", seed).hex() != case["commitment"]


def test_commitment_equals_the_formula_spelt_out() -> None:
    seed = bytes(range(32))
    spelt = b"paiju-commit-1" + b"\x00\x03a/1" + seed
    assert deal.commitment_of("a/1", seed) == hashlib.sha256(spelt).digest()


def test_chains_unroll_one_link_a_round() -> None:
    for case in VECTORS["chains"]:
        chain = deal.chain_of(bytes.fromhex(case["secret"]), case["rounds"])
        assert [link.hex() for link in chain] == case["chain"]
        assert all(deal.is_revealed(chain[k - 1], chain[k]) for k in range(1, len(chain)))
        assert not deal.is_revealed(chain[1], chain[0])
    assert deal.chain_of(bytes(32), 0) == (bytes(32),)
    assert deal.next_link(bytes(32)) == hashlib.sha256(b"paiju-nonce-1" + bytes(32)).digest()


def test_words_come_eight_a_block_from_a_counted_hmac() -> None:
    for case in VECTORS["streams"]:
        words = deal.words_of(bytes.fromhex(case["key"]))
        assert [f"{next(words):08x}" for _ in case["words"]] == case["words"]
        third_block = hmac.new(bytes.fromhex(case["key"]), (2).to_bytes(8, "big"), hashlib.sha256).hexdigest()
        assert "".join(case["words"][16:20]) == third_block[:32]


def test_a_word_that_favours_small_numbers_is_thrown_away() -> None:
    for case in VECTORS["picks"]:
        words = iter([int(word, 16) for word in case["words"]])
        assert deal.pick(words, case["choices"]) == case["number"]
        assert len(list(words)) == len(case["words"]) - case["used"]


def test_deals_and_first_dealers_equal_the_vectors() -> None:
    for case in VECTORS["deals"]:
        seed = bytes.fromhex(case["seed"])
        places = deal.shuffled(seed, case["round_id"], _nonces(case), case["cards"])
        assert list(places) == case["places"]
        assert sorted(places) == list(range(case["cards"]))
        assert deal.first_dealer(seed, case["round_id"], _nonces(case)) == case["first_dealer"]


def test_a_nonce_at_another_seat_is_another_deal() -> None:
    seed, nonce = bytes(32), bytes([7]) * 32
    assert deal.shuffled(seed, "a/1", [nonce, None], 80) != deal.shuffled(seed, "a/1", [None, nonce], 80)


def test_short_seeds_and_nonces_are_refused() -> None:
    with pytest.raises(deal.DealError):
        deal.commitment_of("a/1", bytes(31))
    with pytest.raises(deal.DealError):
        deal.shuffled(bytes(32), "a/1", [bytes(3)], 80)
    with pytest.raises(deal.DealError):
        deal.chain_of(bytes(32), -1)
    with pytest.raises(deal.DealError):
        deal.first_dealer(bytes(32), "a/1", [])
    assert not deal.is_revealed(bytes(32), b"")
