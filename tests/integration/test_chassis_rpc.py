"""RPC: the same servicers and rules over memory and over real gRPC."""

from __future__ import annotations

import asyncio
import base64
import io
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from google.rpc import error_details_pb2, status_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_status import rpc_status
from paiju.gateway.v1 import gateway_service_pb2_grpc
from paiju.progress.v1 import progress_service_pb2 as pb
from paiju.progress.v1 import progress_service_pb2_grpc as pb_grpc

from services.chassis import auth
from services.chassis.auth import AccessTable, Principal, Verifier
from services.chassis.clock import Clock, SystemClock
from services.chassis.errors import Defect, Outage, Refusal
from services.chassis.health import Health
from services.chassis.ids import SystemIds
from services.chassis.metrics import Metrics
from services.chassis.revocations import Revocations
from services.chassis.rpc import request_id
from services.chassis.rpc.memory import MemoryNetwork, MemoryRpc
from services.chassis.rpc.methods import Failed
from services.chassis.rpc.server import GrpcRpc, _abort
from tests.support.process import SERVICE_KEY, settings_for_tests

ACCESS: AccessTable = {
    "GetSignIn": "player",
    "SignIn": "service",
    "GetStatistics": "public",
    "ListStatisticsDays": "public",
    "SetStatisticsVisibility": "public",
}
PRIVATE = Ed25519PrivateKey.generate()


