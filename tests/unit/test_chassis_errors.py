"""Refusals, the table of reasons, and their way over the wire."""

from __future__ import annotations

import re
import string

import grpc
import pytest
from google.rpc import status_pb2

from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.reasons import REASONS, _one_table
from services.chassis.rpc.status import CODES, error_of, status_of

CHINESE = re.compile(r"[\u4e00-\u9fff]")


def test_a_refusal_for_an_unknown_reason_is_a_defect() -> None:
    with pytest.raises(Defect, match="NO_SUCH_REASON"):
        Refusal("NO_SUCH_REASON")


def test_a_refusal_fills_its_texts_and_survives_missing_details() -> None:
    assert Refusal("NOT_FOUND", what="x").text("en") == "Not found: x."
    assert Refusal("NOT_FOUND").text("zh-CN") == "找不到：{what}。"
    assert str(Refusal("NOT_FOUND", what="x")) == "NOT_FOUND (what=x)"


def test_a_detail_can_not_run_code_in_a_text() -> None:
    assert Refusal("NOT_FOUND", what="{0.__class__}").text("en") == "Not found: {0.__class__}."


def test_a_detail_that_is_no_text_is_spelt_out_so_that_the_refusal_can_be_told() -> None:
    # JSON from outside may name an option "\ud800": half a surrogate pair, which UTF-8 cannot carry.
    status, told = status_of(Refusal("UNKNOWN_OPTION", name="\ud800", known="a, 二"))
    back = error_of(status, "callee")
    assert (told, str(back)) == ("UNKNOWN_OPTION", "UNKNOWN_OPTION (known=a, 二, name=\\ud800)")


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_reason_has_a_known_code_and_both_languages(reason: str) -> None:
    row = REASONS[reason]
    assert re.fullmatch(r"[A-Z][A-Z0-9_]*", reason)
    assert row.code in CODES
    assert row.code != "OK"
    assert CHINESE.search(row.zh)
    assert not CHINESE.search(row.en)
    fields = [{name for _, name, _, _ in string.Formatter().parse(text) if name} for text in (row.zh, row.en)]
    # A detail that is itself words has one form for each language.
    spoken = [
        {name.removesuffix(f"_{of}") for name in named}
        for named, of in zip(fields, ("zh", "en"), strict=True)
    ]
    assert spoken[0] == spoken[1], "both texts name the same details"


def test_a_reason_listed_twice_is_found() -> None:
    with pytest.raises(AssertionError, match="NOT_FOUND"):
        _one_table({"NOT_FOUND": REASONS["NOT_FOUND"]}, {"NOT_FOUND": REASONS["NOT_FOUND"]})


@pytest.mark.parametrize("reason", sorted(REASONS))
def test_every_refusal_comes_back_as_itself_unless_it_says_unavailable(reason: str) -> None:
    status, told = status_of(Refusal(reason, what="x", field="f", retry_ms=5))
    assert told == reason
    back = error_of(status, "callee")
    if REASONS[reason].code in ("UNAVAILABLE", "DEADLINE_EXCEEDED"):
        assert isinstance(back, Outage)
    else:
        assert isinstance(back, Refusal)
        assert (back.reason, back.details["what"]) == (reason, "x")


@pytest.mark.parametrize(
    ("error", "code", "kind"),
    [
        (Outage("db at 10.0.0.3"), "UNAVAILABLE", Outage),
        (TimeoutError(), "DEADLINE_EXCEEDED", Outage),
        (Defect("bug"), "INTERNAL", Defect),
        (ValueError("hand s1"), "INTERNAL", Defect),
    ],
)
def test_what_is_no_refusal_tells_nothing_of_the_inside(error: Exception, code: str, kind: type) -> None:
    status, _ = status_of(error)
    assert status.code == grpc.StatusCode[code].value[0]
    assert str(error) == "" or str(error) not in status.message
    assert isinstance(error_of(status, "callee"), kind)


@pytest.mark.parametrize("code", ["UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"])
def test_a_call_that_the_other_side_could_not_finish_is_an_outage(code: str) -> None:
    status = status_pb2.Status(code=CODES[code].value[0], message="busy")
    assert isinstance(error_of(status, "callee"), Outage)


def test_a_reason_of_another_domain_or_version_is_not_taken_for_ours() -> None:
    status, _ = status_of(Refusal("NOT_FOUND", what="x"))
    status.details[0].value = status.details[0].value.replace(b"NOT_FOUND", b"NEW_THING")
    assert isinstance(error_of(status, "callee"), Defect)
