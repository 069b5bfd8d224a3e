"""Exceptions to `google.rpc.Status`, and back."""

from __future__ import annotations

import grpc
from google.protobuf.any_pb2 import Any as AnyProto
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from services.chassis.errors import DOMAIN, Defect, Outage, Refusal
from services.chassis.reasons import REASONS

CODES: dict[str, grpc.StatusCode] = {code.name: code for code in grpc.StatusCode}
_BY_NUMBER: dict[int, grpc.StatusCode] = {code.value[0]: code for code in grpc.StatusCode}
# CANCELLED: the other side ended the call, because its deadline passed there first or because it stops.
_OUTAGES = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED"})


def status_of(error: BaseException) -> tuple[status_pb2.Status, str]:
    """Return what a caller is told about an exception, and the reason in it (empty for a defect)."""
    if isinstance(error, Refusal):
        return _refusal(error), error.reason
    if isinstance(error, Outage):
        return _plain("UNAVAILABLE", "a part of the service can't be reached; try again"), "OUTAGE"
    if isinstance(error, TimeoutError):
        return _refusal(Refusal("DEADLINE_EXCEEDED")), "DEADLINE_EXCEEDED"
    return _plain("INTERNAL", "internal error"), ""


def error_of(status: status_pb2.Status, callee: str) -> Exception:
    """Return the exception a caller gets for a status: the refusal, an outage, or a defect."""
    code = _BY_NUMBER.get(status.code, grpc.StatusCode.UNKNOWN).name
    if code in _OUTAGES:
        return Outage(f"{callee}: {code}: {status.message}")
    for detail in status.details:
        info = error_details_pb2.ErrorInfo()
        if (
            detail.Is(info.DESCRIPTOR)
            and detail.Unpack(info)
            and info.domain == DOMAIN
            and info.reason in REASONS
        ):
            return Refusal(info.reason, **dict(info.metadata))
    return Defect(f"{callee}: {code}: {status.message}")


def error_of_call(error: grpc.aio.AioRpcError, callee: str) -> Exception:
    """Return the exception a caller gets for a failed gRPC call."""
    try:
        status = rpc_status.from_call(error)
    except ValueError:
        status = None
    if status is None:
        status = _plain(error.code().name, error.details() or "")
    return error_of(status, callee)


def code_name(status: status_pb2.Status) -> str:
    """Return the name of a status' code."""
    return _BY_NUMBER.get(status.code, grpc.StatusCode.UNKNOWN).name


def _plain(code: str, message: str) -> status_pb2.Status:
    return status_pb2.Status(code=CODES[code].value[0], message=message)


def _refusal(refusal: Refusal) -> status_pb2.Status:
    details: list[AnyProto] = []
    info = error_details_pb2.ErrorInfo(
        reason=refusal.reason,
        domain=DOMAIN,
        metadata={key: str(value) for key, value in refusal.details.items()},
    )
    texts = [
        error_details_pb2.LocalizedMessage(locale=locale, message=refusal.text(locale))
        for locale in ("zh-CN", "en")
    ]
    for message in (info, *texts):
        packed = AnyProto()
        packed.Pack(message)
        details.append(packed)
    return status_pb2.Status(
        code=CODES[refusal.entry.code].value[0],
        message=f"{refusal.reason}: {refusal.text('en')}",
        details=details,
    )
