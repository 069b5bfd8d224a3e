"""gRPC in earnest: one aio server per process, one channel per service called."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any, TypeVar, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection
from grpc_status import rpc_status

from services.chassis.auth import AccessTable, ServiceTokens, Verifier
from services.chassis.clock import Clock
from services.chassis.config import PaijuSettings
from services.chassis.errors import Defect, Outage
from services.chassis.health import Health
from services.chassis.ids import Ids
from services.chassis.metrics import Metrics
from services.chassis.rpc.client import Path, StubChannel
from services.chassis.rpc.methods import Caller, Failed, Method, Methods
from services.chassis.rpc.status import error_of_call

S = TypeVar("S")

MESSAGE_BYTES_MAX = 1024 * 1024
CALLS_MAX = 10_000
SERVER_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", MESSAGE_BYTES_MAX),
    ("grpc.max_send_message_length", 4 * MESSAGE_BYTES_MAX),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
    ("grpc.http2.max_ping_strikes", 3),
    ("grpc.max_connection_age_ms", 3_600_000),
    ("grpc.max_connection_age_grace_ms", 600_000),
    ("grpc.so_reuseport", 0),
]
CHANNEL_OPTIONS: list[tuple[str, Any]] = [
    ("grpc.max_receive_message_length", 4 * MESSAGE_BYTES_MAX),
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    ("grpc.service_config", '{"loadBalancingConfig":[{"round_robin":{}}]}'),
]


class GrpcRpc:
    """The RPC side of a process. See `rpc.Rpc`."""

    def __init__(
        self,
        settings: PaijuSettings,
        verifier: Verifier,
        health: Health,
        clock: Clock,
        ids: Ids,
        metrics: Metrics,
        name: str,
    ) -> None:
        self.methods = Methods(verifier, clock, ids, metrics)
        self.port = 0
        """Where it listens; 0 before `start`."""
        self._settings = settings
        self._health = health
        self._clock = clock
        self._ids = ids
        self._tokens = ServiceTokens(settings.service_key.get_secret_value(), name, clock)
        self._server: grpc.aio.Server | None = None
        self._channels: dict[str, grpc.aio.Channel] = {}
        self._calls: dict[str, Any] = {}

    def serve(
        self, service: str, add_to_server: Callable[[Any, Any], None], servicer: object, access: AccessTable
    ) -> None:
        """See `rpc.Rpc.serve`."""
        assert self._server is None, "servicers are offered in wire, before the server starts"
        self.methods.add(service, add_to_server, servicer, access)

    def client(self, stub: Callable[[grpc.aio.Channel], S], service: str, timeout_s: float = 5.0) -> S:
        """See `rpc.Rpc.client`."""
        channel = StubChannel(self, service, self._tokens, self._clock, self._ids, timeout_s)
        return stub(cast(grpc.aio.Channel, channel))

    async def start(self) -> None:
        """Listen.

        Raises:
            Outage: The port is taken.
        """
        server = grpc.aio.server(options=SERVER_OPTIONS, maximum_concurrent_rpcs=CALLS_MAX)
        by_service: dict[str, dict[str, grpc.RpcMethodHandler[Any, Any]]] = {}
        for method in self.methods.by_path.values():
            by_service.setdefault(method.proto_service, {})[method.name] = self._handler(method)
        for proto_service, handlers in by_service.items():
            server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(proto_service, handlers)])
        folders = {method.proto_service: method.service for method in self.methods.by_path.values()}
        health_pb2_grpc.add_HealthServicer_to_server(_HealthServicer(self._health, folders), server)
        names = [
            *by_service,
            health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
            reflection.SERVICE_NAME,
        ]
        reflection.enable_server_reflection(names, server)
        address = f"{self._settings.grpc_host}:{self._settings.grpc_port}"
        try:
            credentials = _server_credentials(self._settings)
            if credentials is None:
                self.port = server.add_insecure_port(address)
            else:
                self.port = server.add_secure_port(address, credentials)
        except RuntimeError as error:
            raise Outage(f"gRPC can't listen on {address}: {error}") from error
        await server.start()
        self._server = server

    async def stop(self, grace_s: float = 5.0) -> None:
        """End streams, let calls finish, and stop listening."""
        self.methods.end_streams()
        if self._server is not None:
            await self._server.stop(grace_s)
        for channel in self._channels.values():
            await channel.close()

    async def call(self, path: Path, request: Any, timeout_s: float, metadata: dict[str, str]) -> Any:
        """See `client.Transport.call`."""
        try:
            return await self._callable(path)(request, timeout=timeout_s, metadata=tuple(metadata.items()))
        except grpc.aio.AioRpcError as error:
            raise error_of_call(error, path.service) from error
        except grpc.aio.UsageError as error:
            raise Outage(f"{path.path}: the channel is closed") from error
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise Outage(f"{path.path}: the channel is closed") from error

    async def stream(
        self, path: Path, request: Any, timeout_s: float | None, metadata: dict[str, str]
    ) -> AsyncIterator[Any]:
        """See `client.Transport.stream`."""
        call = self._callable(path)(request, timeout=timeout_s, metadata=tuple(metadata.items()))
        try:
            async for item in call:
                yield item
        except grpc.aio.AioRpcError as error:
            raise error_of_call(error, path.service) from error
        except asyncio.CancelledError as error:
            if _is_cancelled():
                raise
            raise Outage(f"{path.path}: the channel is closed") from error
        finally:
            call.cancel()

    def _callable(self, path: Path) -> Any:
        made = self._calls.get(path.path)
        if made is None:
            channel = self._channel(path.service)
            kind = (
                f"{'stream' if path.takes_stream else 'unary'}_{'stream' if path.gives_stream else 'unary'}"
            )
            made = getattr(channel, kind)(
                path.path, request_serializer=path.serialize, response_deserializer=path.deserialize
            )
            self._calls[path.path] = made
        return made

    def _channel(self, service: str) -> grpc.aio.Channel:
        channel = self._channels.get(service)
        if channel is None:
            address = self._address(service)
            credentials = _channel_credentials(self._settings)
            if credentials is None:
                channel = grpc.aio.insecure_channel(address, CHANNEL_OPTIONS)
            else:
                channel = grpc.aio.secure_channel(address, credentials, CHANNEL_OPTIONS)
            self._channels[service] = channel
        return channel

    def _address(self, service: str) -> str:
        if service in self._settings.grpc_addresses:
            return self._settings.grpc_addresses[service]
        if service in {method.service for method in self.methods.by_path.values()}:
            if not self.port:
                raise Outage(f"{service} doesn't listen yet")
            host = self._settings.grpc_host
            return f"{'127.0.0.1' if host in ('0.0.0.0', '') else host}:{self.port}"  # noqa: S104 - compared, not bound
        raise Defect(f"no address for {service}: set PAIJU_GRPC_ADDRESSES")

    def _handler(self, method: Method) -> grpc.RpcMethodHandler[Any, Any]:
        methods = self.methods

        async def one(request: Any, context: Any) -> Any:
            try:
                return await methods.answer(method, request, context, _caller(context))
            except Failed as failed:
                await _abort(context, failed)

        async def many(request: Any, context: Any) -> AsyncIterator[Any]:
            try:
                async for item in methods.answers(method, request, context, _caller(context)):
                    yield item
            except Failed as failed:
                await _abort(context, failed)

        taking = "stream" if method.takes_stream else "unary"
        giving = "stream" if method.gives_stream else "unary"
        make = getattr(grpc, f"{taking}_{giving}_rpc_method_handler")
        handler: grpc.RpcMethodHandler[Any, Any] = make(
            many if method.gives_stream else one,
            # A single request is read inside the interceptor: junk is refused there, and is no crash.
            request_deserializer=method.deserialize if method.takes_stream else None,
            response_serializer=method.serialize,
        )
        return handler


def _caller(context: Any) -> Caller:
    metadata = {
        str(key): value for key, value in context.invocation_metadata() or () if isinstance(value, str)
    }
    remaining = context.time_remaining()
    # Without a deadline grpc answers a huge number, or None.
    return Caller(metadata, context.peer(), remaining if remaining is not None and remaining < 1e8 else None)


def _server_credentials(settings: PaijuSettings) -> grpc.ServerCredentials | None:
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    authority = settings.tls_ca.read_bytes() if settings.tls_ca else None
    pair = (settings.tls_key.read_bytes(), settings.tls_cert.read_bytes())
    return grpc.ssl_server_credentials([pair], authority, require_client_auth=authority is not None)


def _channel_credentials(settings: PaijuSettings) -> grpc.ChannelCredentials | None:
    if settings.tls_cert is None or settings.tls_key is None:
        return None
    return grpc.ssl_channel_credentials(
        settings.tls_ca.read_bytes() if settings.tls_ca else None,
        settings.tls_key.read_bytes(),
        settings.tls_cert.read_bytes(),
    )


class _HealthServicer(health_pb2_grpc.HealthServicer):  # type: ignore[misc] # the package ships without types
    """The standard health service over `Health`: `""` is the whole process."""

    def __init__(self, health: Health, folders: dict[str, str]) -> None:
        self._health = health
        self._folders = folders
        self._changed: list[asyncio.Future[None]] = []
        health.listen(lambda service, serving: self._wake())

    async def Check(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        status = self._status(request.service)
        if status == health_pb2.HealthCheckResponse.SERVICE_UNKNOWN:
            await context.abort(grpc.StatusCode.NOT_FOUND, "unknown service")
        return health_pb2.HealthCheckResponse(status=status)

    async def Watch(self, request: Any, context: Any) -> AsyncIterator[Any]:  # noqa: N802 - gRPC's name
        told = None
        while True:
            status = self._status(request.service)
            if status != told:
                told = status
                yield health_pb2.HealthCheckResponse(status=status)
            waiter = asyncio.get_running_loop().create_future()
            self._changed.append(waiter)
            await waiter

    def _status(self, name: str) -> Any:
        response = health_pb2.HealthCheckResponse
        if name and name not in self._folders:
            return response.SERVICE_UNKNOWN
        serving = self._health.serving(self._folders[name]) if name else self._health.all_serving()
        return response.SERVING if serving else response.NOT_SERVING

    def _wake(self) -> None:
        waiters, self._changed = self._changed, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)


def _is_cancelled() -> bool:
    """Return whether this task is to end; grpcio raises the same when a channel is closed under a call."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


async def _abort(context: Any, failed: Failed) -> None:
    """Send the status of what failed.

    Returns where nobody is left to be told, since the library would log that as a defect: the deadline of the
    caller is over, and he has gone. The library itself knows that the call is over, and raises what it wants.

    Raises:
        grpc.aio.AbortError: It is sent.
    """
    with suppress(grpc.aio.InternalError):
        await context.abort_with_status(rpc_status.to_status(failed.status))
