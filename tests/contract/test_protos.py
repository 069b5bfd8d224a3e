"""The protos are linted, and the code beside them is what they give."""

import subprocess
import sys
from pathlib import Path

from google.protobuf.descriptor_pb2 import FileDescriptorSet

ROOT = Path(__file__).resolve().parents[2]


def run(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a tool of the virtual environment at the root of the checkout."""
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_the_generated_code_is_fresh() -> None:
    done = run(sys.executable, ".ci/protos.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_protos_pass_buf_lint() -> None:
    done = run(str(Path(sys.executable).parent / "buf"), "lint")
    assert done.returncode == 0, done.stdout


def test_every_message_and_method_has_its_own_name_and_file_path_is_package_path(tmp_path: Path) -> None:
    image = tmp_path / "image.binpb"
    done = run(str(Path(sys.executable).parent / "buf"), "build", "-o", str(image))
    assert done.returncode == 0, done.stderr
    files = [
        file
        for file in FileDescriptorSet.FromString(image.read_bytes()).file
        if file.package.startswith("paiju")
    ]
    assert files
    for file in files:
        assert str(Path(file.name).parent) == file.package.replace(".", "/")
    requests = [method.input_type for file in files for service in file.service for method in service.method]
    assert len(requests) == len(set(requests)), "each method has a request of its own"
