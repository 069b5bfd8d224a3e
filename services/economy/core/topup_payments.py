"""What a payment provider says, as values; whatever the provider is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

EventKind = Literal["paid", "closed", "refunded", "charged_back", "chargeback_reversed"]
EVENT_KINDS: Final[tuple[EventKind, ...]] = get_args(EventKind)

ID_CHARACTERS_MAX: Final = 128
"""Of every id that a provider gives."""


@dataclass(frozen=True, slots=True)
class PaymentEvent:
    """One thing that happened to an order at the provider, told by a genuine webhook."""

    event_id: str
    """The provider's id of it: the same each time it is told."""
    kind: EventKind
    order_id: str
    """Ours, as it was given to the provider."""
    amount_fen: int
    """What was paid, or what went back by this event."""
    currency: str
    payment_id: str
    """The provider's id of the payment; two of them for one order are two payments."""
    return_id: str = ""
    """Of a refund: our id if we asked for it, else the provider's; of a chargeback: the provider's."""
    at_ms: int = 0
    """When it happened, by the provider's clock."""


@dataclass(frozen=True, slots=True)
class ReturnFact:
    """Money that went back, as a provider lists it when asked about an order."""

    return_id: str
    kind: Literal["refunded", "charged_back", "chargeback_reversed"]
    amount_fen: int


@dataclass(frozen=True, slots=True)
class PaymentStatus:
    """Everything a provider knows of an order when it is asked."""

    state: Literal["waiting", "paid", "closed"]
    amount_fen: int
    currency: str
    payment_id: str = ""
    paid_at_ms: int = 0
    returns: tuple[ReturnFact, ...] = ()


@dataclass(frozen=True, slots=True)
class Purchase:
    """What a provider has to know to take money for an order."""

    order_id: str
    amount_fen: int
    currency: str
    title_zh: str
    title_en: str
    expires_at_ms: int


@dataclass(frozen=True, slots=True)
class RefundAsked:
    """A refund that staff decided on."""

    refund_id: str
    """Ours; a provider makes a refund of one id once."""
    order_id: str
    payment_id: str
    amount_fen: int
    currency: str
    reason: str


RefundAnswer = Literal["done", "pending", "refused"]
"""`pending`: accepted, an event will tell. `refused`: it will not be made, whatever we do."""
