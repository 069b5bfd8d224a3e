"""Secrets planted everywhere must not come out."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from paiju.table.v1 import events_pb2

from services.chassis import auth, log

SEED = "9c" * 32
JWT = auth.service_token("k" * 40, "table", 1_790_000_000)


@pytest.fixture
def out() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    log.configure("info", as_json=True, stream=stream)
    yield stream
    log.configure("warning", as_json=True)


def last(stream: io.StringIO) -> dict[str, Any]:
    line: dict[str, Any] = json.loads(stream.getvalue().strip().splitlines()[-1])
    return line


@pytest.mark.parametrize(
    "fields",
    [
        {"hand": "s1s2s3"}, {"hands": ["s1s2s3"]}, {"wall": "s1s2s3"}, {"server_seed": "s1s2s3"},
        {"nonces": "s1s2s3"}, {"token": "s1s2s3"}, {"refresh_token": "s1s2s3"}, {"chat_text": "s1s2s3"},
        {"cards": "s1s2s3"}, {"password": "s1s2s3"}, {"service_key": "s1s2s3"}, {"record": b"s1s2s3"},
        {"view": {"seat": 0, "hand": "s1s2s3"}}, {"seats": [{"cards": ["s1s2s3"]}]},
        {"Authorization": "s1s2s3"},
        {"raw": b"s1s2s3"}, {"message": events_pb2.RoundFinished(round_id="s1s2s3")},
        {"deep": {"a": {"b": {"c": {"d": {"e": {"f": {"g": "s1s2s3"}}}}}}}},
    ],
    ids=lambda fields: next(iter(fields)),
)  # fmt: skip
def test_a_secret_under_its_name_or_by_its_type_is_hidden(out: io.StringIO, fields: dict[str, Any]) -> None:
    log.get().info("thing_happened", **fields)
    assert "s1s2s3" not in out.getvalue()
    assert last(out)["event"] == "thing_happened"


@pytest.mark.parametrize("secret", [SEED, SEED.upper(), JWT, f"Bearer {JWT}", repr(bytes.fromhex(SEED))])
def test_a_secret_is_known_by_its_looks_wherever_it_stands(out: io.StringIO, secret: str) -> None:
    log.get().info(f"said {secret}", why=f"because {secret}", many=[f"x {secret}"])
    try:
        raise ValueError(f"bad {secret}")
    except ValueError as error:
        log.get().error("crashed", exc_info=error)
        logging.getLogger("library").error("library says %s", secret)
    assert secret not in out.getvalue()
    assert secret.removeprefix("Bearer ") not in out.getvalue()


def test_a_traceback_is_logged_without_the_locals_of_its_frames(out: io.StringIO) -> None:
    def play(position: list[str]) -> None:
        raise ValueError("bug")

    try:
        play(["s1", "s2", "s3" + "x"])
    except ValueError as error:
        log.get().error("table_frozen", exc_info=error)
    assert "ValueError: bug" in last(out)["exception"]
    assert "s3x" not in out.getvalue()


def test_what_is_no_secret_stays(out: io.StringIO) -> None:
    log.get(service="table").info(
        "round_ended", round_id="3-k2/4", points=[1, -1], coins=12, gone=None, ok=True
    )
    line = last(out)
    assert (line["round_id"], line["points"], line["coins"], line["ok"]) == ("3-k2/4", [1, -1], 12, True)
    assert (line["service"], line["level"]) == ("table", "info")


def test_below_the_level_nothing_is_written_and_console_lines_are_plain() -> None:
    stream = io.StringIO()
    log.configure("warning", as_json=False, stream=stream)
    log.get().info("quiet")
    log.get().warning("loud", token="s1s2s3")
    assert "quiet" not in stream.getvalue()
    assert "loud" in stream.getvalue()
    assert "s1s2s3" not in stream.getvalue()
    log.configure("warning", as_json=True)
    assert structlog.is_configured()
