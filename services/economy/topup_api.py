"""RPCs of top-ups: checks what it is asked, and leaves the rest to the desk."""

from __future__ import annotations

import re
from typing import Any, Final

from paiju.economy.v1 import topup_service_pb2 as pb
from paiju.economy.v1 import topup_service_pb2_grpc

from services.chassis import auth
from services.chassis.access import reason_of
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.economy import topup_views as views
from services.economy.core.topup import FEN_MAX, GEMS_MAX, OPEN, PAID, State, check_request_id
from services.economy.store import topup_desk, topup_orders
from services.economy.topup import TopUps

ACCESS: Final[AccessTable] = {
    "ListProducts": "player",
    "CreateOrder": "player",
    "GetOrder": "player",
    "ListOrders": "player",
    "ExchangeGems": "player",
    "ReceivePayment": "service",
    "InspectOrder": "staff:money",
    "RefundOrder": "staff:money",
    "ListPaymentProblems": "staff:money",
    "ResolvePaymentProblem": "staff:money",
    "ListDebts": "staff:money",
    "FindOrders": "staff:money",
    "WaiveDebt": "staff:money",
}

PAGE_SIZE: Final = 20
PAGE_SIZE_MAX: Final = 100

_ORDER_ID: Final = re.compile(r"o_[A-Za-z0-9_-]{1,64}")
_PROVIDER: Final = re.compile(r"[a-z][a-z0-9_]{0,31}")
_TOKEN: Final = re.compile(r"([0-9]{1,15})(?:\.([A-Za-z0-9_-]{1,80}))?")

_PLAYER_ID: Final = re.compile(r"p_[A-Za-z0-9_-]{1,64}")

_FILTERS: Final[dict[pb.OrderFilter.ValueType, tuple[State, ...]]] = {
    pb.ORDER_FILTER_UNSPECIFIED: (),
    pb.ORDER_FILTER_PAID: PAID,
    pb.ORDER_FILTER_RETURNED: tuple(state for state in PAID if state != "paid"),
    pb.ORDER_FILTER_WAITING: OPEN,
}

Context = Any


