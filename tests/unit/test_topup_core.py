"""Orders as values: states, gems for money, what is sold, signatures, what a webhook may say."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from services.chassis.errors import Defect, Refusal
from services.economy.core import topup
from services.economy.core.topup_products import History, parse_catalogue
from services.economy.providers.sandbox import read_event
from services.economy.providers.signing import (
    SIGNATURE,
    TIMESTAMP,
    WINDOW_S,
    check_signature,
    sign,
    signed_headers,
)
from services.economy.settings import EconomySettings
from services.economy.topup import read_catalogue

NOW_MS = 1_790_000_000_000
NOW_S = NOW_MS // 1000
KEY, OLD, OTHER = "k" * 32, "o" * 32, "x" * 32
BODY = b'{"event_id":"e1"}'


# ---- states ----


def test_every_state_can_be_reached_and_only_money_leads_out_of_a_lapsed_order() -> None:
    reached = {"created"}
    while more := {after for state in reached for after in topup.NEXT[state]} - reached:  # type: ignore[index] # states
        reached |= more
    assert reached == set(topup.STATES) == set(topup.NEXT)
    assert topup.NEXT["expired"] == topup.NEXT["closed"] == {"paid"}
    for paid in ("paid", "part_refunded", "refunded", "charged_back"):
        assert not topup.NEXT[paid] & {"created", "waiting", "expired", "closed"}


def test_a_step_that_is_no_way_is_a_defect() -> None:
    topup.check_step("o", "waiting", "paid")
    with pytest.raises(Defect):
        topup.check_step("o", "paid", "waiting")


# ---- gems for money ----

_GEMS, _PRICE = st.integers(1, 10_000), st.integers(1, 1_000_000)


@given(_GEMS, _PRICE, st.lists(st.integers(0, 300_000), max_size=6))
def test_gems_go_back_in_proportion_never_more_than_came_and_all_with_all_the_money(
    gems: int, price: int, parts: list[int]
) -> None:
    back = fen = 0
    for part in parts:
        fen += part
        now = topup.gems_back(gems, price, fen)
        assert back <= now <= gems
        # Nobody keeps a gem that was not paid for: what stays is never worth more than the money that stays.
        assert (gems - now) * price <= gems * (price - min(fen, price))
        back = now
    assert topup.gems_back(gems, price, price) == gems
    assert topup.gems_back(gems, price, 0) == 0


@given(_GEMS, _PRICE, st.integers(0, 1_000_000), st.integers(0, 10_000))
def test_what_can_be_refunded_takes_only_unspent_gems_and_not_a_fen_less_than_that(
    gems: int, price: int, returned: int, unspent: int
) -> None:
    returned = min(returned, price)
    before = topup.gems_back(gems, price, returned)
    unspent = min(unspent, gems - before)
    most = topup.refundable_fen(gems, price, returned, unspent)
    assert 0 <= most <= price - returned
    assert topup.gems_back(gems, price, returned + most) - before <= unspent
    if returned + most < price:
        assert topup.gems_back(gems, price, returned + most + 1) - before > unspent


@given(st.integers(0, 10_000), st.lists(st.integers(0, 500), min_size=1, max_size=8))
def test_the_unspent_gems_of_all_orders_are_the_gems_in_the_wallet(held: int, left: list[int]) -> None:
    held = min(held, sum(left))
    unspent = [topup.unspent_of(held, sum(left[at + 1 :]), mine) for at, mine in enumerate(left)]
    assert sum(unspent) == held
    # The oldest are spent first: behind one that has some left, none has lost any.
    first = next((at for at, mine in enumerate(unspent) if mine), len(left))
    assert unspent[first + 1 :] == left[first + 1 :]


# ---- what is sold ----


def _catalogue(**more: Any) -> Any:
    product = {"id": "p", "gems": 100, "price_fen": 1000, "title": {"zh": "货", "en": "goods"}}
    return {"products": [product], **more}


def _promotion(**more: Any) -> dict[str, Any]:
    return {"id": "x", "title": {"zh": "惠", "en": "more"}, "bonus_percent": 10, **more}


def test_what_ships_can_be_read_and_no_bonus_is_larger_than_the_first_doubled() -> None:
    catalogue = read_catalogue(None)
    assert len(catalogue.products) >= 3
    for product in catalogue.products:
        best = catalogue.best(product, History(), NOW_MS)
        assert best is None or best.bonus_on(product) <= product.gems


def test_a_promotion_holds_from_its_beginning_to_its_end_and_as_often_as_it_may() -> None:
    at = "2026-10-01T00:00:00+08:00"
    until = "2026-10-08T00:00:00+08:00"
    catalogue = parse_catalogue(_catalogue(promotions=[_promotion(begins=at, ends=until, per_player=2)]))
    [product], [promotion] = catalogue.products, catalogue.promotions
    begins = int(datetime.fromisoformat(at).timestamp() * 1000)
    ends = int(datetime.fromisoformat(until).timestamp() * 1000)
    for moment, used, holds in (
        (begins - 1, 0, False),
        (begins, 0, True),
        (begins, 1, True),
        (begins, 2, False),
        (ends - 1, 0, True),
        (ends, 0, False),
    ):
        found = catalogue.best(product, History(used > 0, {"x": used}), moment)
        assert (found is promotion) == holds, (moment, used)
    assert promotion.ends_at_ms == ends


def test_the_best_promotion_counts_and_a_first_one_only_for_who_never_paid() -> None:
    promotions = [_promotion(), _promotion(id="first", bonus_percent=0, bonus_gems=30, first_only=True)]
    catalogue = parse_catalogue(_catalogue(promotions=promotions))
    [product] = catalogue.products
    new = catalogue.best(product, History(), NOW_MS)
    assert new is not None
    assert (new.id, new.bonus_on(product)) == ("first", 30)
    for history in (History(True, {}), History(False, {"first": 1})):
        old = catalogue.best(product, history, NOW_MS)
        assert old is not None
        assert (old.id, old.bonus_on(product)) == ("x", 10)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"promotions": [_promotion(products=["none"])]}, "no such product"),
        ({"promotions": [_promotion(), _promotion()]}, "listed twice"),
        ({"promotions": [_promotion(bonus_percent=0)]}, "gives nothing"),
        ({"promotions": [_promotion(begins="2026-10-01T00:00:00")]}, "offset"),
        (
            {"promotions": [_promotion(begins="2026-10-02T00:00:00Z", ends="2026-10-01T00:00:00Z")]},
            "before it begins",
        ),
        ({"promotions": [_promotion(discount=5)]}, "discount"),
        ({"products": []}, ""),
        ({"products": [{"id": "p", "gems": 0, "price_fen": 1, "title": {"zh": "a", "en": "a"}}]}, "gems"),
        (
            {"products": [{"id": "p", "gems": 1, "price_fen": -1, "title": {"zh": "a", "en": "a"}}]},
            "price_fen",
        ),
        (
            {"products": [{"id": "p", "gems": 1, "price_fen": 1.5, "title": {"zh": "a", "en": "a"}}]},
            "price_fen",
        ),
        (
            {
                "packs": [
                    {"id": "g", "gems": 1, "currency": "gem", "amount": 1, "title": {"zh": "a", "en": "a"}}
                ]
            },
            "currency",
        ),
    ],
)
def test_a_catalogue_that_makes_no_sense_is_refused_with_what_is_wrong(
    more: dict[str, Any], said: str
) -> None:
    if not said:
        assert parse_catalogue(_catalogue() | more).products == ()
        return
    with pytest.raises(ValueError, match=said):
        parse_catalogue(_catalogue() | more)


# ---- signatures ----


def refused_as(
    reason: str, headers: dict[str, str], body: bytes = BODY, keys: tuple[str, ...] = (KEY,)
) -> None:
    with pytest.raises(Refusal) as refusal:
        check_signature(keys, headers, body, NOW_MS)
    assert refusal.value.reason == reason


def test_a_signature_fits_its_key_its_time_and_its_body_and_nothing_else() -> None:
    good = signed_headers(KEY, NOW_S, BODY)
    check_signature([KEY], good, BODY, NOW_MS)
    refused_as("WEBHOOK_FORGED", good, BODY + b" ")
    refused_as("WEBHOOK_FORGED", good | {TIMESTAMP: str(NOW_S + 1)})
    refused_as("WEBHOOK_FORGED", signed_headers(OTHER, NOW_S, BODY))
    refused_as("WEBHOOK_FORGED", {TIMESTAMP: good[TIMESTAMP]})
    refused_as("WEBHOOK_FORGED", {SIGNATURE: good[SIGNATURE]})
    refused_as("WEBHOOK_FORGED", good, keys=())
    for stamp in ("", "-1", "1e9", "١٢٣", "9" * 40, " 1", "1_0"):
        refused_as("WEBHOOK_FORGED", good | {TIMESTAMP: stamp})
    for text in ("", "v1=", "v2=" + sign(KEY, NOW_S, BODY), sign(KEY, NOW_S, BODY), "v1=\ud800", ",,,"):
        refused_as("WEBHOOK_FORGED", good | {SIGNATURE: text})


def test_two_keys_are_good_while_they_are_changed() -> None:
    for key in (KEY, OLD):
        check_signature([KEY, OLD], signed_headers(key, NOW_S, BODY), BODY, NOW_MS)
    refused_as("WEBHOOK_FORGED", signed_headers(OTHER, NOW_S, BODY), keys=(KEY, OLD))
    both = f"v1={sign(OTHER, NOW_S, BODY)}, v1={sign(OLD, NOW_S, BODY)}"
    check_signature([KEY, OLD], {TIMESTAMP: str(NOW_S), SIGNATURE: both}, BODY, NOW_MS)
    # Signatures are not tried without end.
    many = ",".join(["v1=00"] * 4 + [f"v1={sign(KEY, NOW_S, BODY)}"])
    refused_as("WEBHOOK_FORGED", {TIMESTAMP: str(NOW_S), SIGNATURE: many})


@pytest.mark.parametrize("away", [-WINDOW_S, WINDOW_S, 0])
def test_what_was_signed_within_the_window_is_taken(away: int) -> None:
    check_signature([KEY], signed_headers(KEY, NOW_S + away, BODY), BODY, NOW_MS)


@pytest.mark.parametrize("away", [-WINDOW_S - 1, WINDOW_S + 1, -NOW_S])
def test_what_was_signed_outside_the_window_is_stale_but_only_if_it_is_genuine(away: int) -> None:
    refused_as("WEBHOOK_STALE", signed_headers(KEY, NOW_S + away, BODY))
    refused_as("WEBHOOK_FORGED", signed_headers(OTHER, NOW_S + away, BODY))


# ---- the sandbox's words ----

SAID: dict[str, Any] = {
    "event_id": "e1",
    "kind": "paid",
    "order_id": "o_1",
    "amount_fen": 600,
    "currency": "CNY",
    "payment_id": "sp_1",
    "return_id": "",
    "at_ms": NOW_MS,
}


def test_an_event_is_read_as_it_is_written() -> None:
    event = read_event(json.dumps(SAID).encode())
    assert (event.event_id, event.kind, event.amount_fen, event.at_ms) == ("e1", "paid", 600, NOW_MS)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"\xff\xfe",
        b"[" * 100_000,
        *(
            json.dumps(SAID | change).encode()
            for change in (
                {"kind": "stolen"},
                {"amount_fen": 6.0},
                {"amount_fen": "600"},
                {"amount_fen": True},
                {"amount_fen": -1},
                {"amount_fen": 10**30},
                {"amount_fen": None},
                {"event_id": ""},
                {"event_id": 5},
                {"order_id": ""},
                {"payment_id": ""},
                {"order_id": "o" * 200},
                {"order_id": "o\u0000"},
                {"at_ms": -1},
                {"at_ms": 2**60},
            )
        ),
        json.dumps(SAID).replace("600", "NaN").encode(),
        json.dumps(SAID).replace("600", "1e3").encode(),
    ],
)
def test_a_body_that_says_nothing_that_can_be_is_malformed(body: bytes) -> None:
    with pytest.raises(Refusal, match="WEBHOOK_MALFORMED"):
        read_event(body)


# ---- settings ----


@pytest.mark.parametrize(
    ("keys", "said"),
    [((), "one or 2 keys"), ((KEY, OLD, OTHER), "one or 2 keys"), ((KEY, "short"), "shorter than 32")],
)
def test_a_provider_needs_its_keys(keys: tuple[str, ...], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        EconomySettings(topup_provider="sandbox", topup_keys=keys)


def test_keys_are_not_shown() -> None:
    settings = EconomySettings(topup_provider="sandbox", topup_keys=(KEY, OLD))
    assert KEY not in repr(settings)
