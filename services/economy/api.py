"""RPCs of economy: checks what it is asked, and leaves the rest to the store."""

from __future__ import annotations

import re
from typing import Any

from paiju.economy.v1 import economy_service_pb2 as pb
from paiju.economy.v1 import economy_service_pb2_grpc

from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.db import Database
from services.chassis.errors import Refusal
from services.economy.bus import Tellers
from services.economy.core.money import check_amount, check_currency, is_bot, split_round_id
from services.economy.reads import WalletReads
from services.economy.reconcile import reconcile
from services.economy.settings import EconomySettings
from services.economy.store import days, rounds, stakes, wallets

ACCESS: AccessTable = {
    "GetWallet": "player",
    "ListEntries": "player",
    "OpenStake": "service",
    "AddStake": "service",
    "CloseStake": "service",
    "GetStakes": "service",
    "GrantReward": "service",
    "ClaimRelief": "player",
    "GetDay": "player",
    "GetSettlement": "player",
    "Reconcile": "service",
}

PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
SEATS_MAX = 16
REFERENCE_CHARACTERS_MAX = 200
REQUEST_ID_CHARACTERS_MAX = 200

_MATCH_ID = re.compile(r"[A-Za-z0-9_.:-]{1,96}")
_PLAYER_ID = re.compile(r"p_[A-Za-z0-9_-]{1,64}")
_BOT_ID = re.compile(r"bot:[a-z0-9_-]{1,32}")
_KIND = re.compile(r"[a-z][a-z_]{0,31}")

Context = Any


