"""Stubs over any transport: deadlines, request ids and tokens go in, refusals and outages come out."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Protocol

from services.chassis import auth
from services.chassis.auth import ServiceTokens
from services.chassis.clock import Clock
from services.chassis.errors import Outage
from services.chassis.ids import Ids
from services.chassis.rpc.methods import (
    ACTING_FOR,
    AUTHORIZATION,
    REQUEST_ID,
    ROLES,
    SCOPES,
    ends_at,
    request_id,
)


@dataclass(frozen=True)
class Path:
    """Where a call goes, and how it is written."""

    service: str
    path: str
    serialize: Callable[[Any], bytes]
    deserialize: Callable[[bytes], Any]
    takes_stream: bool
    gives_stream: bool


class Transport(Protocol):
    """Carries calls; raises `Refusal`, `Outage` or `Defect`."""

    async def call(self, path: Path, request: Any, timeout_s: float, metadata: dict[str, str]) -> Any:
        """Make a call with one answer; `request` is a message or an async iterable."""

    def stream(
        self, path: Path, request: Any, timeout_s: float | None, metadata: dict[str, str]
    ) -> AsyncIterator[Any]:
        """Make a call with a stream of answers."""


class StubChannel:
    """What a generated stub takes for a channel."""

    def __init__(
        self,
        transport: Transport,
        service: str,
        tokens: ServiceTokens,
        clock: Clock,
        ids: Ids,
        timeout_s: float,
    ) -> None:
        self._transport = transport
        self._service = service
        self._tokens = tokens
        self._clock = clock
        self._ids = ids
        self._timeout_s = timeout_s

    def unary_unary(
        self, path: str, request_serializer: Any, response_deserializer: Any, **options: Any
    ) -> Any:
        """As the channel's method of this name."""
        return self._one(Path(self._service, path, request_serializer, response_deserializer, False, False))

    def stream_unary(
        self, path: str, request_serializer: Any, response_deserializer: Any, **options: Any
    ) -> Any:
        """As the channel's method of this name."""
        return self._one(Path(self._service, path, request_serializer, response_deserializer, True, False))

    def unary_stream(
        self, path: str, request_serializer: Any, response_deserializer: Any, **options: Any
    ) -> Any:
        """As the channel's method of this name."""
        return self._many(Path(self._service, path, request_serializer, response_deserializer, False, True))

    def stream_stream(
        self, path: str, request_serializer: Any, response_deserializer: Any, **options: Any
    ) -> Any:
        """As the channel's method of this name."""
        return self._many(Path(self._service, path, request_serializer, response_deserializer, True, True))

    def _one(self, path: Path) -> Callable[..., Any]:
        async def call(request: Any, *, timeout: float | None = None, metadata: Any = None) -> Any:
            limit = self._timeout_s if timeout is None else timeout
            end = ends_at()
            if end is not None:
                limit = min(limit, end - self._clock.monotonic())
                if limit <= 0:
                    raise Outage(f"{path.path}: no time is left for it")
            return await self._transport.call(path, request, limit, self._metadata(metadata))

        return call

    def _many(self, path: Path) -> Callable[..., Any]:
        def call(
            request: Any | AsyncIterable[Any], *, timeout: float | None = None, metadata: Any = None
        ) -> AsyncIterator[Any]:
            return self._transport.stream(path, request, timeout, self._metadata(metadata))

        return call

    def _metadata(self, given: Any) -> dict[str, str]:
        metadata = {
            REQUEST_ID: request_id() or self._ids.new("r"),
            AUTHORIZATION: f"Bearer {self._tokens.token()}",
        }
        acting = auth.acting()
        if acting.player_id:
            metadata[ACTING_FOR] = acting.player_id
            if acting.roles:
                metadata[ROLES] = ",".join(sorted(acting.roles))
            if acting.scopes is not None:
                metadata[SCOPES] = ",".join(sorted(acting.scopes))
        metadata.update(given or ())
        return metadata
