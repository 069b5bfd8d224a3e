"""The one table of reasons: `reason → (gRPC code, 简体中文, English)`.

Reasons are API: never renamed, never reused. A service appends its lines to its own section. Texts may name details in
braces; `Refusal("RATE_LIMITED", retry_ms=500)` fills `{retry_ms}`.
"""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """One row of the table."""

    code: str
    """Name of a gRPC status code, as in `grpc.StatusCode`."""
    zh: str
    """What a player reads, in simplified Chinese."""
    en: str
    """The same in English."""


_CHASSIS = {
    "UNAUTHENTICATED": Reason("UNAUTHENTICATED", "请先登录。", "Sign in first."),
    "TOKEN_INVALID": Reason(
        "UNAUTHENTICATED", "登录凭证无效，请重新登录。", "The token is not valid; sign in again."
    ),
    "TOKEN_EXPIRED": Reason(
        "UNAUTHENTICATED", "登录已过期，请重新登录。", "The token has expired; sign in again."
    ),
    "PERMISSION_DENIED": Reason("PERMISSION_DENIED", "没有权限。", "You may not do this."),
    "RATE_LIMITED": Reason(
        "RESOURCE_EXHAUSTED", "操作太频繁，请稍后再试。", "Too many requests; try again a little later."
    ),
    "INVALID_ARGUMENT": Reason(
        "INVALID_ARGUMENT", "参数有误：{field}。", "An argument is not valid: {field}."
    ),
    "NOT_FOUND": Reason("NOT_FOUND", "找不到：{what}。", "Not found: {what}."),
    "REQUEST_ID_REUSED": Reason(
        "ALREADY_EXISTS", "同一请求编号的内容不同。", "The request id was used before with other content."
    ),
    "DEADLINE_EXCEEDED": Reason("DEADLINE_EXCEEDED", "操作超时。", "The call took too long."),
    "SHUTTING_DOWN": Reason(
        "UNAVAILABLE", "服务正在重启，请稍后再试。", "The service is restarting; try again."
    ),
    "MESSAGE_TOO_LARGE": Reason("RESOURCE_EXHAUSTED", "消息过大。", "The message is too large."),
}

_ACCOUNTS: dict[str, Reason] = {}

_ANTICHEAT: dict[str, Reason] = {}

_CHAT: dict[str, Reason] = {}

_ECONOMY: dict[str, Reason] = {}

_GATEWAY: dict[str, Reason] = {}

_MATCHMAKING: dict[str, Reason] = {}

_PROGRESS: dict[str, Reason] = {}

_SCORING: dict[str, Reason] = {}

_TABLE: dict[str, Reason] = {}


def _one_table(*sections: dict[str, Reason]) -> dict[str, Reason]:
    table: dict[str, Reason] = {}
    for section in sections:
        twice = table.keys() & section.keys()
        assert not twice, f"reasons listed twice: {sorted(twice)}"
        table.update(section)
    return table


REASONS = _one_table(
    _CHASSIS, _ACCOUNTS, _ANTICHEAT, _CHAT, _ECONOMY, _GATEWAY, _MATCHMAKING, _PROGRESS, _SCORING, _TABLE
)
"""Every reason a caller can be given."""
