"""A stake that does not reach for another round: who is asked for how much, what follows, and what is due.

Between two rounds, once the last one is settled, the match waits for coins from the wallet of each seat that
is short. It goes on when none is short any more, and ends (`stake_short`) when one of them declines or the
time is up. The house fills up the stakes of its bots unasked.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from services.table.core import events as e
from services.table.core import frames as f
from services.table.core.state import CommandDone, State

if TYPE_CHECKING:
    from services.table.core.duties import Chance, Duty, Make
    from services.table.core.table import Table

STAKE_SHORT = "STAKE_SHORT"
"""The reason of the pause."""


def short_stakes(state: State) -> tuple[f.ShortStake, ...]:
    """Return the stakes that do not reach for another round: below `minimum` and the fee, in seat order."""
    stake = state.spec.stake
    if stake is None or state.round is None or not state.round.is_settled:
        return ()
    needed = stake.minimum + stake.fee
    return tuple(
        f.ShortStake(seat, held, needed - held, stake.buy_in - held)
        for seat, held in enumerate(state.stakes)
        if held < needed
    )


def is_hopeless(state: State) -> bool:
    """Return whether a stake is short and stays so: its seat has declined, or may not add enough."""
    return any(state.seats[one.seat].declined or one.least > one.most for one in short_stakes(state)) and (
        not any(seat.adding for seat in state.seats)
    )


def short_duties(table: Table, short: tuple[f.ShortStake, ...]) -> Iterator[Duty]:
    """Yield what is due while stakes are short."""
    state = table.s
    round_no = table.round.no
    # What the settlement shows comes first: a stake that is filled up before would be shown as it was.
    shown_at = table.pending[-1].show_at if table.pending else 0
    for one in short:
        seat = state.seats[one.seat]
        if seat.bot and seat.adding is None:
            yield shown_at, _fill_up(one, round_no)
    asked = [one for one in short if not state.seats[one.seat].bot]
    if asked and state.paused != STAKE_SHORT:
        wait_ms = state.spec.timing.seat_ms
        yield 0, lambda now, _: e.PauseSet(now, STAKE_SHORT, max(now, shown_at) + wait_ms)
    elif asked and not any(seat.adding for seat in state.seats):
        until = max(state.short_until, state.grace_until)
        yield until, lambda now, _: e.MatchEnded(now, "stake_short")


def _fill_up(one: f.ShortStake, round_no: int) -> Make:
    def make(now: int, _: Chance) -> e.TableEvent:
        return e.AddAsked(now, one.seat, f"bot/{round_no}", b"", one.most)

    return make


def tell_short(table: Table) -> None:
    """Show which stakes the match waits for."""
    state = table.s
    asked = tuple(one for one in short_stakes(state) if not state.seats[one.seat].bot)
    table.queue(f.Paused(STAKE_SHORT, asked, state.short_until))


def add_asked(table: Table, event: e.AddAsked) -> None:
    """Fold: coins are to be added to a stake; economy is asked until it answers."""
    table.s.seats[event.seat].adding = event
    table.owe(f"add/{event.seat}", event.at)


def stake_added(table: Table, event: e.StakeAdded) -> None:
    """Fold: they are in it."""
    state = table.s
    state.stakes[event.seat] = state.seats[event.seat].stake = event.stake
    end_adding(table, event.seat, "")
    table.tell_seats()
    if state.paused == STAKE_SHORT and state.phase == "between":
        tell_short(table)


def add_refused(table: Table, event: e.AddRefused) -> None:
    """Fold: economy said no; a person may try again, the house does not."""
    seat = table.s.seats[event.seat]
    seat.declined = bool(seat.bot)
    end_adding(table, event.seat, event.reason)


def stake_declined(table: Table, event: e.StakeDeclined) -> None:
    """Fold: a seat adds nothing."""
    seat = table.s.seats[event.seat]
    seat.declined = True
    seat.remember(event.command_id, event.digest, "")


def end_adding(table: Table, number: int, reason: str) -> None:
    """Answer who has asked to add coins, and owe nothing for it any more."""
    seat = table.s.seats[number]
    table.paid(f"add/{number}")
    if seat.adding is not None:
        if not seat.bot:
            seat.remember(seat.adding.command_id, seat.adding.digest, reason)
            table.outputs.append(CommandDone(number, seat.adding.command_id, reason))
        seat.adding = None
