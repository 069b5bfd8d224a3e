"""The services there are, and how each is wired."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Sequence
from typing import TYPE_CHECKING

from services.launch.exits import USAGE, Stop

if TYPE_CHECKING:
    from services.chassis.run import Wiring

SERVICES = (
    "accounts",
    "economy",
    "scoring",
    "table",
    "matchmaking",
    "chat",
    "progress",
    "anticheat",
    "gateway",
)
"""In the order in which `paiju up` starts them: the doors open last, and close first."""


def built() -> list[str]:
    """Return the services that this version has, in the order of `SERVICES`."""
    return [name for name in SERVICES if _is_there(f"services.{name}") and _is_there(f"services.{name}.app")]


def _is_there(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def wirings(names: Sequence[str] = SERVICES) -> list[Wiring]:
    """Return the wirings of services, in the order given.

    Raises:
        Stop: There is no such service (`USAGE`), with the known ones named.
    """
    found: list[Wiring] = []
    for name in names:
        if name not in SERVICES:
            raise Stop(USAGE, f"no service is called {name!r}; there are {', '.join(sorted(SERVICES))}")
        found.append(importlib.import_module(f"services.{name}.app").WIRING)
    return found
