"""Ports for servers of tests that must know theirs beforehand."""

from __future__ import annotations

import random
import socket
from contextlib import ExitStack

PORT_MIN, PORT_MAX = 12_000, 32_000
"""Below what Linux and macOS give to outgoing connections."""


def free_ports(count: int) -> list[int]:
    """Return ports of the loopback that were free a moment ago, and that no outgoing connection is given.

    A socket that asks for any port gets one of those that outgoing connections get too: such a connection
    could have it before the server has, or while a server that is started again is down.
    """
    chance = random.SystemRandom()
    with ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            port = chance.randrange(PORT_MIN, PORT_MAX)
            try:
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
            except OSError:
                continue
            ports.append(port)
        return ports
