"""Ask again until the answer is right, as a client may ask: not so often that it is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

AGAIN_S = 0.1
"""A caller may ask a process 50 times a second (`CALLER_RATE`), and one look can be several calls."""


async def ask_until(ask: Callable[[], Awaitable[T]], is_right: Callable[[T], object] = bool) -> T:
    """Return what `ask` returns, once that is right.

    Raises:
        AssertionError: It was not, for a minute; with what was seen last.
    """
    seen: list[T] = []
    try:
        async with asyncio.timeout(60):
            while True:
                seen[:] = [await ask()]
                if is_right(seen[0]):
                    return seen[0]
                await asyncio.sleep(AGAIN_S)
    except TimeoutError:
        raise AssertionError(f"seen last: {seen}") from None
