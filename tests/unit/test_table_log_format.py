"""The bytes of the shard log are a promise: what an earlier version has written is still read, and what this
one writes is read by an earlier one, for fields are only added at the end.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from services.table.core import events as e
from services.table.core.events import UnreadableLog, decode_batch, encode_batch

SPEC = e.Spec(
    "paohuzi",
    "tongyi-qmt",
    "tongyi-qmt@1",
    "{}",
    2,
    ("p_a", "bot:random", "bot:random"),
    e.Stake("gold", 100, 1, 10),
    e.Timing(),
    "",
    True,
)
EVERY: tuple[e.AnyEvent, ...] = (
    e.TableCreated(1, SPEC, b"f"),
    e.SitAsked(2, 0, "c", b"d", b"h"),
    e.SeatTaken(3, 0, 100),
    e.SitRefused(4, 0, "X"),
    e.RoundOpened(5, 1, b"s", b"c", -1, 0),
    e.RoundAnnounced(6, 1, 7),
    e.NonceGiven(7, 0, "c", b"d", b"n"),
    e.Dealt(8, (1,)),
    e.Answered(9, 0, 1, "pass", "bot"),
    e.RoundEnded(10, 1, b"r"),
    e.RoundVoided(11, 1, "X"),
    e.OutboxDone(12, "match"),
    e.Audited(13, 1, True, "a"),
    e.Settled(14, 1, (1, -1, 0), (2, 3, 4)),
    e.ReadySaid(15, 0, "c", b"d"),
    e.Left(16, 0, "c", b"d"),
    e.Voted(17, 0, "c", b"d", True),
    e.VoteEnded(18, True),
    e.AutoPlaySet(19, 0, "c", b"d", True),
    e.PresenceChanged(20, 0, True),
    e.PauseSet(21, "X"),
    e.CloseAsked(22, "X"),
    e.MatchEnded(23, "left"),
    e.TableClosed(24),
    e.TableFrozen(25, "X"),
    e.ShardTaken(26, "o", "i", 5),
    e.ShardReleased(27),
    e.ShardStalled(28, 5),
    e.TableCheckpoint(29, "0-x", b"b", (e.TableClosed(24),)),
    e.ShardCut(30, 5, 9),
    e.SentAway(31, 0, "X", 5, "t"),
)
"""What the first readers knew."""
SINCE: tuple[e.AnyEvent, ...] = (
    e.TableCreated(32, replace(SPEC, stake=e.Stake("gold", 100, 1, 10, 5)), b"f"),
    e.Settled(33, 1, (1, -1, 0), (2, 3, 4), "VOID", (5, 5, 5)),
    e.PauseSet(34, "STAKE_SHORT", 99),
    e.AddAsked(35, 0, "c", b"d", 60),
    e.StakeAdded(36, 0, 100),
    e.AddRefused(37, 0, "X"),
    e.StakeDeclined(38, 0, "c", b"d"),
    e.TableCreated(39, replace(SPEC, to_score=100, chat="phrases", voice=True), b"f"),
    e.TableCreated(
        40, replace(SPEC, watch_delay_ms=30_000, hall_id="h", bank_ms=60_000, extend_ms=15_000), b"f"
    ),
    e.Extended(41, 0, "c", b"d", 7),
    e.TableCreated(42, replace(SPEC, spectators=False, misses=3, watch_leave=True), b"f"),
    e.WatchLet(43, 0, "c", b"d", "p_w", True),
)
"""What came since."""
GREW = (e.Settled,)
"""Kinds that got fields with defaults since; who wrote before them is read as before."""

WRITTEN_BY_1 = (
    "9201dc001f92a3302d789401019aa770616f68757a69aa746f6e6779692d716d74ac746f6e6779692d716d744031a27b"
    "7d0293a3705f61aa626f743a72616e646f6daa626f743a72616e646f6d94a4676f6c6464010a88ae636c61696d5f7061"
    "7573655f6d73cd02bca77475726e5f6d73cd3a98a8636c61696d5f6d73cd2710a86e6f6e63655f6d73cd05dcaa626574"
    "7765656e5f6d73cd2ee0a7736561745f6d73cd7530a7766f74655f6d73cdea60a96c696e6765725f6d73ce000927c0a0"
    "c3c4016692a3302d7896020200a163c40164c4016892a3302d78940303006492a3302d7894040400a15892a3302d7897"
    "050501c40173c40163ff0092a3302d78940606010792a3302d7896070700a163c40164c4016e92a3302d789308089101"
    "92a3302d789609090001a470617373a3626f7492a3302d78940a0a01c4017292a3302d78940b0b01a15892a3302d7893"
    "0c0ca56d6174636892a3302d78950d0d01c3a16192a3302d78950e0e019301ff009302030492a3302d78950f0f00a163"
    "c4016492a3302d7895101000a163c4016492a3302d7896111100a163c40164c392a3302d78931212c392a3302d789613"
    "1300a163c40164c392a3302d7894141400c392a3302d78931515a15892a3302d78931616a15892a3302d78931717a46c"
    "65667492a3302d7892181892a3302d78931919a15892a3302d7895281aa16fa1690592a3302d7892291b92a3302d7893"
    "2a1c0592a3302d78952b1da3302d78c4016291921818"
    "92a3302d78942c1e0509"
    "92a3302d78961e1f00a15805a174"
)
WRITTEN_NOW = "5c9ccff8ce77836c2efbe9c6a98080e8546656d3a6574655f86eccec951278d1"
"""The hash of all of it as this version writes it: whoever changes it adds to `SINCE` first."""


def test_every_kind_of_event_is_here() -> None:
    kinds = {type(event) for event in (*EVERY, *SINCE)}
    assert kinds == set(e.AnyEvent.__args__) | set(e.TableEvent.__args__)


def test_what_version_1_wrote_is_read() -> None:
    assert decode_batch(bytes.fromhex(WRITTEN_BY_1)) == tuple(("0-x", event) for event in EVERY)


def test_what_is_written_now_stays_as_it_is() -> None:
    entries = tuple(("0-x", event) for event in (*EVERY, *SINCE))
    written = encode_batch(entries)
    assert decode_batch(written) == entries
    assert sha256(written).hexdigest() == WRITTEN_NOW


def test_an_earlier_reader_finds_its_fields_where_they_were() -> None:
    """Whatever an event has gained stands behind all that it had."""
    was = msgspec.msgpack.decode(bytes.fromhex(WRITTEN_BY_1))[1]
    now = msgspec.msgpack.decode(encode_batch(("0-x", event) for event in EVERY))[1]
    for (_, old), (_, new) in zip(was, now, strict=True):
        assert _begins_with(new, old), (old, new)


def _begins_with(new: Any, old: Any) -> bool:
    if isinstance(old, list):
        return len(new) >= len(old) and all(map(_begins_with, new, old))
    return bool(new == old)


@pytest.mark.parametrize("payload", [b"", b"\xff", b"\x92\x01\xc0", b"\x92\x01\x91\x92\xa1x\x92\xcc\xc8\x01"])
def test_a_damaged_log_is_refused_not_guessed(payload: bytes) -> None:
    with pytest.raises(UnreadableLog):
        decode_batch(payload)


def test_a_newer_version_is_refused() -> None:
    with pytest.raises(UnreadableLog):
        decode_batch(msgspec.msgpack.encode((2, [])))
