"""The table's own fair deal agrees with the published vectors, byte for byte."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from engine import fair_deal

VECTORS: dict[str, Any] = json.loads(
    (Path(__file__).parent.parent / "vectors" / "fair_deal.json").read_text("utf-8")
)


def nonces_of(deal: dict[str, Any]) -> list[bytes]:
    return [bytes.fromhex(nonce or "") for nonce in deal["nonces"]]


def test_a_length_prefix_is_two_bytes_big_endian() -> None:
    for vector in VECTORS["lp"]:
        assert fair_deal.lp(bytes.fromhex(vector["bytes"])).hex() == vector["lp"]


def test_commitments_equal_the_vectors() -> None:
    for vector in VECTORS["commitments"]:
        made = fair_deal.commit(vector["round_id"], bytes.fromhex(vector["seed"]))
        assert made.hex() == vector["commitment"]


def test_each_link_of_a_chain_follows_the_one_before_and_no_other() -> None:
    for vector in VECTORS["chains"]:
        links = [bytes.fromhex(link) for link in vector["chain"]]
        for earlier, later in itertools.pairwise(links):
            assert fair_deal.follows(earlier, later)
            assert not fair_deal.follows(later, earlier)
            assert not fair_deal.follows(earlier, later[:-1])


@pytest.mark.parametrize("number", range(len(VECTORS["deals"])))
def test_walls_and_first_dealers_equal_the_vectors(number: int) -> None:
    vector = VECTORS["deals"][number]
    seed = bytes.fromhex(vector["seed"])
    nonces = nonces_of(vector)
    places = fair_deal.wall_order(seed, vector["round_id"], nonces, vector["cards"])
    assert places == vector["places"]
    dealer = fair_deal.draw_dealer(seed, vector["round_id"], nonces)
    assert dealer == next(vector[key] for key in vector if "dealer" in key)