class EconomyApi(economy_service_pb2_grpc.EconomyServiceServicer):
    """The servicer."""

    def __init__(self, db: Database, clock: Clock, settings: EconomySettings, tellers: Tellers) -> None:
        self._db = db
        self._clock = clock
        self._settings = settings
        self._tellers = tellers
        self._wallets = WalletReads(db)

    async def GetWallet(  # noqa: N802 - the proto names it
        self, request: pb.GetWalletRequest, context: Context
    ) -> pb.GetWalletResponse:
        """The balances of a player."""
        player_id = _whose(request.player_id)
        return await self._wallets.read(player_id)

    async def ListEntries(  # noqa: N802 - the proto names it
        self, request: pb.ListEntriesRequest, context: Context
    ) -> pb.ListEntriesResponse:
        """The entries of a player's accounts, newest first."""
        player_id = _whose(request.player_id)
        currency = check_currency(request.currency) if request.currency else ""
        if not 0 <= request.page_size <= PAGE_SIZE_MAX:
            raise Refusal("INVALID_ARGUMENT", field="page_size", maximum=PAGE_SIZE_MAX)
        size = request.page_size or PAGE_SIZE
        before = _entry_id(request.page_token)
        rows = await self._db.read(
            lambda connection: wallets.entries_of(connection, player_id, currency, size + 1, before)
        )
        response = pb.ListEntriesResponse(
            entries=[
                pb.Entry(
                    transfer_id=row.transfer_id,
                    kind=row.kind,
                    currency=row.currency,
                    amount=row.amount,
                    balance_after=row.balance_after,
                    account=row.account,
                    reference=row.reference,
                    at_ms=row.at_ms,
                    fee=_fee(row),
                )
                for row in rows[:size]
            ]
        )
        if len(rows) > size:
            response.next_page_token = str(rows[size - 1].id)
        return response

    async def OpenStake(  # noqa: N802 - the proto names it
        self, request: pb.OpenStakeRequest, context: Context
    ) -> pb.OpenStakeResponse:
        """Move a buy-in from a wallet into a stake account."""
        match_id, seat = _match(request.match_id), _seat(request.seat)
        player_id, currency = _player(request.player_id, or_bot=True), check_currency(request.currency)
        buy_in = check_amount(request.buy_in, "buy_in")
        house_float, now_ms = self._settings.house_float, self._clock.now_ms()
        caps = self._settings.day_caps
        held = await self._db.run(
            lambda connection: stakes.open_stake(
                connection, match_id, seat, player_id, currency, buy_in, house_float, now_ms, caps
            )
        )
        if not is_bot(player_id):
            await self._tellers.tell_wallets([player_id])
        return pb.OpenStakeResponse(stake=held)

    async def AddStake(  # noqa: N802 - the proto names it
        self, request: pb.AddStakeRequest, context: Context
    ) -> pb.AddStakeResponse:
        """Move more coins into a stake account between two rounds."""
        top_up = stakes.TopUp(
            _match(request.match_id),
            _seat(request.seat),
            _player(request.player_id, or_bot=True),
            check_amount(request.amount, "amount"),
            _request_id(request.request_id),
            check_amount(request.stake_max, "stake_max"),
            request.last_round_no,
        )
        if request.last_round_no < 0:
            raise Refusal("INVALID_ARGUMENT", field="last_round_no")
        house_float, now_ms = self._settings.house_float, self._clock.now_ms()
        caps = self._settings.day_caps
        posted = await self._db.run(
            lambda connection: stakes.add_stake(connection, top_up, house_float, now_ms, caps)
        )
        if posted.is_new and not is_bot(top_up.player_id):
            await self._tellers.tell_wallets([top_up.player_id])
        return pb.AddStakeResponse(stake=posted.balance_after)

    async def ClaimRelief(  # noqa: N802 - the proto names it
        self, request: pb.ClaimReliefRequest, context: Context
    ) -> pb.ClaimReliefResponse:
        """Give relief to the caller."""
        player_id, request_id = auth.player(), _request_id(request.request_id)
        terms, now_ms = self._settings.relief, self._clock.now_ms()
        posted, gold = await self._db.run(
            lambda connection: days.claim_relief(connection, player_id, request_id, terms, now_ms)
        )
        if posted.is_new:
            await self._tellers.tell_wallets([player_id])
        return pb.ClaimReliefResponse(
            transfer_id=posted.transfer_id, gold=gold, balance_after=posted.balance_after
        )

    async def GetDay(self, request: pb.GetDayRequest, context: Context) -> pb.GetDayResponse:  # noqa: N802 - the proto names it
        """What today leaves a player."""
        player_id, now_ms = _whose(request.player_id), self._clock.now_ms()
        caps, terms = self._settings.day_caps, self._settings.relief
        return await self._db.read(
            lambda connection: days.day_for(connection, player_id, caps, terms, now_ms)
        )

    async def CloseStake(  # noqa: N802 - the proto names it
        self, request: pb.CloseStakeRequest, context: Context
    ) -> pb.CloseStakeResponse:
        """Close a stake once the last round is settled or voided."""
        match_id, seat = _match(request.match_id), _seat(request.seat)
        if request.last_round_no < 0:
            raise Refusal("INVALID_ARGUMENT", field="last_round_no")
        now_ms = self._clock.now_ms()
        closed, player_id = await self._db.run(
            lambda connection: stakes.close_stake(connection, match_id, seat, request.last_round_no, now_ms)
        )
        self._tellers.poke()
        if player_id and not is_bot(player_id):
            await self._tellers.tell_wallets([player_id])
        return pb.CloseStakeResponse(closed=closed)

    async def GetStakes(  # noqa: N802 - the proto names it
        self, request: pb.GetStakesRequest, context: Context
    ) -> pb.GetStakesResponse:
        """The stakes of a match."""
        match_id = _match(request.match_id)
        rows = await self._db.read(lambda connection: stakes.all_stakes(connection, match_id))
        return pb.GetStakesResponse(
            stakes=[
                pb.Stake(seat=seat, player_id=player_id, currency=currency, amount=amount, state=state)
                for seat, player_id, currency, amount, state in rows
            ]
        )

    async def GrantReward(  # noqa: N802 - the proto names it
        self, request: pb.GrantRewardRequest, context: Context
    ) -> pb.GrantRewardResponse:
        """Give a player coins from the house."""
        player_id, currency = _player(request.player_id), check_currency(request.money.currency)
        amount = check_amount(request.money.amount, "money.amount", self._settings.grant_max)
        _request_id(request.request_id)
        if not _KIND.fullmatch(request.kind):
            raise Refusal("INVALID_ARGUMENT", field="kind")
        if len(request.reference) > REFERENCE_CHARACTERS_MAX or "\x00" in request.reference:
            raise Refusal("INVALID_ARGUMENT", field="reference")
        key, now_ms = f"grant/{auth.current().id}/{request.request_id}", self._clock.now_ms()
        posted = await self._db.run(
            lambda connection: wallets.grant(
                connection, key, request.kind, player_id, currency, amount, request.reference, now_ms
            )
        )
        if posted.is_new:
            await self._tellers.tell_wallets([player_id])
        return pb.GrantRewardResponse(transfer_id=posted.transfer_id, balance_after=posted.balance_after)

    async def GetSettlement(  # noqa: N802 - the proto names it
        self, request: pb.GetSettlementRequest, context: Context
    ) -> pb.GetSettlementResponse:
        """What happened to the money of a round."""
        split_round_id(request.round_id)
        player_id, now_ms = auth.current().player_id, self._clock.now_ms()
        state, coins, fees = await self._db.read(
            lambda connection: rounds.settlement_of(connection, request.round_id, player_id, now_ms)
        )
        return pb.GetSettlementResponse(state=state, coins=coins, fees=fees)

    async def Reconcile(  # noqa: N802 - the proto names it
        self, request: pb.ReconcileRequest, context: Context
    ) -> pb.ReconcileResponse:
        """Check the whole book."""
        proof = await reconcile(self._db, self._clock)
        return pb.ReconcileResponse(
            transfers=proof.transfers, accounts=proof.accounts, findings=proof.findings
        )


