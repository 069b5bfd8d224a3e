"""Work whose caller is gone: it goes on, and its failure is nobody's surprise."""

from __future__ import annotations

import asyncio
import gc
import io
import json
from typing import Any

import pytest

from services.chassis import log
from services.chassis.errors import Outage
from services.chassis.shield import shielded


class Broken(Exception):
    """A defect."""


async def abandoned(failure: Exception | None) -> list[str]:
    """Cancel whoever waits for some work, let it end, and return what asyncio then complains of."""
    loop = asyncio.get_running_loop()
    complaints: list[str] = []

    def complain(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        complaints.append(str(context["message"]))

    loop.set_exception_handler(complain)
    work: asyncio.Future[str] = loop.create_future()
    caller = asyncio.ensure_future(shielded(work, "a transaction"))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert not work.cancelled()
    if failure is None:
        work.set_result("done")
    else:
        work.set_exception(failure)
    del work, caller
    await asyncio.sleep(0)
    gc.collect()
    await asyncio.sleep(0)
    return complaints


@pytest.mark.parametrize(
    ("failure", "said"), [(Outage("away"), "unheard_outage"), (Broken(), "unheard_defect"), (None, "")]
)
async def test_what_fails_when_its_caller_is_gone_is_logged_for_what_it_is(
    failure: Exception | None, said: str
) -> None:
    out = io.StringIO()
    log.configure("warning", as_json=True, stream=out)
    try:
        assert await abandoned(failure) == []
    finally:
        log.configure("warning", as_json=True)
    events = [json.loads(line) for line in out.getvalue().splitlines()]
    assert [event["event"] for event in events] == [said] * bool(said)
    assert all(("exception" in event) is (said == "unheard_defect") for event in events)


async def test_who_waits_hears_what_comes_of_it() -> None:
    loop = asyncio.get_running_loop()
    work: asyncio.Future[int] = loop.create_future()
    loop.call_soon(work.set_result, 7)
    assert await shielded(work, "sum") == 7
    failing: asyncio.Future[int] = loop.create_future()
    loop.call_soon(failing.set_exception, Outage("away"))
    with pytest.raises(Outage, match="away"):
        await shielded(failing, "sum")
