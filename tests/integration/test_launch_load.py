"""`paiju load` against a real `paiju up`: players arrive, play, lose connections and come back."""

from __future__ import annotations

import json
import signal
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from services.launch.exits import NO, OK, OUTAGE
from services.matchmaking.settings import HALLS
from tests.support.up import Up, spawn

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="players have loopback addresses of their own"),
]

TIMING = {"claim_pause_ms": 0, "turn_ms": 9000, "claim_ms": 9000, "nonce_ms": 3000, "between_ms": 0}
PLAYERS = ("--games", "paohuzi,doudizhu", "--think-ms", "15", "--rest-ms", "100", "--json")


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Halls without pauses, with matches of one round."""
    halls = json.loads(HALLS.read_text(encoding="utf-8"))
    for level in halls["levels"]:
        level |= {"timing": TIMING, "rounds": 1}
    file = tmp_path_factory.mktemp("halls") / "halls.json"
    file.write_text(json.dumps(halls), encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def up(halls: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform for the tests that leave it alive."""
    data = tmp_path_factory.mktemp("load") / "data"
    with Up(data, env={"PAIJU_MATCHMAKING_HALLS_FILE": str(halls)}) as running:
        yield running


def load(folder: Path, url: str, *options: str) -> tuple[int, dict[str, Any], str]:
    """Run the command; return its exit code, its report and what it said on standard error."""
    log = folder / "load.log"
    process = spawn("load", url, *PLAYERS, *options, env={}, log=log)
    out, _ = process.communicate(timeout=120)
    return process.returncode, json.loads(out) if out else {}, log.read_text(encoding="utf-8")


def test_24_seats_play_rounds_through_storms_and_all_they_see_is_right(up: Up, tmp_path: Path) -> None:
    code, report, said = load(
        tmp_path,
        up.said.url,
        *("--seats", "24", "--rate", "24", "--seconds", "4", "--drain", "30", "--jobs", "2"),
        *("--drop-every", "1", "--drop-spread-ms", "100", "--slow", "0.1", "--slow-ms", "5"),
        *("--slo", "errors=0", "--slo", "wrong=0"),
    )
    assert code == OK, said
    assert report["wrong"] == report["errors"] == report["cut_short"] == 0
    assert report["arrived"] >= 24
    assert report["seats_taken"] == report["seats_played_out"] >= 24
    assert report["rounds"] > 8
    assert report["actions"] > 100
    # Who had played his last match when he was cut off has no reason to come back.
    assert 10 < report["drops"] - 8 <= report["reconnects"] <= report["drops"]
    assert report["views_checked"] > 0
    assert report["goodbyes_by_reason"].keys() == {"DROPPED_BY_US"}
    for name in ("sign_in", "seat", "action", "acknowledged", "resume", "settle"):
        times = report["times"][name]
        assert times["count"] > 0
        assert 0 < times["p50_ms"] <= times["p99_ms"] <= times["max_ms"]
    assert report["generator"]["cpu_us_per_action"] > 0
    assert " present, " in said


def test_friends_and_spectators_at_tables_of_their_own_play_over_grpc(up: Up, tmp_path: Path) -> None:
    code, report, said = load(
        tmp_path,
        up.said.url,
        *("--seats", "9", "--rate", "30", "--seconds", "2", "--drain", "30", "--matches", "1"),
        *("--seating", "table", "--key-file", str(up.data / "keys" / "service"), "--rounds", "1"),
        *("--timing", json.dumps(TIMING), "--door", "both", "--grpc", up.said.grpc, "--watch", "1"),
    )
    assert code == OK, said
    assert report["wrong"] == report["errors"] == 0
    assert report["rounds"] >= 3
    assert report["tables_watched"] == report["rounds"], "one round a table, one spectator each"
    whole = report["frames"]
    assert report["seats_told_agreed"] == 3 * report["rounds"], "each of three friends hears the verdict"
    assert whole > report["actions"] > 50


def answers(up: Up) -> float:
    """Return how many answers the tables have taken."""
    with urllib.request.urlopen(up.said.metrics, timeout=10) as page:
        lines = page.read().decode().splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("paiju_table_answers_total"))


def test_a_platform_killed_in_the_middle_of_play_and_started_again_shows_nobody_anything_wrong(
    halls: Path, tmp_path: Path
) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    log = tmp_path / "load.log"
    with Up(tmp_path / "data", "--port", port, env={"PAIJU_MATCHMAKING_HALLS_FILE": str(halls)}) as up:
        options = ("--seats", "12", "--rate", "24", "--seconds", "8", "--drain", "60", "--patience", "60")
        process = spawn("load", up.said.url, *PLAYERS, *options, "--slo", "errors=0", env={}, log=log)
        deadline = time.monotonic() + 60
        while answers(up) < 100:
            assert process.poll() is None, log.read_text(encoding="utf-8")
            assert time.monotonic() < deadline
            time.sleep(0.05)
        up.kill()
        up.start()
        out, _ = process.communicate(timeout=120)
        assert process.returncode == OK, log.read_text(encoding="utf-8")
        report = json.loads(out)
        assert report["wrong"] == report["cut_short"] == 0
        assert report["goodbyes_by_reason"]["LOST"] >= report["reconnects"] > 6, "all lost their connection"
        assert report["seats_taken"] == report["seats_played_out"]
        assert answers(up) > 0, "they played on"


def test_ctrl_c_ends_it_soon_with_the_report_so_far(up: Up, tmp_path: Path) -> None:
    log = tmp_path / "load.log"
    process = spawn("load", up.said.url, *PLAYERS, "--seats", "6", "--rate", "9", env={}, log=log)
    deadline = time.monotonic() + 60
    while " arrived" not in log.read_text(encoding="utf-8"):
        assert process.poll() is None, log.read_text(encoding="utf-8")
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=45)  # it was to run for a minute, and another to drain
    report = json.loads(out)
    assert report["arrived"] > 0
    assert report["wrong"] == 0


def test_a_promise_that_is_not_kept_is_exit_1_and_nobody_there_is_exit_4(up: Up, tmp_path: Path) -> None:
    code, report, said = load(
        tmp_path,
        up.said.url,
        *("--seats", "3", "--rate", "9", "--seconds", "1", "--drain", "30", "--matches", "1"),
        *("--slo", "action_p50=1us", "--slo", "errors=0"),
    )
    assert code == NO
    assert [slo["kept"] for slo in report["slos"]] == [False, True]
    assert said.splitlines()[-1] == "paiju: not kept: action_p50=1us"
    code, _, said = load(tmp_path, "http://127.0.0.1:9/")
    assert code == OUTAGE
    assert said.splitlines()[-1].startswith("paiju: nobody answers at http://127.0.0.1:9/")
