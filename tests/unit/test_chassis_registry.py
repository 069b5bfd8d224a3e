"""Subjects and streams, from the protos alone."""

from __future__ import annotations

import pytest
from google.protobuf.message import Message
from paiju.table.v1 import events_pb2, wire_pb2

from services.chassis.bus import Consumes, LogSpec, Registry, event_of, events_in, subject, subject_of
from services.chassis.errors import Defect
from services.chassis.metrics import Metrics
from tests.support.process import all_events


def test_a_subject_is_made_of_package_name_and_key() -> None:
    message = events_pb2.RoundFinished(game="paohuzi")
    assert subject_of(message) == "paiju.table.round_finished.paohuzi"
    assert subject_of(events_pb2.RoundFinished, "*") == "paiju.table.round_finished.*"
    assert subject_of(wire_pb2.ShardOwned, "3f") == "paiju.table.shard_owned.3f"
    assert subject("table", "cmd", "3f") == "paiju.table.cmd.3f"
    assert subject("table", "cmd", "*") == "paiju.table.cmd.*"


def test_characters_with_a_meaning_can_not_come_in_by_a_key() -> None:
    assert subject_of(events_pb2.RoundFinished(game="a.b *>c")) == "paiju.table.round_finished.a_b___c"
    for bad in (
        ("table", "cmd", "a.b"),
        ("table", "*", "a"),
        ("table", "cmd", ""),
        ("ta ble", "x"),
        ("table", ">"),
    ):
        with pytest.raises(Defect):
            subject(*bad)


def test_an_empty_key_is_a_defect() -> None:
    for what in (events_pb2.RoundFinished(), events_pb2.RoundFinished, wire_pb2.ShardOwned):
        with pytest.raises(Defect, match="needs a key"):
            subject_of(what)


@pytest.mark.parametrize("cls", all_events(), ids=lambda cls: cls.DESCRIPTOR.full_name)
def test_every_fact_has_a_key_field_and_a_known_stream(cls: type[Message]) -> None:
    event = event_of(cls)
    assert event.key in cls.DESCRIPTOR.fields_by_name
    assert event.stream in {"ROUNDS", "AUDITS", "LEDGER", "PLAYERS", "MATCHES", "CHAT", "FLAGS"}


def test_no_two_facts_share_a_subject() -> None:
    prefixes = [event_of(cls).prefix for cls in all_events()]
    assert len(set(prefixes)) == len(prefixes) > 5


def test_streams_hold_their_facts_and_every_shard_has_one_log() -> None:
    registry = Registry(
        events_in(events_pb2), logs=[LogSpec("TABLE_LOG", "table")], log_shards=20, log_streams=3
    )
    names = [spec.name for spec in registry.streams]
    assert names == ["DLQ", "MATCHES", "ROUNDS", "TABLE_LOG_0", "TABLE_LOG_1", "TABLE_LOG_2"]
    assert registry.shards()[-1] == "13"
    kept = [subject_ for spec in registry.streams if spec.is_log for subject_ in spec.subjects]
    assert sorted(kept) == sorted(subject("table", "log", shard) for shard in registry.shards())
    assert registry.stream_of_log(subject("table", "log", "13")) == "TABLE_LOG_1"


def test_more_shards_never_move_an_old_one() -> None:
    small, large = (Registry(logs=[LogSpec("L", "table")], log_shards=n, log_streams=3) for n in (5, 50))
    for shard in small.shards():
        log = subject("table", "log", shard)
        assert small.stream_of_log(log) == large.stream_of_log(log)


def test_what_is_only_heard_is_in_the_registry_too() -> None:
    registry = Registry(consumes=[Consumes("x-y", (events_pb2.RoundFinished,))])
    assert [spec.name for spec in registry.streams] == ["DLQ", "ROUNDS"]
    assert registry.consumes[0].by_stream() == {"ROUNDS": ("paiju.table.round_finished.*",)}


def test_a_metric_asked_for_twice_is_the_same_and_must_be_of_one_kind() -> None:
    metrics = Metrics()
    one, two = (metrics.counter("rounds", "Rounds", ["result"]) for _ in range(2))
    assert one is two
    one.labels("hu").inc()
    assert b'paiju_rounds_total{result="hu"} 1.0' in metrics.text()
    with pytest.raises(AssertionError):
        metrics.gauge("rounds", "Rounds")
    with pytest.raises(AssertionError):
        metrics.counter("rounds", "Rounds", ["other"])
