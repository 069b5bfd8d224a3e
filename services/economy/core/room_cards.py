"""Who pays the room cards of a match, and how many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from services.chassis.errors import Refusal
from services.economy.core.money import Account, is_bot

CURRENCY: Final = "room_card"
PAYERS: Final = ("owner", "each", "winner")
CARDS_MAX: Final = 1_000
SEATS_MAX: Final = 16


def rooms_of(match_id: str) -> Account:
    """Return the account that holds the cards of a match, and keeps those that were spent."""
    return Account(f"house/rooms/{match_id}", CURRENCY, "house", "")


def held_of(payer: str, cards: int, seats: Sequence[str], owner_id: str) -> tuple[int, ...]:
    """Return how many cards are taken from each seat when a match starts.

    Where the winner pays, who that is shows at the end: everybody's cards are held until then.

    Raises:
        Refusal: INVALID_ARGUMENT: the payer or the number is none, nobody sits here, the owner has no seat.
    """
    if payer not in PAYERS:
        raise Refusal("INVALID_ARGUMENT", field="payer", known=", ".join(PAYERS))
    if not 1 <= cards <= CARDS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="cards", minimum=1, maximum=CARDS_MAX)
    people = [player for player in seats if not is_bot(player)]
    if not 1 <= len(seats) <= SEATS_MAX or not people or len(set(people)) != len(people):
        raise Refusal("INVALID_ARGUMENT", field="seats")
    if owner_id not in people:
        raise Refusal("INVALID_ARGUMENT", field="owner_id")
    pays = {owner_id} if payer == "owner" else set(people)
    return tuple(cards if player in pays else 0 for player in seats)


def kept_of(payer: str, held: Sequence[int], scores: Sequence[int], rounds_played: int) -> tuple[int, ...]:
    """Return how many of the cards that were held each seat has paid once its match is over.

    Nobody pays for a match without a finished round. Of several winners each pays a share, the first seats
    one more where it does not divide; bots hold nothing and so win nothing here.
    """
    if not rounds_played:
        return (0,) * len(held)
    if payer != "winner" or len(scores) != len(held):
        return tuple(held)
    people = [seat for seat, cards in enumerate(held) if cards]
    best = max(scores[seat] for seat in people)
    winners = [seat for seat in people if scores[seat] == best]
    share, rest = divmod(held[winners[0]], len(winners))
    paid = [0] * len(held)
    for number, seat in enumerate(winners):
        paid[seat] = share + (number < rest)
    return tuple(paid)
