"""The HTTP door of payment providers on a real platform: genuine, doubled, reordered, forged, late, huge."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import aiohttp
import pytest
from paiju.economy.v1 import economy_service_pb2 as economy_pb
from paiju.economy.v1 import topup_service_pb2 as pb

from services.economy.providers.signing import SIGNATURE, TIMESTAMP, signed_headers
from services.gateway.hooks import _page
from tests.support.person import Person
from tests.support.up import Up

NEW, OLD = "n" * 40, "o" * 40
TOPUPS = "paiju.economy.v1.TopUpService"


@pytest.fixture(scope="module")
def up(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """One platform, whose provider changes its key at the moment."""
    folder = tmp_path_factory.mktemp("hooks")
    with Up(folder / "data", env={"PAIJU_ECONOMY_TOPUP_KEYS": json.dumps([NEW, OLD])}) as running:
        yield running


class Payer:
    """A player, and what the provider sends about his orders."""

    def __init__(self, up: Up, person: Person, http: aiohttp.ClientSession) -> None:
        self.url, self.person, self.http = up.said.url, person, http
        self.made = 0

    async def order(self) -> pb.Order:
        self.made += 1
        request = pb.CreateOrderRequest(request_id=f"r{self.made}", product_id="gems_60")
        return (await self.person.call(f"{TOPUPS}/CreateOrder", request, pb.CreateOrderResponse)).order

    async def state(self, order: pb.Order) -> str:
        request = pb.GetOrderRequest(order_id=order.order_id)
        answer = await self.person.call(f"{TOPUPS}/GetOrder", request, pb.GetOrderResponse)
        return pb.OrderState.Name(answer.order.state).removeprefix("ORDER_STATE_")

    async def gems(self) -> int:
        request = economy_pb.GetWalletRequest()
        path = "paiju.economy.v1.EconomyService/GetWallet"
        wallet = await self.person.call(path, request, economy_pb.GetWalletResponse)
        return next(money.amount for money in wallet.balances if money.currency == "gem")

    def body(self, event_id: str, order: pb.Order, kind: str = "paid", **more: Any) -> bytes:
        said = {
            "event_id": f"{event_id}/{order.order_id}",
            "kind": kind,
            "order_id": order.order_id,
            "amount_fen": 600,
            "currency": "CNY",
            "payment_id": order.pay_url.rpartition("/")[2],
            "return_id": "",
            "at_ms": 1,
        }
        return json.dumps(said | more).encode()

    async def post(
        self,
        body: bytes,
        key: str = NEW,
        ago_s: int = 0,
        provider: str = "sandbox",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, str]:
        signed = signed_headers(key, int(time.time()) - ago_s, body) | (headers or {})
        async with self.http.post(f"{self.url}hooks/pay/{provider}", data=body, headers=signed) as answer:
            said = await answer.json()
            return answer.status, said.get("outcome") or said["reason"]


@pytest.fixture
async def payer(up: Up) -> AsyncIterator[Payer]:
    person = Person(up.said.url)
    await person.sign_in()
    await person.connect()
    async with aiohttp.ClientSession() as http:
        yield Payer(up, person, http)
    await person.close()


async def test_a_webhook_is_taken_once_under_either_key(payer: Payer) -> None:
    order = await payer.order()
    body = payer.body("e1", order)
    assert await payer.post(body, OLD) == (200, "applied")
    assert await payer.post(body, NEW) == (200, "repeated")
    assert await payer.post(payer.body("e2", order)) == (200, "nothing_new")
    assert await payer.post(payer.body("e1", order, amount_fen=700)) == (200, "other_content")
    assert (await payer.state(order), await payer.gems()) == ("PAID", 120)


async def test_many_of_the_same_at_once_pay_once(payer: Payer) -> None:
    order = await payer.order()
    body = payer.body("e1", order)
    outcomes = await asyncio.gather(*(payer.post(body) for _ in range(12)))
    assert sorted(outcomes) == [(200, "applied"), *[(200, "repeated")] * 11]
    assert await payer.gems() == 120


async def test_a_refund_heard_before_its_payment_comes_out_the_same(payer: Payer) -> None:
    order = await payer.order()
    back = payer.body("back", order, "refunded", amount_fen=300, return_id=f"re-{order.order_id}")
    assert await payer.post(back) == (200, "applied")
    assert (await payer.state(order), await payer.gems()) == ("WAITING", 0)
    assert await payer.post(payer.body("e1", order)) == (200, "applied")
    assert (await payer.state(order), await payer.gems()) == ("PART_REFUNDED", 60)


async def test_what_is_not_genuine_is_refused_with_its_reason(payer: Payer) -> None:
    order = await payer.order()
    body = payer.body("e1", order)
    assert await payer.post(body, "x" * 40) == (401, "WEBHOOK_FORGED")
    assert await payer.post(body, ago_s=301) == (401, "WEBHOOK_STALE")
    assert await payer.post(body, ago_s=-310) == (401, "WEBHOOK_STALE")
    assert await payer.post(body, headers={SIGNATURE: "v1=" + "0" * 64}) == (401, "WEBHOOK_FORGED")
    assert await payer.post(body, headers={TIMESTAMP: "now"}) == (401, "WEBHOOK_FORGED")
    assert await payer.post(body, headers={"X-Padding": "p" * 6_000, "X-More": "p" * 4_000}) == (
        413,
        "MESSAGE_TOO_LARGE",
    )
    assert await payer.post(b"x" * 65_537) == (413, "MESSAGE_TOO_LARGE")
    assert await payer.post(b"{}") == (400, "WEBHOOK_MALFORMED")
    assert await payer.post(body, headers={"Content-Encoding": "gzip"}) == (400, "BAD_MESSAGE")
    assert await payer.post(body, provider="nobody") == (404, "PROVIDER_UNKNOWN")
    async with payer.http.get(f"{payer.url}hooks/pay/sandbox") as answer:
        assert answer.status == 404
    assert (await payer.state(order), await payer.gems()) == ("WAITING", 0)
    assert await payer.post(body) == (200, "applied")


async def test_a_body_without_an_end_is_cut_off(payer: Payer) -> None:
    async def endless() -> AsyncIterator[bytes]:
        for _ in range(100):
            yield b"x" * 4_096

    try:
        async with payer.http.post(f"{payer.url}hooks/pay/sandbox", data=endless()) as answer:
            assert answer.status == 413
    except aiohttp.ClientConnectionError:
        # Closed while it was still being sent.
        pass


async def test_the_pay_page_shows_and_pays_and_its_webhook_comes_over_this_door(payer: Payer) -> None:
    order = await payer.order()
    url = payer.url.rstrip("/") + order.pay_url
    async with payer.http.get(url, headers={"Accept-Language": "en"}) as shown:
        text = await shown.text()
        assert shown.status == 200
        assert "form-action 'self'" in shown.headers["Content-Security-Policy"]
    assert "¥6.00" in text
    assert 'data-act="pay"' in text
    async with payer.http.post(url, data="act=pay", headers={"Origin": "https://elsewhere.example"}) as other:
        assert other.status == 403
    async with payer.http.post(url, data="act=steal") as odd:
        assert odd.status == 400
    async with payer.http.post(url, data="act=pay", allow_redirects=False) as pressed:
        assert (pressed.status, pressed.headers["Location"]) == (303, order.pay_url)
    async with asyncio.timeout(60):
        while await payer.gems() != 120:
            await asyncio.sleep(0.05)
    assert await payer.state(order) == "PAID"
    async with payer.http.get(f"{payer.url}sandbox-pay/sp_{'0' * 32}") as none:
        assert none.status == 404


async def test_a_title_is_text_and_no_markup() -> None:
    payment = pb.GetSandboxPaymentResponse(
        payment_id="sp_1", title=pb.Words(zh="<b>", en="<script>"), amount_fen=601, state="waiting"
    )
    for english, title in ((True, "&lt;script&gt;"), (False, "&lt;b&gt;")):
        text = _page(payment, english).text or ""
        assert title in text
        assert "¥6.01" in text
        assert "<script" not in text
