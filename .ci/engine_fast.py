"""Makes build/fast: this checkout with the engine compiled, ready to be tested, measured and run.

The compiled modules lie beside their sources there and not here, so that an edited source is never
hidden by what was compiled before. Exit code 3: there is no C compiler; nothing was changed. With
``--possible`` it only says by its exit code whether there is one.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAST = ROOT / "build" / "fast"
NO_COMPILER = 3


def main(arguments: list[str]) -> int:
    """Copy what git knows or would add, and compile there what changed."""
    headers = Path(sysconfig.get_path("include"), "Python.h").is_file()
    compiler = (os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc").split()[0]
    possible = headers and shutil.which(compiler) is not None
    if "--possible" in arguments:
        return 0 if possible else NO_COMPILER
    if not possible:
        print("no C compiler, or no headers of Python; the engine stays plain Python", file=sys.stderr)
        return NO_COMPILER
    _copy()
    environment = {**os.environ, "PAIJU_ENGINE_FAST": "yes"}
    command = [sys.executable, "setup.py", "--quiet", "build_ext", "--inplace", f"-j{os.cpu_count() or 1}"]
    done = subprocess.run(command, cwd=FAST, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        print(done.stdout[-4000:], done.stderr[-4000:], sep="\n", file=sys.stderr)
        return 1
    count = sum(1 for _ in FAST.joinpath("engine").rglob("*.so"))
    print(f"{count} modules of the engine are compiled in build/fast")
    return 0


def _copy() -> None:
    """Make the files of build/fast those of the checkout; unchanged ones keep their time."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split("\0")
    wanted = {name for name in listed if name and (ROOT / name).is_file()}
    for path in [path for path in FAST.rglob("*.py") if path.is_file()]:
        if path.relative_to(FAST).as_posix() not in wanted and "build" not in path.relative_to(FAST).parts:
            path.unlink()
            for stale in path.parent.glob(path.stem + ".*.so"):
                stale.unlink()
    for name in sorted(wanted):
        source, target = ROOT / name, FAST / name
        if target.exists() and source.read_bytes() == target.read_bytes():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, target)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
