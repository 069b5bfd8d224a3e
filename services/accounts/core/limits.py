"""How many players one address or device may make, as data; who gets the welcome grant."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from services.chassis import addresses

HOUR_MS: Final = 3_600_000
DAY_MS: Final = 24 * HOUR_MS
UNKNOWN: Final = "unknown"
"""The network of a call that comes from no address: what is said by a program in the same process."""


@dataclass(frozen=True, slots=True)
class CreationLimits:
    """Limits on new players from one address; existing players sign in whatever was made there."""

    per_hour: int
    """New players per address within an hour."""
    per_day: int
    """New players per address within a day."""
    welcome_per_day: int
    """Of those, how many get the welcome grant."""


UNLIMITED: Final = CreationLimits(10**9, 10**9, 10**9)
"""For networks an operator exempts."""


@dataclass(frozen=True, slots=True)
class Made:
    """What one address has made lately."""

    last_hour: int
    last_day: int
    welcomed_last_day: int
    oldest_in_hour_ms: int
    """When the oldest of the last hour was made; 0 = none."""
    oldest_in_day_ms: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether one more may be made."""

    allowed: bool
    welcome: bool
    retry_ms: int = 0
    """When not allowed: after so many milliseconds there is room for one."""


def judge(limits: CreationLimits, made: Made, now_ms: int) -> Verdict:
    """Return whether an address may make one more player, and whether he is welcomed."""
    if made.last_day >= limits.per_day:
        return Verdict(False, False, max(1, made.oldest_in_day_ms + DAY_MS - now_ms))
    if made.last_hour >= limits.per_hour:
        return Verdict(False, False, max(1, made.oldest_in_hour_ms + HOUR_MS - now_ms))
    return Verdict(True, made.welcomed_last_day < limits.welcome_per_day)


def is_unlimited(network: str, unlimited: str) -> bool:
    """Return whether a network lies within one of a comma-separated list of CIDR networks.

    >>> is_unlimited("127.0.0.1", "127.0.0.0/8,::1/128"), is_unlimited("unknown", "0.0.0.0/0")
    (True, False)
    """
    if network == UNKNOWN:
        return False
    found = ipaddress.ip_network(network, strict=False)
    for text in filter(None, (part.strip() for part in unlimited.split(","))):
        wide = ipaddress.ip_network(text, strict=False)
        if found.version == wide.version and (
            wide.supernet_of(found) or found.supernet_of(wide)  # type: ignore[arg-type] # same version
        ):
            return True
    return False


def address_from(metadata: Mapping[str, str], peer: str, trusted: bool) -> str:
    """Return the network a call comes from: what a trusted service says of its client, else the peer."""
    said = metadata.get("x-paiju-client-address", "")
    return addresses.network_of(said if trusted and said else addresses.of_peer(peer)) or UNKNOWN
