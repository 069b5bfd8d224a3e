"""Who is calling, and in whose name calls are made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, replace
from typing import cast

from services.chassis.access import ALLOWED, ROLES, Access, Kind, Role
from services.chassis.errors import Refusal


@dataclass(frozen=True, slots=True)
class Quota:
    """How often a program may call with an API key, whichever process it calls."""

    key_id: str
    per_minute: int
    per_day: int


@dataclass(frozen=True, slots=True)
class Staff:
    """Who of the staff acts, and by which role he may."""

    staff_id: str
    """A player's id, or `operator:<name>`."""
    role: str


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is calling."""

    kind: Kind
    id: str
    """`player_id`, integrator's player id, service name, or operator's name; empty for anonymous."""
    scopes: frozenset[str] = frozenset()
    expires_at: int = 0
    """Unix seconds; 0 = never (the anonymous caller of a public method)."""
    acting_for: str = ""
    """The player in whose name a service calls, if any."""
    session_id: str = ""
    """The session that a player's or integrator's token rests on."""
    roles: frozenset[str] = frozenset()
    """Staff roles: the player's, or, of a service that acts for one, his."""
    for_integrator: bool = False
    """Whether a service calls for a program that acts for the player, within `scopes`."""
    quota: Quota | None = None
    """Of an integrator."""

    @property
    def player_id(self) -> str:
        """The player this call is about, or empty."""
        return self.id if self.kind in ("player", "integrator") else self.acting_for

    def may(self, access: Access) -> bool:
        """Return whether this principal may call a method of such access."""
        if access == "public":
            return True
        if access.startswith("staff:"):
            return self.staff(cast(Role, access.removeprefix("staff:"))) is not None
        return bool(self.id) and self.kind in ALLOWED[access]

    @property
    def is_program(self) -> bool:
        """Whether an integrator calls, himself or through a service."""
        return self.kind == "integrator" or self.for_integrator

    def staff(self, role: Role) -> Staff | None:
        """Return who acts if this principal may act by a role; None = he may not."""
        if self.kind == "operator":
            return Staff(f"operator:{self.id}", "operator")
        if self.is_program or not self.player_id:
            return None
        for held in (role, "admin"):
            if held in self.roles:
                return Staff(self.player_id, held)
        return None


ANONYMOUS = Principal("player", "")
"""The caller of a public method without a token."""

_current: ContextVar[Principal | None] = ContextVar("principal", default=None)


@dataclass(frozen=True, slots=True)
class Acting:
    """In whose name the calls of a block are made."""

    player_id: str = ""
    roles: frozenset[str] = frozenset()
    scopes: frozenset[str] | None = None
    """Of the integrator's token; None = the player himself."""


_acting_for: ContextVar[Acting] = ContextVar("acting_for", default=Acting())  # noqa: B039 - it is frozen


def enter(principal: Principal) -> Token[Principal | None]:
    """Make `principal` who makes the RPC that this task handles; the interceptor does."""
    return _current.set(principal)


def current() -> Principal:
    """Return who makes the RPC that this task handles; `ANONYMOUS` outside of one."""
    return _current.get() or ANONYMOUS


def player() -> str:
    """Return the player this RPC is about.

    Raises:
        Refusal: UNAUTHENTICATED: it isn't about one.
    """
    player_id = current().player_id
    if not player_id:
        raise Refusal("UNAUTHENTICATED")
    return player_id


def staff(role: Role) -> Staff:
    """Return who of the staff makes this RPC.

    Raises:
        Refusal: PERMISSION_DENIED: nobody who may act by this role.
    """
    found = current().staff(role)
    if found is None:
        raise Refusal("PERMISSION_DENIED")
    return found


@contextmanager
def calling(principal: Principal) -> Iterator[None]:
    """Make `principal` the current one within the block (for tests, and for doors other than gRPC)."""
    token = _current.set(principal)
    try:
        yield
    finally:
        _current.reset(token)


@contextmanager
def acting_for(
    player_id: str, roles: frozenset[str] = frozenset(), scopes: frozenset[str] | None = None
) -> Iterator[None]:
    """Make the calls of this block, through `parts.rpc.client` stubs, in the name of a player.

    Args:
        player_id: Who.
        roles: His staff roles, as his token says: only where the token was verified.
        scopes: Set = a program acts for him, and may do this much.
    """
    token = _acting_for.set(Acting(player_id, roles, scopes))
    try:
        yield
    finally:
        _acting_for.reset(token)


def acting() -> Acting:
    """Return what the innermost `acting_for` says; outside of one, nobody."""
    return _acting_for.get()


def on_behalf(
    principal: Principal, player_id: str, roles: frozenset[str] = frozenset(), scopes: str | None = None
) -> Principal:
    """Return a service's principal that acts for a player.

    Args:
        principal: Who calls.
        player_id: For whom; empty: for nobody.
        roles: That player's staff roles, as the service says.
        scopes: Set = for a program that acts for the player; separated by commas.

    Raises:
        Refusal: PERMISSION_DENIED: only services may.
    """
    if not player_id:
        return principal
    if principal.kind != "service":
        raise Refusal("PERMISSION_DENIED")
    if scopes is None:
        return replace(principal, acting_for=player_id, roles=roles.intersection(ROLES))
    held = frozenset(filter(None, scopes.split(",")))
    return replace(principal, acting_for=player_id, scopes=held, for_integrator=True)
