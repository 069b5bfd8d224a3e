"""structlog, set up once; secrets are dropped before anything is written."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Iterable, Mapping, MutableMapping
from typing import Any, TextIO, cast

import orjson
import structlog
from google.protobuf.message import Message
from structlog.typing import FilteringBoundLogger, Processor

SECRET_WORDS = frozenset(
    [
        "answer",
        "authorization",
        "body",
        "card",
        "cards",
        "chat",
        "content",
        "cookie",
        "deck",
        "frame",
        "frames",
        "hand",
        "hands",
        "key",
        "nonce",
        "nonces",
        "passwd",
        "password",
        "payload",
        "private",
        "record",
        "refresh",
        "secret",
        "secrets",
        "seed",
        "seeds",
        "text",
        "tile",
        "tiles",
        "token",
        "tokens",
        "wall",
        "walls",
    ]
)
"""A field whose name has one of these words (`server_seed`, `hands`) is dropped."""

HIDDEN = "[hidden]"
_WORDS = re.compile(r"[a-z0-9]+")
_TOKEN = re.compile(r"\bey[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*")
_API_KEY = re.compile(r"\bpjk_[A-Za-z0-9_-]{12,}")
_HEX_64 = re.compile(r"(?<![0-9a-fA-F])[0-9a-fA-F]{64}(?![0-9a-fA-F])")
_BYTES = re.compile(r"""\bb(['"])(?:\\.|(?!\1).){12,}\1""")
"""Bytes written as Python writes them: a seed or nonce in the text of an exception."""
_DEPTH_MAX = 6


def get(**fields: Any) -> FilteringBoundLogger:
    """Return a logger with these fields; event names are `past_tense_snake`, ids are fields."""
    return cast(FilteringBoundLogger, structlog.get_logger(**fields))


def configure(level: str = "info", as_json: bool = True, stream: TextIO | None = None) -> None:
    """Set up logging for this process; libraries' own logs (warnings and worse) come out the same way."""
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        # A plain traceback: with the locals of each frame, hands and tokens would come along.
        structlog.processors.format_exc_info,
        hide_secrets,
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer(lambda event, **_: orjson.dumps(event, default=repr).decode())
        if as_json
        else structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    )
    out = stream or sys.stderr
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(max(number, logging.WARNING))


def hide_secrets(logger: Any, method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Be the processor that drops what must never be in a log: by name, by type, and by looks."""
    for name in list(event):
        if name == "event" or name.startswith("_"):
            event[name] = _hide_text(event[name]) if isinstance(event[name], str) else event[name]
        else:
            event[name] = HIDDEN if _is_secret(name) else _hide(event[name], 0)
    return event


def _is_secret(name: str) -> bool:
    return not SECRET_WORDS.isdisjoint(_WORDS.findall(name.lower()))


def _hide(value: Any, depth: int) -> Any:
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return _hide_text(value)
    if isinstance(value, bytes | bytearray | memoryview):
        return f"[{len(value)} bytes]"
    if isinstance(value, Message):
        return f"[{value.DESCRIPTOR.full_name}]"
    if depth >= _DEPTH_MAX:
        return HIDDEN
    if isinstance(value, Mapping):
        return {
            str(name): HIDDEN if _is_secret(str(name)) else _hide(inner, depth + 1)
            for name, inner in value.items()
        }
    if isinstance(value, Iterable):
        return [_hide(inner, depth + 1) for inner in value]
    return _hide_text(repr(value))


def _hide_text(text: str) -> str:
    return _BYTES.sub(HIDDEN, _HEX_64.sub(HIDDEN, _API_KEY.sub(HIDDEN, _TOKEN.sub(HIDDEN, text))))
