"""The parts of `paiju load`: times, arrivals, promises, choices."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from engine import GAMES
from engine.search import Chance
from services.launch.exits import USAGE, Stop
from services.launch.load.chance import Stream
from services.launch.load.figures import Figures
from services.launch.load.histogram import Histogram, highest_of, slot_of
from services.launch.load.order import LOOPBACK, Order, key_from, parse_games, parse_think
from services.launch.load.plan import Arrival, arrivals, share, source_of
from services.launch.load.policy import Mind
from services.launch.load.report import report_of, text_of
from services.launch.load.slo import parse_slo
from services.launch.load.world import Board
from tests.support.told import told

ORDER = Order("http://127.0.0.1:1/", games=parse_games(""), seats=300, rate=50, seconds=14)


def filled(seconds: list[float]) -> Histogram:
    histogram = Histogram()
    for value in seconds:
        histogram.record(value)
    return histogram


def test_slots_follow_each_other_without_a_hole_and_hold_what_they_say() -> None:
    values = [*range(5000), *(random.Random(1).randrange(1 << 40) for _ in range(5000))]
    for us in values:
        slot = slot_of(us)
        assert slot_of(highest_of(slot)) == slot
        assert slot_of(highest_of(slot) + 1) == slot + 1
        assert us <= highest_of(slot) <= us * 1.001 + 1


def test_percentiles_are_those_of_the_sorted_times_within_a_thousandth() -> None:
    rng = random.Random(2)
    times = [rng.lognormvariate(-4, 1.5) for _ in range(20_001)]
    histogram, ordered = filled(times), sorted(times)
    for percent in (50.0, 90.0, 99.0, 99.9):
        exact = ordered[-(-len(ordered) * int(percent * 10) // 1000) - 1]
        assert histogram.percentile(percent) == pytest.approx(exact, rel=0.0011, abs=2e-6)
    assert histogram.percentile(100) == pytest.approx(ordered[-1], abs=1e-6)
    assert histogram.mean == pytest.approx(sum(times) / len(times), abs=1e-6)


def test_histograms_add_up_and_an_empty_one_knows_nothing() -> None:
    one, two = filled([0.001, 0.5]), filled([0.02, -1.0])
    one.add(two)
    assert one == filled([0.001, 0.5, 0.02, 0.0])
    assert Histogram().percentile(99) == 0.0
    assert Histogram().as_json()["count"] == 0


def test_the_same_seed_gives_the_same_arrivals_and_another_one_others() -> None:
    assert arrivals(ORDER) == arrivals(ORDER)
    assert arrivals(ORDER) != arrivals(replace(ORDER, seed="2"))


def test_arrivals_are_a_poisson_process_of_the_rate_asked_for() -> None:
    plan = arrivals(replace(ORDER, seconds=394.0))
    assert len(plan) == pytest.approx(50 * 400, rel=0.03)
    gaps = [after.at_s - before.at_s for before, after in pairwise(plan)]
    mean = sum(gaps) / len(gaps)
    variance = sum((gap - mean) ** 2 for gap in gaps) / len(gaps)
    # Of exponential gaps the deviation equals the mean; a metronome's would be 0.
    assert variance**0.5 == pytest.approx(mean, rel=0.05)


@pytest.mark.parametrize("seating", ["quick", "room"])
def test_processes_share_the_arrivals_and_part_no_party(seating: str) -> None:
    plan = arrivals(replace(ORDER, seating=seating))
    shares = [share(plan, job, 3) for job in range(3)]
    assert sorted((a for part in shares for a in part), key=lambda a: a.index) == plan
    homes: dict[int, set[int]] = {}
    for job, part in enumerate(shares):
        for arrival in part:
            homes.setdefault(arrival.party, set()).add(job)
    assert all(len(jobs) == 1 for jobs in homes.values())
    by_party: dict[int, list[Arrival]] = {}
    for arrival in plan:
        by_party.setdefault(arrival.party, []).append(arrival)
    for party in list(by_party.values())[:-1]:
        assert len(party) == (GAMES[party[0].game].seats if seating == "room" else 1)


def test_visits_last_as_many_matches_as_asked_for_on_average() -> None:
    plan = arrivals(replace(ORDER, seconds=200.0, matches=3.0))
    assert sum(arrival.matches for arrival in plan) / len(plan) == pytest.approx(3.0, rel=0.1)
    assert min(arrival.matches for arrival in plan) == 1


def test_think_times_have_the_median_asked_for() -> None:
    stream = Stream("1", "think")
    times = sorted(stream.lognormal(600, 0.6) for _ in range(4001))
    assert times[2000] == pytest.approx(600, rel=0.06)
    assert times[-1] > 2000
    assert Stream("1", "think").lognormal(600, 0) == 600


def test_streams_of_other_purposes_are_others() -> None:
    assert Stream("1", "a").uniform() == Stream("1", "a").uniform()
    assert len({Stream("1", "a", n).uniform() for n in range(50)} | {Stream("1", "b", 0).uniform()}) == 51


def test_every_player_has_a_loopback_address_of_his_own() -> None:
    sources = {source_of(index, LOOPBACK) for index in range(150_000)}
    assert len(sources) == 150_000
    assert all(source.startswith("127.") for source in sources)


def test_players_share_the_addresses_of_a_small_network_without_its_first_and_last() -> None:
    sources = [source_of(index, "198.19.1.0/29") for index in range(12)]
    assert sources == [f"198.19.1.{number}" for number in (1, 2, 3, 4, 5, 6)] * 2


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("action_p99=50ms", True),
        ("action_p99<=0.05s", True),
        ("action_p99=10ms", False),
        ("action_p99.5=10ms", False),
        ("action_max=19000us", False),
        ("action_mean=16ms", True),
        ("seat_p50=1s", False),  # nothing was measured
        ("errors=0", False),
        ("errors=1", True),
        ("actions_per_s>=0.5", True),
        ("actions_per_s>=3", False),
        ("no_such_thing=3", False),
    ],
)
def test_promises_are_held_against_the_report(text: str, kept: bool) -> None:
    figures = Figures()
    figures.enter("steady")
    figures.now.seconds = 2.0
    for ms in (10, 20):
        figures.time("action", ms / 1000)
        figures.count("actions")
    figures.errors["STALLED"] += 1
    report = report_of(ORDER, figures, [parse_slo(text)])
    assert report["slos"][0]["kept"] is kept
    assert text in text_of(report)


@pytest.mark.parametrize("text", ["", "action", "action_p99=50", "errors=5ms", "action_p99<50ms", "p99=1ms"])
def test_a_promise_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(Stop) as stop:
        parse_slo(text)
    assert stop.value.code == USAGE


@pytest.mark.parametrize(
    "wrong",
    [
        {"seating": "floor"},
        {"policy": "hard"},
        {"door": "window"},
        {"check": "none"},
        {"url": "127.0.0.1:8080"},
        {"door": "grpc"},
        {"door": "grpc", "grpc": "127.0.0.1:1", "others": ("http://127.0.0.1:2/",)},
        {"others": ("nowhere",)},
        {"network": "198.19.1.7"},
        {"network": "198.19.1.0/31"},
        {"network": "a street"},
        {"seating": "table", "grpc": "127.0.0.1:1"},
        {"slow": 1.5},
        {"rate": 0.0},
    ],
)
def test_what_cannot_be_done_is_refused_before_it_starts(wrong: dict[str, object]) -> None:
    ORDER.check_it()
    with pytest.raises(Stop) as stop:
        replace(ORDER, **wrong).check_it()  # type: ignore[arg-type]
    assert stop.value.code == USAGE


def test_games_think_times_and_keys_are_read_or_refused(tmp_path: Path) -> None:
    assert parse_games("doudizhu/qiang,paohuzi")[0] == ("doudizhu", "qiang")
    assert [game for game, _ in parse_games("")] == list(GAMES)
    assert parse_think("250") == (250.0, 0.6)
    assert parse_think("250:0") == (250.0, 0.0)
    (tmp_path / "key").write_text("k" * 32 + "\n")
    assert key_from(tmp_path / "key") == "k" * 32
    for refused in (
        lambda: parse_games("chess"),
        lambda: parse_games("paohuzi/none"),
        lambda: parse_think("soon"),
        lambda: key_from(tmp_path / "none"),
    ):
        with pytest.raises(Stop):
            refused()


@pytest.mark.parametrize("policy", ["fallback", "random"])
@pytest.mark.parametrize("game", GAMES)
def test_a_mind_that_folds_event_by_event_decides_as_one_that_folds_the_whole_round(
    game: str, policy: str
) -> None:
    seat = 0
    mind = Mind(game, policy, Chance(5))
    rng = Chance(5)
    texts: list[str] = []
    asked = 0
    for frame in told(game, seat).frames:
        texts.extend(frame.play.events)
        if not frame.play.HasField("question"):
            continue
        view = GAMES[game].fold(texts)
        expected = GAMES[game].fallback(view) if policy == "fallback" else GAMES[game].bots[policy](view, rng)
        assert mind.choose(texts) == expected
        asked += 1
    assert asked > 3
    # The next round's texts are another list, and begin anew.
    again = told(game, seat).frames
    first = next(frame for frame in again if frame.play.HasField("question"))
    fresh = [text for frame in again[: again.index(first) + 1] for text in frame.play.events]
    assert mind.choose(fresh) in GAMES[game].fold(fresh).legal


def test_what_others_see_of_an_answer_is_timed_from_the_moment_it_was_meant() -> None:
    figures = Figures()
    board = Board(figures)
    board.heard(100, "action_to_others", 5.25)  # faster than the actor's own frame
    board.acted(100, 5.0)
    board.heard(100, "action_to_watchers", 5.5)
    board.heard(101, "action_to_others", 6.0)  # nobody here did that
    times = figures.now.times
    assert times["action_to_others"] == filled([0.25])
    assert times["action_to_watchers"] == filled([0.5])


def test_figures_of_several_processes_add_up_and_a_round_counts_once() -> None:
    one, two = Figures(), Figures()
    for figures in (one, two):
        figures.now.rounds.add("0-a/1")
        figures.count("actions", 3)
        figures.time("action", 0.01)
        figures.is_wrong("gap", "frame 3 after frame 1")
        figures.now.cpu_s = 1.5
    two.now.rounds.add("0-a/2")
    two.busiest = 0.9
    one.add(two)
    report = report_of(ORDER, one, [])
    assert (report["rounds"], report["actions"], report["wrong"]) == (2, 6, 2)
    assert len(report["wrong_examples"]) == 2
    assert one.phases["ramp"].cpu_s == 3.0
    assert report["generator"]["saturated"]
    assert "WARNING" in text_of(report)
