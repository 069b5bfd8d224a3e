"""What a process offers over gRPC, and what happens around every call: the one interceptor, for every
transport.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import DecodeError
from google.rpc import status_pb2

from services.chassis import auth, log, principals
from services.chassis.access import ACCESS_WORDS, scope_of
from services.chassis.auth import Access, AccessTable, Principal, Verifier
from services.chassis.clock import Clock
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.ids import Ids
from services.chassis.limits import Rate, RateLimits
from services.chassis.metrics import Metrics
from services.chassis.rpc.status import code_name, status_of

AUTHORIZATION = "authorization"
REQUEST_ID = "x-request-id"
ACTING_FOR = "x-paiju-player"
ROLES = "x-paiju-roles"
SCOPES = "x-paiju-scopes"
"""Of the player a service acts for, and of the program that acts for the player; only services are believed.
"""
UNARY_S_MAX = 30.0
"""No unary call takes longer, whatever its caller would grant."""
CALLER_RATE = Rate(per_s=50, burst=100)
"""Of one caller to one method; services and operators are not limited."""
_REQUEST_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")

_request_id: ContextVar[str] = ContextVar("request_id", default="")
_ends_at: ContextVar[float | None] = ContextVar("ends_at", default=None)
_peer: ContextVar[str] = ContextVar("peer", default="")


def request_id() -> str:
    """Return the id of the call that this task handles; empty outside of one."""
    return _request_id.get()


def ends_at() -> float | None:
    """Return when the call that this task handles must be answered, by `clock.monotonic()`; None = no
    matter.
    """
    return _ends_at.get()


def peer() -> str:
    """Return the other end of the connection that this task's call came by, as gRPC writes it; empty outside
    of one.
    """
    return _peer.get()


@dataclass(frozen=True)
class Method:
    """One method of a servicer."""

    service: str
    """The folder's name."""
    path: str
    """`/paiju.economy.v1.EconomyService/GetBalance`"""
    behavior: Callable[..., Any]
    takes_stream: bool
    gives_stream: bool
    deserialize: Callable[[bytes], Any]
    serialize: Callable[[Any], bytes]
    access: Access

    @property
    def name(self) -> str:
        """`GetBalance`"""
        return self.path.rpartition("/")[2]

    @property
    def proto_service(self) -> str:
        """`paiju.economy.v1.EconomyService`"""
        return self.path.split("/")[1]


@dataclass(frozen=True)
class Caller:
    """What a transport knows of a call."""

    metadata: Mapping[str, str]
    peer: str
    remaining_s: float | None


class Failed(Exception):
    """The call ends with this status."""

    def __init__(self, status: status_pb2.Status) -> None:
        super().__init__(status.message)
        self.status = status


