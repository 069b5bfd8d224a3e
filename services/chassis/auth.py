"""Who is calling: tokens are verified here, and made elsewhere (accounts), but for the services' own.

A player's or integrator's token is a JWT signed with EdDSA by accounts; its public keys are looked up by `kid`. A service's or
operator's token is a JWT under the key that all services share.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

Kind = Literal["player", "integrator", "service", "operator"]
Access = Literal["public", "player", "service", "operator"]
"""Who may call a method: `public` anyone, also without a token; `player` a player, an integrator, or a service (for a player or
not); `service` services and operators; `operator` operators only."""

AccessTable = Mapping[str, Access]
"""Method name (`GetBalance`) → who may call it. A method that isn't in its table is a defect at start."""

KeySource = Callable[[], Awaitable[Mapping[str, bytes]]]
"""Returns all public keys now: `kid` → 32 raw bytes of Ed25519."""


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling."""

    kind: Kind
    id: str
    """`player_id`, integrator id, service name, or operator name."""
    scopes: frozenset[str] = frozenset()
    expires_at: int = 0
    """Unix seconds; 0 = never (the anonymous caller of a public method)."""
    acting_for: str = ""
    """The player in whose name a service calls, if any."""

    @property
    def player_id(self) -> str:
        """The player this call is about, or empty."""


ANONYMOUS = Principal("player", "")
"""The caller of a public method without a token."""


class Verifier(Protocol):
    """Turns tokens into principals."""

    async def verify(self, token: str) -> Principal:
        """Return whose token this is.

        Raises:
            Refusal: TOKEN_INVALID, TOKEN_EXPIRED.
            Outage: The public keys can't be had.
        """


def current() -> Principal:
    """Return who makes the RPC that this task handles."""
    raise NotImplementedError


def player() -> str:
    """Return the player this RPC is about.

    Raises:
        Refusal: UNAUTHENTICATED: it isn't about one.
    """
    raise NotImplementedError


def acting_for(player_id: str) -> AbstractContextManager[None]:
    """Make the calls of this block, through `parts.rpc.client` stubs, in the name of a player."""
    raise NotImplementedError