def _whose(player_id: str) -> str:
    """Return whose money a call is about.

    Raises:
        Refusal: PERMISSION_DENIED: a player asks for another. UNAUTHENTICATED, INVALID_ARGUMENT.
    """
    caller = auth.current()
    if caller.player_id:
        if player_id not in ("", caller.player_id):
            raise Refusal("PERMISSION_DENIED")
        return caller.player_id
    if caller.kind not in ("service", "operator"):
        raise Refusal("UNAUTHENTICATED")
    return _player(player_id)


def _player(player_id: str, or_bot: bool = False) -> str:
    if _PLAYER_ID.fullmatch(player_id) or (or_bot and _BOT_ID.fullmatch(player_id)):
        return player_id
    raise Refusal("INVALID_ARGUMENT", field="player_id")


def _match(match_id: str) -> str:
    if not _MATCH_ID.fullmatch(match_id):
        raise Refusal("INVALID_ARGUMENT", field="match_id")
    return match_id


def _seat(seat: int) -> int:
    if not 0 <= seat < SEATS_MAX:
        raise Refusal("INVALID_ARGUMENT", field="seat")
    return seat


def _request_id(request_id: str) -> str:
    # PostgreSQL keeps no NUL in a text.
    if not 1 <= len(request_id) <= REQUEST_ID_CHARACTERS_MAX or "\x00" in request_id:
        raise Refusal("INVALID_ARGUMENT", field="request_id")
    return request_id


def _fee(row: Any) -> int:
    """Return how much of a line of the book is the fee of a table: a stake's account ends with its seat."""
    if row.kind != "settlement" or row.payload is None:
        return 0
    return rounds.fees_paid(row.payload, row.stakes_before)[int(row.account.rpartition("/")[2])]


def _entry_id(page_token: str) -> int | None:
    if not page_token:
        return None
    if not (page_token.isascii() and page_token.isdigit() and len(page_token) <= 18):
        raise Refusal("INVALID_ARGUMENT", field="page_token")
    return int(page_token)
