"""What a client reads when something is refused: reason, both texts, details."""

from __future__ import annotations

from typing import Final

from paiju.gateway.v1.gateway_service_pb2 import CallError, CallResult, PlayResponse
from paiju.table.v1.play_pb2 import CommandAnswer

from services.chassis.errors import Refusal

CODES: Final = {
    "OK": 0,
    "CANCELLED": 1,
    "UNKNOWN": 2,
    "INVALID_ARGUMENT": 3,
    "DEADLINE_EXCEEDED": 4,
    "NOT_FOUND": 5,
    "ALREADY_EXISTS": 6,
    "PERMISSION_DENIED": 7,
    "RESOURCE_EXHAUSTED": 8,
    "FAILED_PRECONDITION": 9,
    "ABORTED": 10,
    "OUT_OF_RANGE": 11,
    "UNIMPLEMENTED": 12,
    "INTERNAL": 13,
    "UNAVAILABLE": 14,
    "DATA_LOSS": 15,
    "UNAUTHENTICATED": 16,
}
"""`google.rpc.Code` by name."""


def call_error(refusal: Refusal) -> CallError:
    """Return a refusal as the page gets it."""
    return CallError(
        code=CODES[refusal.entry.code],
        reason=refusal.reason,
        message_zh=refusal.text("zh-CN"),
        message_en=refusal.text("en"),
        details={key: str(value) for key, value in refusal.details.items()},
    )


def failed(refusal: Refusal) -> CallResult:
    """Return the result of a call that was refused."""
    return CallResult(error=call_error(refusal))


def refused(reply_to: int, refusal: Refusal) -> PlayResponse:
    """Return the answer to a request that was not understood or not allowed."""
    return PlayResponse(reply_to=reply_to, refused=call_error(refusal))


def command_refused(reply_to: int, refusal: Refusal) -> PlayResponse:
    """Return the answer to a table command that never reached its table."""
    return PlayResponse(
        reply_to=reply_to,
        command_answer=CommandAnswer(
            reason=refusal.reason, message_zh=refusal.text("zh-CN"), message_en=refusal.text("en")
        ),
    )
