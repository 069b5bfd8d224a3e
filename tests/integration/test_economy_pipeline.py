"""From a finished round to money, on a real broker, real gRPC and SQLite files: four services at once."""

from __future__ import annotations

from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from paiju.accounts.v1 import accounts_service_pb2 as accounts_pb
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceStub
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1.economy_service_pb2_grpc import EconomyServiceStub
from paiju.progress.v1 import progress_service_pb2 as progress_pb
from paiju.progress.v1.progress_service_pb2_grpc import ProgressServiceStub
from paiju.table.v1.events_pb2 import RoundVoided

from engine import GAMES
from services.accounts.app import WIRING as ACCOUNTS
from services.chassis import auth
from services.economy.app import WIRING as ECONOMY
from services.progress.app import WIRING as PROGRESS
from services.scoring.app import WIRING as SCORING
from services.table.settings import TableSettings
from tests.support import finished
from tests.support.asking import ask_until
from tests.support.nats import NatsServer
from tests.support.real_process import running

ROUNDS = 6


async def sign_in(accounts: AccountsServiceStub) -> str:
    key = Ed25519PrivateKey.generate()
    public = key.public_key().public_bytes_raw()
    asked = await accounts.CreateChallenge(accounts_pb.CreateChallengeRequest(public_key=public))
    answer = await accounts.SignInGuest(
        accounts_pb.SignInGuestRequest(
            public_key=public,
            challenge=asked.challenge,
            signature=key.sign(b"paiju-guest-1" + asked.challenge),
        )
    )
    return str(answer.profile.player_id)


@pytest.mark.parametrize("game", TableSettings().games)
async def test_a_match_of_new_players_is_audited_settled_counted_and_paid_out(
    game: str, nats_server: NatsServer, tmp_path: Path
) -> None:
    seats = GAMES[game].seats
    async with running(nats_server.url, tmp_path, [ACCOUNTS, ECONOMY, SCORING, PROGRESS]) as world:
        rpc, bus = world.parts.rpc, world.parts.bus
        accounts = rpc.client(AccountsServiceStub, "accounts")
        economy = rpc.client(EconomyServiceStub, "economy")
        progress = rpc.client(ProgressServiceStub, "progress")
        people = [await sign_in(accounts) for _ in range(2)]
        players = (*people, *["bot:normal"] * (seats - 2))

        async def gold(player: str) -> int:
            wallet = await economy.GetWallet(economy_pb.GetWalletRequest(player_id=player))
            return wallet.balances[0].amount

        async def are_welcomed() -> bool:
            return [await gold(player) for player in players[:2]] == [20_000, 20_000]

        await ask_until(are_welcomed)
        preset = "tongyi-qmt" if game == "paohuzi" else next(iter(GAMES[game].presets))
        match = finished.PlayedMatch(players=players, game=game, preset=preset)
        for seat, player in enumerate(players):
            await economy.OpenStake(
                economy_pb.OpenStakeRequest(
                    match_id=match.match_id, seat=seat, player_id=player, currency="gold", buy_in=3_000
                )
            )
        for _ in range(ROUNDS):
            opened, ended = match.round()
            await bus.publish(opened, f"opened:{opened.round_id}")
            await bus.publish(ended, f"finished:{ended.round_id}")
        last = ROUNDS + 1
        for seat in range(seats):
            closing = economy_pb.CloseStakeRequest(match_id=match.match_id, seat=seat, last_round_no=last)
            assert not (await economy.CloseStake(closing)).closed
        voided = RoundVoided(
            round_id=f"{match.match_id}/{last}", match_id=match.match_id, round_no=last, game=game
        )
        await bus.publish(voided, f"voided:{voided.round_id}")

        async def is_paid_out() -> bool:
            found = await economy.GetStakes(economy_pb.GetStakesRequest(match_id=match.match_id))
            return all(stake.state == "closed" for stake in found.stakes)

        await ask_until(is_paid_out)
        won = [0] * seats
        for number in range(1, last):
            answer = await economy.GetSettlement(
                economy_pb.GetSettlementRequest(round_id=f"{match.match_id}/{number}")
            )
            assert answer.state == "settled"
            won = [sum(two) for two in zip(won, answer.coins, strict=True)]
        assert won == [10 * points for points in match.totals]
        assert any(won)
        assert sum(won) == 0
        for seat in range(2):
            assert await gold(players[seat]) == 20_000 + won[seat]

        async def are_counted() -> bool:
            with auth.acting_for(players[0]):
                found = await progress.GetStatistics(progress_pb.GetStatisticsRequest())
            return bool(found.statistics) and found.statistics[0].rounds == ROUNDS

        await ask_until(are_counted)
        with auth.acting_for(players[0]):
            signed_in = await progress.SignIn(progress_pb.SignInRequest())
        assert await gold(players[0]) == 20_000 + won[0] + signed_in.reward
        proof = await economy.Reconcile(economy_pb.ReconcileRequest())
        assert list(proof.findings) == []
