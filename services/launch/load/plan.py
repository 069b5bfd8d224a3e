"""Who arrives when, and what for: drawn from the seed before the first player comes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_network

from engine import GAMES
from services.launch.load.chance import Stream
from services.launch.load.order import Order

FOR_EVER = 1_000_000
"""Matches of players who stay to the end."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """One player."""

    index: int
    at_s: float
    """Seconds after the start."""
    game: str
    preset: str
    party: int
    """People with the same number play at one table."""
    place: int
    """In the party; 0 leads it."""
    size: int
    """People that the party is to have."""
    matches: int
    """How many it plays before it leaves."""
    door: str
    is_slow: bool


def arrivals(order: Order) -> list[Arrival]:
    """Return all arrivals in order of time: a Poisson process, which does not wait for anybody.

    People of one party come one after the other. A party at the end may be incomplete.
    """
    times, tastes = Stream(order.seed, "arrivals"), Stream(order.seed, "parties")
    made: list[Arrival] = []
    at_s = times.exponential(1 / order.rate)
    party = -1
    while at_s < order.until_s:
        party += 1
        game, preset = order.games[tastes.randrange(len(order.games))]
        matches = tastes.geometric(order.matches) if order.matches else FOR_EVER
        size = GAMES[game].seats if order.has_parties else 1
        for place in range(size):
            if at_s >= order.until_s:
                break
            own = Stream(order.seed, "player", len(made))
            door = ("websocket", "grpc")[own.randrange(2)] if order.door == "both" else order.door
            is_slow = own.uniform() < order.slow
            made.append(Arrival(len(made), at_s, game, preset, party, place, size, matches, door, is_slow))
            at_s += times.exponential(1 / order.rate)
    return made


def share(plan: list[Arrival], job: int, jobs: int) -> list[Arrival]:
    """Return the arrivals of one process; a party is never parted."""
    return [arrival for arrival in plan if arrival.party % jobs == job]


def source_of(index: int, network: str) -> str:
    """Return the address that a player connects from; some share one, where the network is small.

    >>> source_of(0, "127.64.0.0/10"), source_of(70000, "127.64.0.0/10"), source_of(256, "198.19.1.0/24")
    ('127.64.0.1', '127.65.17.113', '198.19.1.3')
    """
    first, size = _range_of(network)
    # Neither the first nor the last: those are no host's.
    return str(first + 1 + index % (size - 2))


@cache
def _range_of(network: str) -> tuple[IPv4Address | IPv6Address, int]:
    parsed = ip_network(network)
    return parsed.network_address, parsed.num_addresses
