"""Hosts with a network namespace each, joined by one switch: partitions that the processes' own kernel makes.

Nothing leads out of it: the switch is a bridge in a namespace of its own, the hosts have one interface, one
network (198.18.0.0/15, which RFC 2544 keeps for tests) and no other route. No namespace has a name; each
lives as long as a process in it, or this process, does, and its interfaces go with it. So nothing is left to
be removed, however a run ends.

What can be done to a host: its cable is pulled (`unplug`: the host notices), or the switch's port is switched
off (`silence`: it does not); what it sends to others, or they to it, gets lost without a word (`lose`); the
line is so narrow that packets queue and get lost (`narrow`).
"""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import cache
from ipaddress import IPv4Address
from typing import Protocol

CLONE_NEWNET = 0x40000000
FIRST = IPv4Address("198.18.0.1")
NETWORK = "198.18.0.0/15"
CROWDS = IPv4Address("198.19.0.0")
"""Where the addresses of players begin: 256 for each host that has some."""

NOBODY = "02:00:de:ad:00:00"
"""An Ethernet address that nobody has: frames to it reach everybody, and nobody takes them."""

NETEM = "netem delay 80ms 30ms loss 3%"
NARROW = "tbf rate 1mbit burst 6kb limit 12kb"
"""Where the kernel has no netem: what comes at once queues for up to 100 ms, and more of it is lost."""

_libc = ctypes.CDLL(None, use_errno=True)


class Place(Protocol):
    """Where a process runs."""

    @property
    def address(self) -> str:
        """Where it listens, and others reach it."""

    def inside(self) -> AbstractContextManager[None]:
        """What is started by this thread meanwhile runs there, and what it connects comes from there."""


@dataclass(frozen=True)
class Loopback:
    """Without namespaces: everything on the loopback."""

    address: str = "127.0.0.1"

    def inside(self) -> AbstractContextManager[None]:
        """See `Place.inside`."""
        return nullcontext()


@dataclass(frozen=True)
class Host:
    """One host of a network."""

    name: str
    number: int
    namespace: int = field(repr=False)
    """An open file."""

    @property
    def address(self) -> str:
        """See `Place.address`."""
        return str(FIRST + self.number)

    @property
    def crowd(self) -> str:
        """The addresses of those who connect from here besides."""
        return f"{CROWDS + 256 * self.number}/24"

    @property
    def port(self) -> str:
        """Its interface's other end, in the switch."""
        return f"port{self.number}"

    @contextmanager
    def inside(self) -> Iterator[None]:
        """See `Place.inside`."""
        before = _here()
        try:
            _enter(self.namespace)
            yield
        finally:
            _enter(before)
            os.close(before)

    def run(self, tool: str, lines: Iterable[str]) -> None:
        """Have `ip` or `tc` do this here.

        Raises:
            AssertionError: It does not work.
        """
        with self.inside():
            _tool(tool, lines)


