"""Write the Python code of every proto under protos/ beside it, or check that what is there is fresh.

Usage: protos.py [--check]. With --check nothing is written; the exit status is 1 when a generated file is
missing, differs, or belongs to no proto any more, and each such file is named.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / "protos"
SUFFIXES = ("_pb2.py", "_pb2.pyi", "_pb2_grpc.py", "_pb2_grpc.pyi")


def generate(out: Path) -> None:
    """Write the code of all protos under `out`, in the folders of the protos."""
    protos = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.proto"))
    if not protos:
        sys.exit(f"no proto under {ROOT.name}/")
    # The mypy plugins are found beside the interpreter that runs us, whatever PATH says.
    bin_dir = Path(sys.executable).parent
    command = [
        sys.executable,
        "-m",
        "grpc_tools.protoc",
        f"--proto_path={ROOT}",
        f"--plugin=protoc-gen-mypy={bin_dir / 'protoc-gen-mypy'}",
        f"--plugin=protoc-gen-mypy_grpc={bin_dir / 'protoc-gen-mypy_grpc'}",
        f"--python_out={out}",
        f"--grpc_python_out={out}",
        f"--mypy_out={out}",
        f"--mypy_grpc_out=only_async:{out}",
        *protos,
    ]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr + "protoc refused the protos")
    # Only files with a service have gRPC code: the others' is an empty module with a version check.
    for proto in protos:
        if "\nservice " not in (ROOT / proto).read_text(encoding="utf-8"):
            for suffix in SUFFIXES[2:]:
                (out / proto).with_name(Path(proto).stem + suffix).unlink(missing_ok=True)


def generated(folder: Path) -> dict[str, bytes]:
    """Return the generated files under `folder` by relative path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*_pb2*"))
        if path.name.endswith(SUFFIXES)
    }


def stale() -> list[str]:
    """Return one line for each generated file that is not what the protos give."""
    with tempfile.TemporaryDirectory() as name:
        generate(Path(name))
        fresh, committed = generated(Path(name)), generated(ROOT)
    problems = [f"missing: protos/{path}" for path in fresh.keys() - committed.keys()]
    problems += [f"no proto gives it: protos/{path}" for path in committed.keys() - fresh.keys()]
    problems += [
        f"stale: protos/{path}" for path in fresh.keys() & committed.keys() if fresh[path] != committed[path]
    ]
    return sorted(problems)


def write() -> None:
    """Replace the generated files by fresh ones."""
    with tempfile.TemporaryDirectory() as name:
        generate(Path(name))
        fresh = generated(Path(name))
        for path in generated(ROOT).keys() - fresh.keys():
            (ROOT / path).unlink()
        for path in fresh:
            shutil.copyfile(Path(name) / path, ROOT / path)


if __name__ == "__main__":
    if "--check" in sys.argv[1:]:
        found = stale()
        print("\n".join(found) + "\nrun `make protos`" if found else "protos: the generated code is fresh")
        sys.exit(bool(found))
    write()
