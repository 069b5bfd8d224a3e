"""The commands that need no server: what they print, and how they end."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from engine import GAMES
from engine.record import Record
from services.chassis.db import migrate
from services.launch.arena import play_round
from services.launch.exits import NO, OK, OUTAGE, USAGE
from services.launch.main import app

ROOT = Path(__file__).resolve().parents[2]


def paiju(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, arguments)


@pytest.fixture(scope="module")
def won() -> Record:
    """A round that somebody won, played by bots."""
    game = GAMES["paohuzi"]
    rules = game.ruleset("tongyi-qmt")
    for number in range(2, 500):
        seed = hashlib.sha256(b"%d" % number).digest()
        record, _ = play_round(game, rules, ("random",) * 3, f"test/{number}", seed, 0, 0)
        if record is not None and record.result["winners"] and len(record.actions) > 3:
            return record
    raise AssertionError("random bots win sometimes")


@pytest.fixture
def recorded(won: Record, tmp_path: Path) -> Path:
    """The same, in a file."""
    path = tmp_path / "round.txt"
    path.write_bytes(won.text.encode())
    return path


@pytest.mark.parametrize(
    "command",
    [
        "up",
        "serve",
        "migrate",
        "simulate",
        "score",
        "replay",
        "verify",
        "vectors",
        "rules",
        "reconcile",
        "holidays",
    ],
)
def test_every_command_explains_itself_with_an_example_and_its_exit_codes(command: str) -> None:
    done = paiju(command, "--help")
    assert done.exit_code == OK
    assert "Example: " in done.output
    assert f"paiju {command}" in " ".join(done.output.split())
    assert "Exit codes: 0" in done.output


@pytest.mark.parametrize("command", ["list", "show", "replay", "drop"])
def test_every_command_of_the_dlq_explains_itself_too(command: str) -> None:
    done = paiju("dlq", command, "--help")
    assert done.exit_code == OK
    assert f"Example: paiju dlq {command}" in " ".join(done.output.split())
    assert "Exit codes: 0" in done.output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dlq", "list"), "where is the broker?"),
        (("dlq", "list", "--data", "/nowhere/at/all"), "where is the broker?"),
        (("rules", "mahjong"), "known: paohuzi"),
        (("rules", "paohuzi", "--preset", "nowhere"), "known: 876cc"),
        (("simulate", "paohuzi", "--preset", "nowhere"), "known: 876cc"),
        (("simulate", "paohuzi", "--preset", "876cc", "--bots", "genius,random,random"), "paohuzi has"),
        (("simulate", "paohuzi", "--preset", "876cc", "--bots", "random,random"), "2 bots were named"),
        (("simulate", "doudizhu", "--preset", "classic", "--option", "double=maybe"), "double"),
        (("simulate", "doudizhu", "--preset", "classic", "--option", "turbo=on"), "turbo"),
        (("simulate", "doudizhu", "--preset", "classic", "--duel", "--bots", "normal"), "has two bots"),
        (("score", "paohuzi", "--preset", "876cc", "s11"), "s11"),
        (("score", "paohuzi", "--preset", "876cc", "s1", "foo:s2s2s2"), "foo"),
        (("score", "paohuzi", "--preset", "876cc", "s1", "--from", "heaven"), "there are self"),
        (("score", "paohuzi", "--preset", "876cc", "s1s1s1s1", "s1"), "more than four s1"),
        (("score", "doudizhu", "--preset", "classic", "34567"), "kawuxing"),
        (("score", "kawuxing", "--preset", "seed004", "p1p1p1p1 p1"), "more than four"),
        (("score", "qinghunpeng", "--preset", "seed000", "m1", "--from", "heaven"), "there are zimo"),
        (("verify", "/nowhere/at/all"), "No such file"),
        (("replay", "/nowhere/at/all"), "No such file"),
        (("vectors", "/nowhere/at/all"), "No such file"),
        (("serve", "casino"), "there are accounts"),
    ],
)
def test_what_is_not_understood_is_refused_in_one_line_that_helps(
    arguments: tuple[str, ...], said: str
) -> None:
    done = paiju(*arguments)
    assert done.exit_code == USAGE
    assert said in done.stderr
    assert done.stderr.startswith("paiju: ")
    assert done.stderr.count("\n") == 1


def test_simulate_prints_one_object_with_what_programs_need() -> None:
    done = paiju("simulate", "paohuzi", "--preset", "tongyi-qmt", "--rounds", "30", "--json")
    assert done.exit_code == OK, done.stderr
    found = json.loads(done.stdout)
    assert (found["game"], found["preset"], found["rounds"], found["ended"]) == (
        "paohuzi",
        "tongyi-qmt",
        30,
        30,
    )
    assert found["disagreements"] == found["conservation_errors"] == found["zero_sum_errors"] == 0
    assert found["rounds_per_s"] > 0
    assert set(found) >= {"draws", "self_draws", "names", "wins"}
    decided = found["rounds"] - found["draws"]
    assert sum(row["wins"] for row in found["wins"].values()) == decided
    assert sum(row["seats"] for row in found["wins"].values()) == 3 * decided


def test_a_seed_plays_the_same_rounds_however_many_processes_share_them() -> None:
    def counted(*more: str) -> dict[str, object]:
        done = paiju("simulate", "paohuzi", "--preset", "876cc", "--rounds", "25", "--json", *more)
        found: dict[str, object] = json.loads(done.stdout)
        found.pop("rounds_per_s")
        return found

    assert counted("--seed", "x") == counted("--seed", "x", "--jobs", "2")
    assert counted("--seed", "x") != counted("--seed", "y")


def test_a_house_rule_can_be_judged_before_it_is_opened() -> None:
    def desk(*more: str) -> dict[str, Any]:
        done = paiju("simulate", "doudizhu", "--preset", "classic", "--rounds", "40", "--json", *more)
        assert done.exit_code == OK, done.stderr
        found: dict[str, Any] = json.loads(done.stdout)["desk"]
        return found

    usual, doubled = desk(), desk("--option", "double=on", "--bots", "random,random,random")
    assert "加倍" not in usual["names"]
    assert 0 < doubled["names"]["加倍"]["low"] < doubled["names"]["加倍"]["share"]
    assert sum(doubled["multipliers"].values()) == doubled["decided"]


def test_a_duel_tells_who_is_better_and_how_sure_that_is() -> None:
    arguments = ("--rounds", "12", "--duel", "--bots", "easy,random", "--json")
    done = paiju("simulate", "doudizhu", "--preset", "classic", *arguments)
    assert done.exit_code == OK, done.stderr
    found = json.loads(done.stdout)
    assert (found["deals"], found["rounds"]) == (12, 72)
    assert 0 < found["low"] < found["difference"] < found["high"]
    again = paiju("simulate", "doudizhu", "--preset", "classic", "--jobs", "2", *arguments)
    assert json.loads(again.stdout) == found


def test_score_shows_both_sides_and_that_they_agree() -> None:
    hand = "b10b10b10 b9b9b9 s7s6s8 s6s5s4 b4b5b6 b3s3s3 s2s2 +s2"
    found = json.loads(paiju("score", "paohuzi", "--preset", "876cc", hand, "--json").stdout)
    assert found["agree"] is True
    assert found["engine"]["xi"] == found["scoring"]["xi"] == 15
    shown = paiju("score", "paohuzi", "--preset", "876cc", hand)
    assert shown.exit_code == OK
    assert "偎 二二二: 3 息 (§2)" in shown.stdout
    assert "15 息" in shown.stdout


@pytest.mark.parametrize(
    ("game", "preset", "hand", "options", "expected"),
    [
        ("kawuxing", "seed004", "p2p2p2 p4p6 p7p7p7 s1s2s3 z5z5 +p5", (), {"卡五星": 2}),
        ("kawuxing", "seed004", "p22246777 s123 z55 +p5", (), {"卡五星": 2}),
        ("qinghunpeng", "seed000", "m111333 m77 m99 peng:m555 flowers:f13 +m7", (), {"清碰": 20}),
        ("kawuxing", "seed004", "p1p1p1p1 p3p3 p5p5 p7p7 p9p9 s1 +s1", ("--from", "discard"), {"龙七对": 16}),
        ("qinghunpeng", "seed000", "m1m1m1 m3m3m3 m7m7 m9m9 peng:m5m5m5 flowers:f1f3 +m7", (), {"清碰": 20}),
        (
            "qinghunpeng",
            "seed000",
            "z1z1z1 m2m3m4 m6m7m8 z2z2 m9m9 +z2",
            ("--from", "discard"),
            {"混一色": 3},
        ),
    ],
)
def test_score_shows_both_sides_of_hands_of_tiles(
    game: str, preset: str, hand: str, options: tuple[str, ...], expected: dict[str, int]
) -> None:
    found = json.loads(paiju("score", game, "--preset", preset, hand, *options, "--json").stdout)
    assert found["agree"] is True
    assert found["engine"]["names"] == found["scoring"]["names"] == expected
    shown = paiju("score", game, "--preset", preset, hand, *options)
    assert shown.exit_code == OK
    assert all(name in shown.stdout for name in expected)


def test_score_reads_cards_as_they_are_printed() -> None:
    as_printed = "拾拾拾 玖玖玖 七六八 六五四 肆伍陆 叁三三 二二 +二"
    as_typed = "b10b10b10 b9b9b9 s7s6s8 s6s5s4 b4b5b6 b3s3s3 s2s2 s2"
    outputs = [
        paiju("score", "paohuzi", "--preset", "876cc", hand, "--json").stdout
        for hand in (as_printed, as_typed)
    ]
    assert outputs[0] == outputs[1] != ""


def test_verify_agrees_to_an_honest_record_and_says_how_many_seats_contributed(recorded: Path) -> None:
    done = paiju("verify", str(recorded))
    assert done.exit_code == OK
    assert "0 of 3 seats contributed" in done.stdout
    assert f"sha-256: {hashlib.sha256(recorded.read_bytes()).hexdigest()}\n" in done.stdout
    assert done.stdout.endswith("AGREED\n")
    assert json.loads(paiju("verify", str(recorded), "--json").stdout)["nonces_given"] == 0


def test_verify_computes_the_coins_of_a_record_that_names_a_fee_from_the_stakes(
    won: Record, tmp_path: Path
) -> None:
    plain = GAMES["paohuzi"].ruleset_from(won.preset, won.options)
    path = tmp_path / "round.txt"
    for options, said in (
        ({"base_stake": 10, "fee": 20}, "10 a point, a fee of 20 from each seat"),
        ({"base_stake": 10, "fee": 20, "win_cap_by_balance": True}, "nobody wins more than he has at stake"),
    ):
        agreed = GAMES["paohuzi"].ruleset(plain.preset, options).as_json()
        path.write_bytes(won.text.replace(won.options, agreed).encode())
        done = paiju("verify", str(path), "--stakes", "90,90,90")
        assert done.exit_code == OK
        assert said in done.output
        found = json.loads(paiju("verify", str(path), "--stakes", "90,90,90", "--json").stdout)
        winner = won.result["winners"][0]
        assert found["fees"] == [20, 20, 20]
        assert sum(found["coins"]) == 0
        owed = 10 * won.result["points"][winner]
        most = 70 if options.get("win_cap_by_balance") else 140
        each = [min(-10 * points, 70) for points in won.result["points"] if points < 0]
        assert found["coins"][winner] == min(owed, most, sum(each))


@pytest.mark.parametrize("stakes", ["1,2", "1,2,-3", "1,2,x", "1.5,2,3", "1,2,3,", "9" * 500, "1,2,3,4"])
def test_verify_refuses_stakes_that_are_none(recorded: Path, stakes: str) -> None:
    done = paiju("verify", str(recorded), "--stakes", stakes)
    assert done.exit_code == USAGE
    assert "stakes" in done.output


def test_verify_names_the_first_wrong_action(won: Record, recorded: Path) -> None:
    lines = recorded.read_text().split("\n")
    third = lines.index("") + 3
    seat = lines[third].split()[0]
    lines[third] = f"{seat} chi s1s2s3 @2 bot" if "chi s1s2s3" not in lines[third] else f"{seat} peng @2 bot"
    recorded.write_text("\n".join(lines))
    done = paiju("verify", str(recorded))
    assert done.exit_code == NO
    assert "action 3 " in done.stderr
    assert json.loads(paiju("verify", str(recorded), "--json").stdout)["wrong_action"] == 3


@pytest.mark.parametrize(
    ("old", "new"),
    [('"points":[', '"points":[9,'), ("Seed: ", "Seed: x"), ("Paiju-Record: 1", "Paiju-Record: 2")],
)
def test_verify_refuses_a_record_that_was_changed_anywhere(recorded: Path, old: str, new: str) -> None:
    text = recorded.read_text()
    recorded.write_text(text.replace(old, new, 1))
    done = paiju("verify", str(recorded))
    assert done.exit_code == NO
    assert "DISPUTED" in done.stdout


def test_verify_compares_the_commitment_that_was_heard(won: Record, recorded: Path) -> None:
    assert paiju("verify", str(recorded), "--commitment", won.commitment).exit_code == OK
    other = paiju("verify", str(recorded), "--commitment", "0" * 64)
    assert other.exit_code == NO
    assert "as heard" in other.stderr


def test_replay_plays_to_the_recorded_end(won: Record, recorded: Path) -> None:
    done = paiju("replay", str(recorded))
    assert done.exit_code == OK
    winner = won.result["winners"][0]
    assert f"seat {winner} {won.result['points'][winner]:+d}" in done.stdout
    assert f"{len(won.actions)}. seat" in done.stdout


def test_replay_for_one_seat_shows_no_other_hand_and_no_other_answer(recorded: Path) -> None:
    deals = [
        line for line in paiju("replay", str(recorded), "--seat", "1").stdout.splitlines() if " deal " in line
    ]
    assert len(deals) == 1
    assert deals[0].count("?20") == 2
    assert ". seat 0 " not in paiju("replay", str(recorded), "--seat", "1").stdout


def test_replay_stops_at_an_end_that_was_changed(recorded: Path) -> None:
    text = recorded.read_text()
    recorded.write_text(text.replace('"how":"', '"how":"not ', 1))
    done = paiju("replay", str(recorded))
    assert done.exit_code == NO
    assert "how is" in done.stderr


def test_vectors_counts_last_and_names_what_failed(tmp_path: Path) -> None:
    good = (ROOT / "tests/vectors/paohuzi.jsonl").read_text(encoding="utf-8").splitlines()
    scored = next(json.loads(line) for line in good if json.loads(line)["kind"] == "score")
    scored["expect"] = {preset: {**row, "xi": row["xi"] + 1} for preset, row in scored["expect"].items()}
    file = tmp_path / "examples.jsonl"
    file.write_text(
        "\n".join([*good[:3], json.dumps(scored), '{"id": "odd", "kind": "dream"}']), encoding="utf-8"
    )
    done = paiju("vectors", str(file))
    assert done.exit_code == NO
    assert done.stdout.splitlines()[-1] == "3 passed, 2 failed"
    wrong = [line for line in done.stdout.splitlines() if line.startswith(scored["id"])]
    assert any("engine" in line and "xi" in line for line in wrong)
    assert any("scoring" in line and "xi" in line for line in wrong)
    assert any(line.startswith("odd: ") for line in done.stdout.splitlines())


def test_all_worked_examples_pass_both() -> None:
    done = paiju("vectors", str(ROOT / "tests/vectors/paohuzi.jsonl"))
    assert done.exit_code == OK, done.stdout
    assert done.stdout.splitlines()[-1] == "102 passed, 0 failed"


def test_rules_shows_every_option_with_its_rule_and_its_values() -> None:
    found = json.loads(paiju("rules", "paohuzi", "--json").stdout)
    assert set(found["presets"]) >= {"876cc", "luzhou-10xi", "bafang-yongzhou", "tongyi-qmt"}
    assert set(found["options"]) == set(found["presets"]["876cc"]["options"])
    shown = paiju("rules", "paohuzi").stdout
    assert "min_xi = 15; luzhou-10xi 10" in shown


@pytest.mark.parametrize("game", sorted(GAMES))
def test_rules_says_in_the_language_asked_for_what_each_option_does(game: str) -> None:
    found = json.loads(paiju("rules", game, "--json").stdout)["options"]
    english = paiju("rules", game).stdout.splitlines()
    chinese = paiju("rules", game, "--language", "zh").stdout.splitlines()
    assert len(english) == len(chinese) == 2 + 2 * len(found)
    assert english[::2] == chinese[::2], "names and values are what one types"
    for option, en, zh in zip(found.values(), english[3::2], chinese[3::2], strict=True):
        assert en.startswith(f"    {option['what']} (")
        assert f"：{option['what_zh']}（可填 " in zh
        assert f"规则 {option['rule']}" in zh


def test_rules_in_an_unknown_language_is_a_wrong_use() -> None:
    assert paiju("rules", "paohuzi", "--language", "fr").exit_code == USAGE


@pytest.mark.parametrize("folder", ["data", "a folder 牌局 #1"])
def test_reconcile_reads_a_book_and_changes_nothing(tmp_path: Path, folder: str) -> None:
    data = tmp_path / folder
    file = data / "economy.db"
    made = tmp_path / "made.db"
    migrate(f"sqlite:///{made}", "economy")
    data.mkdir()
    made.rename(file)
    before = file.read_bytes()
    done = paiju("reconcile", "--data", str(data))
    assert done.exit_code == OK
    assert done.output.splitlines() == [
        "0 transfers, 0 accounts checked",
        "rounds not held against their records: no broker was named (PAIJU_NATS_URL, or --data)",
    ]
    assert file.read_bytes() == before


def test_reconcile_without_a_book_says_so_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for arguments in ((), ("--data", "nowhere")):
        done = paiju("reconcile", *arguments)
        assert done.exit_code == USAGE
        assert "there is no book here" in done.stderr
        assert "--data" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"junk", b"SQLite format 3\0" + b"\xff" * 5000])
@pytest.mark.parametrize("command", ["reconcile", "migrate"])
def test_a_damaged_database_is_named_in_one_line(
    tmp_path: Path, command: str, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "economy.db").write_bytes(content)
    if command == "migrate":
        monkeypatch.setenv("PAIJU_DEV", "1")
        monkeypatch.setenv("PAIJU_DATA_DIR", str(tmp_path))
        done = paiju("migrate", "economy")
    else:
        done = paiju("reconcile", "--data", str(tmp_path))
    assert done.exit_code == OUTAGE
    assert done.stderr.count("\n") == 1
    assert f"{tmp_path}/economy.db: damaged" in done.stderr


@pytest.mark.parametrize("host", ["300.1.1.1", "192.0.2.7", "no.such.host.invalid"])
def test_a_host_that_is_not_ours_is_named_and_no_port_is_blamed(tmp_path: Path, host: str) -> None:
    done = paiju("up", "--data", str(tmp_path / "data"), "--port", "0", "--host", host)
    assert done.exit_code == USAGE
    assert host in done.stderr
    assert "taken" not in done.stderr
    assert done.stderr.count("\n") == 1