class Network:
    """See the module. Made, it stands; `close` when its processes have ended.

    Args:
        names: Of the hosts.
        crowds: Those among them from which people with addresses of their own connect.
    """

    def __init__(self, names: Sequence[str], crowds: Sequence[str] = ()) -> None:
        assert len(names) < 200, "so many numbers an address has"
        self._switch = Host("switch", 0, _new_namespace())
        self.hosts = {name: Host(name, number, _new_namespace()) for number, name in enumerate(names, 1)}
        self._lost: set[tuple[str, str]] = set()
        me = os.getpid()
        plugged = ["link add switch type bridge forward_delay 0 mcast_snooping 0", "link set switch up"]
        for host in self.hosts.values():
            there = f"/proc/{me}/fd/{host.namespace}"
            plugged += [
                f"link add {host.port} type veth peer name net0 netns {there}",
                f"link set {host.port} master switch up",
            ]
        self._switch.run("ip", plugged)
        ways = [(self.hosts[name].crowd, self.hosts[name]) for name in crowds]
        for host in self.hosts.values():
            lines = ["link set lo up", f"addr add {host.address}/16 dev net0", "link set net0 up"]
            lines += [
                f"route add local {addresses} dev lo"
                if host is other
                else f"route add {addresses} via {other.address}"
                for addresses, other in ways
            ]
            host.run("ip", lines)

    def close(self) -> None:
        """Let go of it."""
        for host in (self._switch, *self.hosts.values()):
            os.close(host.namespace)

    # What can be done to it

    def unplug(self, name: str) -> None:
        """Pull a host's cable: it has no route any more, and its kernel says so to whoever connects."""
        self.hosts[name].run("ip", ["link set net0 down"])

    def silence(self, name: str) -> None:
        """Switch off a host's port: nothing comes and nothing goes, and nobody is told."""
        self._switch.run("ip", [f"link set {self.hosts[name].port} down"])

    def narrow(self, name: str) -> None:
        """Make the line to and from a host slow and lossy."""
        shape = NETEM if has_netem() else NARROW
        self.hosts[name].run("tc", [f"qdisc replace dev net0 root {shape}"])
        self._switch.run("tc", [f"qdisc replace dev {self.hosts[name].port} root {shape}"])

    def lose(self, ways: Iterable[tuple[str, str]]) -> None:
        """Lose whatever is sent on these ways, (from, to): one direction each."""
        lost = set(ways)
        self._lost |= lost
        for name, others in _by_sender(lost).items():
            addresses = (self.hosts[other].address for other in others)
            lines = [f"neigh replace {to} lladdr {NOBODY} dev net0 nud permanent" for to in addresses]
            self.hosts[name].run("ip", lines)

    def find(self, ways: Iterable[tuple[str, str]]) -> None:
        """Lose it no more."""
        found = self._lost & set(ways)
        self._lost -= found
        for name, others in _by_sender(found).items():
            self.hosts[name].run("ip", [f"neigh del {self.hosts[to].address} dev net0" for to in others])

    def heal(self, name: str) -> None:
        """Undo what was done to a host's line."""
        host = self.hosts[name]
        host.run("ip", ["link set net0 up"])
        self._switch.run("ip", [f"link set {host.port} up"])
        for end, device in ((host, "net0"), (self._switch, host.port)):
            with end.inside():
                if any(kind in _read("tc", "qdisc", "show", "dev", device) for kind in ("netem", "tbf")):
                    _tool("tc", [f"qdisc del dev {device} root"])


def _by_sender(ways: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for sender, receiver in sorted(ways):
        found.setdefault(sender, []).append(receiver)
    return found


@cache
def why_not() -> str:
    """Return why there can be no network of namespaces here; empty = there can."""
    if os.geteuid() != 0:
        return "only root may make network namespaces"
    if missing := [tool for tool in ("ip", "tc") if shutil.which(tool) is None]:
        return f"{' and '.join(missing)} of iproute2 not installed"
    try:
        network = Network(("a", "b"))
    except (OSError, AssertionError) as problem:
        return f"this kernel makes none: {problem}"
    network.close()
    return ""


@cache
def has_netem() -> bool:
    """Return whether this kernel can delay and lose packets by chance (`tc netem`)."""
    if why_not():
        return False
    host = Host("probe", 1, _new_namespace())
    try:
        host.run("tc", [f"qdisc add dev lo root {NETEM}"])
    except AssertionError:
        return False
    finally:
        os.close(host.namespace)
    return True


def _tool(tool: str, lines: Iterable[str]) -> None:
    text = "".join(f"{line}\n" for line in lines)
    done = subprocess.run([tool, "-batch", "-"], input=text, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{tool}: {done.stderr.strip()[-300:]}"


def _read(*words: str) -> str:
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def _here() -> int:
    """Return the namespace of this thread, as an open file."""
    return os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)


def _enter(namespace: int) -> None:
    _called(lambda: _libc.setns(namespace, CLONE_NEWNET))


def _new_namespace() -> int:
    """Make one, and return it as an open file. A thread that ends afterwards was in it, and nobody else."""
    made: list[int] = []

    def make() -> None:
        _called(lambda: _libc.unshare(CLONE_NEWNET))
        made.append(_here())

    maker = threading.Thread(target=make)
    maker.start()
    maker.join()
    if not made:
        raise OSError("no network namespace can be made")
    return made[0]


def _called(call: Callable[[], int]) -> None:
    if call() != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
