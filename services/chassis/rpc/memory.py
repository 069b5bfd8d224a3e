"""gRPC without a network, for tests and simulation: messages are still written and read, callers and
callees still differ.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterable, AsyncIterator, Callable
from typing import Any, TypeVar, cast

import grpc

from services.chassis.auth import AccessTable, ServiceTokens, Verifier
from services.chassis.bus.base import Keeper
from services.chassis.bus.broker import Faults
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.chassis.limits import BoundedQueue, QueueClosed
from services.chassis.metrics import Metrics
from services.chassis.rpc.client import Path, StubChannel
from services.chassis.rpc.methods import Caller, Failed, Method, Methods
from services.chassis.rpc.status import error_of

S = TypeVar("S")
STREAM_ITEMS_MAX = 1000


class MemoryNetwork:
    """Which simulated processes offer which service; shared by their `MemoryRpc`s."""

    def __init__(self, faults: Faults | None = None) -> None:
        self.faults = faults or Faults(0, active=False)
        self._offers: dict[str, list[MemoryRpc]] = {}
        self._turn = 0

    def join(self, rpc: MemoryRpc) -> None:
        """Let a process be found."""
        for service in rpc.services():
            self._offers.setdefault(service, []).append(rpc)

    def leave(self, rpc: MemoryRpc) -> None:
        """Let a process not be found any more."""
        for offers in self._offers.values():
            if rpc in offers:
                offers.remove(rpc)

    def find(self, service: str) -> MemoryRpc:
        """Return one of the processes that offer a service, in turn.

        Raises:
            Outage: None does.
        """
        offers = self._offers.get(service)
        if not offers:
            raise Outage(f"{service} can't be reached")
        self._turn += 1
        return offers[self._turn % len(offers)]


class MemoryRpc:
    """The RPC side of one simulated process. See `rpc.Rpc`."""

    def __init__(
        self,
        network: MemoryNetwork,
        verifier: Verifier,
        clock: Clock,
        ids: Ids,
        metrics: Metrics,
        service_key: str,
        name: str = "process",
    ) -> None:
        self.methods = Methods(verifier, clock, ids, metrics)
        self.keeper = Keeper()
        self._network = network
        self._clock = clock
        self._ids = ids
        self._tokens = ServiceTokens(service_key, name, clock)

    def services(self) -> set[str]:
        """Return the names of all services offered here."""
        return {method.service for method in self.methods.by_path.values()}

    def serve(
        self, service: str, add_to_server: Callable[[Any, Any], None], servicer: object, access: AccessTable
    ) -> None:
        """See `rpc.Rpc.serve`."""
        self.methods.add(service, add_to_server, servicer, access)

    def client(self, stub: Callable[[grpc.aio.Channel], S], service: str, timeout_s: float = 5.0) -> S:
        """See `rpc.Rpc.client`."""
        channel = StubChannel(self, service, self._tokens, self._clock, self._ids, timeout_s)
        return stub(cast(grpc.aio.Channel, channel))

    async def start(self) -> None:
        """Take calls from now on."""
        self._network.join(self)

    async def stop(self, grace_s: float = 0.0) -> None:
        """Take no calls any more, and end those that run."""
        self._network.leave(self)
        self.methods.end_streams()
        await self.keeper.end()

    def crash(self) -> None:
        """End as by SIGKILL: callers see a broken connection."""
        self._network.leave(self)
        self.keeper.cancel()

    async def call(self, path: Path, request: Any, timeout_s: float, metadata: dict[str, str]) -> Any:
        """See `client.Transport.call`."""
        faults = self._network.faults
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        try:
            async with self._clock.timeout(timeout_s):
                await self._clock.sleep(faults.delay())
                if faults.happens(faults.lose_told):
                    raise Outage(f"{path.path}: the connection broke before it arrived")
                callee = self._network.find(path.service)
                sent = _written(path, request)
                callee._keep(
                    path, _unary(callee, path, sent, Caller(metadata, "memory", timeout_s), answer), answer
                )
                raw = await answer
                await self._clock.sleep(faults.delay())
        except TimeoutError:
            raise Outage(f"{path.path}: DEADLINE_EXCEEDED") from None
        except Failed as failed:
            raise error_of(failed.status, path.service) from None
        if faults.happens(faults.lose_told):
            raise Outage(f"{path.path}: the connection broke before the answer arrived")
        return path.deserialize(raw)

    async def stream(
        self, path: Path, request: Any, timeout_s: float | None, metadata: dict[str, str]
    ) -> AsyncIterator[Any]:
        """See `client.Transport.stream`."""
        callee = self._network.find(path.service)
        items: BoundedQueue[bytes] = BoundedQueue(STREAM_ITEMS_MAX, "close")
        ended: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        sent = _written(path, request)
        caller = Caller(metadata, "memory", timeout_s)
        task = callee._keep(path, _streamed(callee, path, sent, caller, items, ended), ended)
        try:
            while True:
                yield path.deserialize(await items.get())
        except QueueClosed:
            try:
                await ended
            except Failed as failed:
                raise error_of(failed.status, path.service) from None
        finally:
            task.cancel()
            if ended.done() and not ended.cancelled():
                ended.exception()

    def _keep(self, path: Path, coro: Any, answer: asyncio.Future[bytes]) -> asyncio.Task[None]:
        # A context of its own: the callee must not see the caller's principal.
        task: asyncio.Task[None] = contextvars.Context().run(self.keeper.keep, coro, f"rpc{path.path}")

        def done(ended: asyncio.Task[None]) -> None:
            if ended.cancelled() and not answer.done():
                answer.set_exception(Outage(f"{path.path}: the connection broke"))

        task.add_done_callback(done)
        return task


class MemoryContext:
    """As much of `grpc.aio.ServicerContext` as a servicer may use."""

    def __init__(self, caller: Caller, ends_at: float | None, clock: Clock) -> None:
        self._caller = caller
        self._ends_at = ends_at
        self._clock = clock

    def invocation_metadata(self) -> tuple[tuple[str, str], ...]:
        """Return what the caller has sent along."""
        return tuple(self._caller.metadata.items())

    def peer(self) -> str:
        """Return where the caller is."""
        return self._caller.peer

    def time_remaining(self) -> float | None:
        """Return how many seconds are left, or None."""
        return None if self._ends_at is None else self._ends_at - self._clock.monotonic()


def _method(callee: MemoryRpc, path: Path) -> Method:
    method = callee.methods.by_path.get(path.path)
    if method is None:
        raise Outage(f"{path.path} is not offered")
    return method


def _context(callee: MemoryRpc, caller: Caller) -> MemoryContext:
    ends_at = None if caller.remaining_s is None else callee._clock.monotonic() + caller.remaining_s
    return MemoryContext(caller, ends_at, callee._clock)


def _written(path: Path, request: Any) -> Any:
    if not path.takes_stream:
        return path.serialize(request)

    async def items() -> AsyncIterator[bytes]:
        async for item in cast(AsyncIterable[Any], request):
            yield path.serialize(item)

    return items()


def _received(method: Method, sent: Any) -> Any:
    if not method.takes_stream:
        return sent

    async def items() -> AsyncIterator[Any]:
        async for item in sent:
            yield method.deserialize(item)

    return items()


async def _unary(
    callee: MemoryRpc, path: Path, sent: Any, caller: Caller, answer: asyncio.Future[bytes]
) -> None:
    try:
        method = _method(callee, path)
        result = await callee.methods.answer(
            method, _received(method, sent), _context(callee, caller), caller
        )
        raw = method.serialize(result)
    except (Failed, Outage) as error:
        if not answer.done():
            answer.set_exception(error)
    else:
        if not answer.done():
            answer.set_result(raw)


async def _streamed(
    callee: MemoryRpc,
    path: Path,
    sent: Any,
    caller: Caller,
    items: BoundedQueue[bytes],
    ended: asyncio.Future[bytes],
) -> None:
    try:
        method = _method(callee, path)
        received = _received(method, sent)
        async for item in callee.methods.answers(method, received, _context(callee, caller), caller):
            items.put(method.serialize(item))
    except (Failed, Outage) as error:
        if not ended.done():
            ended.set_exception(error)
    else:
        if not ended.done():
            ended.set_result(b"")
    finally:
        if not ended.done():
            ended.set_exception(Outage(f"{path.path}: the connection broke"))
        items.close()
