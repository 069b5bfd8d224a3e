"""Passwords as argon2id hashes, made in few threads: each takes 19 MiB and tens of milliseconds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Final, TypeVar

from argon2 import PasswordHasher, Type
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from services.chassis.errors import Defect, Refusal

T = TypeVar("T")

WAITING_MAX: Final = 64
"""More who wait are turned away: memory and time are what an attacker would take."""
HASH_BYTES: Final = 32
SALT_BYTES: Final = 16


class Hasher:
    """Hashes and verifies; `close` at the end.

    Args:
        memory_kib: Memory of one hash. OWASP's Password Storage Cheat Sheet: 19 MiB with 2 passes at least.
        passes: Passes over it.
        threads: So many at once.
    """

    def __init__(self, memory_kib: int, passes: int, threads: int) -> None:
        self._hasher = PasswordHasher(passes, memory_kib, 1, HASH_BYTES, SALT_BYTES, type=Type.ID)
        self._threads = ThreadPoolExecutor(threads, "accounts-passwords")
        self._waiting = 0
        self._nobodys = ""

    async def hash(self, password: str) -> str:
        """Return the hash of a password, with a new salt.

        Raises:
            Refusal: SIGN_IN_BUSY.
        """
        return await self._in_thread(lambda: self._hasher.hash(password))

    async def verify(self, kept: str | None, password: str) -> bool:
        """Return whether a password is the one of a hash.

        Args:
            kept: None = there is no such person; the answer is False after the same work.

        Raises:
            Refusal: SIGN_IN_BUSY.
        """
        if not self._nobodys:
            self._nobodys = await self.hash("nobody's")
        known = self._nobodys if kept is None else kept
        return await self._in_thread(lambda: self._fits(known, password)) and kept is not None

    def is_outdated(self, kept: str) -> bool:
        """Return whether a hash was made with other parameters than those of now."""
        return self._hasher.check_needs_rehash(kept)

    async def check(self, judge: Callable[[], None]) -> None:
        """Run a slow check of a password in the same threads; what it raises is raised."""
        await self._in_thread(judge)

    def close(self) -> None:
        """End the threads, once they are done."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _fits(self, kept: str, password: str) -> bool:
        try:
            return self._hasher.verify(kept, password)
        except VerifyMismatchError:
            return False
        except (InvalidHashError, VerificationError) as error:
            raise Defect("a kept password hash can't be read") from error

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._waiting >= WAITING_MAX:
            raise Refusal("SIGN_IN_BUSY")
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, work)
        finally:
            self._waiting -= 1
