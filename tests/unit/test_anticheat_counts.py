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


def flows_of(*seats: tuple[int, bool]) -> dict[tuple[int, int], int]:
    results = [SeatResult(f"p_{seat}", False, points, won) for seat, (points, won) in enumerate(seats)]
    _, pairs = of_audit(results, from_seat=-1, agreed=True)
    return {(int(p.player_id[2:]), int(p.other_id[2:])): p.points_from_other for p in pairs}


def test_two_peasants_take_the_landlords_loss_between_them() -> None:
    flows = flows_of((-18, False), (6, True), (12, True))
    assert (flows[1, 0], flows[2, 0], flows[0, 1], flows[1, 2]) == (6, 12, -6, 0)


def test_a_kong_flows_to_a_seat_that_did_not_win_and_a_draw_may_be_paid_for() -> None:
    flows = flows_of((20, True), (5, False), (-10, False), (-15, False))
    assert (flows[0, 2], flows[1, 2], flows[0, 3], flows[1, 3], flows[0, 1]) == (8, 2, 12, 3, 0)
    flows = flows_of((4, False), (-2, False), (-2, False))
    assert (flows[0, 1], flows[2, 0], flows[1, 2]) == (2, -2, 0)


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
