"""A table process asks for huge pages where they are to be had, once, and is left alone where it was told."""

import json
import os
import subprocess
import sys

import pytest

from services.launch.heap import ASKING, GIVEN, GLIBC_MIN, can_ask

MADVISE = "always [madvise] never\n"

TELLS = """
import json, os, sys
from services.launch.heap import ask_for_huge_pages
ask_for_huge_pages()
held = [bytes(100) for _ in range(400_000)]
with open("/proc/self/smaps_rollup") as rollup:
    huge = next((line.split()[1] for line in rollup if line.startswith("AnonHugePages")), "0")
print(json.dumps({"pid": os.getpid(), "malloc": os.environ.get("PYTHONMALLOC"), "huge_kib": int(huge),
                  "arguments": sys.argv[1:]}))
"""


def told(*arguments: str, **env: str) -> dict[str, object]:
    """Return what a process that asks says of itself, and whether it stayed the one that was started."""
    clean = {name: value for name, value in os.environ.items() if name not in ASKING}
    process = subprocess.Popen(
        [sys.executable, "-c", TELLS, *arguments], env=clean | env, stdout=subprocess.PIPE, text=True
    )
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    found: dict[str, object] = json.loads(said.splitlines()[-1])
    assert found.pop("pid") == process.pid
    return found


@pytest.mark.parametrize(
    ("environ", "glibc", "given", "can"),
    [
        ({}, GLIBC_MIN, MADVISE, True),
        ({"PATH": "/bin"}, (2, 41), "[always] madvise never\n", True),
        ({}, (2, 34), MADVISE, False),
        ({}, (), MADVISE, False),
        ({}, GLIBC_MIN, "always madvise [never]\n", False),
        ({}, GLIBC_MIN, "", False),
        ({"PYTHONMALLOC": "pymalloc"}, GLIBC_MIN, MADVISE, False),
        ({"GLIBC_TUNABLES": "glibc.malloc.check=3"}, GLIBC_MIN, MADVISE, False),
        (ASKING, GLIBC_MIN, MADVISE, False),
    ],
)
def test_it_asks_where_that_is_of_use(
    environ: dict[str, str], glibc: tuple[int, ...], given: str, can: bool
) -> None:
    assert can_ask(environ, glibc, given) is can


@pytest.mark.skipif(sys.platform != "linux", reason="huge pages of Linux")
def test_a_process_that_asks_stays_itself_and_gets_what_the_kernel_gives() -> None:
    found = told("serve", "table")
    assert found["arguments"] == ["serve", "table"]
    given = GIVEN.read_text() if GIVEN.exists() else ""
    if can_ask({}, _glibc(), given):
        assert found["malloc"] == "malloc"
        assert int(str(found["huge_kib"])) >= 16 * 1024
    else:
        assert found["malloc"] is None


@pytest.mark.skipif(sys.platform != "linux", reason="huge pages of Linux")
def test_who_was_told_which_allocator_to_use_is_left_alone() -> None:
    assert told(PYTHONMALLOC="pymalloc")["malloc"] == "pymalloc"


def _glibc() -> tuple[int, ...]:
    name, _, version = (os.confstr("CS_GNU_LIBC_VERSION") or "").partition(" ")
    return tuple(map(int, version.split("."))) if name == "glibc" else ()
