"""What payment providers call over HTTP, and the pay page of the sandbox provider."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import Final

from aiohttp import web
from paiju.economy.v1 import topup_service_pb2 as pb
from paiju.economy.v1.topup_service_pb2_grpc import SandboxPayServiceStub, TopUpServiceStub

from services.chassis import log
from services.chassis.errors import Outage, Refusal
from services.chassis.run import Parts
from services.gateway.core.refusals import failed
from services.gateway.doors.body import body_of
from services.gateway.doors.call import status_of
from services.gateway.doors.files import SECURITY
from services.gateway.doors.origin import address_of, is_origin_allowed
from services.gateway.hub import Hub

BODY_BYTES_MAX: Final = 64 * 1024
HEADERS_MAX: Final = 64
HEADERS_BYTES_MAX: Final = 8 * 1024
CALL_S: Final = 10.0

KEPT_BACK: Final = frozenset({"authorization", "cookie", "proxy-authorization"})
"""Headers that no provider signs by and that are nobody's business behind this door."""

_ACTS: Final[Mapping[str, pb.SandboxAct.ValueType]] = {
    "pay": pb.SANDBOX_ACT_PAY,
    "pay_silently": pb.SANDBOX_ACT_PAY_SILENTLY,
    "decline": pb.SANDBOX_ACT_DECLINE,
    "charge_back": pb.SANDBOX_ACT_CHARGE_BACK,
}

_log = log.get(service="gateway")


class Hooks:
    """The handlers."""

    def __init__(self, hub: Hub, parts: Parts) -> None:
        self._hub = hub
        self._topups = parts.rpc.client(TopUpServiceStub, "economy", CALL_S)
        self._sandbox = parts.rpc.client(SandboxPayServiceStub, "economy", CALL_S)

    def add_to(self, app: web.Application) -> None:
        """Offer them."""
        app.router.add_post("/hooks/pay/{provider:[a-z0-9_]{1,32}}", self.receive)
        app.router.add_get("/sandbox-pay/{payment_id:[a-z0-9_]{1,64}}", self.show)
        app.router.add_post("/sandbox-pay/{payment_id:[a-z0-9_]{1,64}}", self.act)

    async def receive(self, request: web.Request) -> web.Response:
        """Pass a webhook on, byte for byte. 200: taken in, or kept; anything else: it is sent again."""
        try:
            self._hub.check_address(address_of(request, self._hub.settings.trusted_proxies))
            answer = await self._topups.ReceivePayment(
                pb.ReceivePaymentRequest(
                    provider=request.match_info["provider"],
                    headers=_headers(request),
                    body=await body_of(request, self._hub.clock, BODY_BYTES_MAX),
                )
            )
        except Refusal as refusal:
            return _refused(refusal)
        except Outage as outage:
            _log.warning("webhook_not_taken", why=str(outage)[:200])
            return _refused(Refusal("SERVICE_UNAVAILABLE"))
        return web.json_response({"outcome": answer.outcome}, headers={"Cache-Control": "no-store"})

    async def show(self, request: web.Request) -> web.Response:
        """The pay page of one payment."""
        try:
            self._hub.check_address(address_of(request, self._hub.settings.trusted_proxies))
            payment = await self._sandbox.GetSandboxPayment(
                pb.GetSandboxPaymentRequest(payment_id=request.match_info["payment_id"])
            )
        except (Refusal, Outage) as error:
            return _no_page(error)
        return _page(payment, _is_english(request))

    async def act(self, request: web.Request) -> web.Response:
        """Do what was chosen there, and show the page again."""
        try:
            self._hub.check_address(address_of(request, self._hub.settings.trusted_proxies))
            # Another site's form must not press a button here.
            if not is_origin_allowed(request, ()):
                raise Refusal("ORIGIN_NOT_ALLOWED")
            body = await body_of(request, self._hub.clock, BODY_BYTES_MAX)
            chosen = body.decode("ascii", "replace").removeprefix("act=")
            if chosen not in _ACTS:
                raise Refusal("INVALID_ARGUMENT", field="act")
            await self._sandbox.ActOnSandboxPayment(
                pb.ActOnSandboxPaymentRequest(payment_id=request.match_info["payment_id"], act=_ACTS[chosen])
            )
        except (Refusal, Outage) as error:
            return _no_page(error)
        where = request.path + ("?lang=en" if _is_english(request) else "")
        return web.Response(status=303, headers={"Location": where, "Cache-Control": "no-store"})


