"""Fixtures of the browser tests."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser

from tests.browser.support.chromium import CHROMIUM, chromium
from tests.support.ports import free_ports


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    """A real Chromium."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    async with chromium() as running:
        yield running


@pytest.fixture
def free_port() -> int:
    """A port of the loopback that nobody listens on now."""
    return free_ports(1)[0]
