"""`paiju up`: the whole platform in one process, on one machine."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import webbrowser
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from services.chassis.clock import Clock, SystemClock
from services.chassis.ids import SystemIds
from services.launch.broker import Broker
from services.launch.catalog import wirings
from services.launch.exits import OUTAGE, Stop
from services.launch.folder import DataFolder
from services.launch.serve import serving

if TYPE_CHECKING:
    from services.chassis.config import ServiceSettings
    from services.chassis.run import Parts, Service

BROKER_RESTARTS_MAX = 5
"""In a row, without a minute of health between them; then something is wrong that a restart does not cure."""

HEALTHY_S = 60.0

SERVICE_KEY_BYTES = 32


@dataclass(frozen=True)
class Doors:
    """Where a single-machine installation listens; port 0 = any free one."""

    host: str
    page_port: int
    grpc_port: int
    metrics_port: int


@dataclass(frozen=True)
class Said:
    """How the start is announced."""

    folder: DataFolder
    open_page: bool
    as_json: bool


def run(data: Path, doors: Doors, *, open_page: bool, as_json: bool) -> None:
    """Run until SIGTERM, SIGINT or a failure; return after everything has ended in order.

    Raises:
        Stop: The folder is held (`HELD`); a port is taken or something outside failed (`OUTAGE`).
    """
    with DataFolder(data).held() as folder:
        asyncio.run(_run(folder, doors, Said(folder, open_page, as_json)))
