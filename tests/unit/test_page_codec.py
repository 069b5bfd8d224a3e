"""The page's own protobuf codec says the same bytes as Google's."""

from __future__ import annotations

import base64
import random
from typing import Any

import pytest
from google.protobuf import descriptor_pool, json_format, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message

from services.gateway.web.tools import page_protos
from tests.browser.support import node

pytestmark = pytest.mark.skipif(node.NODE is None, reason="node is not installed")

NUMBERS = (0, 1, -1, 127, 128, 300, 2**31 - 1, -(2**31), 1_790_000_000_000, 2**53 - 1, -(2**53 - 1))
TEXTS = ("", "a", "跑胡子 · 捌", "x" * 300, "🀄")

BOTH_WAYS = """
const { Codec } = await load("js/net/codec.mjs");
const codec = new Codec(table);
const plain = (value) => {
  if (value instanceof Uint8Array) return { bytes: Buffer.from(value).toString("base64") };
  if (Array.isArray(value)) return value.map(plain);
  if (!value || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, plain(v)]));
};
answer(job.map(({ name, bytes }) => {
  const object = codec.decode(name, new Uint8Array(Buffer.from(bytes, "base64")));
  return { object: plain(object), bytes: Buffer.from(codec.encode(name, object)).toString("base64") };
}));
"""


def _value(field: Any, rng: random.Random, depth: int) -> Any:
    if field.type == FieldDescriptor.TYPE_BOOL:
        return rng.random() < 0.5
    if field.type == FieldDescriptor.TYPE_STRING:
        return rng.choice(TEXTS)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return rng.randbytes(rng.choice((0, 1, 32, 200)))
    if field.type == FieldDescriptor.TYPE_ENUM:
        return rng.choice(field.enum_type.values).number
    number = rng.choice(NUMBERS)
    if field.type in (FieldDescriptor.TYPE_UINT32, FieldDescriptor.TYPE_UINT64):
        number = abs(number)
    if field.type in (FieldDescriptor.TYPE_INT32, FieldDescriptor.TYPE_UINT32):
        number = max(-(2**31), min(2**31 - 1, number))
    return number


def _fill(message: Message, rng: random.Random, depth: int = 0) -> None:
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.3 or (depth > 3 and field.type == FieldDescriptor.TYPE_MESSAGE):
            continue
        if field.message_type and field.message_type.GetOptions().map_entry:
            entries = getattr(message, field.name)
            value = field.message_type.fields_by_name["value"]
            for key in ("红胡", "b"):
                entries[key] = _value(value, rng, depth)
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            if field.is_repeated:
                for _ in range(rng.randrange(3)):
                    _fill(getattr(message, field.name).add(), rng, depth + 1)
            else:
                getattr(message, field.name).SetInParent()
                _fill(getattr(message, field.name), rng, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).extend([_value(field, rng, depth) for _ in range(rng.randrange(4))])
        else:
            setattr(message, field.name, _value(field, rng, depth))


def _plain(message: Message) -> dict[str, Any]:
    """Return what the page's decoder should give."""
    plain: dict[str, Any] = {}
    for field in message.DESCRIPTOR.fields:
        value = getattr(message, field.name)
        if field.message_type and field.message_type.GetOptions().map_entry:
            plain[field.name] = dict(value)
        elif field.is_repeated:
            plain[field.name] = [_one(field, item) for item in value]
        elif field.containing_oneof is not None:
            is_set = message.WhichOneof(field.containing_oneof.name) == field.name
            plain[field.name] = _one(field, value) if is_set else None
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            plain[field.name] = _one(field, value) if message.HasField(field.name) else None
        else:
            plain[field.name] = _one(field, value)
    return plain


def _one(field: Any, value: Any) -> Any:
    if field.type == FieldDescriptor.TYPE_MESSAGE:
        return _plain(value)
    if field.type == FieldDescriptor.TYPE_BYTES:
        return {"bytes": base64.b64encode(value).decode()}
    if field.type == FieldDescriptor.TYPE_ENUM:
        return field.enum_type.values_by_number[value].name
    return value


def _class(name: str) -> type[Message]:
    descriptor: Descriptor = descriptor_pool.Default().FindMessageTypeByName(name)
    return message_factory.GetMessageClass(descriptor)


def test_every_message_of_the_page_is_read_and_written_like_googles_runtime_does() -> None:
    rng = random.Random(5)
    names = [name for name in page_protos.table()["messages"] if not name.endswith("Entry")]
    messages = []
    for name in names:
        for _ in range(12):
            message = _class(name)()
            _fill(message, rng)
            messages.append((name, message))
    job = [
        {"name": name, "bytes": base64.b64encode(message.SerializeToString()).decode()}
        for name, message in messages
    ]
    for (name, message), said in zip(messages, node.run(BOTH_WAYS, job), strict=True):
        assert said["object"] == _plain(message), name
        again = _class(name).FromString(base64.b64decode(said["bytes"]))
        assert json_format.MessageToDict(again) == json_format.MessageToDict(message), name


def test_broken_bytes_are_refused_and_unknown_fields_are_skipped() -> None:
    source = """
    const { Codec } = await load("js/net/codec.mjs");
    const codec = new Codec(table);
    const read = (bytes) => {
      try {
        return codec.decode("paiju.gateway.v1.Goodbye", Uint8Array.from(bytes));
      } catch (error) {
        return error.name;
      }
    };
    const unknown = [10, 1, 65, 24, 7, 34, 2, 1, 2, 45, 1, 2, 3, 4];
    answer([read([10, 5, 65]), read(unknown), read([10, 2, 0xff, 0xfe]), read([0x08])]);
    """
    cut, unknown, bad_text, lone = node.run(source)
    assert (cut, bad_text, lone) == ("RangeError", "TypeError", "RangeError")
    assert unknown == {"reason": "A", "retry_after_ms": 0}


def test_a_field_that_the_message_does_not_have_is_a_mistake_of_the_page() -> None:
    source = """
    const { Codec } = await load("js/net/codec.mjs");
    try {
      answer(new Codec(table).encode("paiju.gateway.v1.Hello", { token: "x" }));
    } catch (error) {
      answer(error.message);
    }
    """
    assert node.run(source) == "paiju.gateway.v1.Hello has no field token"


def test_the_committed_table_of_messages_is_what_the_protos_give() -> None:
    assert page_protos.main(["--check"]) == 0, "run: python -m services.gateway.web.tools.page_protos"
