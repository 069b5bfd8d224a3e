"""Durable consumers: batches, outages that bring a delivery again, defects that go to the `DLQ`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable, Sequence
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError, Message
from paiju.bus.v1.replay_pb2 import (
    OUTCOME_DEFECT,
    OUTCOME_DONE,
    OUTCOME_OUTAGE,
    Outcome,
    Replay,
    ReplayAnswer,
)

from services.chassis import log
from services.chassis.bus.carrier import EVENT_ID, MSG_ID, NAK_S_MAX, Pull, Raw
from services.chassis.bus.port import Delivery, Handler, Subscription
from services.chassis.bus.registry import DLQ, dlq_subject
from services.chassis.errors import Defect, Outage

if TYPE_CHECKING:
    from services.chassis.bus.base import BaseBus

AT_MS = "Paiju-At-Ms"
DURABLE = "Paiju-Durable"
REASON = "Paiju-Reason"
SEQ = "Paiju-Seq"
STREAM = "Paiju-Stream"
SUBJECT = "Paiju-Subject"

REASON_CHARACTERS_MAX = 500


class DurableConsumer:
    """One durable name over the streams of its types; one loop per stream."""

    def __init__(
        self,
        bus: BaseBus,
        durable: str,
        classes: dict[str, type[Message]],
        handler: Handler,
        batch: int,
        linger_s: float,
    ) -> None:
        self._bus = bus
        self._durable = durable
        self._classes = classes
        self._handler = handler
        self._batch = batch
        self._linger_s = linger_s
        self._tasks: list[asyncio.Task[None]] = []
        self._idle = asyncio.Event()
        self._busy = 0
        self._stopping = False
        self.replays: Subscription | None = None
        """Where it is asked to handle again what it put aside; see `dlq`."""

    @property
    def durable(self) -> str:
        """Its name."""
        return self._durable

    def begin(self, stream: str, subjects: Sequence[str]) -> None:
        """Consume from one more stream."""
        name = f"consume-{self._durable}-{stream}"
        self._tasks.append(self._bus.keeper.keep(self._loop(stream, subjects), name))

    async def stop(self) -> None:
        """See `port.Consumer.stop`."""
        self._stopping = True
        while self._busy:
            self._idle.clear()
            await self._idle.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.replays is not None:
            await self.replays.stop()
        if self in self._bus.consumers:
            self._bus.consumers.remove(self)

    async def sweep(self, stream: str, subjects: Sequence[str]) -> None:
        """Handle what one stream holds now, and return; see `port.Bus.sweep`."""
        pull = await self._bus.open_pull(stream, self._durable, subjects)
        left = pull.unhandled
        try:
            while left > 0:
                raws = await pull.fetch(self._batch, 0.0)
                if not raws:
                    return  # the rest is in the hands of another, or of one that was killed: the next time
                await self._take(stream, raws)
                left = min(left - len(raws), raws[-1].waiting)
        finally:
            await pull.close()

    async def replay(self, payload: bytes, _: str) -> bytes:
        """Handle once more what was put aside, beside all other work, and say what became of it.

        The answer is the whole outcome: a fact that fails again is not put aside a second time.
        """
        asked = Replay.FromString(payload)
        if self._stopping:
            return _answer(OUTCOME_OUTAGE, f"{self._durable} is stopping")
        self._busy += 1
        try:
            message = self._class_of(asked.subject).FromString(asked.payload)
            delivery = Delivery(message, asked.event_id, asked.seq, asked.subject, 1, asked.at_ms)
            await self._handler([delivery])
        except Outage as outage:
            return _answer(OUTCOME_OUTAGE, str(outage))
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is a defect, and is told who asked
            log.get().error(
                "replay_failed", durable=self._durable, subject=asked.subject, seq=asked.seq, exc_info=error
            )
            return _answer(OUTCOME_DEFECT, reason_of(error))
        finally:
            self._busy -= 1
            self._idle.set()
        self._count("replayed", 1)
        return _answer(OUTCOME_DONE, "")

    async def _loop(self, stream: str, subjects: Sequence[str]) -> None:
        lag = self._bus.lag.labels(self._durable, stream)
        failures = 0
        while not self._stopping:
            pull: Pull | None = None
            try:
                pull = await self._bus.open_pull(stream, self._durable, subjects)
                while not self._stopping:
                    raws = await pull.fetch(self._batch, self._linger_s)
                    failures = 0
                    lag.set(raws[-1].waiting if raws else 0)
                    if raws and not self._stopping:
                        await self._take(stream, raws)
            except Outage as outage:
                log.get().warning(
                    "consumer_interrupted", durable=self._durable, stream=stream, why=str(outage)
                )
                await self._bus.pause_before_retry(failures)
                failures += 1
            finally:
                if pull is not None:
                    await pull.close()

    async def _take(self, stream: str, raws: Sequence[Raw]) -> None:
        self._busy += 1
        try:
            pairs: list[tuple[Raw, Delivery[Message]]] = []
            for raw in raws:
                try:
                    pairs.append((raw, self._decode(raw)))
                except (DecodeError, Defect) as error:
                    await self._bury(stream, raw, error)
            if pairs:
                await self._handle(stream, pairs)
        finally:
            self._busy -= 1
            self._idle.set()

    def _decode(self, raw: Raw) -> Delivery[Message]:
        message = self._class_of(raw.subject).FromString(raw.payload)
        return Delivery(message, _event_id(raw), raw.seq, raw.subject, raw.attempt, raw.at_ms)

    def _class_of(self, subject: str) -> type[Message]:
        cls = self._classes.get(subject.rpartition(".")[0])
        if cls is None:
            raise Defect(f"{subject} is no subject of {self._durable}")
        return cls

    async def _handle(self, stream: str, pairs: Sequence[tuple[Raw, Delivery[Message]]]) -> None:
        try:
            await self._handler([delivery for _, delivery in pairs])
        except Outage as outage:
            longest = max(raw.attempt for raw, _ in pairs)
            delay_s = min(NAK_S_MAX, 0.1 * 2 ** min(longest, 10)) * (0.5 + self._bus.ids.jitter() / 2)
            log.get().warning(
                "deliveries_postponed",
                durable=self._durable,
                count=len(pairs),
                delay_s=delay_s,
                why=str(outage),
            )
            self._count("postponed", len(pairs))
            await self._settle(raw.nak(delay_s) for raw, _ in pairs)
        except Exception as error:  # noqa: BLE001 - whatever else a handler raises is a defect, and goes to the DLQ
            if len(pairs) > 1:
                for pair in pairs:
                    await self._handle(stream, [pair])
            else:
                await self._bury(stream, pairs[0][0], error)
        else:
            self._count("done", len(pairs))
            await self._settle(raw.ack() for raw, _ in pairs)

    async def _settle(self, answers: Iterable[Awaitable[None]]) -> None:
        for answer in answers:
            await _quietly(answer)

    async def _bury(self, stream: str, raw: Raw, error: Exception) -> None:
        """Write a defect to the `DLQ`, and only when it is there say that the delivery is over."""
        log.get().error(
            "delivery_failed",
            durable=self._durable,
            stream=stream,
            seq=raw.seq,
            subject=raw.subject,
            exc_info=error,
        )
        headers = {
            MSG_ID: f"{self._durable}/{stream}/{raw.seq}",
            REASON: reason_of(error),
            DURABLE: self._durable,
            STREAM: stream,
            SEQ: str(raw.seq),
            SUBJECT: raw.subject,
            AT_MS: str(raw.at_ms),
            EVENT_ID: _event_id(raw),
        }
        await self._bus.store_until_known(DLQ, dlq_subject(self._durable), raw.payload, headers)
        self._count("defect", 1)
        await _quietly(raw.term())

    def _count(self, result: str, n: int) -> None:
        self._bus.deliveries.labels(self._durable, result).inc(n)


def reason_of(error: Exception) -> str:
    """Return a defect in one line."""
    line = f"{type(error).__name__}: {error}".replace("\r", " ").replace("\n", " ")
    return line[:REASON_CHARACTERS_MAX]


def _event_id(raw: Raw) -> str:
    return raw.headers.get(EVENT_ID) or raw.headers.get(MSG_ID, "")


def _answer(outcome: Outcome.ValueType, why: str) -> bytes:
    return ReplayAnswer(outcome=outcome, why=why).SerializeToString()


async def _quietly(answer: Awaitable[None]) -> None:
    """Send an acknowledgement; a lost one only means that the delivery comes again."""
    try:
        await answer
    except Outage as outage:
        log.get().warning("acknowledgement_lost", why=str(outage))
