"""Every RPC of economy with every field as bad as the wire lets it be: a reason is the answer, no defect."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from importlib import import_module
from typing import Any

import pytest
from google.protobuf.descriptor import FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from paiju.economy.v1 import (
    dispute_service_pb2,
    economy_service_pb2,
    room_card_service_pb2,
    topup_service_pb2,
)
from sqlalchemy import select

from services.chassis import auth
from services.chassis.clock import SystemClock
from services.chassis.db import Database, migrate
from services.chassis.errors import Defect, Outage, Refusal
from services.economy.app import wire
from services.economy.settings import EconomySettings
from tests.support.book import TABLES
from tests.support.process import MemoryWorld, system_ids

MODULES = (
    economy_service_pb2, topup_service_pb2, dispute_service_pb2, room_card_service_pb2,
)  # fmt: skip
METHODS: list[MethodDescriptor] = [
    method
    for module in MODULES
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
]

TEXTS = (
    "a\x00b",
    "\x00",
    "x" * 70_000,
    "𝟙\u202e'; DROP TABLE entries; --",
    "0-m/99999999999999999999",
    "\ud7ff",
)
NUMBERS = (-(2**63), -1, 2**63 - 1)
SMALL = (-(2**31), -1, 2**31 - 1)


def worst(message: Message, text: str, number: int, small: int) -> Message:
    """Fill every field with these, also within messages."""
    for field in message.DESCRIPTOR.fields:
        value: Any = {
            FieldDescriptor.CPPTYPE_STRING: text
            if field.type == FieldDescriptor.TYPE_STRING
            else b"\xff" * 99,
            FieldDescriptor.CPPTYPE_INT64: number,
            FieldDescriptor.CPPTYPE_INT32: small,
            FieldDescriptor.CPPTYPE_UINT64: abs(number),
            FieldDescriptor.CPPTYPE_UINT32: abs(small) - 1,
            FieldDescriptor.CPPTYPE_BOOL: True,
            FieldDescriptor.CPPTYPE_ENUM: 99,
        }.get(field.cpp_type)
        if field.cpp_type == FieldDescriptor.CPPTYPE_MESSAGE:
            if not field.is_repeated:
                worst(getattr(message, field.name), text, number, small)
        elif field.is_repeated:
            getattr(message, field.name).extend([value] * 3)
        else:
            setattr(message, field.name, value)
    return message


def requests(method: MethodDescriptor) -> Iterator[Message]:
    """Return bad requests: everything bad at once, and one bad field among good ones."""
    kind = GetMessageClass(method.input_type)
    for text, number, small in zip(TEXTS, NUMBERS * 2, SMALL * 2, strict=True):
        yield worst(kind(), text, number, small)
    good = {
        "match_id": "0-m", "player_id": "p_a", "currency": "gold", "kind": "task", "request_id": "r",
        "round_id": "0-m/1", "order_id": "o_1", "reason": "because", "product_id": "g60", "pack_id": "gold",
        "payer": "each", "owner_id": "p_a", "alert_id": "audit_contradicts:" + "0" * 64 + ":0-m/1",
        "amount": 5, "buy_in": 5, "stake_max": 500, "amount_fen": 600, "gems": 5, "cards": 1, "outcome": 1,
        "provider": "sandbox", "page_size": 5,
    }  # fmt: skip
    names = [field.name for field in method.input_type.fields]
    for bad in names:
        for text, number, small in zip(TEXTS[:3], NUMBERS, SMALL, strict=True):
            message = worst(kind(), text, number, small)
            for name in names:
                if name in good and name != bad and not method.input_type.fields_by_name[name].is_repeated:
                    setattr(message, name, good[name])
            yield message


@pytest.fixture
async def world(database_url: str, db: Database) -> AsyncIterator[MemoryWorld]:
    migrate(database_url, "economy")
    made = MemoryWorld(SystemClock(), database=lambda service: db)
    yield made
    for process in made.processes:
        await process.stop()


async def test_nothing_that_is_sent_is_a_defect_or_moves_a_coin(world: MemoryWorld) -> None:
    process = world.process("economy", system_ids())
    service = await wire(EconomySettings(), process.parts)
    await process.rpc.start()
    await service.start()
    other = world.process("table", system_ids())
    await other.rpc.start()
    refused: dict[str, set[str]] = {}
    roles = ("admin", "disputes", "money", "support")
    for method in METHODS:
        stub = _stub(method, other)
        reasons = refused.setdefault(method.name, set())
        for request in requests(method):
            for caller in (None, ("p_a", ()), ("p_s", roles)):
                try:
                    if caller is None:
                        await getattr(stub, method.name)(request)
                    else:
                        with auth.acting_for(*caller):
                            await getattr(stub, method.name)(request)
                except Refusal as refusal:
                    reasons.add(refusal.reason)
                except Outage:
                    reasons.add("(an outage)")
                except Defect as defect:
                    raise AssertionError(f"{method.full_name}: {str(request)[:300]}") from defect
    # It takes nothing that could be bad.
    assert [name for name, reasons in refused.items() if not reasons] == ["Reconcile"]
    book = await process.parts.db("economy").read(
        lambda c: {name: c.execute(select(TABLES[name])).all() for name in ("entries", "transfers", "stakes")}
    )
    assert not any(row.amount > 5 * 10**8 for row in book["entries"])
    await service.stop()


def _stub(method: MethodDescriptor, process: Any) -> Any:
    service = method.containing_service
    module = import_module(service.file.name.removesuffix(".proto").replace("/", ".") + "_pb2_grpc")
    return process.rpc.client(getattr(module, f"{service.name}Stub"), "economy")
