"""`paiju dlq`: what consumers could not handle and put aside: listed, shown, given to them again, dropped.

| code | meaning |
|---|---|
| 0 | done: listed, shown, taken by its consumer, dropped |
| 1 | its consumer failed again, with the reason; or somebody had decided otherwise before |
| 2 | no such entry, or nobody said where the broker is |
| 4 | the broker is away, no process of the consumer runs, or what the consumer needs is away |
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from paiju.bus.v1.replay_pb2 import OUTCOME_OUTAGE

from services.chassis.bus import NoResponders, RequestTimeout, dlq, event_of
from services.chassis.bus.dlq import Entry, OperatorBus
from services.chassis.bus.nats import NatsBus
from services.chassis.run import run as run_loop
from services.launch.exits import NO, OUTAGE, USAGE, Stop
from services.launch.operator import operator_bus
from services.launch.serve import outages_in_one_line

REASON_SHOWN = 100


def list_entries(data: Path | None, *, durable: str, every: bool, as_json: bool) -> None:
    """Print the entries that are open, or all; those of one consumer, if it is named."""

    async def work(bus: NatsBus) -> None:
        found = [
            entry
            for entry in await dlq.entries(bus)
            if (every or entry.resolution is None) and durable in ("", entry.durable)
        ]
        if as_json:
            print(json.dumps([_as_dict(entry) for entry in found], ensure_ascii=False))
            return
        for entry in found:
            print(_line(entry))
        print(f"{len(found)} entries" if every else f"{len(found)} open entries")

    _with_bus(data, work)


def show(data: Path | None, seq: int) -> None:
    """Print one entry as JSON, with the fact in it."""

    async def work(bus: NatsBus) -> None:
        entry = await _one(bus, seq)
        print(json.dumps(_as_dict(entry) | {"fact": _fact(bus, entry)}, ensure_ascii=False, indent=2))

    _with_bus(data, work)


def replay(data: Path | None, seqs: Sequence[int]) -> None:
    """Give entries to their consumers again, in the order given; the first that is not taken ends it.

    Raises:
        Stop: See the module.
    """

    async def work(bus: NatsBus) -> None:
        for seq in seqs:
            print(await replay_one(bus, seq), flush=True)

    _with_bus(data, work)


def drop(data: Path | None, seq: int, reason: str) -> None:
    """Note that an entry is of no use any more.

    Raises:
        Stop: See the module.
    """

    async def work(bus: NatsBus) -> None:
        if not reason.strip():
            raise Stop(USAGE, "say why with --reason")
        entry = await _one(bus, seq)
        if entry.resolution is None:
            await dlq.resolve(bus, entry, "dropped", reason)
            entry = await _one(bus, seq)
        assert entry.resolution is not None
        if entry.resolution.outcome != "dropped":
            raise Stop(NO, f"{seq} was {entry.resolution.outcome} at {_time(entry.resolution.at_ms)}")
        print(f"{seq} dropped: {entry.resolution.why}")

    _with_bus(data, work)


async def replay_one(bus: OperatorBus, seq: int) -> str:
    """Give one entry to its consumer again, note that, and return what became of it in one line.

    Killed between the two, the entry stays open; giving it again does nothing more, since handlers are
    idempotent by the fact's id.

    Raises:
        Stop: It failed again or was dropped (`NO`); there is no such entry (`USAGE`); no process of the
            consumer runs, none answers, or what it needs is away (`OUTAGE`).
    """
    entry = await _one(bus, seq)
    if entry.resolution is not None:
        said = f"{seq} was {entry.resolution.outcome} at {_time(entry.resolution.at_ms)}; nothing was done"
        if entry.resolution.outcome != "replayed":
            raise Stop(NO, said)
        return said
    try:
        answer = await dlq.give_again(bus, entry)
    except NoResponders as outage:
        raise Stop(OUTAGE, f"{seq}: no process with the consumer {entry.durable} is running") from outage
    except RequestTimeout as outage:
        raise Stop(
            OUTAGE, f"{seq}: {entry.durable} gave no answer; the entry stays, replaying again is safe"
        ) from outage
    if not dlq.is_done(answer):
        code = OUTAGE if answer.outcome == OUTCOME_OUTAGE else NO
        raise Stop(code, f"{seq}: {entry.durable} did not take it: {answer.why}")
    await dlq.resolve(bus, entry, "replayed", f"taken by {entry.durable}")
    return f"{seq} replayed: {entry.durable} took {entry.event_id or entry.subject}"


def _with_bus(data: Path | None, work: Callable[[NatsBus], Awaitable[None]]) -> None:
    async def main() -> None:
        async with operator_bus(data) as bus:
            if bus is None:
                raise Stop(USAGE, "where is the broker? Name a data folder with --data, or PAIJU_NATS_URL")
            await work(bus)

    with outages_in_one_line():
        run_loop(main())


async def _one(bus: OperatorBus, seq: int) -> Entry:
    for entry in await dlq.entries(bus):
        if entry.seq == seq:
            return entry
    raise Stop(USAGE, f"there is no entry {seq}; `paiju dlq list` names them")


def _line(entry: Entry) -> str:
    state = "open" if entry.resolution is None else entry.resolution.outcome
    reason = entry.reason if len(entry.reason) <= REASON_SHOWN else entry.reason[: REASON_SHOWN - 1] + "…"
    where = f"{entry.stream} {entry.stream_seq}"
    return f"{entry.seq:>6}  {_time(entry.at_ms)}  {state:8}  {entry.durable:24}  {where:14}  {reason}"


def _as_dict(entry: Entry) -> dict[str, Any]:
    found = dataclasses.asdict(entry)
    del found["payload"]
    return found


def _fact(bus: NatsBus, entry: Entry) -> object:
    """Return the fact as JSON would have it; its bytes as hex, if it can't be read."""
    classes = {event_of(cls).prefix: cls for cls in bus.registry.types.values()}
    cls = classes.get(entry.subject.rpartition(".")[0])
    if cls is None:
        return entry.payload.hex()
    try:
        return MessageToDict(cls.FromString(entry.payload), preserving_proto_field_name=True)
    except DecodeError:
        return entry.payload.hex()


def _time(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
