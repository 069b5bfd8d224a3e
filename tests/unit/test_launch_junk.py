"""What no person would type, and programs do: the commands answer it in one line, or show it as they can."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from engine import GAMES
from engine.record import canonical_json
from services.launch.arena import play_round
from services.launch.exits import NO, OK, USAGE
from services.launch.main import app

ROOT = Path(__file__).resolve().parents[2]
DEEP = "[" * 100_000
LONG = "9" * 5_000


def paiju(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.mark.parametrize("value", [LONG, DEEP, "NaN", "1e400"])
def test_an_option_too_long_or_too_deep_for_any_number_is_refused_by_its_name(value: str) -> None:
    done = paiju("simulate", "doudizhu", "--preset", "classic", "--option", f"bomb_cap={value}")
    assert done.exit_code == USAGE
    assert "option bomb_cap cannot be" in done.stderr


@pytest.mark.parametrize("more", [(), ("--duel", "--bots", "random,random")])
def test_a_seed_is_any_word_that_a_shell_can_give(more: tuple[str, ...]) -> None:
    done = paiju("simulate", "doudizhu", "--preset", "classic", "--rounds", "1", "--seed", "\udcff", *more)
    assert done.exit_code == OK, done.output


def test_a_duel_too_short_for_an_interval_is_json_all_the_same() -> None:
    arguments = ("--rounds", "1", "--duel", "--bots", "random,random", "--json")
    done = paiju("simulate", "doudizhu", "--preset", "classic", *arguments)
    found = json.loads(done.stdout, parse_constant=lambda word: pytest.fail(f"{word} is no JSON"))
    assert (found["low"], found["high"]) == (None, None)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("p1p1p1p2p2p2p3p3p3p4p4p4p5", "+p5p6"), "are 2 cards"),
        (("p1p1p1p2p2p2p3p3p3p4p4p4p5", "+p5", "+p6"), "one winning card"),
        (("p1p1p1p2p2p2p3p3p3p4p4p4p5", "+"), "not tiles"),
    ],
)
def test_score_takes_no_second_winning_card_and_drops_none_unsaid(words: tuple[str, ...], said: str) -> None:
    done = paiju("score", "kawuxing", "--preset", "seed004", *words)
    assert done.exit_code == USAGE
    assert said in done.stderr


@pytest.mark.parametrize("line", [DEEP, LONG + "x", '{"id":' + LONG + "}"])
def test_an_example_that_cannot_be_read_is_named(tmp_path: Path, line: str) -> None:
    file = tmp_path / "junk.jsonl"
    file.write_text(line, encoding="utf-8")
    done = paiju("vectors", str(file))
    assert done.exit_code == USAGE
    assert "junk.jsonl:1 is not JSON" in done.stderr


@pytest.mark.parametrize("game", sorted(GAMES))
def test_replay_takes_a_result_only_as_it_must_be_written(game: str, tmp_path: Path) -> None:
    preset = next(iter(GAMES[game].presets))
    rules, seats = GAMES[game].ruleset(preset), GAMES[game].seats
    seed = hashlib.sha256(b"replayed").digest()
    record, _ = play_round(GAMES[game], rules, ("random",) * seats, "test/1", seed, 0, 0)
    assert record is not None
    file = tmp_path / "round.txt"
    honest = record.text
    file.write_text(honest, encoding="utf-8")
    assert paiju("replay", str(file)).exit_code == OK
    written = canonical_json(record.result)
    points = record.result["points"]
    for changed, code in (
        (canonical_json({**record.result, "points": [float(one) for one in points]}), NO),
        (canonical_json({**record.result, "more": None}), NO),
        (DEEP, USAGE),
    ):
        file.write_text(honest.replace(written, changed), encoding="utf-8")
        assert paiju("replay", str(file)).exit_code == code, changed[:80]


@pytest.mark.parametrize(
    "arguments", [("rules", "doudizhu", "--language", "zh"), ("--help",), ("vectors", "FILE")]
)
def test_a_terminal_that_has_no_chinese_is_told_all_the_same(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    file = tmp_path / "odd.jsonl"
    file.write_text('{"game":"kawuxing","id":"\\ud800 \\u4e2d"}', encoding="utf-8")
    words = [str(file) if word == "FILE" else word for word in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "services.launch", *words],
        cwd=ROOT,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "protos")]),
            "PYTHONIOENCODING": "latin-1",
        },
        capture_output=True,
        check=False,
    )
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    assert b"\\u" in done.stdout
