"""Everything that economy ever writes, one deed each: to be killed at every step, and done again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.economy.core.disputes import OUTCOMES
from services.economy.core.topup_payments import RefundAsked
from services.economy.store import (
    matches,
    room_cards,
    topup_orders,
    topup_sandbox,
    wallets,
)
from tests.support import topups
from tests.support.book import agreed, voided
from tests.support.scenes import (
    Act,
    Transaction,
    after,
    ask_later,
    asked,
    bought,
    contradicted,
    decided,
    delivered,
    disputed,
    held,
    hold,
    lapsed,
    looked_at,
    make,
    nothing,
    on_pay_page,
    ordered,
    owing,
    refund,
    refund_answered,
    registered,
    resolved,
    said,
    seated,
    waiting,
    waived,
    with_cards,
)
from tests.support.topups import NOW_MS


@dataclass(frozen=True)
class Deed:
    """One operation, in a book that others have used before; its names are its own."""

    of: str
    """The function of the store that does it, as economy hands it to a transaction (`written.py`)."""
    name: str
    prepare: Act
    act: Act

    def __str__(self) -> str:
        return self.name


GIFTS: Final = [
    ("welcome/p_w", "welcome", "p_w", "gold", 20_000, ""),
    ("welcome/p_w/room_card", "welcome", "p_w", "room_card", 20, ""),
]

DEEDS: Final = (
    Deed("wallets.grant", "a grant", nothing, lambda books: books.grant("p_new", 5)),
    Deed(
        "wallets.welcome_many",
        "a welcome",
        nothing,
        Transaction(lambda c: wallets.welcome_many(c, GIFTS, NOW_MS)),
    ),
    Deed("stakes.open_stake", "a seat taken", seated("a-1"), lambda b: b.open("a-2", 0, "p_a", 100)),
    Deed(
        "stakes.open_stake",
        "a bot's seat, the house is short",
        nothing,
        lambda b: b.open("a-3", 0, "bot:x", 90_000),
    ),
    Deed("stakes.add_stake", "coins added", seated("b-1"), lambda b: b.add("b-1", 0, "p_a", 100, 0)),
    Deed(
        "stakes.add_stake",
        "a bot's coins added",
        seated("b-2"),
        lambda b: b.add("b-2", 2, "bot:normal", 100, 0),
    ),
    Deed("stakes.close_stake", "a seat left", seated("c-1"), lambda b: b.close("c-1", 0, 0)),
    Deed(
        "stakes.close_stake",
        "a seat left before its last round",
        seated("c-2"),
        lambda b: b.close("c-2", 0, 3),
    ),
    Deed("stakes.close_stake", "a seat that was never taken", nothing, lambda b: b.close("c-3", 0, 0)),
    Deed("days.claim_relief", "relief", nothing, lambda b: b.claim("p_poor", "r")),
    Deed(
        "rounds.hear",
        "a batch that settles three and closes all",
        waiting("d-1"),
        lambda b: b.hear(agreed("d-1", 1, fee=7), agreed("d-1", 4), agreed("d-1", 2, points=(2, -1, -1))),
    ),
    Deed(
        "rounds.hear",
        "a dispute",
        seated("d-2"),
        lambda b: b.hear(agreed("d-2", 1, verdict="DISPUTED"), agreed("d-2", 2)),
    ),
    Deed("rounds.hear", "a round that is void", waiting("d-3"), lambda b: b.hear(voided("d-3", 1))),
    Deed(
        "matches.end_matches",
        "a match's end",
        seated("e-1"),
        Transaction(lambda c: matches.end_matches(c, [("e-1", 0, NOW_MS)])),
    ),
    *(
        Deed(
            "decisions.resolve",
            f"a dispute decided: {outcome}",
            disputed(f"f-{outcome}"),
            decided(f"f-{outcome}", outcome),
        )
        for outcome in OUTCOMES
    ),
    Deed("decisions.acknowledge", "an alert looked at", contradicted("f-9"), looked_at("f-9")),
    Deed("room_cards.hold", "room cards held", with_cards("p_c", "p_d"), hold("g-1", "p_c", "p_d")),
    Deed(
        "room_cards.give_back",
        "room cards given back",
        held("g-2", "p_e", "p_f"),
        Transaction(lambda c: room_cards.give_back(c, "g-2", NOW_MS)[0]),
    ),
    Deed(
        "room_cards.end",
        "a room's end",
        held("g-3", "p_g", "p_h"),
        Transaction(lambda c: room_cards.end(c, [room_cards.Ended("g-3", (5, -5), 8)], NOW_MS)),
    ),
    Deed("topup_orders.make_order", "an order", nothing, Transaction(lambda c: make(c, "o_made", "p_i"))),
    Deed(
        "topup_orders.open_at_provider",
        "an order the provider waits for",
        Transaction(lambda c: make(c, "o_open", "p_j")),
        Transaction(lambda c: topup_orders.open_at_provider(c, "o_open", "/pay", NOW_MS).state),
    ),
    Deed("topup_payments.take_event", "a payment", ordered("o_paid", "p_k"), said("o_paid", "paid")),
    Deed(
        "topup_payments.take_event",
        "a payment that pays a debt",
        after(owing("o_owed", "p_l"), ordered("o_pays", "p_l")),
        said("o_pays", "paid"),
    ),
    Deed(
        "topup_payments.take_event",
        "a chargeback of spent gems",
        bought("o_back", "p_m", "1", "2"),
        said("o_back", "charged_back", 600, "b"),
    ),
    Deed(
        "topup_payments.take_event",
        "a chargeback taken back",
        owing("o_rev", "p_n"),
        said("o_rev", "chargeback_reversed", 600, "back o_rev"),
    ),
    Deed(
        "topup_payments.take_event",
        "a payment of another amount",
        ordered("o_odd", "p_o"),
        said("o_odd", "paid", 5),
    ),
    Deed(
        "topup_payments.take_status",
        "a payment that was asked about",
        ordered("o_asked", "p_q"),
        asked("o_asked"),
    ),
    Deed("topup_refunds.ask", "a refund", bought("o_part", "p_r"), refund("o_part", 200)),
    Deed(
        "topup_refunds.ask",
        "a refund of spent gems",
        bought("o_gone", "p_s", "1", "2", "3"),
        refund("o_gone", 600, even_if_spent=True),
    ),
    Deed(
        "topup_refunds.answer",
        "a refund that is made",
        after(bought("o_done", "p_t"), refund("o_done", 200)),
        refund_answered("o_done", "done"),
    ),
    Deed(
        "topup_refunds.answer",
        "a refund that is not",
        after(bought("o_ref", "p_u"), refund("o_ref", 200)),
        refund_answered("o_ref", "refused"),
    ),
    Deed(
        "topup_refunds.ask_later",
        "a refund asked for again later",
        after(bought("o_late", "p_v"), refund("o_late", 200)),
        Transaction(lambda c: ask_later(c, "o_late")),
    ),
    Deed("topup_waivers.waive", "a waiver", owing("o_waived", "p_x"), waived("o_waived", 5)),
    Deed(
        "topup_exchange.exchange",
        "gems spent",
        bought("o_spent", "p_y"),
        Transaction(lambda c: topups.spend(c, "p_y", "spent")),
    ),
    Deed("topup_orders.lapse", "an order that lapses", ordered("o_lapse", "p_z"), lapsed("o_lapse")),
    Deed(
        "topup_orders.look_again",
        "a later look",
        ordered("o_look", "p_aa"),
        Transaction(lambda c: topup_orders.look_again(c, "o_look", NOW_MS + 99)),
    ),
    Deed(
        "topup_desk.resolve_problem",
        "a problem seen to",
        after(ordered("o_prob", "p_ab"), said("o_prob", "paid", 5)),
        resolved("o_prob"),
    ),
    Deed("topup_sandbox.register", "the sandbox registers", nothing, registered("o_s1")),
    Deed("topup_sandbox.act", "the sandbox is paid", registered("o_s2"), on_pay_page("o_s2", "pay")),
    Deed(
        "topup_sandbox.status_of",
        "the sandbox closes",
        registered("o_s3"),
        Transaction(lambda c: topup_sandbox.status_of(c, "o_s3", close=True)),
    ),
    Deed(
        "topup_sandbox.refund",
        "the sandbox gives back",
        after(registered("o_s4"), on_pay_page("o_s4", "pay")),
        Transaction(
            lambda c: topup_sandbox.refund(
                c, RefundAsked("r s4", "o_s4", "sp o_s4", 100, "CNY", "x"), "se s4", NOW_MS
            )
        ),
    ),
    Deed(
        "topup_sandbox.sent",
        "the sandbox has sent",
        after(registered("o_s5"), on_pay_page("o_s5", "pay")),
        delivered("o_s5"),
    ),
)
