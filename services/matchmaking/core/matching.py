"""Which of the waiting form a table: one pass over one snapshot of a hall's queue."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waiting:
    """A ticket that waits."""

    ticket_id: str
    player_id: str
    created_at_ms: int
    bots_at_ms: int
    """From then on bots fill the seats; the time of its making = this player asked for bots only."""

    @property
    def wants_bots_only(self) -> bool:
        """Whether it was made to play with bots at once, and not with whoever waits."""
        return self.bots_at_ms <= self.created_at_ms


def match(waiting: Sequence[Waiting], seats: int, now_ms: int) -> list[tuple[Waiting, ...]]:
    """Return the groups that play now; bots fill the seats of a group that is short.

    First come, first served: full groups are taken from the front of the queue, so nobody is overtaken by
    who came later for other reasons than wanting bots at once. Of what is left, whoever has waited long
    enough plays with all others that are left. No ticket is in two groups.

    Raises:
        AssertionError: A player has two tickets here (a constraint of the store excludes it).
    """
    queue = sorted(waiting, key=lambda ticket: (ticket.created_at_ms, ticket.ticket_id))
    assert len({ticket.player_id for ticket in queue}) == len(queue), "a player waits twice"
    groups: list[tuple[Waiting, ...]] = [(ticket,) for ticket in queue if ticket.wants_bots_only]
    patient = [ticket for ticket in queue if not ticket.wants_bots_only]
    full = len(patient) - len(patient) % seats
    groups += [tuple(patient[start : start + seats]) for start in range(0, full, seats)]
    rest = patient[full:]
    if any(ticket.bots_at_ms <= now_ms for ticket in rest):
        groups.append(tuple(rest))
    return groups


def seated(group: Sequence[Waiting], seats: int, bot: str, order: Sequence[int]) -> list[str]:
    """Return who sits where: the group's players and bots, seat `i` for number `order[i]` of them."""
    players = [ticket.player_id for ticket in group] + [bot] * (seats - len(group))
    assert sorted(order) == list(range(seats)), "an order of the seats"
    return [players[number] for number in order]


def next_bots_at_ms(waiting: Sequence[Waiting]) -> int | None:
    """Return when bots are due for the first of the waiting; None = nobody waits."""
    return min((ticket.bots_at_ms for ticket in waiting), default=None)
