"""structlog, set up once; secrets are dropped before anything is written."""

from __future__ import annotations

from typing import Any

import structlog


def get(**fields: Any) -> structlog.stdlib.BoundLogger:
    """Return a logger; event names are `past_tense_snake`, ids are fields."""
    logger: structlog.stdlib.BoundLogger = structlog.get_logger(**fields)
    return logger
