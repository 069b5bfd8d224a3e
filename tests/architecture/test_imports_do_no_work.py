"""Importing any module opens no file for writing, no socket, no process and no thread."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.architecture.sources import ROOT, dotted, modules

WATCH = """
import importlib, json, sys, threading
done = []
def hook(event, args):
    if event == "open" and isinstance(args[1], str) and set(args[1]) & set("wax+"):
        done.append([current, f"open {args[0]} for writing"])
    elif event.startswith(("socket.connect", "socket.bind", "subprocess.", "os.system", "os.exec", "os.fork",
                           "os.posix_spawn")):
        done.append([current, event])
start = threading.Thread.start
def watched_start(thread):
    done.append([current, f"thread {thread.name}"])
    start(thread)
sys.dont_write_bytecode = True
failed = []
current = "(start)"
# What third parties do at their import is theirs; it happens before we watch.
for module in json.loads(sys.argv[2]):
    importlib.import_module(module)
sys.addaudithook(hook)
threading.Thread.start = watched_start
for current in json.loads(sys.argv[1]):
    importlib.import_module(current)
print(json.dumps(done))
"""

THIRD_PARTIES = (
    "aiohttp.web",
    "alembic",
    "grpc.aio",
    "nats",
    "rich.progress",
    "psycopg",
    "structlog",
    "typer",
    "uvloop",
    "pydantic_settings",
)


def watched(names: list[str], *paths: Path) -> list[list[str]]:
    """Import modules in a fresh process and return what their imports did."""
    done = subprocess.run(
        [sys.executable, "-c", WATCH, json.dumps(names), json.dumps(THIRD_PARTIES)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "protos", *paths)))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    did: list[list[str]] = json.loads(done.stdout)
    return did


def test_no_module_works_when_it_is_imported() -> None:
    # A migration's module is run by Alembic, which gives it the database it is about.
    found = modules("engine", "services")
    names = [dotted(path) for path in found if not {"versions", "contract"} & {*path.parts}]
    assert watched([module for module in names if not module.endswith("__main__")]) == []


def test_a_module_that_works_at_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "planted_worker.py").write_text("import threading\nthreading.Thread(target=int).start()\n")
    (tmp_path / "planted_writer.py").write_text(f"open({str(tmp_path / 'out')!r}, 'w').close()\n")
    did = watched(["planted_worker", "planted_writer"], tmp_path)
    assert [module for module, _ in did] == ["planted_worker", "planted_writer"]
