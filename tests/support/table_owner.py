"""A peer of the gateway: owns one shard and speaks the wire protocol, without playing anything."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from paiju.table.v1.play_pb2 import CommandAnswer, Frame, RoundOpening, TableView
from paiju.table.v1.wire_pb2 import (
    Command,
    CommandBatch,
    CommandBatchReply,
    Detached,
    Out,
    OutBatch,
    ShardOwned,
    TaggedAnswer,
)

from services.chassis.bus import Bus, Subscription, subject, subject_of
from services.table.core.frames import RING_FRAMES


@dataclass
class Seat:
    """A player at a table: his frames so far, and the session that listens."""

    frames: list[bytes] = field(default_factory=list)
    session: str = ""
    gateway: str = ""
    order: int = 0
    """Of the `attach` of that session."""


class TableOwner:
    """Every player has a seat at every table. `act` makes one frame for him; other commands make none.

    The frames outlive `stop`: a new epoch (`start` again) finds them, as a log would give them back.
    """

    def __init__(self, bus: Bus, shard: int = 0) -> None:
        self.bus = bus
        self.shard = shard
        self.epoch = 0
        self.seats: dict[tuple[str, str], Seat] = {}
        self.commands: list[Command] = []
        self.batches = 0
        self.beats = 0
        """Batches whose gateway promised another within a second."""
        self.done: dict[tuple[str, str, str], CommandAnswer] = {}
        self.is_mute = False
        """Takes commands and says nothing."""
        self.is_silent = False
        """Takes batches, and does not even say so."""
        self.lose_frames = 0
        """So many of the next frames get lost on the way."""
        self.refuse_attach = ""
        self.lose_detached = False
        """Nobody is told that he was replaced."""
        self._attaches = 0
        self._served: Subscription | None = None

    async def start(self) -> TableOwner:
        self.epoch += 10
        for seat in self.seats.values():
            seat.session = ""
        self._served = await self.bus.serve(subject("table", "cmd", format(self.shard, "x")), self._batch)
        owned = ShardOwned(shard=self.shard, epoch=self.epoch, process="test")
        await self.bus.tell(subject_of(ShardOwned, key=format(self.shard, "x")), owned.SerializeToString())
        return self

    async def stop(self) -> None:
        if self._served is not None:
            await self._served.stop()
            self._served = None

    async def show(self, table_id: str, player_id: str) -> None:
        """Make a frame for a seat, and send it to who listens."""
        seat = self.seats.setdefault((table_id, player_id), Seat())
        number = len(seat.frames) + 1
        frame = Frame(
            number=number, at_ms=number, round_opening=RoundOpening(round_id=f"{table_id}/{number}")
        )
        seat.frames.append(frame.SerializeToString())
        if self.lose_frames:
            self.lose_frames -= 1
        elif seat.session:
            await self.send(seat.gateway, Out(table_id=table_id, session=seat.session, frame=seat.frames[-1]))

    async def beat(self) -> None:
        """Say the last number of every seat that listens."""
        for (table_id, _), seat in list(self.seats.items()):
            if seat.session:
                out = Out(table_id=table_id, session=seat.session, last_number=len(seat.frames))
                await self.send(seat.gateway, out)

    async def send(self, gateway: str, *outs: Out, epoch: int | None = None) -> None:
        batch = OutBatch(shard=self.shard, epoch=self.epoch if epoch is None else epoch, outs=outs)
        await self.bus.tell(subject("gateway", "out", gateway), batch.SerializeToString())

    def count(self, kind: str) -> int:
        return sum(command.command.WhichOneof("body") == kind for command in self.commands)

    async def _batch(self, payload: bytes, heard: str) -> bytes | None:
        batch = CommandBatch.FromString(payload)
        self.batches += 1
        if self.is_silent:
            return None
        self.beats += batch.beats
        self.commands += batch.commands
        if not self.is_mute:
            for command in batch.commands:
                await self._do(batch.gateway, command)
        return CommandBatchReply(epoch=self.epoch).SerializeToString()

    async def _do(self, gateway: str, command: Command) -> None:
        said = command.command
        seat = self.seats.setdefault((said.table_id, command.player_id), Seat())
        kind = said.WhichOneof("body")
        reason, order = "", 0
        if kind == "attach":
            reason = self.refuse_attach
            if not reason:
                order = await self._attach(gateway, command, seat)
        elif kind == "detach":
            if seat.session == command.session:
                seat.session = ""
        elif kind == "act":
            key = (said.table_id, command.player_id, str(said.act.question))
            if key not in self.done:
                await self.show(said.table_id, command.player_id)
                self.done[key] = CommandAnswer(number=len(seat.frames))
        answer = TaggedAnswer(
            tag=command.tag, answer=CommandAnswer(reason=reason, number=len(seat.frames)), attached=order
        )
        await self.send(gateway, Out(table_id=said.table_id, session=command.session, answer=answer))

    async def _attach(self, gateway: str, command: Command, seat: Seat) -> int:
        table_id, attach = command.command.table_id, command.command.attach
        if attach.spectate:
            view = TableView(table_id=table_id, seat=-1).SerializeToString()
            await self.send(gateway, Out(table_id=table_id, session=command.session, view=view))
            return 0
        self._attaches += 1
        order = command.attached or (self.epoch << 24) + self._attaches
        if seat.session and seat.session != command.session:
            is_newer = order > seat.order
            loser, at = (seat.session, seat.gateway) if is_newer else (command.session, gateway)
            if not self.lose_detached:
                out = Out(table_id=table_id, session=loser, detached=Detached(reason="REPLACED"))
                await self.send(at, out)
            if not is_newer:
                return 0
        seat.session, seat.gateway, seat.order = command.session, gateway, order
        if not 0 < attach.number <= len(seat.frames) or len(seat.frames) - attach.number > RING_FRAMES:
            view = TableView(number=len(seat.frames), table_id=table_id).SerializeToString()
            await self.send(gateway, Out(table_id=table_id, session=command.session, view=view))
        else:
            for frame in seat.frames[attach.number :]:
                await self.send(gateway, Out(table_id=table_id, session=command.session, frame=frame))
        return order


async def until(condition: object, seconds: float = 60.0) -> None:
    """Wait until `condition()` is true."""
    assert callable(condition)
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.005)
