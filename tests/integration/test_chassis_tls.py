"""TLS by configuration: services know each other by certificates of one authority, on gRPC and on NATS."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from paiju.progress.v1 import progress_service_pb2 as pb
from paiju.progress.v1 import progress_service_pb2_grpc as pb_grpc

from services.chassis.auth import Verifier, no_keys
from services.chassis.bus.nats import NatsBus
from services.chassis.clock import SystemClock
from services.chassis.config import PaijuSettings
from services.chassis.errors import Outage
from services.chassis.health import Health
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.revocations import Revocations, nothing_revoked
from services.chassis.rpc.server import GrpcRpc
from services.chassis.run import nats_login
from tests.support.certificates import Authority, Certificate
from tests.support.nats import NatsServer
from tests.support.process import SERVICE_KEY, full_registry, settings_for_tests


class Api:
    async def GetSignIn(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        return pb.GetSignInResponse()

    SignIn = GetStatistics = ListStatisticsDays = SetStatisticsVisibility = GetSignIn


def process(settings: PaijuSettings) -> GrpcRpc:
    clock = SystemClock()
    verifier = Verifier(SERVICE_KEY, no_keys, clock, Revocations(nothing_revoked, clock))
    return GrpcRpc(settings, verifier, Health(), clock, SystemIds(), Metrics(), "tester")


def tls(ours: Certificate, authority: Authority, **more: Any) -> PaijuSettings:
    return settings_for_tests(tls_cert=ours.cert, tls_key=ours.key, tls_ca=authority.file, **more)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture
async def server(authority: Authority) -> AsyncIterator[GrpcRpc]:
    rpc = process(tls(authority.sign("progress"), authority))
    methods = ("GetSignIn", "SignIn", "GetStatistics", "ListStatisticsDays", "SetStatisticsVisibility")
    access: Any = dict.fromkeys(methods, "public")
    rpc.serve("progress", pb_grpc.add_ProgressServiceServicer_to_server, Api(), access)
    await rpc.start()
    yield rpc
    await rpc.stop(0)


async def call(settings: PaijuSettings) -> None:
    client = process(settings)
    try:
        await client.client(pb_grpc.ProgressServiceStub, "progress", timeout_s=3.0).GetSignIn(
            pb.GetSignInRequest()
        )
    finally:
        await client.stop(0)


async def test_a_service_with_a_certificate_of_the_authority_is_answered(
    server: GrpcRpc, authority: Authority
) -> None:
    address = {"progress": f"127.0.0.1:{server.port}"}
    await call(tls(authority.sign("table"), authority, grpc_addresses=address))


async def test_without_a_certificate_or_with_one_of_another_authority_nobody_is_answered(
    server: GrpcRpc, authority: Authority, tmp_path: Path
) -> None:
    address = {"progress": f"127.0.0.1:{server.port}"}
    with pytest.raises(Outage):
        await call(settings_for_tests(grpc_addresses=address))
    stranger = Authority(tmp_path / "other", "stranger")
    with pytest.raises(Outage):
        await call(tls(stranger.sign("table"), authority, grpc_addresses=address))
    only_ca = grpc.ssl_channel_credentials(authority.file.read_bytes())
    async with grpc.aio.secure_channel(address["progress"], only_ca) as channel:
        with pytest.raises(grpc.aio.AioRpcError):
            await pb_grpc.ProgressServiceStub(channel).GetSignIn(pb.GetSignInRequest(), timeout=3)


async def test_a_server_of_another_authority_is_not_trusted(
    server: GrpcRpc, authority: Authority, tmp_path: Path
) -> None:
    stranger = Authority(tmp_path / "other", "stranger")
    address = {"progress": f"127.0.0.1:{server.port}"}
    with pytest.raises(Outage):
        await call(tls(authority.sign("table"), stranger, grpc_addresses=address))


async def test_nats_is_reached_over_tls_with_a_certificate_only(
    authority: Authority, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = authority.sign("nats")
    files = f'cert_file: "{ours.cert}"\n  key_file: "{ours.key}"\n  ca_file: "{authority.file}"'
    nats = NatsServer(tmp_path / "nats", extra=f"tls {{\n  {files}\n  verify: true\n}}").start()
    url = nats.url.replace("nats://", "tls://")
    try:
        trusted = tls(authority.sign("table"), authority, nats_url=url)
        bus = await connect(trusted)
        assert bus.connected
        await bus.close()
        monkeypatch.setattr("services.chassis.bus.nats.CONNECT_WAIT_S", 1.0)
        stranger = Authority(tmp_path / "other", "stranger")
        with pytest.raises(Outage):
            await connect(tls(stranger.sign("table"), authority, nats_url=url))
    finally:
        nats.stop()


async def connect(settings: PaijuSettings) -> NatsBus:
    login = nats_login(settings)
    return await NatsBus.connect(login, full_registry(), SystemClock(), SystemIds(), Metrics(), "test")
