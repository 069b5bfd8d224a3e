"""What an audited round adds to the figures of its people."""

from services.anticheat.core.counts import PairCounts, PlayerCounts, SeatResult, of_audit

WIN_OVER_TWO = [
    SeatResult("p_a", is_bot=False, points=6, won=True),
    SeatResult("p_b", is_bot=False, points=-3, won=False),
    SeatResult("p_c", is_bot=False, points=-3, won=False),
]


def test_points_flow_from_each_loser_to_the_winner() -> None:
    _, pairs = of_audit(WIN_OVER_TWO, from_seat=1, agreed=True)
    flows = {(p.player_id, p.other_id): p.points_from_other for p in pairs}
    assert flows == {
        ("p_a", "p_b"): 3,
        ("p_a", "p_c"): 3,
        ("p_b", "p_a"): -3,
        ("p_c", "p_a"): -3,
        ("p_b", "p_c"): 0,
        ("p_c", "p_b"): 0,
    }


def test_the_winning_card_is_counted_against_its_giver_only() -> None:
    _, pairs = of_audit(WIN_OVER_TWO, from_seat=1, agreed=True)
    assert [(p.player_id, p.other_id) for p in pairs if p.wins_on_other] == [("p_a", "p_b")]


def test_a_disputed_round_counts_as_nothing_but_disputed() -> None:
    players, pairs = of_audit(WIN_OVER_TWO, from_seat=1, agreed=False)
    assert players == [PlayerCounts(p, disputed=1) for p in ("p_a", "p_b", "p_c")]
    assert pairs == []


def test_bots_have_no_figures() -> None:
    seats = [WIN_OVER_TWO[0], SeatResult("bot:normal", is_bot=True, points=-3, won=False), WIN_OVER_TWO[2]]
    players, pairs = of_audit(seats, from_seat=-1, agreed=True)
    assert [p.player_id for p in players] == ["p_a", "p_c"]
    assert {p.other_id for p in pairs} == {"p_a", "p_c"}
    assert PairCounts("p_a", "p_c", rounds=1, wins=1, points_from_other=3) in pairs