class TopUpApi(topup_service_pb2_grpc.TopUpServiceServicer):
    """The servicer of top-ups."""

    def __init__(self, topups: TopUps, db: Database, clock: Clock) -> None:
        self._topups = topups
        self._db = db
        self._clock = clock

    async def ListProducts(  # noqa: N802 - the proto names it
        self, request: pb.ListProductsRequest, context: Context
    ) -> pb.ListProductsResponse:
        """What can be bought, with the promotions that hold for the caller now."""
        shelf = await self._topups.shelf(auth.player())
        provider = self._topups.provider
        return views.products(self._topups.catalogue, shelf, provider.name if provider else "")

    async def CreateOrder(  # noqa: N802 - the proto names it
        self, request: pb.CreateOrderRequest, context: Context
    ) -> pb.CreateOrderResponse:
        """Order a product."""
        request_id = check_request_id(request.request_id)
        row = await self._topups.order(auth.player(), request_id, request.product_id)
        return pb.CreateOrderResponse(order=views.order(row))

    async def GetOrder(  # noqa: N802 - the proto names it
        self, request: pb.GetOrderRequest, context: Context
    ) -> pb.GetOrderResponse:
        """One order of the caller."""
        player_id, order_id = auth.player(), _order(request.order_id)
        row, owed = await self._db.read(
            lambda connection: (
                topup_orders.order_of(connection, order_id),
                topup_orders.owed_of(connection, [order_id]),
            )
        )
        # Another's order is not told from none: its id is no secret to be tried for.
        if row is None or row.player_id != player_id:
            raise Refusal("ORDER_UNKNOWN")
        return pb.GetOrderResponse(order=views.order(row, owed.get(order_id, 0)))

    async def ListOrders(  # noqa: N802 - the proto names it
        self, request: pb.ListOrdersRequest, context: Context
    ) -> pb.ListOrdersResponse:
        """The caller's orders, newest first."""
        player_id, size = auth.player(), _size(request.page_size)
        before = _token(request.page_token)
        rows = await self._db.read(
            lambda connection: topup_orders.orders_of(connection, player_id, size + 1, before)
        )
        owed = await self._db.read(
            lambda connection: topup_orders.owed_of(connection, [row.order_id for row in rows])
        )
        response = pb.ListOrdersResponse(
            orders=[views.order(row, owed.get(row.order_id, 0)) for row in rows[:size]]
        )
        if len(rows) > size:
            last = rows[size - 1]
            response.next_page_token = f"{last.created_at_ms}.{last.order_id}"
        return response

    async def ExchangeGems(  # noqa: N802 - the proto names it
        self, request: pb.ExchangeGemsRequest, context: Context
    ) -> pb.ExchangeGemsResponse:
        """Turn gems into a pack of gold or room cards."""
        request_id = check_request_id(request.request_id)
        posted = await self._topups.exchange(auth.player(), request_id, request.pack_id)
        return pb.ExchangeGemsResponse(transfer_id=posted.transfer_id, balance_after=posted.balance_after)

    async def ReceivePayment(  # noqa: N802 - the proto names it
        self, request: pb.ReceivePaymentRequest, context: Context
    ) -> pb.ReceivePaymentResponse:
        """A provider's webhook."""
        if not _PROVIDER.fullmatch(request.provider):
            raise Refusal("PROVIDER_UNKNOWN")
        headers = {header.name.lower(): header.value for header in request.headers}
        taken = await self._topups.receive(request.provider, headers, request.body)
        return pb.ReceivePaymentResponse(outcome=taken.outcome)

    async def InspectOrder(  # noqa: N802 - the proto names it
        self, request: pb.InspectOrderRequest, context: Context
    ) -> pb.InspectOrderResponse:
        """An order whole."""
        auth.staff("money")
        order_id = _order(request.order_id)
        return views.whole(await self._db.read(lambda connection: topup_desk.inspect(connection, order_id)))

    async def RefundOrder(  # noqa: N802 - the proto names it
        self, request: pb.RefundOrderRequest, context: Context
    ) -> pb.RefundOrderResponse:
        """Give money of an order back."""
        staff, order_id = auth.staff("money"), _order(request.order_id)
        request_id, reason = check_request_id(request.request_id), reason_of(request.reason)
        if not 1 <= request.amount_fen <= FEN_MAX:
            raise Refusal("INVALID_ARGUMENT", field="amount_fen", minimum=1, maximum=FEN_MAX)
        refund, row = await self._topups.refund(
            staff, request_id, order_id, request.amount_fen, reason, even_if_spent=request.even_if_spent
        )
        return pb.RefundOrderResponse(refund=views.refund(refund), order=views.order(row))

    async def ListPaymentProblems(  # noqa: N802 - the proto names it
        self, request: pb.ListPaymentProblemsRequest, context: Context
    ) -> pb.ListPaymentProblemsResponse:
        """What waits for a person, oldest first; or all that ever did, newest first."""
        auth.staff("money")
        size, token = _size(request.page_size), _token(request.page_token)
        last_id = token[0] if token else 0
        listed = topup_desk.all_problems if request.with_resolved else topup_desk.open_problems
        rows, waiting = await self._db.read(
            lambda connection: (listed(connection, size + 1, last_id), topup_desk.count_problems(connection))
        )
        response = pb.ListPaymentProblemsResponse(
            problems=[views.problem(row) for row in rows[:size]], open=waiting
        )
        if len(rows) > size:
            response.next_page_token = str(rows[size - 1].id)
        return response

    async def ResolvePaymentProblem(  # noqa: N802 - the proto names it
        self, request: pb.ResolvePaymentProblemRequest, context: Context
    ) -> pb.ResolvePaymentProblemResponse:
        """Mark a problem as dealt with."""
        staff, reason = auth.staff("money"), reason_of(request.reason)
        now_ms = self._clock.now_ms()
        await self._db.run(
            lambda connection: topup_desk.resolve_problem(
                connection, request.problem_id, staff, reason, now_ms
            )
        )
        self._topups.poke()
        await self._topups.count_problems()
        return pb.ResolvePaymentProblemResponse()

    async def ListDebts(  # noqa: N802 - the proto names it
        self, request: pb.ListDebtsRequest, context: Context
    ) -> pb.ListDebtsResponse:
        """Gems that are owed, oldest debts first."""
        auth.staff("money")
        size, after = _size(request.page_size), _token(request.page_token) or (-1, "")
        rows, (number, owed) = await self._db.read(
            lambda connection: (
                topup_desk.open_debts(connection, size + 1, after),
                topup_desk.sum_debts(connection),
            )
        )
        response = pb.ListDebtsResponse(
            debts=[views.debt(row) for row in rows[:size]], open=number, owed_gems=owed
        )
        if len(rows) > size:
            last = rows[size - 1]
            response.next_page_token = f"{last.since_ms}.{last.order_id}"
        return response

    async def WaiveDebt(  # noqa: N802 - the proto names it
        self, request: pb.WaiveDebtRequest, context: Context
    ) -> pb.WaiveDebtResponse:
        """Ask no longer for what is owed for an order."""
        staff, order_id = auth.staff("money"), _order(request.order_id)
        request_id, reason = check_request_id(request.request_id), reason_of(request.reason)
        if not 1 <= request.gems <= GEMS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="gems", minimum=1, maximum=GEMS_MAX)
        row = await self._topups.waive(staff, request_id, order_id, request.gems, reason)
        return pb.WaiveDebtResponse(debt=views.debt(row))

    async def FindOrders(  # noqa: N802 - the proto names it
        self, request: pb.FindOrdersRequest, context: Context
    ) -> pb.FindOrdersResponse:
        """Orders of everybody or of one player, newest first."""
        auth.staff("money")
        size, before, states = (
            _size(request.page_size),
            _token(request.page_token),
            _FILTERS.get(request.filter),
        )
        if states is None:
            raise Refusal("INVALID_ARGUMENT", field="filter")
        if request.player_id and not _PLAYER_ID.fullmatch(request.player_id):
            raise Refusal("INVALID_ARGUMENT", field="player_id")
        rows = await self._db.read(
            lambda connection: topup_desk.find_orders(connection, request.player_id, states, size + 1, before)
        )
        owed = await self._db.read(
            lambda connection: topup_orders.owed_of(connection, [row.order_id for row in rows])
        )
        response = pb.FindOrdersResponse(
            orders=[views.order(row, owed.get(row.order_id, 0)) for row in rows[:size]]
        )
        if len(rows) > size:
            last = rows[size - 1]
            response.next_page_token = f"{last.created_at_ms}.{last.order_id}"
        return response


def _order(order_id: str) -> str:
    if not _ORDER_ID.fullmatch(order_id):
        raise Refusal("ORDER_UNKNOWN")
    return order_id


def _size(page_size: int) -> int:
    if not 0 <= page_size <= PAGE_SIZE_MAX:
        raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PAGE_SIZE_MAX)
    return page_size or PAGE_SIZE


def _token(page_token: str) -> tuple[int, str] | None:
    if not page_token:
        return None
    found = _TOKEN.fullmatch(page_token)
    if found is None:
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return int(found[1]), found[2] or ""
