"""Accounts in a process of its own, called by another as the gateway would, on any database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.protobuf.message import Message
from paiju.accounts.v1 import accounts_service_pb2 as pb
from paiju.accounts.v1.accounts_service_pb2_grpc import AccountsServiceStub

from services.accounts.app import Accounts, wire
from services.accounts.core.tokens import GUEST_LABEL
from services.accounts.settings import AccountsSettings
from services.chassis.auth import Principal, Verifier, keys_on_bus, service_token
from services.chassis.bus.port import Delivery
from services.chassis.clock import Clock
from services.chassis.quotas import quotas_on_bus
from services.chassis.revocations import Revocations, revoked_on_bus
from tests.support.asking import ask_until
from tests.support.process import SERVICE_KEY, MemoryWorld, system_ids

Metadata = tuple[tuple[str, str], ...]
HOME: Metadata = (("x-paiju-client-address", "203.0.113.9"),)
AWAY: Metadata = (("x-paiju-client-address", "198.51.100.7"),)
PASSWORD = "fünf Karten im Ärmel"


def quick_settings(**more: Any) -> AccountsSettings:
    """Return settings whose limits and hashes do not hold tests up."""
    values: dict[str, Any] = {
        "sign_ins_per_minute": 6_000,
        "password_memory_kib": 64,
        "password_passes": 1,
        "unlimited_networks": "127.0.0.0/8,203.0.113.0/24,198.51.100.0/24",
    }
    return AccountsSettings(**(values | more))


class RunningAccounts:
    """Accounts, running, and a gateway that talks to it."""

    def __init__(self, world: MemoryWorld, settings: AccountsSettings | None = None) -> None:
        self.world = world
        self.settings = settings or quick_settings()
        self.process = world.process("accounts", system_ids())
        self.gateway = world.process("gateway", system_ids())
        self.clock: Clock = world.clock
        self.bus = self.gateway.bus
        self.stub = self.gateway.rpc.client(AccountsServiceStub, "accounts", timeout_s=20.0)
        self.db = world.database("accounts")

    async def start(self) -> RunningAccounts:
        """Start it."""
        service = await wire(self.settings, self.process.parts)
        assert isinstance(service, Accounts)
        self.service = service
        await self.process.rpc.start()
        await service.start()
        await self.gateway.rpc.start()
        return self

    async def stop(self) -> None:
        """Stop the process of accounts; another may follow."""
        await self.service.stop()
        await self.process.stop()
        self.world.processes.remove(self.process)
        self.world.network.leave(self.process.rpc)

    async def sign_in(
        self, key: Ed25519PrivateKey | None = None, address: Metadata = HOME, device: str = "a test"
    ) -> pb.SignInGuestResponse:
        """Sign a guest in."""
        key = key or Ed25519PrivateKey.generate()
        public, challenge, signature = await self.proof(key, address)
        request = pb.SignInGuestRequest(
            public_key=public, challenge=challenge, signature=signature, device=device
        )
        answer: pb.SignInGuestResponse = await self.stub.SignInGuest(request, metadata=address)
        return answer

    async def proof(self, key: Ed25519PrivateKey, address: Metadata = HOME) -> tuple[bytes, bytes, bytes]:
        """Return a public key, a challenge given to it, and the signature."""
        public = key.public_key().public_bytes_raw()
        request = pb.CreateChallengeRequest(public_key=public)
        challenge = (await self.stub.CreateChallenge(request, metadata=address)).challenge
        return public, challenge, key.sign(GUEST_LABEL + challenge)

    async def set_password(
        self, tokens: pb.SessionTokens, login_name: str, password: str = PASSWORD, current: str = ""
    ) -> None:
        """Set a password."""
        request = pb.SetPasswordRequest(login_name=login_name, password=password, current_password=current)
        await self.stub.SetPassword(request, metadata=bearer(tokens.access_token))

    async def by_password(
        self, login_name: str, password: str = PASSWORD, address: Metadata = HOME
    ) -> pb.SignInPasswordResponse:
        """Sign in by password."""
        request = pb.SignInPasswordRequest(login_name=login_name, password=password, device="a laptop")
        answer: pb.SignInPasswordResponse = await self.stub.SignInPassword(request, metadata=address)
        return answer

    async def refresh(self, token: str, address: Metadata = HOME) -> pb.SessionTokens:
        """Refresh a session."""
        request = pb.RefreshSessionRequest(refresh_token=token)
        answer: pb.RefreshSessionResponse = await self.stub.RefreshSession(request, metadata=address)
        return answer.tokens

    async def grant(self, player_id: str, role: str, reason: str = "they were asked to") -> list[str]:
        """Grant a role as an operator."""
        request = pb.GrantRoleRequest(player_id=player_id, role=role, reason=reason)
        answer: pb.GrantRoleResponse = await self.stub.GrantRole(request, metadata=self.operator())
        return list(answer.roles)

    async def staff(self, role: str) -> tuple[str, Metadata]:
        """Return a new player with a role, and what he calls with."""
        key = Ed25519PrivateKey.generate()
        player_id = (await self.sign_in(key)).profile.player_id
        await self.grant(player_id, role)
        return player_id, bearer((await self.sign_in(key)).tokens.access_token)

    def operator(self) -> Metadata:
        """Return what an operator calls with."""
        return bearer(service_token(SERVICE_KEY, "root", self.clock.now_ms() // 1000, "operator"))

    def verifier(self) -> Verifier:
        """Return another process's verifier."""
        revocations = Revocations(revoked_on_bus(self.bus), self.clock)
        quotas = quotas_on_bus(self.bus, self.clock)
        return Verifier(SERVICE_KEY, keys_on_bus(self.bus), self.clock, revocations, quotas)

    async def principal(self, token: str) -> Principal:
        """Return whom another process takes a token for."""
        return await self.verifier().verify(token)

    async def hear(self, kind: type[Message]) -> list[Any]:
        """Return a list that grows with the events of a kind."""
        heard: list[Any] = []

        async def handler(deliveries: Sequence[Delivery[Message]]) -> None:
            heard.extend(one.message for one in deliveries)

        service = kind.DESCRIPTOR.file.package.split(".")[1]
        await self.bus.consume(f"test-{service}-{kind.__name__}", (kind,), handler)
        return heard

    async def log(self, *actions: str, as_: Metadata | None = None) -> list[pb.StaffLogEntry]:
        """Return the staff log, the newest first, once all these actions stand in it."""
        request = pb.ListStaffLogRequest(page_size=200)
        answer = await ask_until(
            lambda: self.stub.ListStaffLog(request, metadata=as_ or self.operator()),
            lambda answer: set(actions) <= {entry.action for entry in answer.entries},
        )
        return list(answer.entries)


def bearer(token: str, address: Metadata = ()) -> Metadata:
    """Return the metadata of a call with a token."""
    return (("authorization", f"Bearer {token}"), *address)


async def until(holds: Callable[[], Any]) -> None:
    """Wait until something holds."""
    async with asyncio.timeout(30):
        while not holds():
            await asyncio.sleep(0.01)


__all__ = ["AWAY", "HOME", "PASSWORD", "RunningAccounts", "bearer", "quick_settings", "until"]
