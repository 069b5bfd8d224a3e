"""Secrets of accounts reach no log, wherever they stand in it."""

from __future__ import annotations

import io
import json

from services.accounts.core.api_keys import secret_of
from services.chassis import log


def test_an_api_key_in_a_text_is_hidden() -> None:
    stream, secret = io.StringIO(), secret_of(bytes(range(32)))
    log.configure("info", stream=stream)
    try:
        log.get().info("exchange_failed", why=f"no key {secret} here", password="hunter2", detail=[secret])
    finally:
        log.configure("warning")
    line = json.loads(stream.getvalue())
    assert secret not in stream.getvalue()
    assert "hunter2" not in stream.getvalue()
    assert line["why"].startswith("no key")
