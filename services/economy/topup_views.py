"""Rows of top-ups as messages."""

from __future__ import annotations

from typing import Any

from paiju.economy.v1 import topup_service_pb2 as pb
from sqlalchemy import Row

from services.economy.core.topup import CURRENCY
from services.economy.core.topup_products import Catalogue, Title
from services.economy.providers.sandbox import NAME as SANDBOX
from services.economy.store.topup_desk import Whole
from services.economy.topup import Shelf


def state(name: str) -> pb.OrderState.ValueType:
    """Return the enum's value of a state; empty is UNSPECIFIED."""
    return pb.OrderState.Value(f"ORDER_STATE_{name.upper() or 'UNSPECIFIED'}")


def words(title: Title) -> pb.Words:
    """Return a title."""
    return pb.Words(zh=title.zh, en=title.en)


def products(catalogue: Catalogue, shelf: Shelf, provider: str) -> pb.ListProductsResponse:
    """Return what a player is offered."""
    response = pb.ListProductsResponse(
        is_open=bool(provider),
        currency=CURRENCY,
        is_sandbox=provider == SANDBOX,
        owed_gems=shelf.owed_gems,
        packs=[
            pb.GemPack(
                pack_id=pack.id,
                title=words(pack.title),
                gems=pack.gems,
                currency=pack.currency,
                amount=pack.amount,
            )
            for pack in catalogue.packs
        ],
    )
    for product in catalogue.products:
        row = response.products.add(
            product_id=product.id,
            title=words(product.title),
            gems=product.gems,
            price_fen=product.price_fen,
        )
        promotion = catalogue.best(product, shelf.history, shelf.now_ms)
        if promotion is not None:
            row.bonus_gems = promotion.bonus_on(product)
            row.promotion_id = promotion.id
            row.promotion_title.CopyFrom(words(promotion.title))
            row.promotion_until_ms = promotion.ends_at_ms
    return response


def order(row: Row[Any], owed_gems: int = 0) -> pb.Order:
    """Return an order."""
    return pb.Order(
        order_id=row.order_id,
        player_id=row.player_id,
        product_id=row.product_id,
        title=pb.Words(zh=row.title_zh, en=row.title_en),
        state=state(row.state),
        price_fen=row.price_fen,
        currency=row.currency,
        gems=row.gems,
        bonus_gems=row.bonus_gems,
        promotion_id=row.promotion_id,
        pay_url=row.pay_url if row.state == "waiting" else "",
        created_at_ms=row.created_at_ms,
        expires_at_ms=row.expires_at_ms,
        paid_at_ms=row.paid_at_ms,
        returned_fen=row.returned_fen,
        returned_gems=row.returned_gems,
        owed_gems=owed_gems,
        provider=row.provider,
    )


def refund(row: Row[Any]) -> pb.OrderReturn:
    """Return money that went back, or is on its way."""
    return pb.OrderReturn(
        return_id=row.return_id,
        kind=row.kind,
        state=row.state,
        amount_fen=row.amount_fen,
        staff_id=row.staff_id,
        reason=row.reason,
        at_ms=row.at_ms,
    )


def whole(found: Whole) -> pb.InspectOrderResponse:
    """Return an order with everything that belongs to it."""
    response = pb.InspectOrderResponse(
        order=order(found.order, found.owed_gems),
        returns=[refund(row) for row in found.returns],
        events=[
            pb.PaymentEvent(
                event_id=row.event_id,
                kind=row.kind,
                amount_fen=row.amount_fen,
                outcome=row.outcome,
                at_ms=row.at_ms,
            )
            for row in found.events
        ],
        unspent_gems=found.refundable.unspent_gems,
        refundable_fen=found.refundable.fen,
    )
    for step in found.history:
        row = response.history.add(
            at_ms=step.at_ms, to=state(step.after), cause=step.cause, detail=step.detail
        )
        # `from` is a word of Python.
        setattr(row, "from", state(step.before))
    return response


def problem(row: Row[Any]) -> pb.PaymentProblem:
    """Return a problem."""
    return pb.PaymentProblem(
        problem_id=row.id,
        provider=row.provider,
        event_id=row.event_id,
        order_id=row.order_id,
        reason=row.reason,
        detail_json=row.detail,
        at_ms=row.at_ms,
        resolved_at_ms=row.resolved_at_ms,
        resolved_by=row.resolved_by,
        resolution=row.resolution,
    )


def debt(row: Row[Any]) -> pb.GemDebt:
    """Return what a player owes for an order."""
    return pb.GemDebt(
        player_id=row.player_id,
        order_id=row.order_id,
        owed_gems=row.short_gems - row.paid_gems - row.forgiven_gems,
        since_ms=row.since_ms,
        short_gems=row.short_gems,
        paid_gems=row.paid_gems,
        waived_gems=row.waived_gems,
    )
