"""gRPC, served and called; in one process or through memory the same servicers with the same rules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

import grpc

from services.chassis.auth import AccessTable
from services.chassis.rpc.methods import ends_at, request_id

__all__ = ["Rpc", "ends_at", "request_id"]

S = TypeVar("S")


class Rpc(Protocol):
    """The RPC side of a process."""

    def serve(
        self,
        service: str,
        add_to_server: Callable[[Any, Any], None],
        servicer: object,
        access: AccessTable,
    ) -> None:
        """Offer a servicer, in `wire`.

        Args:
            service: Its folder's name (`economy`): its health and metrics carry it.
            add_to_server: The generated `add_EconomyServiceServicer_to_server`.
            servicer: Async methods `(request, context)`; they may raise `Refusal` and `Outage`.
            access: Who may call each of its methods.

        Raises:
            Defect: A method has no line in `access`, or a line has no method.
        """

    def client(self, stub: Callable[[grpc.aio.Channel], S], service: str, timeout_s: float = 5.0) -> S:
        """Return a stub that calls a service, as this service.

        Each call carries a deadline (`timeout_s`, or less if the call being handled has less left), the
        request id of the call being handled, and a service token (with `auth.acting_for`, the player).

        Its calls raise `Refusal` (with the reason the callee gave; its details come back as text), `Outage`
        (unreachable, or too late) and `Defect` (the callee's internal error), never `grpc.RpcError`.
        """

    async def start(self) -> None:
        """Listen; called once, by the process."""

    async def stop(self, grace_s: float = 5.0) -> None:
        """End; called once, by the process."""
