"""Stakes, as economy keeps them."""

from __future__ import annotations

from paiju.economy.v1 import economy_service_pb2_grpc
from paiju.economy.v1.economy_service_pb2 import AddStakeRequest, CloseStakeRequest, OpenStakeRequest

from services.chassis.rpc import Rpc


class EconomyBank:
    """Opens, fills up and closes stakes by RPC; all of it is safe to repeat."""

    def __init__(self, rpc: Rpc) -> None:
        self._economy = rpc.client(economy_service_pb2_grpc.EconomyServiceStub, "economy")

    async def open_stake(self, match_id: str, seat: int, player: str, currency: str, buy_in: int) -> int:
        """See `Bank.open_stake`."""
        response = await self._economy.OpenStake(
            OpenStakeRequest(match_id=match_id, seat=seat, player_id=player, currency=currency, buy_in=buy_in)
        )
        return int(response.stake)

    async def add_stake(
        self,
        match_id: str,
        seat: int,
        player: str,
        amount: int,
        request_id: str,
        stake_max: int,
        last_round_no: int,
    ) -> int:
        """See `Bank.add_stake`."""
        response = await self._economy.AddStake(
            AddStakeRequest(
                match_id=match_id,
                seat=seat,
                player_id=player,
                amount=amount,
                request_id=request_id,
                stake_max=stake_max,
                last_round_no=last_round_no,
            )
        )
        return int(response.stake)

    async def close_stake(self, match_id: str, seat: int, last_round_no: int) -> None:
        """See `Bank.close_stake`."""
        await self._economy.CloseStake(
            CloseStakeRequest(match_id=match_id, seat=seat, last_round_no=last_round_no)
        )
