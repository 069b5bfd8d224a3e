"""A row of the table of reasons."""

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
