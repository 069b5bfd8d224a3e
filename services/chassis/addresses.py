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
def counted(address: str) -> str:
    """Return what limits count: an IPv4 address, the /64 network of an IPv6 address, anything else as it is.

    >>> counted("2001:db8::1:2:3:4")
    '2001:db8::/64'
    """
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:ADDRESS_CHARACTERS_MAX]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.ip_network((int(parsed), IPV6_BITS), strict=False))
    return str(parsed)


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
