"""Where a client is, as far as limits are concerned."""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

ADDRESS_CHARACTERS_MAX: Final = 64
IPV6_BITS: Final = 64
"""One household has at least so large a network: limits count it as one address."""


@lru_cache(maxsize=4096)
def network_of(address: str) -> str | None:
    """Return an IPv4 address, or the /64 network of an IPv6 address; None for what is neither.

    >>> network_of("2001:db8::1:2:3:4"), network_of("::ffff:203.0.113.7"), network_of("unix:")
    ('2001:db8::/64', '203.0.113.7', None)
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed), IPV6_BITS), strict=False))
    return str(parsed)


def counted(address: str) -> str:
    """Return what limits count: the network of an address, anything else as it is."""
    return network_of(address) or address[:ADDRESS_CHARACTERS_MAX]


def of_peer(peer: str) -> str:
    """Return the address in what gRPC calls a peer.

    >>> of_peer("ipv4:10.0.0.7:53122")
    '10.0.0.7'
    >>> of_peer("ipv6:%5B::1%5D:53122")
    '::1'
    """
    kind, _, rest = unquote(peer).partition(":")
    if kind not in ("ipv4", "ipv6"):
        return peer[:ADDRESS_CHARACTERS_MAX]
    return rest.rpartition(":")[0].strip("[]")[:ADDRESS_CHARACTERS_MAX]
