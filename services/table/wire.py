"""The protobuf encoding of what goes out most, written without building messages.

Building a message in Python costs several times what joining its bytes does (docs/performance.md). What is
written here is what the generated classes would write; `tests/unit/test_table_wire.py` holds it against them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.table.core import frames as f

_ENDLESS: Final = b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
"""-1, as protobuf writes it."""


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


_SHORT: Final = tuple(_varint(value) for value in range(2_048))
"""Lengths and numbers that occur most, made once."""

_SHORT_MAX: Final = len(_SHORT)


def varint(value: int) -> bytes:
    """Return a whole number from 0 on as protobuf writes it.

    >>> varint(300)
    b'\\xac\\x02'
    """
    return _SHORT[value] if value < _SHORT_MAX else _varint(value)


def embedded(tag: bytes, payload: bytes) -> bytes:
    """Return a length-delimited field; `tag` is its number and kind.

    >>> embedded(b"\\x12", b"ab")
    b'\\x12\\x02ab'
    """
    return b"".join((tag, varint(len(payload)), payload))


def _texts(tag: bytes, texts: Sequence[str]) -> list[bytes]:
    made: list[bytes] = []
    for text in texts:
        raw = text.encode()
        made += (tag, varint(len(raw)), raw)
    return made


def play(body: f.Play) -> bytes:
    """Return a serialised `Frame` of nothing but its field `play`."""
    parts = _texts(b"\x0a", body.events)
    question = body.question
    if question is not None:
        parts += (b"\x12", _question(question))
    turn = body.turn_seat
    if turn:
        parts += (b"\x18", _ENDLESS if turn < 0 else varint(turn))
    if body.turn_deadline:
        parts += (b"\x20", _varint(body.turn_deadline))
    if body.round_id:
        raw = body.round_id.encode()
        parts += (b"\x2a", varint(len(raw)), raw)
    return embedded(b"\x2a", b"".join(parts))


def _question(question: f.Question) -> bytes:
    parts = [b"\x08", varint(question.number), *_texts(b"\x12", question.actions)]
    if question.deadline:
        parts += (b"\x18", _varint(question.deadline))
    if question.misses:
        parts += (b"\x20", varint(question.misses))
    made = b"".join(parts)
    return varint(len(made)) + made


def frame(number: int, at: int, body: bytes) -> bytes:
    """Return a serialised `Frame`; `body` is one of nothing but its body."""
    return b"".join((b"\x08", varint(number), b"\x10", _varint(at), body))


def accepted(number: int) -> bytes:
    """Return a serialised `CommandAnswer` that refuses nothing."""
    return b"\x20" + varint(number) if number else b""


# Parts of an `OutBatch`. `head` is what each `Out` of a session begins with.


def head(table_id: str, session: str) -> bytes:
    """Return the fields that name a session."""
    return embedded(b"\x0a", table_id.encode()) + embedded(b"\x12", session.encode())


def out(head: bytes, tag: bytes, payload: bytes) -> bytes:
    """Return an `Out` with a body of bytes, as a field of its batch."""
    length = varint(len(payload))
    return b"".join((b"\x1a", varint(len(head) + 1 + len(length) + len(payload)), head, tag, length, payload))


def out_frame(head: bytes, frame: bytes) -> bytes:
    """Return an `Out` with a serialised frame."""
    return out(head, b"\x1a", frame)


def out_view(head: bytes, view: bytes) -> bytes:
    """Return an `Out` with a serialised view."""
    return out(head, b"\x22", view)


def out_answer(head: bytes, tag: int, answer: bytes, attached: int) -> bytes:
    """Return an `Out` with the answer to a command."""
    tagged = b"\x08" + varint(tag) if tag else b""
    tagged += b"\x12" + varint(len(answer)) + answer
    if attached:
        tagged += b"\x18" + varint(attached)
    return out(head, b"\x2a", tagged)


def out_last_number(head: bytes, number: int) -> bytes:
    """Return an `Out` with the number of a session's last frame."""
    value = varint(number)
    return b"".join((b"\x1a", varint(len(head) + 1 + len(value)), head, b"\x30", value))


def out_detached(head: bytes, reason: str) -> bytes:
    """Return an `Out` that ends a session."""
    return out(head, b"\x3a", embedded(b"\x0a", reason.encode()))


def out_watching(head: bytes, watching: bytes) -> bytes:
    """Return an `Out` with a serialised `Watching`."""
    return out(head, b"\x42", watching)


def batch(shard: int, epoch: int, outs: Sequence[bytes]) -> bytes:
    """Return a serialised `OutBatch`."""
    start = b"\x08" + varint(shard) if shard else b""
    if epoch:
        start += b"\x10" + varint(epoch)
    return start + b"".join(outs)
