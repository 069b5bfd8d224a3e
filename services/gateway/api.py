"""`GatewayService.Play`: a session over a gRPC stream."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
from google.protobuf.message import DecodeError
from paiju.gateway.v1.gateway_service_pb2 import PlayRequest, PlayResponse

from services.chassis.addresses import of_peer
from services.gateway.hub import Hub
from services.gateway.session import Session


class Api:
    """The servicer."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def Play(  # noqa: N802 - the generated servicer's name
        self, request_iterator: AsyncIterator[PlayRequest], context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[PlayResponse]:
        """Serve one stream until it ends."""
        session = self._hub.open("grpc", of_peer(context.peer()), lambda: None)
        reader = self._hub.keep(session, _read(request_iterator, session))
        try:
            while responses := await session.outgoing():
                for response in responses:
                    yield response
        finally:
            reader.cancel()
            await session.end()


async def _read(requests: AsyncIterator[PlayRequest], session: Session) -> None:
    try:
        async for request in requests:
            await session.handle(request, request.ByteSize())
    except DecodeError:
        session.close("BAD_MESSAGE")
        return
    except (grpc.RpcError, grpc.aio.UsageError):
        await session.end()  # the client is gone
        return
    session.finish()
