"""RPCs of the sandbox's desk, where its pay page looks payments up."""

from __future__ import annotations

import re
from typing import Any, Final

from paiju.economy.v1 import topup_service_pb2 as pb
from paiju.economy.v1 import topup_service_pb2_grpc

from services.chassis.auth import AccessTable
from services.chassis.errors import Refusal
from services.economy.providers.sandbox import SandboxProvider
from services.economy.store.topup_sandbox import Act

ACCESS: Final[AccessTable] = {"GetSandboxPayment": "service", "ActOnSandboxPayment": "service"}

_PAYMENT_ID: Final = re.compile(r"sp_[0-9a-f]{32}")

_ACTS: Final[dict[pb.SandboxAct.ValueType, Act]] = {
    pb.SANDBOX_ACT_PAY: "pay",
    pb.SANDBOX_ACT_PAY_SILENTLY: "pay_silently",
    pb.SANDBOX_ACT_DECLINE: "decline",
    pb.SANDBOX_ACT_CHARGE_BACK: "charge_back",
}

Context = Any


class SandboxPayApi(topup_service_pb2_grpc.SandboxPayServiceServicer):
    """The servicer of the sandbox's desk.

    Args:
        sandbox: None: the sandbox is off, and has no payments.
    """

    def __init__(self, sandbox: SandboxProvider | None) -> None:
        self._sandbox = sandbox

    async def GetSandboxPayment(  # noqa: N802 - the proto names it
        self, request: pb.GetSandboxPaymentRequest, context: Context
    ) -> pb.GetSandboxPaymentResponse:
        """What the pay page shows."""
        row = await self._at(request.payment_id).payment(request.payment_id)
        return pb.GetSandboxPaymentResponse(
            payment_id=row.payment_id,
            title=pb.Words(zh=row.title_zh, en=row.title_en),
            amount_fen=row.amount_fen,
            currency=row.currency,
            state=row.state,
        )

    async def ActOnSandboxPayment(  # noqa: N802 - the proto names it
        self, request: pb.ActOnSandboxPaymentRequest, context: Context
    ) -> pb.ActOnSandboxPaymentResponse:
        """What a person did on the pay page."""
        sandbox, what = self._at(request.payment_id), _ACTS.get(request.act)
        if what is None:
            raise Refusal("INVALID_ARGUMENT", field="act")
        return pb.ActOnSandboxPaymentResponse(state=await sandbox.act(request.payment_id, what))

    def _at(self, payment_id: str) -> SandboxProvider:
        if self._sandbox is None or not _PAYMENT_ID.fullmatch(payment_id):
            raise Refusal("NOT_FOUND", what="payment")
        return self._sandbox
