"""The tables of mahjong hands against plain search on random and on made hands."""

import random
from itertools import product

import pytest

from bench import mahjong_reference as plain
from engine.errors import BadNotation
from engine.mahjong.distance import distance
from engine.mahjong.readings import readings
from engine.mahjong.tables import HONOUR_CODES, SUIT_CODES
from engine.mahjong.tiles import (
    ONE,
    TILE_TEXTS,
    TILES,
    count_of,
    counts,
    distinct,
    format_tiles,
    hand_tiles,
    make_hand,
    parse_tile,
    parse_tiles,
    size_of,
    tiles_of_mask,
)
from engine.mahjong.wins import is_win, ready_discards, waits


def hand_of(tiles: list[str]) -> int:
    return make_hand([TILES[tile] for tile in tiles])


def some_tiles(rng: random.Random, size: int) -> list[str]:
    """Return random tiles, or most of a winning hand."""
    if rng.random() < 0.4:
        return plain.random_tiles(rng, size)
    tiles = plain.winning_tiles(rng, suits=rng.choice((1, 2)))
    rng.shuffle(tiles)
    return sorted(tiles[:size])


def test_a_hand_gives_its_tiles_back() -> None:
    rng = random.Random(1)
    for _ in range(300):
        tiles = plain.random_tiles(rng, 14)
        hand = hand_of(tiles)
        assert [TILE_TEXTS[tile] for tile in hand_tiles(hand)] == tiles
        assert [TILE_TEXTS[tile] for tile in distinct(hand)] == sorted(set(tiles))
        assert {TILE_TEXTS[tile]: count for tile, count in counts(hand)} == {
            tile: tiles.count(tile) for tile in tiles
        }
        assert all(count_of(hand, TILES[tile]) == tiles.count(tile) for tile in plain.KINDS)
        assert size_of(hand) == 14


def test_tiles_are_written_and_read() -> None:
    assert format_tiles(parse_tiles("m1p9s5z7")) == "m1p9s5z7"
    assert parse_tile("z1") == 27
    for text in ("", "m0", "z8", "x1", "p10", "p1 ", None, 5):
        with pytest.raises(BadNotation):
            parse_tile(text)
        with pytest.raises(BadNotation):
            parse_tiles(text)


def test_the_win_check_is_the_plain_one() -> None:
    rng = random.Random(2)
    won = 0
    for _ in range(3_000):
        tiles = some_tiles(rng, 14)
        for pairs in (False, True):
            assert is_win(hand_of(tiles), pairs) == plain.is_win(tiles, pairs), tiles
        won += plain.is_win(tiles, True)
    assert won > 500


def test_pairs_alone_win_only_where_they_count() -> None:
    tiles = "p1p1p1p1p4p4s2s2s6s6z5z5z7z7"
    assert is_win(make_hand(parse_tiles(tiles)), True)
    assert not is_win(make_hand(parse_tiles(tiles)), False)


def test_waits_are_the_plain_ones_and_never_a_fifth_copy() -> None:
    rng = random.Random(3)
    ready = 0
    for _ in range(1_000):
        tiles = some_tiles(rng, 13)
        found = [TILE_TEXTS[tile] for tile in waits(hand_of(tiles), True)]
        assert found == plain.waits(tiles, True), tiles
        ready += bool(found)
    assert ready > 300
    assert waits(make_hand(parse_tiles("p5p5p5p5")), False) == ()


def test_every_small_hand_of_one_suit_is_judged_as_by_plain_search() -> None:
    for numbers in product(range(5), repeat=4):
        if sum(numbers) % 3 == 2:
            tiles = [f"p{rank + 3}" for rank, count in enumerate(numbers) for _ in range(count)]
            assert is_win(hand_of(tiles), False) == plain.is_win(tiles, False), tiles


def test_ready_discards_are_all_discards_that_leave_waits() -> None:
    rng = random.Random(4)
    found = 0
    for _ in range(1_500):
        tiles = some_tiles(rng, 14)
        hand = hand_of(tiles)
        for pairs in (False, True):
            expected = [
                (tile, waits(hand - ONE[tile], pairs))
                for tile in distinct(hand)
                if waits(hand - ONE[tile], pairs)
            ]
            got = [(tile, tiles_of_mask(mask)) for tile, mask in ready_discards(hand, pairs)]
            assert got == expected, tiles
            found += len(got)
    assert found > 1_000


def test_readings_are_all_partitions() -> None:
    rng = random.Random(5)
    many = 0
    close = "p1p1p1p2p2p2p3p3p3p4p4p4p5p5 p2p2p2p3p3p3p4p4p4p5p5p5p6p6 p4p4p4p5p5p5p6p6p6p7p7p7p7p8"
    hands = [plain.winning_tiles(rng, suits=rng.choice((1, 1, 2))) for _ in range(600)]
    hands += [[TILE_TEXTS[tile] for tile in parse_tiles(word)] for word in close.split(" ")]
    for tiles in hands:
        got = set()
        for part in readings(hand_of(tiles)):
            sets: list[plain.Set] = [(TILE_TEXTS[tile],) * 3 for tile in part.triplets]
            sets += [tuple(TILE_TEXTS[low + step] for step in (0, 1, 2)) for low in part.runs]
            got.add((*sorted(sets), (TILE_TEXTS[part.pair],) * 2))
        assert got == plain.readings(tiles), tiles
        many += len(got) > 2
    assert many >= 5
    assert readings(hand_of(plain.random_tiles(random.Random(6), 14))) == ()


def test_the_distance_is_one_less_after_the_best_draw_and_none_when_ready() -> None:
    rng = random.Random(7)
    for _ in range(400):
        tiles = some_tiles(rng, 13)
        hand = hand_of(tiles)
        now = distance(hand, 0)
        after = [distance(hand + ONE[tile], 0) for tile in range(34) if count_of(hand, tile) < 4]
        assert min(after) == now - 1
        assert (now == 0) >= bool(plain.waits(tiles, True))
        assert now <= 6


def test_a_won_hand_has_the_distance_of_a_won_hand() -> None:
    rng = random.Random(8)
    for _ in range(300):
        assert distance(hand_of(plain.winning_tiles(rng)), 0) == -1
    assert distance(make_hand(parse_tiles("p5p5")), 4) == -1
    assert distance(make_hand(parse_tiles("p5")), 4) == 0
    assert distance(make_hand(parse_tiles("m1m4m7p1p4p7s1s4s7z1z2z3z4")), 0) == 6


def test_honours_make_no_runs_and_the_tables_are_small() -> None:
    assert not is_win(make_hand(parse_tiles("z5z6z7p5p5")), False)
    assert is_win(make_hand(parse_tiles("z5z5z5p5p5")), False)
    assert len(SUIT_CODES) + len(HONOUR_CODES) < 3_000_000