@dataclass
class Api:
    """Answers as a test tells it to."""

    behave: Callable[[Any], Awaitable[Any]]
    seen: list[tuple[Principal, str]] = field(default_factory=list)

    async def GetSignIn(self, request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        self.seen.append((auth.current(), request_id()))
        return await self.behave(request)

    SignIn = GetStatistics = ListStatisticsDays = SetStatisticsVisibility = GetSignIn


@dataclass
class Talker:
    """Echoes a stream, and stays open."""

    ended: asyncio.Event = field(default_factory=asyncio.Event)

    async def Play(self, requests: AsyncIterator[Any], context: Any) -> AsyncIterator[Any]:  # noqa: N802
        from paiju.gateway.v1 import gateway_service_pb2

        try:
            async for _ in requests:
                yield gateway_service_pb2.PlayResponse()
            await asyncio.Event().wait()
        finally:
            self.ended.set()


@dataclass
class Pair:
    """A process that serves `progress` and `gateway`, and what is needed to call it."""

    api: Api
    talker: Talker
    rpc: MemoryRpc | GrpcRpc
    health: Health
    metrics: Metrics

    @property
    def stub(self) -> pb_grpc.ProgressServiceStub:
        return self.rpc.client(pb_grpc.ProgressServiceStub, "progress", timeout_s=2.0)


async def answer_empty(request: Any) -> Any:
    return pb.GetStatisticsResponse()


async def revoked() -> list[str]:
    return ["s_ended"]


async def keys() -> dict[str, bytes]:
    return {"k1": PRIVATE.public_key().public_bytes_raw()}


def player_token(**claims: Any) -> str:
    """Return a token with claims changed; None leaves one out."""
    now = SystemClock().now_ms() // 1000
    body: dict[str, Any] = {"iss": "paiju", "aud": "paiju", "sub": "p_1", "kind": "player", "scopes": []}
    body |= {"sid": "s_1", "exp": now + 600} | claims
    return encoded({name: value for name, value in body.items() if value is not None})


def encoded(body: dict[str, Any]) -> str:
    return jwt.encode(body, PRIVATE, algorithm="EdDSA", headers={"kid": "k1"})


@pytest.fixture(params=["memory", "grpc"])
async def pair(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    clock: Clock = SystemClock()
    ids, metrics, health = SystemIds(), Metrics(), Health()
    verifier = Verifier(SERVICE_KEY, keys, clock, Revocations(revoked, clock))
    rpc: MemoryRpc | GrpcRpc
    if request.param == "memory":
        rpc = MemoryRpc(MemoryNetwork(), verifier, clock, ids, metrics, SERVICE_KEY, "tester")
    else:
        rpc = GrpcRpc(settings_for_tests(), verifier, health, clock, ids, metrics, "tester")
    api, talker = Api(answer_empty), Talker()
    rpc.serve("progress", pb_grpc.add_ProgressServiceServicer_to_server, api, ACCESS)
    add = gateway_service_pb2_grpc.add_GatewayServiceServicer_to_server
    rpc.serve("gateway", add, talker, {"Play": "player"})
    await rpc.start()
    yield Pair(api, talker, rpc, health, metrics)
    await rpc.stop(0.5)


async def test_a_call_arrives_as_the_calling_service_with_a_request_id(pair: Pair) -> None:
    await pair.stub.GetSignIn(pb.GetSignInRequest())
    principal, request = pair.api.seen[0]
    assert (principal.kind, principal.id, principal.player_id) == ("service", "tester", "")
    assert request.startswith("r_")


async def test_a_service_may_act_for_a_player(pair: Pair) -> None:
    with auth.acting_for("p_9"):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    assert pair.api.seen[0][0].player_id == "p_9"


async def test_roles_and_scopes_travel_with_whom_a_service_acts_for(pair: Pair) -> None:
    with auth.acting_for("p_9", frozenset({"money"})):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    with auth.acting_for("p_9", scopes=frozenset({"play"})):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    with (
        auth.acting_for("p_9", scopes=frozenset({"wallet.read"})),
        pytest.raises(Refusal, match="SCOPE_MISSING"),
    ):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    staff, program = (principal for principal, _ in pair.api.seen)
    assert (staff.player_id, staff.roles, staff.is_program) == ("p_9", frozenset({"money"}), False)
    assert (program.player_id, program.scopes, program.is_program) == ("p_9", frozenset({"play"}), True)


async def test_a_token_carries_roles_of_players_and_scopes_of_programs(pair: Pair) -> None:
    tokens = {
        "staff": player_token(roles=["admin", "emperor"]),
        "program": player_token(kind="integrator", scopes=["play"], roles=["admin"], quota=["k_1", 60, 900]),
        "shut out": player_token(kind="integrator", scopes=["wallet.read"]),
    }
    for name, token in tokens.items():
        bearer = (("authorization", f"Bearer {token}"),)
        if name == "shut out":
            with pytest.raises(Refusal, match="SCOPE_MISSING"):
                await pair.stub.GetSignIn(pb.GetSignInRequest(), metadata=bearer)
        else:
            await pair.stub.GetSignIn(pb.GetSignInRequest(), metadata=bearer)
    staff, program = (principal for principal, _ in pair.api.seen)
    assert (staff.roles, staff.quota) == (frozenset({"admin"}), None)
    assert (program.roles, program.scopes) == (frozenset[str](), frozenset({"play"}))
    assert program.quota == auth.Quota("k_1", 60, 900)


@pytest.mark.parametrize("claims", [{"roles": "admin"}, {"kind": "integrator", "quota": ["k_1", "60", 9]}])
async def test_claims_of_another_shape_are_no_token(pair: Pair, claims: dict[str, Any]) -> None:
    bearer = (("authorization", f"Bearer {player_token(**claims)}"),)
    with pytest.raises(Refusal, match="TOKEN_INVALID"):
        await pair.stub.GetSignIn(pb.GetSignInRequest(), metadata=bearer)


async def test_the_callee_does_not_inherit_the_callers_principal(pair: Pair) -> None:
    with auth.calling(Principal("operator", "root")):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    assert pair.api.seen[0][0].kind == "service"


async def test_whom_a_caller_acts_for_is_not_inherited_by_what_the_callee_calls(pair: Pair) -> None:
    async def call_again(request: Any) -> Any:
        if len(pair.api.seen) == 1:
            await pair.stub.SignIn(pb.SignInRequest())
        return pb.GetStatisticsResponse()

    pair.api.behave = call_again
    with auth.acting_for("p_9"):
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    assert [principal.player_id for principal, _ in pair.api.seen] == ["p_9", ""]


async def test_a_refusal_comes_back_as_the_same_refusal(pair: Pair) -> None:
    async def refuse(request: Any) -> Any:
        raise Refusal("NOT_FOUND", what="p_7")

    pair.api.behave = refuse
    with pytest.raises(Refusal) as caught:
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    assert (caught.value.reason, caught.value.details) == ("NOT_FOUND", {"what": "p_7"})


async def test_an_outage_comes_back_as_an_outage(pair: Pair) -> None:
    async def fail(request: Any) -> Any:
        raise Outage("the database is down")

    pair.api.behave = fail
    with pytest.raises(Outage, match="UNAVAILABLE"):
        await pair.stub.GetSignIn(pb.GetSignInRequest())


@pytest.mark.usefixtures("quiet")
async def test_a_defect_says_internal_error_and_nothing_else(pair: Pair) -> None:
    async def crash(request: Any) -> Any:
        raise ValueError("hand: s1 s2 s3")

    pair.api.behave = crash
    with pytest.raises(Defect) as caught:
        await pair.stub.GetSignIn(pb.GetSignInRequest())
    assert "internal error" in str(caught.value)
    assert "s1" not in str(caught.value)


async def test_a_call_that_takes_too_long_is_an_outage(pair: Pair) -> None:
    async def hang(request: Any) -> Any:
        await asyncio.Event().wait()

    pair.api.behave = hang
    with pytest.raises(Outage, match="DEADLINE_EXCEEDED"):
        await pair.stub.GetSignIn(pb.GetSignInRequest(), timeout=0.1)


async def test_a_call_made_while_handling_a_call_keeps_its_id_and_its_deadline(pair: Pair) -> None:
    left: list[float | None] = []

    async def call_again(request: Any) -> Any:
        from services.chassis.rpc import ends_at

        left.append(ends_at())
        if len(left) == 1:
            await pair.stub.SignIn(pb.SignInRequest())
        return pb.GetStatisticsResponse()

    pair.api.behave = call_again
    await pair.stub.GetSignIn(pb.GetSignInRequest(), timeout=1.5)
    (_, outer), (_, inner) = pair.api.seen
    assert outer == inner
    assert left[0] is not None
    assert left[1] is not None
    assert left[1] <= left[0] + 0.05


async def test_a_method_without_an_access_line_is_refused_at_start(pair: Pair) -> None:
    with pytest.raises(Defect, match="access table"):
        pair.rpc.methods.add(
            "x", pb_grpc.add_ProgressServiceServicer_to_server, pair.api, {"GetSignIn": "public"}
        )


async def test_metrics_count_calls_by_method_and_code(pair: Pair) -> None:
    await pair.stub.GetSignIn(pb.GetSignInRequest())
    text = pair.metrics.text().decode()
    assert 'paiju_rpc_seconds_count{code="OK",method="GetSignIn",service="progress"} 1.0' in text


async def test_a_stream_answers_and_ends_with_the_server(pair: Pair) -> None:
    from paiju.gateway.v1 import gateway_service_pb2

    async def requests() -> AsyncIterator[Any]:
        yield gateway_service_pb2.PlayRequest()
        yield gateway_service_pb2.PlayRequest()

    stub = pair.rpc.client(gateway_service_pb2_grpc.GatewayServiceStub, "gateway")
    answers = aiter(stub.Play(requests()))
    await anext(answers)
    await anext(answers)
    stopping = asyncio.ensure_future(pair.rpc.stop(0.5))
    with pytest.raises(Outage):
        await anext(answers)
    await stopping
    assert pair.talker.ended.is_set()


async def test_a_call_under_way_when_the_process_stops_is_an_outage_and_no_cancellation(pair: Pair) -> None:
    started = asyncio.Event()

    async def hang(_request: Any) -> Any:
        started.set()
        await asyncio.Event().wait()

    pair.api.behave = hang
    call = asyncio.ensure_future(pair.stub.GetSignIn(pb.GetSignInRequest()))
    await started.wait()
    if isinstance(pair.rpc, GrpcRpc):
        # The channel closes before the server has ended the call.
        for channel in pair.rpc._channels.values():
            await channel.close()
    await pair.rpc.stop(0)
    with pytest.raises(Outage):
        await call


# Over real gRPC only: what others' clients see.


@pytest.fixture
async def channel(pair: Pair) -> AsyncIterator[grpc.aio.Channel]:
    if not isinstance(pair.rpc, GrpcRpc):
        pytest.skip("memory has no channel")
    async with grpc.aio.insecure_channel(f"127.0.0.1:{pair.rpc.port}") as made:
        yield made


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


async def reason_of(call: Any) -> tuple[str, str, dict[str, str]]:
    """Return code, reason and texts of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    status = rpc_status.from_call(caught.value)
    reason, texts = "", {}
    for detail in status.details if status else ():
        info, text = error_details_pb2.ErrorInfo(), error_details_pb2.LocalizedMessage()
        if detail.Unpack(info):
            assert info.domain == "paiju"
            reason = info.reason
        elif detail.Unpack(text):
            texts[text.locale] = text.message
    return caught.value.code().name, reason, texts


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_who_may_call_what(pair: Pair, channel: grpc.aio.Channel) -> None:
    stub = pb_grpc.ProgressServiceStub(channel)
    now = SystemClock().now_ms() // 1000
    player, service = player_token(), auth.service_token(SERVICE_KEY, "table", now)
    operator = auth.service_token(SERVICE_KEY, "root", now, "operator")
    get, sign = (stub.GetSignIn, pb.GetSignInRequest()), (stub.SignIn, pb.SignInRequest())
    public = (stub.GetStatistics, pb.GetStatisticsRequest())

    async def outcome(what: Any, metadata: Any = ()) -> str:
        method, request = what
        try:
            await method(request, metadata=metadata)
        except grpc.aio.AioRpcError as error:
            return error.code().name
        return "OK"

    assert await outcome(public) == "OK"
    assert await outcome(get) == "UNAUTHENTICATED"
    assert await outcome(get, bearer(player)) == "OK"
    assert await outcome(get, bearer(service)) == "OK"
    assert await outcome(get, bearer(operator)) == "PERMISSION_DENIED"
    assert await outcome(sign, bearer(player)) == "PERMISSION_DENIED"
    assert await outcome(sign, bearer(service)) == "OK"
    assert await outcome(sign, bearer(operator)) == "OK"
    assert pair.api.seen[1][0].player_id == "p_1"
    # A player can't speak for another, and a bad token isn't anonymous.
    assert await outcome(public, (*bearer(player), ("x-paiju-player", "p_2"))) == "PERMISSION_DENIED"
    assert await outcome(public, bearer("nonsense")) == "UNAUTHENTICATED"


def part(token: str, number: int, raw: bytes) -> str:
    """Replace a part of a token; its signature no longer fits."""
    parts = token.split(".")
    parts[number] = base64.urlsafe_b64encode(raw).rstrip(b"=").decode()
    return ".".join(parts)


FORGED: dict[str, tuple[Callable[[], str], str]] = {
    "expired": (lambda: player_token(exp=1), "TOKEN_EXPIRED"),
    "signed by another": (
        lambda: jwt.encode(
            {"iss": "paiju", "sub": "p", "kind": "player", "exp": 2**40},
            Ed25519PrivateKey.generate(),
            algorithm="EdDSA",
            headers={"kid": "k1"},
        ),
        "TOKEN_INVALID",
    ),
    "unknown kid": (
        lambda: jwt.encode(
            {"iss": "paiju", "sub": "p", "kind": "player", "exp": 2**40},
            PRIVATE,
            algorithm="EdDSA",
            headers={"kid": "k2"},
        ),
        "TOKEN_INVALID",
    ),
    "a player's key making a service": (lambda: player_token(kind="service"), "TOKEN_INVALID"),
    "of a session that was ended": (lambda: player_token(sid="s_ended"), "SESSION_REVOKED"),
    "for nobody": (lambda: player_token(aud=None), "TOKEN_INVALID"),
    "for another platform": (lambda: player_token(aud="elsewhere"), "TOKEN_INVALID"),
    "of no session": (lambda: player_token(sid=None), "TOKEN_INVALID"),
    "of a session without a name": (lambda: player_token(sid=""), "TOKEN_INVALID"),
    "of a session that is a list": (lambda: player_token(sid=["s_1"]), "TOKEN_INVALID"),
    "an end that is a fraction": (lambda: player_token(exp=2e9 + 0.5), "TOKEN_INVALID"),
    "an end that is a word": (lambda: player_token(exp="soon"), "TOKEN_INVALID"),
    "an end that is no number": (lambda: player_token(exp=float("nan")), "TOKEN_INVALID"),
    "an end that is true": (lambda: player_token(exp=True), "TOKEN_INVALID"),
    "an end after all revocations are forgotten": (lambda: player_token(exp=2**39), "TOKEN_INVALID"),
    "a beginning in the future": (lambda: player_token(nbf=2**39), "TOKEN_INVALID"),
    "a beginning that is a list": (lambda: player_token(nbf=[1]), "TOKEN_INVALID"),
    "a subject that is a number": (lambda: part(player_token(), 1, b'{"sub":1}'), "TOKEN_INVALID"),
    "a header without a bottom": (lambda: part(player_token(), 0, b"[" * 2900), "TOKEN_INVALID"),
    "a header with a kid that is a list": (
        lambda: part(player_token(), 0, b'{"alg":"EdDSA","kid":["k1"]}'),
        "TOKEN_INVALID",
    ),
    "another issuer": (lambda: player_token(iss="elsewhere"), "TOKEN_INVALID"),
    "no signature": (
        lambda: jwt.encode(
            {"iss": "paiju", "sub": "p", "kind": "service", "exp": 2**40},
            "",
            algorithm="none",
            headers={"kid": "service"},
        ),
        "TOKEN_INVALID",
    ),
    "the public key used as a shared one": (
        lambda: jwt.encode(
            {"iss": "paiju", "sub": "p", "kind": "player", "exp": 2**40},
            PRIVATE.public_key().public_bytes_raw(),
            algorithm="HS256",
            headers={"kid": "k1"},
        ),
        "TOKEN_INVALID",
    ),
}


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
@pytest.mark.parametrize("kind", FORGED)
async def test_a_forged_token_is_refused(kind: str, pair: Pair, channel: grpc.aio.Channel) -> None:
    make, expected = FORGED[kind]
    stub = pb_grpc.ProgressServiceStub(channel)
    code, reason, _ = await reason_of(stub.GetSignIn(pb.GetSignInRequest(), metadata=bearer(make())))
    assert (code, reason) == ("UNAUTHENTICATED", expected)
    assert pair.api.seen == []


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_a_request_that_is_none_is_refused_and_is_no_crash(
    pair: Pair, channel: grpc.aio.Channel, capsys: pytest.CaptureFixture[str]
) -> None:
    call: Any = channel.unary_unary(
        f"/{pb.DESCRIPTOR.services_by_name['ProgressService'].full_name}/GetSignIn"
    )
    code, reason, _ = await reason_of(call(b"\xff\xff", metadata=bearer(player_token())))
    assert (code, reason) == ("INVALID_ARGUMENT", "BAD_MESSAGE")
    assert pair.api.seen == []
    assert "Traceback" not in "".join(capsys.readouterr())


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_a_refusal_carries_its_reason_and_both_texts(pair: Pair, channel: grpc.aio.Channel) -> None:
    async def refuse(request: Any) -> Any:
        raise Refusal("NOT_FOUND", what="p_7")

    pair.api.behave = refuse
    call = pb_grpc.ProgressServiceStub(channel).GetStatistics(pb.GetStatisticsRequest())
    assert await reason_of(call) == (
        "NOT_FOUND",
        "NOT_FOUND",
        {"zh-CN": "找不到：p_7。", "en": "Not found: p_7."},
    )


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_calls_beyond_the_rate_are_refused_but_not_those_of_services(
    pair: Pair, channel: grpc.aio.Channel
) -> None:
    stub = pb_grpc.ProgressServiceStub(channel)
    token = bearer(player_token())
    calls = [stub.GetSignIn(pb.GetSignInRequest(), metadata=token) for _ in range(300)]
    results = await asyncio.gather(*calls, return_exceptions=True)
    refused = [error for error in results if isinstance(error, grpc.aio.AioRpcError)]
    assert 0 < len(refused) < 250
    assert {error.code().name for error in refused} == {"RESOURCE_EXHAUSTED"}
    service = pair.rpc.client(pb_grpc.ProgressServiceStub, "progress", timeout_s=60.0)
    await asyncio.gather(*(service.GetSignIn(pb.GetSignInRequest()) for _ in range(300)))


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_health_is_told_per_service_and_watched(pair: Pair, channel: grpc.aio.Channel) -> None:
    stub = health_pb2_grpc.HealthStub(channel)
    name = "paiju.progress.v1.ProgressService"

    async def status(service: str) -> str:
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=service))
        return str(health_pb2.HealthCheckResponse.ServingStatus.Name(answer.status))

    assert await status(name) == "NOT_SERVING"
    watch = stub.Watch(health_pb2.HealthCheckRequest(service=name))
    assert (await watch.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
    pair.health.set("progress", True)
    assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
    assert (await status(name), await status("")) == ("SERVING", "SERVING")
    pair.health.set("gateway", False)
    assert (await status(name), await status("")) == ("SERVING", "NOT_SERVING")
    with pytest.raises(grpc.aio.AioRpcError):
        await status("nobody")
    watch.cancel()


@pytest.mark.parametrize("pair", ["grpc"], indirect=True)
async def test_reflection_lists_every_service(pair: Pair, channel: grpc.aio.Channel) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="*")
    async for answer in stub.ServerReflectionInfo(iter([request])):
        names = {service.name for service in answer.list_services_response.service}
        assert {"paiju.progress.v1.ProgressService", "paiju.gateway.v1.GatewayService"} <= names
        break


async def test_a_service_nobody_offers_is_an_outage_in_memory_and_a_defect_without_an_address(
    pair: Pair,
) -> None:
    stub = pair.rpc.client(pb_grpc.ProgressServiceStub, "nowhere")
    with pytest.raises((Outage, Defect)):
        await stub.GetSignIn(pb.GetSignInRequest())


async def test_a_caller_who_has_gone_is_told_nothing_and_that_is_no_defect(
    pair: Pair,
) -> None:
    """The library logs as a defect that it can't send a status any more."""
    ended = 0

    async def stand_still(request: Any) -> Any:
        # The loop too, as under load: it hears of the deadline when the answer is ready.
        nonlocal ended
        time.sleep(0.05)
        ended += 1
        raise Refusal("NOT_FOUND", what="it")

    pair.api.behave = stand_still
    stub = pair.rpc.client(pb_grpc.ProgressServiceStub, "progress", timeout_s=0.04)
    library, heard = logging.getLogger("grpc"), io.StringIO()
    handler = logging.StreamHandler(heard)
    library.addHandler(handler)
    try:
        for _ in range(20):
            with pytest.raises((Outage, Refusal)):
                await stub.GetStatistics(pb.GetStatisticsRequest())
    finally:
        library.removeHandler(handler)
    assert ended > 0
    assert heard.getvalue() == ""


async def test_an_answer_that_can_not_be_sent_any_more_ends_there() -> None:
    class Gone:
        async def abort_with_status(self, status: Any) -> None:
            raise grpc.aio.InternalError

    await _abort(Gone(), Failed(status_pb2.Status(code=4, message="too late")))
