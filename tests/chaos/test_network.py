"""Hosts with network namespaces: who reaches whom, and that nothing of it is left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chaos.network import Network, why_not
from tests.chaos.reaper import ROOT

pytestmark = pytest.mark.skipif(bool(why_not()), reason=f"no network namespaces: {why_not()}")

PORT = 5000
GONE_S_MAX = 20.0
AWAY_S = 0.3
"""Who is not there within this is not reached: on one machine a connection takes less than 1 ms. That one is
reached is asked until it is so: a first packet may be lost while a line comes up.
"""


@pytest.fixture
def network() -> Iterator[Network]:
    """Three hosts, of which `a` listens; people connect from `c`."""
    made = Network(("a", "b", "c"), crowds=("c",))
    with made.hosts["a"].inside():
        server = socket.create_server((made.hosts["a"].address, PORT))
    for name in ("b", "c"):
        until_reached(made, name)
    yield made
    server.close()
    made.close()


def reaches(network: Network, name: str, source: str = "") -> bool:
    """Return whether a host reaches `a`."""
    host = network.hosts[name]
    try:
        with host.inside():
            address = (network.hosts["a"].address, PORT)
            socket.create_connection(address, AWAY_S, (source, 0) if source else None).close()
    except OSError:
        return False
    return True


def until_reached(network: Network, name: str, source: str = "") -> None:
    """Return once a host reaches `a`."""
    until = time.monotonic() + GONE_S_MAX
    while not reaches(network, name, source):
        assert time.monotonic() < until, f"{name} does not reach it"


@pytest.mark.parametrize("what", ["unplug", "silence"])
def test_a_host_that_is_cut_off_is_reached_by_nobody_until_it_is_healed(network: Network, what: str) -> None:
    getattr(network, what)("a")
    assert not reaches(network, "b")
    until_reached(network, "a")
    network.heal("a")
    until_reached(network, "b")


@pytest.mark.parametrize("way", [("a", "b"), ("b", "a")])
def test_what_is_lost_one_way_cuts_off_those_two_and_nobody_else(
    network: Network, way: tuple[str, str]
) -> None:
    network.lose([way])
    assert not reaches(network, "b")
    until_reached(network, "c")
    network.find([way])
    until_reached(network, "b")


def test_a_way_that_was_lost_twice_is_found_once(network: Network) -> None:
    network.lose([("a", "b"), ("b", "a")])
    network.lose([("a", "b")])
    network.find([("a", "b"), ("b", "a")])
    network.find([("a", "b")])
    until_reached(network, "b")


def test_a_narrow_line_is_slow_and_wide_again_afterwards(network: Network) -> None:
    def seconds() -> float:
        with network.hosts["b"].inside():
            began = time.monotonic()
            with socket.create_connection((network.hosts["a"].address, PORT), 10) as way:
                way.sendall(bytes(200_000))
        return time.monotonic() - began

    def quickest() -> float:
        """A busy machine makes any one of them slow, and none quick."""
        return min(seconds() for _ in range(5))

    network.narrow("b")
    narrow = quickest()
    network.heal("b")
    assert quickest() < narrow / 4


def test_people_connect_from_addresses_of_their_own(network: Network) -> None:
    assert network.hosts["c"].crowd == "198.19.3.0/24"
    until_reached(network, "c", source="198.19.3.77")
    assert not reaches(network, "b", source="198.19.3.77"), "they live on another host"


def test_nothing_leads_out_of_it_and_nothing_of_it_is_seen_outside(network: Network) -> None:
    ours = set(socket.if_nameindex())
    with network.hosts["b"].inside():
        routes = subprocess.run(["ip", "route"], capture_output=True, text=True, check=True).stdout
        assert {name for _, name in socket.if_nameindex()} == {"lo", "net0"}
    assert routes
    assert all(line.startswith(("198.18.", "198.19.")) for line in routes.splitlines()), routes
    assert set(socket.if_nameindex()) == ours, "we are where we were"
    assert not any(name.startswith(("port", "switch", "net0")) for _, name in ours)


RUN = """
import subprocess, sys, time
from tests.chaos.network import Network
from tests.chaos.reaper import Reaper

reaper = Reaper()
network = Network(("a", "b"))
with network.hosts["a"].inside():
    child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
reaper.watch(child.pid)
print(child.pid, flush=True)
time.sleep(1000)
"""


def namespaces() -> set[str]:
    """Return the network namespaces in which a process runs, or that one holds open."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            found.add(str((process / "ns/net").readlink()))
            found |= {str(file.readlink()) for file in (process / "fd").iterdir()}
        except OSError:
            continue  # it has ended meanwhile
    return {one for one in found if one.startswith("net:")}


def test_a_run_that_is_killed_leaves_no_namespace() -> None:
    """None has a name: it ends with the last process in it, or that holds it."""
    before = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    run = subprocess.Popen(
        [sys.executable, "-c", RUN],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert run.stdout is not None
    child = int(run.stdout.readline())
    held = {str(file.readlink()) for file in Path(f"/proc/{run.pid}/fd").iterdir()}
    made = {str(Path(f"/proc/{child}/ns/net").readlink())} | (held & namespaces())
    assert len(made) == 3, "two hosts and a switch"
    run.kill()
    run.wait()
    run.stdout.close()
    until = time.monotonic() + GONE_S_MAX
    while made & namespaces():
        assert time.monotonic() < until, "a namespace is left"
        time.sleep(0.05)
    after = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert after == before