def _headers(request: web.Request) -> list[pb.HttpHeader]:
    """Return what came with a webhook.

    Raises:
        Refusal: MESSAGE_TOO_LARGE.
    """
    found = [
        pb.HttpHeader(name=name.lower(), value=value.encode("utf-8", "replace").decode())
        for name, value in request.headers.items()
        if name.lower() not in KEPT_BACK
    ]
    size = sum(len(header.name) + len(header.value) for header in found)
    if len(found) > HEADERS_MAX or size > HEADERS_BYTES_MAX:
        raise Refusal("MESSAGE_TOO_LARGE")
    return found


def _refused(refusal: Refusal) -> web.Response:
    said = {"reason": refusal.reason, "message": refusal.text("en")}
    return web.json_response(said, status=status_of(failed(refusal).error))


def _is_english(request: web.Request) -> bool:
    wanted = request.query.get("lang")
    if wanted:
        return wanted == "en"
    return not request.headers.get("Accept-Language", "zh").lower().startswith("zh")


def _no_page(error: Refusal | Outage) -> web.Response:
    refusal = error if isinstance(error, Refusal) else Refusal("SERVICE_UNAVAILABLE")
    status = status_of(failed(refusal).error)
    return web.Response(text=f"{refusal.text('zh-CN')} {refusal.text('en')}", status=status)


_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "waiting": ("等待付款", "Waiting for payment"),
    "paid": ("已付款", "Paid"),
    "closed": ("已关闭", "Closed"),
}
_BUTTONS: Final[Mapping[str, tuple[tuple[str, str, str], ...]]] = {
    "waiting": (
        ("pay", "付款", "Pay"),
        ("decline", "放弃付款", "Decline"),
        ("pay_silently", "付款，但通知丢失", "Pay, and lose the notification"),
    ),
    "paid": (("charge_back", "向银行撤回付款", "Take the payment back at the bank"),),
    "closed": (),
}
"""By the payment's state: what can be done, in Chinese and English."""

_POLICY: Final = SECURITY["Content-Security-Policy"].replace("form-action 'none'", "form-action 'self'")


def _page(payment: pb.GetSandboxPaymentResponse, english: bool) -> web.Response:
    pick = 1 if english else 0
    say = html.escape
    title = payment.title.en if english else payment.title.zh
    yuan = f"¥{payment.amount_fen // 100}.{payment.amount_fen % 100:02d}"
    state = _STATES.get(payment.state, _STATES["closed"])[pick]
    buttons = "".join(
        f'<form method="post"><input type="hidden" name="act" value="{act}">'
        f'<button class="{"primary" if act == "pay" else "plain"}" data-act="{act}">'
        f"{say(words[pick])}</button></form>"
        for act, *words in _BUTTONS.get(payment.state, ())
    )
    heading = ("沙盒支付", "Sandbox payment")[pick]
    warning = (
        "这里不收真钱：用于开发和测试。",
        "No real money is taken here: this is for development and tests.",
    )[pick]
    done = (
        "" if payment.state == "waiting" else ("可以关闭此页，回到游戏。", "You can close this page.")[pick]
    )
    text = (
        f'<!doctype html><html lang="{"en" if english else "zh-CN"}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{say(heading)}</title>"
        '<link rel="stylesheet" href="/css/sandbox-pay.css"></head><body><main>'
        f'<h1>{say(heading)}</h1><p class="warning">{say(warning)}</p>'
        f'<p class="what">{say(title)}</p><p class="amount">{say(yuan)}</p>'
        f'<p class="state" role="status" data-state="{say(payment.state)}">{say(state)} {say(done)}</p>'
        f"{buttons}</main></body></html>"
    )
    return web.Response(
        text=text,
        content_type="text/html",
        headers={
            "Content-Security-Policy": _POLICY,
            # Under `no-referrer` a browser says `Origin: null` when a form of this page is sent.
            "Referrer-Policy": "same-origin",
            "Cache-Control": "no-store",
        },
    )
