"""The data folder belongs to one process; keys are made once and kept."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from services.launch.exits import HELD, Stop
from services.launch.folder import DataFolder
from services.launch.process import Identity, identify

ROOT = Path(__file__).resolve().parents[2]

HOLD = """
import sys
from pathlib import Path
from services.launch.folder import DataFolder
with DataFolder(Path(sys.argv[1])).held():
    print("held", flush=True)
    sys.stdin.readline()
"""


def hold(folder: Path) -> subprocess.Popen[str]:
    """Start a process that holds the folder until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_holder_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    with hold(tmp_path) as first:
        with pytest.raises(Stop, match=f"in use by process {first.pid}") as stop, DataFolder(tmp_path).held():
            pass
        assert stop.value.code == HELD
        first.communicate("\n")
    with DataFolder(tmp_path).held():
        pass


def test_the_folder_is_free_again_after_its_holder_was_killed(tmp_path: Path) -> None:
    with hold(tmp_path) as first:
        first.kill()
        first.wait()
    with DataFolder(tmp_path).held() as folder:
        assert folder.nats.is_dir()


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    with DataFolder(tmp_path).held() as folder:
        assert folder.key("signing", b"first") == b"first"
        assert folder.key("signing", b"second") == b"first"
        assert stat.S_IMODE((folder.keys / "signing").stat().st_mode) == 0o600
        assert stat.S_IMODE(folder.keys.stat().st_mode) == 0o700


def test_a_process_is_known_by_its_start_not_by_its_number_alone() -> None:
    me = identify(os.getpid())
    assert me is not None
    assert me.is_alive()
    assert not Identity(me.pid, "some other start").is_alive()


def test_a_zombie_is_not_alive() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert identify(child.pid) is None
    child.wait()
