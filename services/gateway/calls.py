"""Unary calls of players to other services: bytes in, bytes out."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import grpc
from google.protobuf import descriptor_pool, message_factory
from google.protobuf.message import DecodeError, Message
from paiju.gateway.v1.gateway_service_pb2 import CallResult

from services.chassis import auth, log
from services.chassis.addresses import counted
from services.chassis.auth import Quota
from services.chassis.errors import Outage, Refusal
from services.chassis.limits import RateLimits
from services.chassis.run import Parts
from services.gateway.codes import Codes
from services.gateway.core.methods import METHODS, Method
from services.gateway.core.refusals import failed
from services.gateway.settings import GatewaySettings
from services.gateway.tokens import SignedIn

_log = log.get(service="gateway")


CLIENT_ADDRESS: Final = "x-paiju-client-address"
"""Metadata of every call: the address of the player's device, for limits by address."""


@dataclass(frozen=True, slots=True)
class Caller:
    """In whose name a call is made."""

    player_id: str
    """Empty = nobody is signed in."""
    address: str
    login: str = ""
    """The session of accounts that his token rests on."""
    roles: frozenset[str] = frozenset()
    """Staff roles."""
    scopes: frozenset[str] | None = None
    """Of a program that acts for the player; None = the player himself."""
    quota: Quota | None = None
    """Of the program's key."""

    @classmethod
    def of(cls, who: SignedIn, address: str) -> Caller:
        """Return the caller that a token names."""
        return cls(who.player_id, address, who.login, who.roles, who.scopes, who.quota)

    @property
    def key(self) -> str:
        """Whom rate limits count."""
        return self.player_id or counted(self.address)


class ServiceStub:
    """The listed methods of one service, called with their own serializers.

    The process may call the same method elsewhere through a generated stub, and both share one callable.
    """

    def __init__(self, channel: grpc.aio.Channel, methods: Iterable[Method]) -> None:
        self._calls: dict[str, Any] = {}
        self._requests: dict[str, type[Message]] = {}
        for method in methods:
            request, response = _classes(method.path)
            self._requests[method.path] = request
            self._calls[method.path] = channel.unary_unary(
                f"/{method.path}",
                request.SerializeToString,
                response.FromString,
            )

    def read(self, method: Method, payload: bytes, caller: Caller) -> Any:
        """Return the request that a client has serialised.

        Raises:
            Refusal: BAD_MESSAGE: `payload` is no such request.
        """
        try:
            request = self._requests[method.path].FromString(payload)
        except DecodeError:
            raise Refusal("BAD_MESSAGE") from None
        if method.login_field and not getattr(request, method.login_field):
            setattr(request, method.login_field, caller.login)
        return request

    async def call(self, method: Method, request: Message, caller: Caller) -> Message:
        """Return the response.

        Raises:
            Refusal: As the service said.
            Outage: The service can't be reached, or is too late.
        """
        response: Message = await self._calls[method.path](
            request, timeout=method.deadline_s, metadata=((CLIENT_ADDRESS, caller.address),)
        )
        return response


class Calls:
    """The proxy. `methods` is what may be called (tests bring their own)."""

    def __init__(
        self, parts: Parts, settings: GatewaySettings, methods: Mapping[str, Method] = METHODS
    ) -> None:
        self._codes = Codes(settings, parts)
        self._clock = parts.clock
        self._quotas = parts.verifier.quotas
        self._methods = methods
        self._stubs: dict[str, ServiceStub] = {}
        for service in sorted({method.service for method in methods.values()}):
            mine = [method for method in methods.values() if method.service == service]
            self._stubs[service] = parts.rpc.client(partial(ServiceStub, methods=mine), service)
        self._limits = {path: RateLimits(method.rate, parts.clock) for path, method in methods.items()}
        seconds = parts.metrics.histogram("gateway_call_seconds", "Calls to other services", ["method"])
        self._seconds = {path: seconds.labels(path) for path in methods}
        refusals = parts.metrics.counter("gateway_calls_failed", "Calls that failed, by kind", ["kind"])
        self._refused, self._lost, self._broken = (
            refusals.labels(kind) for kind in ("refusal", "outage", "defect")
        )

    async def call(self, caller: Caller, path: str, payload: bytes) -> CallResult:
        """Return what a service answered, or why not; never raises."""
        method = self._methods.get(path)
        if method is None:
            return failed(Refusal("METHOD_UNKNOWN", method=path[:100]))
        began = self._clock.monotonic()
        try:
            return CallResult(payload=await self._call(caller, method, payload))
        except Refusal as refusal:
            self._refused.inc()
            return failed(refusal)
        except Outage as outage:
            self._lost.inc()
            _log.warning("call_failed", method=path, why=str(outage)[:200])
            return failed(Refusal("SERVICE_UNAVAILABLE"))
        except Exception:  # noqa: BLE001 - the edge: the caller reads "internal error"
            self._broken.inc()
            _log.exception("call_broke", method=path)
            return failed(Refusal("INTERNAL"))
        finally:
            self._seconds[path].observe(self._clock.monotonic() - began)

    async def _call(self, caller: Caller, method: Method, payload: bytes) -> bytes:
        if method.access != "public" and not caller.player_id:
            raise Refusal("UNAUTHENTICATED")
        self._limits[method.path].take(caller.key)
        if caller.quota is not None:
            await self._quotas.take(caller.quota)
        stub = self._stubs[method.service]
        request = stub.read(method, payload, caller)
        with self._in_the_name_of(caller):
            if method.has_code:
                network = counted(caller.address)
                async with self._codes.typed(caller.player_id, network, request.room_code):
                    response = await stub.call(method, request, caller)
            else:
                response = await stub.call(method, request, caller)
        if method.service == "matchmaking":
            self._codes.shown(caller.player_id, response)
        return response.SerializeToString()

    def _in_the_name_of(self, caller: Caller) -> AbstractContextManager[None]:
        if not caller.player_id:
            return nullcontext()
        return auth.acting_for(caller.player_id, caller.roles, caller.scopes)


def _classes(path: str) -> tuple[type[Message], type[Message]]:
    """Return the classes of a method's request and response."""
    service, name = path.split("/")
    root, folder, version, title = service.split(".")
    file = title.removesuffix("Service").lower()
    importlib.import_module(f"{root}.{folder}.{version}.{file}_service_pb2")
    method = descriptor_pool.Default().FindServiceByName(service).methods_by_name[name]
    return message_factory.GetMessageClass(method.input_type), message_factory.GetMessageClass(
        method.output_type
    )
