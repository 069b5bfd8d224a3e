"""What somebody may see of a finished round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from paiju.table.v1 import replay_service_pb2 as s

from services.chassis import auth
from services.chassis.access import Role
from services.chassis.errors import Refusal
from services.table.records_store import FROM_ABOVE, Share
from services.table.store import Kept

STAFF: Final[tuple[Role, ...]] = ("support", "disputes")
"""Who of the staff may look at any round."""


@dataclass(frozen=True, slots=True)
class Rights:
    """What a caller may see. Who played a round may see all of it: its record is his already."""

    own: int
    """His seat, -1 if he has none."""
    only: int | None
    """The seat he is bound to; None: all of it."""
    learns_all: bool
    """Whether every seat's decisions are explained to him, or the own ones only."""

    @property
    def sees_all(self) -> bool:
        """Whether he may see it from above, and have the record."""
        return self.only is None

    def view(self, viewer: int, seat: int, seats: int) -> int | None:
        """Return the seat through whose eyes he looks, None: from above.

        Raises:
            Refusal: PERMISSION_DENIED: more than he may see. INVALID_ARGUMENT: no such seat or viewer.
        """
        if viewer == s.VIEWER_UNSPECIFIED:
            if self.only is not None:
                return self.only
            return self.own if self.own >= 0 and not self.learns_all else None
        if viewer == s.VIEWER_ABOVE:
            if self.only is not None:
                raise Refusal("PERMISSION_DENIED")
            return None
        if viewer != s.VIEWER_SEAT:
            raise Refusal("INVALID_ARGUMENT", field="viewer")
        if not 0 <= seat < seats:
            raise Refusal("INVALID_ARGUMENT", field="seat")
        if self.only not in (None, seat):
            raise Refusal("PERMISSION_DENIED")
        return seat

    def may_learn(self, seat: int) -> bool:
        """Say whether a seat's decision may be explained; what is no seat (-1), the engine refuses."""
        return seat < 0 or self.learns_all or seat in (self.own, self.only)


def rights_of(kept: Kept, share: Share | None) -> Rights:
    """Return what the caller of this RPC may see of a round, by himself or by a link.

    Raises:
        Refusal: ROUND_UNKNOWN: nothing, without a link; not even that the round is over.
    """
    player = auth.current().player_id
    own = kept.players.index(player) if player in kept.players else -1
    if _is_staff():
        return Rights(own, None, learns_all=True)
    if share is not None and share.seat == FROM_ABOVE:
        return Rights(own, None, learns_all=True)
    if own >= 0:
        return Rights(own, None, learns_all=False)
    if share is not None:
        return Rights(-1, share.seat, learns_all=False)
    raise Refusal("ROUND_UNKNOWN")


def may_see(kept: Kept) -> bool:
    """Say whether the caller of this RPC may see a round by himself, without a link."""
    return auth.current().player_id in kept.players or _is_staff()


def _is_staff() -> bool:
    caller = auth.current()
    return not caller.player_id or any(caller.staff(role) for role in STAFF)
