"""The broker as deploy/nats.conf sets it up: its users and rights, on an address and a store of the test."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.nats import NatsCluster, NatsServer

CONFIG = Path(__file__).resolve().parents[2] / "deploy" / "nats.conf"


def password_of(user: str) -> str:
    """Return a user's password in tests."""
    return f"the password of {user}"


def authorization() -> str:
    """Return the `authorization` block under test, with passwords in it."""
    block = re.search(
        r"^authorization \{.*?^\}", CONFIG.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert block is not None, "the broker has users"
    return re.sub(r"\$NATS_PASSWORD_([A-Z]+)", lambda match: f'"{password_of(match[1].lower())}"', block[0])


def deployed_broker(folder: Path) -> NatsServer:
    """Return a server, not yet started, that lets in whom the deployment lets in."""
    return NatsServer(folder, extra=authorization())


def deployed_cluster(folder: Path) -> NatsCluster:
    """Return three servers, not yet started, that let in whom the deployment lets in."""
    return NatsCluster(folder, extra=authorization())
