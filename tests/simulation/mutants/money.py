"""Mutants of the book of money: settlements and stakes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, delete, select

from services.economy.core.money import Transfer, fees_of, is_bot, move, purse
from services.economy.core.rounds import RoundFact, RoundState
from services.economy.store import rounds, schema, stakes, wallets
from services.economy.store.ledger import Book
from services.table.core import duties
from services.table.core.duties import Duty
from services.table.core.table import Table
from tests.simulation.mutants.planting import LONG, OVERTAKING, REPEATING, Patch, mutant


@mutant(
    "wallet-is-right",
    "book-is-right",
    "one-content-per-fact",
    "stakes-are-closed",
    "nobody-waits-for-ever",
    weather=REPEATING,
)
def a_round_heard_of_twice_is_settled_twice(patch: Patch) -> None:
    """Settlement: once a round, by its id; a redelivered audit changes nothing.

    The keys of the rounds and of the transfers are further guards; they are removed with it.
    """
    hear = rounds.hear

    def again(connection: Connection, batch: Sequence[RoundFact], now_ms: int) -> Any:
        table = schema.rounds
        for fact in batch:
            is_it = table.c.round_id == fact.round_id
            if connection.execute(select(table.c.state).where(is_it)).scalar() == "settled":
                connection.execute(delete(table).where(is_it))
                match = schema.matches
                connection.execute(
                    match.update()
                    .where(match.c.match_id == fact.match_id)
                    .values(next_round_no=fact.round_no)
                )
        return hear(connection, batch, now_ms)

    def renamed(key: str, kind: str, postings: Any, at_ms: int, reference: str = "") -> Transfer:
        return Transfer(f"{key}/{at_ms}", kind, postings, at_ms, reference)

    from services.economy import bus

    patch.setattr(bus, "hear", again)
    patch.setattr(rounds, "Transfer", renamed)


@mutant("settled-in-order", "book-is-right", weather=OVERTAKING)
def rounds_are_settled_in_the_order_of_hearing(patch: Patch) -> None:
    """Settlement: in order of the rounds of a match, without a gap."""

    def whatever(next_round_no: int, heard: Mapping[int, RoundState]) -> Sequence[int]:
        del next_round_no
        return [number for number, state in heard.items() if state in ("waiting", "waiting_void")]

    patch.setattr(rounds, "ready", whatever)


@mutant("nobody-waits-for-ever", "wallet-is-right", "book-is-right", weather=LONG)
def a_stake_is_closed_before_its_last_round_is_settled(patch: Patch) -> None:
    """Stakes: one is closed once its last round is settled or voided."""
    close = stakes.close_stake

    def at_once(connection: Connection, match_id: str, seat: int, last: int, now_ms: int) -> Any:
        del last
        return close(connection, match_id, seat, 0, now_ms)

    patch.setattr(stakes, "close_stake", at_once)


@mutant("wallet-is-right", "rooms-are-paid-for", "book-is-right", weather=REPEATING)
def a_redelivered_welcome_is_paid_again(patch: Patch) -> None:
    """The ledger: a transfer has a key, and is posted once."""
    welcome = wallets.welcome_many

    def renamed(connection: Connection, grants: Sequence[Any], now_ms: int) -> Any:
        return welcome(connection, [(f"{key}/{now_ms}", *rest) for key, *rest in grants], now_ms)

    patch.setattr(wallets, "welcome_many", renamed)


@mutant("fees-are-the-rounds'", "wallet-is-right", "book-is-right", weather=LONG)
def a_repeated_request_for_a_stake_takes_the_buy_in_again(patch: Patch) -> None:
    """Stakes: opened once per seat; a repeat of the request is told what the first one did."""
    open_stake = stakes.open_stake

    def again(connection: Connection, match_id: str, seat: int, *more: Any) -> int:
        player_id, currency, buy_in, _, now_ms, _ = more
        if stakes._one(connection, match_id, seat) is not None and not is_bot(player_id):
            # The book refuses kinds that lead elsewhere, so the coins go where such a kind may put them.
            source, target = purse(player_id, currency), fees_of(match_id, currency)
            book = Book(connection)
            book.lock([source, target])
            key = f"fee/{match_id}/{seat}/{now_ms}"
            book.post(Transfer(key, "fee", move(source, target, buy_in), now_ms, f"{match_id}/{seat}"))
            book.flush()
        return open_stake(connection, match_id, seat, *more)

    patch.setattr(stakes, "open_stake", again)


@mutant("settled-before-next", weather=LONG)
def the_next_round_does_not_wait_for_the_money_of_the_last(patch: Patch) -> None:
    """Coin tables: the next round is opened once the last one is settled, so nobody plays with lost coins."""
    between = duties._between

    def impatient(table: Table) -> Iterator[Duty]:
        round_ = table.round
        was, round_.is_settled = round_.is_settled, True
        try:
            yield from list(between(table))
        finally:
            round_.is_settled = was

    patch.setitem(duties._PHASES, "between", impatient)