class Methods:
    """All methods of a process, by path, each inside the interceptor."""

    def __init__(
        self, verifier: Verifier, clock: Clock, ids: Ids, metrics: Metrics, rate: Rate = CALLER_RATE
    ) -> None:
        self.by_path: dict[str, Method] = {}
        self.verifier = verifier
        self.limit: Callable[[Principal, Method, str], None] = self._limit
        """Refuses a call that comes too often; replaceable."""
        self._clock = clock
        self._ids = ids
        self._limits = RateLimits(rate, clock)
        self._streams: set[asyncio.Task[Any]] = set()
        self._stopping = False
        self._seconds = metrics.histogram(
            "rpc_seconds", "Time to answer a call", ["service", "method", "code"]
        )
        self._children: dict[tuple[str, str, str], Any] = {}

    def add(
        self, service: str, add_to_server: Callable[[Any, Any], None], servicer: object, access: AccessTable
    ) -> None:
        """See `Rpc.serve`."""
        capture = _Capture()
        add_to_server(servicer, capture)
        found = {
            method: handler for handlers in capture.found.values() for method, handler in handlers.items()
        }
        if found.keys() != access.keys():
            raise Defect(f"{service}: methods {sorted(found)} and access table {sorted(access)} differ")
        if unknown := set(access.values()) - ACCESS_WORDS:
            raise Defect(f"{service}: no such access: {sorted(unknown)}")
        for proto_service, handlers in capture.found.items():
            for name, handler in handlers.items():
                path = f"/{proto_service}/{name}"
                if path in self.by_path:
                    raise Defect(f"{path} is offered twice")
                self.by_path[path] = Method(
                    service,
                    path,
                    _behavior(handler),
                    handler.request_streaming,
                    handler.response_streaming,
                    handler.request_deserializer,
                    handler.response_serializer,
                    access[name],
                )

    async def answer(self, method: Method, sent: Any, context: Any, caller: Caller) -> Any:
        """Handle a call with one answer.

        Args:
            sent: The request's bytes; of a method that takes a stream, the iterator of its requests.

        Raises:
            Failed: With the status to send.
        """
        started = self._clock.monotonic()
        try:
            await self._enter(method, caller, started)
            budget = UNARY_S_MAX if caller.remaining_s is None else min(UNARY_S_MAX, caller.remaining_s)
            async with self._clock.timeout(budget):
                result = await method.behavior(_request(method, sent), context)
        except Exception as error:
            raise self._failed(method, started, error) from error
        self._done(method, started, "OK", "")
        return result

    async def answers(self, method: Method, sent: Any, context: Any, caller: Caller) -> AsyncIterator[Any]:
        """Handle a call with a stream of answers.

        Args:
            sent: As for `answer`.

        Raises:
            Failed: With the status to send.
        """
        started = self._clock.monotonic()
        task = asyncio.current_task()
        assert task is not None
        self._streams.add(task)
        try:
            await self._enter(method, caller, started)
            async for item in method.behavior(_request(method, sent), context):
                yield item
        except asyncio.CancelledError:
            if not self._stopping:
                self._done(method, started, "CANCELLED", "")
                raise
            task.uncancel()
            raise self._failed(method, started, Refusal("SHUTTING_DOWN")) from None
        except Exception as error:
            raise self._failed(method, started, error) from error
        finally:
            self._streams.discard(task)
        self._done(method, started, "OK", "")

    def end_streams(self) -> None:
        """End every stream with SHUTTING_DOWN, and refuse new calls."""
        self._stopping = True
        for task in list(self._streams):
            task.cancel()

    async def _enter(self, method: Method, caller: Caller, started: float) -> None:
        given = caller.metadata.get(REQUEST_ID, "")
        _request_id.set(given if _REQUEST_ID.fullmatch(given) else self._ids.new("r"))
        _peer.set(caller.peer)
        _ends_at.set(None if caller.remaining_s is None else started + caller.remaining_s)
        if self._stopping:
            raise Refusal("SHUTTING_DOWN")
        principal = await self._principal(caller)
        principals.enter(principal)
        if not principal.may(method.access):
            raise Refusal("PERMISSION_DENIED" if principal.id else "UNAUTHENTICATED")
        if (
            principal.is_program
            and method.access == "player"
            and scope_of(method.path) not in principal.scopes
        ):
            raise Refusal("SCOPE_MISSING", scope=scope_of(method.path) or "none")
        self.limit(principal, method, caller.peer)
        if principal.quota is not None:
            await self.verifier.quotas.take(principal.quota)

    async def _principal(self, caller: Caller) -> Principal:
        header = caller.metadata.get(AUTHORIZATION)
        if header is None:
            return auth.ANONYMOUS
        scheme, _, token = header.partition(" ")
        if scheme.lower() != "bearer":
            raise Refusal("TOKEN_INVALID")
        principal = await self.verifier.verify(token.strip())
        return auth.on_behalf(
            principal,
            caller.metadata.get(ACTING_FOR, ""),
            frozenset(caller.metadata.get(ROLES, "").split(",")),
            caller.metadata.get(SCOPES),
        )

    def _limit(self, principal: Principal, method: Method, peer: str) -> None:
        if principal.kind in ("service", "operator"):
            return
        self._limits.take((principal.kind, principal.id or peer, method.path))

    def _failed(self, method: Method, started: float, error: Exception) -> Failed:
        status, reason = status_of(error)
        self._done(method, started, code_name(status), reason, error)
        return Failed(status)

    def _done(
        self, method: Method, started: float, code: str, reason: str, error: Exception | None = None
    ) -> None:
        seconds = self._clock.monotonic() - started
        key = (method.service, method.name, code)
        child = self._children.get(key)
        if child is None:
            child = self._children[key] = self._seconds.labels(*key)
        child.observe(seconds)
        principal = auth.current()
        logger = log.get().bind(
            service=method.service,
            method=method.name,
            code=code,
            ms=round(seconds * 1000, 1),
            request_id=request_id(),
            caller=f"{principal.kind}:{principal.id}" if principal.id else "anonymous",
        )
        if principal.acting_for:
            logger = logger.bind(acting_for=principal.acting_for)
        if error is None:
            logger.info("rpc_done")
        elif isinstance(error, Refusal):
            logger.info("rpc_refused", reason=reason)
        elif isinstance(error, Outage | TimeoutError):
            logger.warning("rpc_failed", why=str(error))
        else:
            logger.error("rpc_crashed", exc_info=error)


class _Capture:
    """Stands in for a server, to learn what the generated code would add to it."""

    def __init__(self) -> None:
        self.found: dict[str, Mapping[str, Any]] = {}

    def add_generic_rpc_handlers(self, handlers: Any) -> None:
        return

    def add_registered_method_handlers(self, service: str, handlers: Mapping[str, Any]) -> None:
        self.found[service] = handlers


def _request(method: Method, sent: Any) -> Any:
    """Return what a method is called with.

    Raises:
        Refusal: BAD_MESSAGE: these bytes are no such request.
    """
    if method.takes_stream:
        return sent
    try:
        return method.deserialize(sent)
    except DecodeError:
        raise Refusal("BAD_MESSAGE") from None


def _behavior(handler: Any) -> Callable[..., Any]:
    kinds = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
    found: Callable[..., Any] = next(behavior for kind in kinds if (behavior := getattr(handler, kind)))
    return found
