"""`paiju staff` and `paiju keys`, on both databases, beside accounts that runs or doesn't."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select
from typer.testing import CliRunner

from services.accounts.store import schema
from services.chassis.db import migrate
from services.chassis.db.postgres import postgres_engine
from services.chassis.db.sqlite import sqlite_engine
from services.launch.main import app


class Shell:
    """Runs commands where the environment names the database."""

    def __init__(self, url: str) -> None:
        self.engine = sqlite_engine(url) if url.startswith("sqlite") else postgres_engine(url, connections=1)
        self._env = {"PAIJU_DATABASE_URL": url}

    def run(self, *arguments: str, code: int = 0) -> str:
        done = CliRunner().invoke(app, arguments, env=self._env)
        assert done.exit_code == code, (done.output, done.exception)
        return done.output

    def json(self, *arguments: str) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.run(*arguments, "--json"))
        return said


@pytest.fixture
def shell(database_url: str) -> Shell:
    migrate(database_url, "accounts")
    made = Shell(database_url)
    player = {
        "nickname": "老王",
        "avatar": "a01",
        "created_at_ms": 1,
        "version": 1,
        "network": "",
        "welcome": True,
    }
    password = {
        "player_id": "p_1",
        "login_name": "laowang",
        "hash": "",
        "created_at_ms": 1,
        "changed_at_ms": 1,
    }
    with made.engine.begin() as connection:
        connection.execute(insert(schema.players), player | {"player_id": "p_1"})
        connection.execute(insert(schema.passwords), password)
    return made


def test_a_role_is_given_and_taken_by_id_or_login_name(shell: Shell) -> None:
    given = shell.json("staff", "grant", "laowang", "disputes", "--reason", "night shift", "--as", "root")
    assert given == {"player_id": "p_1", "roles": ["disputes"]}
    assert shell.json("staff", "grant", "p_1", "money", "--reason", "refunds")["roles"] == [
        "disputes",
        "money",
    ]
    assert shell.json("staff", "list")["staff"] == [
        {"player_id": "p_1", "nickname": "老王", "roles": ["disputes", "money"]}
    ]
    assert (
        shell.run("staff", "revoke", "p_1", "money", "--reason", "no refunds any more") == "p_1: disputes\n"
    )
    # The deeds wait in the outbox; accounts sends them, and hears them into the log.
    with shell.engine.begin() as connection:
        types = connection.scalars(select(schema.outbox.c.type)).all()
    assert types == ["paiju.accounts.v1.StaffActed"] * 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("grant", "p_1", "king", "--reason", "to rule"), "there is no role 'king'"),
        (("grant", "p_2", "admin", "--reason", "to rule"), "NOT_FOUND"),
        (("grant", "nobody", "admin", "--reason", "to rule"), "NOT_FOUND"),
        (("grant", "p_1", "admin", "--reason", "x"), "Say why"),
        (("grant", "p_1", "admin", "--reason", "to rule", "--as", "\x07"), "a name for the log"),
    ],
)
def test_what_can_not_be_ends_in_one_line_and_changes_nothing(
    shell: Shell, arguments: tuple[str, ...], said: str
) -> None:
    output = shell.run("staff", *arguments, code=2)
    assert said in output
    assert output.count("\n") == 1
    assert shell.json("staff", "list")["staff"] == []


def test_a_key_is_made_listed_and_ended(shell: Shell) -> None:
    made = shell.json(
        "keys", "create", "laowang", "--name", "league bot", "--scope", "play", "--scope", "records.read",
        "--per-minute", "900", "--reason", "the league",
    )  # fmt: skip
    assert str(made["secret"]).startswith("pjk_")
    (listed,) = shell.json("keys", "list", "p_1")["keys"]
    assert (listed["scopes"], listed["per_minute"]) == ("play,records.read", 900)
    assert str(made["secret"]) not in json.dumps(listed)
    for _ in range(2):
        shell.run("keys", "revoke", str(made["key_id"]), "--reason", "it was published")
    (listed,) = shell.json("keys", "list", "p_1")["keys"]
    assert listed["revoked_at_ms"]
    assert "SCOPE_UNKNOWN" in shell.run(
        "keys", "create", "p_1", "--name", "x", "--scope", "all", "--reason", "the league", code=2
    )
    assert "NOT_FOUND" in shell.run("keys", "revoke", "k_none", "--reason", "the league", code=2)


def test_without_a_database_one_line_says_so(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["staff", "list", "--data", str(tmp_path / "none")])
    assert done.exit_code == 2
    assert "there are no accounts here" in done.output
    assert not (tmp_path / "none").exists()
