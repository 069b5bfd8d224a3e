"""Rounds of before: records that older versions of the platform wrote, and presets that have changed since.

`tests/golden/records` holds rounds that a whole platform of the named time played with people's programs at
its tables, taken out of its database as they were: `first-day` is from before fees, several games and bots
with levels, `before-replays` from before replays, rooms with rules and time banks.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from paiju.table.v1 import replay_service_pb2 as s
from paiju.table.v1 import replay_service_pb2_grpc, table_service_pb2_grpc
from paiju.table.v1.events_pb2 import RoundFinished, RoundSeat

from engine.errors import Refusal as RuleRefusal
from engine.paohuzi import presets
from engine.paohuzi.rules import OPTIONS
from engine.record import Record, parse_record
from engine.replay import Walk
from services.chassis.auth import acting_for
from services.chassis.errors import Refusal
from services.scoring.core import rules as scoring_rules
from services.scoring.core.audit import audit_alone
from services.table.app import WIRING
from services.table.settings import TableSettings
from services.table.store import RecordStore
from tests.integration.test_table_service import TABLE, Service, spec
from tests.simulation.client import Door, Player
from tests.support.process import MemoryWorld, full_registry

RECORDS = Path(__file__).resolve().parents[1] / "golden" / "records"
NAMES = sorted(file.stem for file in RECORDS.glob("*.txt"))
OLD = RECORDS / "before-replays-paohuzi.txt"
"""Won with 16 息, by rules that ask for 15."""
SCARCE = 18
"""息 that the changed preset asks for."""


@pytest.fixture
async def service(world: MemoryWorld) -> AsyncIterator[Service]:
    world.broker.ensure(full_registry(log_shards=4, consumes=WIRING.hears))
    process = world.process("table")
    table = await WIRING.wire(TableSettings(protection=False), process.parts)
    await process.rpc.start()
    await table.start()
    stub: Any = table_service_pb2_grpc.TableServiceStub
    yield Service(world, world.process("caller").rpc.client(stub, "table"))
    await table.stop()


def library(service: Service) -> Any:
    stub: Any = replay_service_pb2_grpc.ReplayServiceStub
    return service.world.process("reader").rpc.client(stub, "table")


def walk_through(record: Record) -> None:
    walk = Walk(record)
    for _ in walk.moments():
        pass
    walk.check_result()


async def keep(service: Service, data: bytes) -> Record:
    """Have a record among those that are kept, as an older platform kept it."""
    record = parse_record(data.decode())
    seats = [
        RoundSeat(seat=seat, player_id=player, is_bot=player.startswith("bot:"))
        for seat, player in enumerate(record.seats)
    ]
    fact = RoundFinished(
        round_id=record.round_id,
        game=record.game,
        preset=record.preset,
        seats=seats,
        record=data,
        ended_at_ms=service.world.clock.now_ms(),
    )
    await RecordStore(service.world.database("table")).keep(fact)
    return record


@pytest.mark.parametrize("name", NAMES)
async def test_a_round_of_an_older_platform_replays_exactly_and_verifies(service: Service, name: str) -> None:
    data = (RECORDS / f"{name}.txt").read_bytes()
    record = await keep(service, data)
    person = next(player for player in record.seats if player.startswith("p_"))
    api = library(service)
    with acting_for(person):
        found = await api.GetReplay(s.GetReplayRequest(round_id=record.round_id, viewer=s.VIEWER_ABOVE))
        checked = await api.CheckRecord(s.CheckRecordRequest(record=data))
    assert found.record == data
    assert list(found.replay.points) == record.result["points"]
    assert (found.replay.preset, found.replay.options_json) == (record.preset, record.options)
    assert len(found.replay.answers) == len(record.actions)
    assert found.replay.deal.nonces_given == 1, "a person's own nonce went into the deal"
    assert checked.is_kept
    assert checked.replay.steps == found.replay.steps
    assert audit_alone(data).agreed, "and the code that shares nothing with the engine says so too"


@pytest.mark.parametrize("name", NAMES)
async def test_one_of_them_with_a_changed_byte_is_refused(service: Service, name: str) -> None:
    data = (RECORDS / f"{name}.txt").read_bytes()
    await keep(service, data)
    api, chance = library(service), random.Random(name)
    reasons = set()
    for _ in range(40):
        changed = bytearray(data)
        at = chance.randrange(len(data))
        changed[at] ^= 1 << chance.randrange(7)
        with acting_for("p_stranger"), pytest.raises(Refusal) as refusal:
            await api.CheckRecord(s.CheckRecordRequest(record=bytes(changed)))
        reasons.add(refusal.value.reason)
    assert reasons <= {"RECORD_MALFORMED", "RECORD_DOES_NOT_HOLD", "RECORD_CHANGED"}
    assert len(reasons) > 1


@pytest.fixture
def second_version(monkeypatch: pytest.MonkeyPatch) -> None:
    """`tongyi-qmt@2` asks for more 息 than @1 did: one more row in the engine's and in scoring's data."""
    old = presets.PRESETS["tongyi-qmt"]
    new = replace(old, version=2, min_xi=SCARCE)
    known = [new if rules is old else rules for rules in presets.PRESETS.values()]
    book = type(presets._BOOK)(tuple(known), OPTIONS, presets.ALIASES, retired=(old,))
    for name in vars(book):
        monkeypatch.setattr(presets._BOOK, name, getattr(book, name))
    monkeypatch.setitem(presets.PRESETS, "tongyi-qmt", new)
    scored = replace(scoring_rules.PRESETS["tongyi-qmt@1"], min_xi=SCARCE)
    monkeypatch.setitem(scoring_rules.PRESETS, "tongyi-qmt@2", scored)


@pytest.mark.usefixtures("second_version")
async def test_a_changed_preset_is_played_by_new_matches_and_its_old_records_keep_their_rules(
    service: Service,
) -> None:
    data = OLD.read_bytes()
    record = await keep(service, data)
    assert (record.preset, record.result["huxi"]) == ("tongyi-qmt@1", 16)
    api = library(service)
    with acting_for(record.seats[0]):
        request = s.GetReplayRequest(round_id=record.round_id, viewer=s.VIEWER_ABOVE)
        shown = (await api.GetReplay(request)).replay
        checked = await api.CheckRecord(s.CheckRecordRequest(record=data))
    assert shown.preset == "tongyi-qmt@1"
    assert list(shown.points) == record.result["points"]
    assert checked.is_kept
    assert audit_alone(data).agreed

    # By the rules of today that win is none: it is the version that keeps the record right.
    now = presets.PRESETS["tongyi-qmt"]
    with pytest.raises(RuleRefusal):
        walk_through(replace(record, preset=now.title, options=now.as_json()))
    lying = data.replace(b"tongyi-qmt@1", b"tongyi-qmt@2")
    with acting_for("p_stranger"), pytest.raises(Refusal, match="RECORD_"):
        await api.CheckRecord(s.CheckRecordRequest(record=lying))

    await service.create(TABLE, spec("p_a", "p_b"))
    door = await Door(service.world.process("gw").bus, service.world.clock).open()
    players = [Player(door, name, TABLE, random.Random(name)) for name in ("p_a", "p_b")]
    async with asyncio.timeout(30), asyncio.TaskGroup() as tasks:
        for player in players:
            tasks.create_task(player.play())
    played = parse_record(players[0].view.round_end.record.decode())
    assert played.preset == "tongyi-qmt@2"
    assert f'"min_xi":{SCARCE}' in played.options
    assert audit_alone(played.text.encode()).agreed
