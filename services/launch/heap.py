"""The heap of a process that holds much: in huge pages, where the kernel gives them to who asks.

Thousands of tables are half a gigabyte of small objects, of which an action touches some hundred that nobody
has touched for seconds. In pages of 4 KiB each of them costs a walk through the page tables beside the miss
in the cache, and in a virtual machine that walk is one through two sets of tables. In pages of 2 MiB an
action with 10,000 tables costs an eighth less (docs/adr/0059).

The C library asks for such pages if its environment says so at the start, for what is allocated with
`malloc`; Python's own allocator never does. So the process starts itself again, once, with both said.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

TUNABLES = "GLIBC_TUNABLES"
ALLOCATOR = "PYTHONMALLOC"
ASKING = {ALLOCATOR: "malloc", TUNABLES: "glibc.malloc.hugetlb=1"}
"""The environment of a process whose heap is in huge pages."""

GIVEN = Path("/sys/kernel/mm/transparent_hugepage/enabled")
GLIBC_MIN = (2, 35)
"""Of the C library, from which on it knows the word."""


def ask_for_huge_pages() -> None:
    """Start this process again with its heap in huge pages, if that is possible and not so already.

    It stays the same process to whoever has started it: number, files, limits. An operator who has set
    `PYTHONMALLOC` or `GLIBC_TUNABLES` himself is left alone.
    """
    if can_ask(os.environ, _glibc(), _given()):
        sys.stdout.flush()
        sys.stderr.flush()
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | ASKING)


def can_ask(environ: Mapping[str, str], glibc: tuple[int, ...], given: str) -> bool:
    """Return whether asking is of use.

    Args:
        environ: Of the process.
        glibc: Its version; empty: another C library.
        given: What the kernel says of huge pages, such as `always [madvise] never`; empty: nothing.
    """
    if ALLOCATOR in environ or TUNABLES in environ:
        return False
    return glibc >= GLIBC_MIN and ("[madvise]" in given or "[always]" in given)


def _glibc() -> tuple[int, ...]:
    try:
        name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    except (ValueError, OSError):
        return ()
    return tuple(map(int, version.split(".")[:2])) if name == "glibc" else ()


def _given() -> str:
    try:
        return GIVEN.read_text(encoding="ascii")
    except OSError:
        return ""
