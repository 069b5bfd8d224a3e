"""The services there are, and how each is wired."""

from __future__ import annotations

import importlib
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
