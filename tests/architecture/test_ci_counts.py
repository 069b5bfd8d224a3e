"""The last line of a run tells the truth."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

REPORT = """<testsuites><testsuite name="pytest" errors="{errors}" failures="{failures}" skipped="{skipped}"
tests="10"><testcase classname="a" name="b"/><testcase classname="c" name="d">{reason}</testcase></testsuite>
</testsuites>"""


def counted(tmp_path: Path, status: int, ci: str, **numbers: int) -> tuple[int, str]:
    """Return exit status and last line for a report."""
    report = tmp_path / "report.xml"
    reason = '<skipped message="no PostgreSQL"/>' if numbers.get("skipped") else ""
    report.write_text(REPORT.format(**{"errors": 0, "failures": 0, "skipped": 0, "reason": reason} | numbers))
    done = subprocess.run(
        [sys.executable, ".ci/counts.py", str(report), str(status)],
        cwd=ROOT,
        env={**os.environ, "CI": ci},
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()[-1]


def test_a_green_run_is_green(tmp_path: Path) -> None:
    assert counted(tmp_path, 0, "true") == (0, "10 passed, 0 failed, 0 skipped")


def test_errors_count_as_failures(tmp_path: Path) -> None:
    assert counted(tmp_path, 1, "", errors=1, failures=2) == (1, "7 passed, 3 failed, 0 skipped")


@pytest.mark.parametrize(("ci", "status"), [("true", 1), ("", 0)])
def test_a_skipped_test_fails_in_ci_only(tmp_path: Path, ci: str, status: int) -> None:
    assert counted(tmp_path, 0, ci, skipped=1) == (status, "9 passed, 0 failed, 1 skipped")


@pytest.mark.parametrize("status", [0, 3])
def test_a_run_without_a_report_has_failed(tmp_path: Path, status: int) -> None:
    done = subprocess.run(
        [sys.executable, ".ci/counts.py", str(tmp_path / "missing.xml"), str(status)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (status or 1)
    assert done.stdout.endswith("0 passed, 1 failed, 0 skipped\n")


def test_several_runs_are_added_and_one_failure_is_enough(tmp_path: Path) -> None:
    arguments: list[str] = []
    for name, failures, status in (("tests", 0, 0), ("tests-compiled", 2, 1)):
        report = tmp_path / f"{name}.xml"
        report.write_text(REPORT.format(errors=0, failures=failures, skipped=0, reason=""))
        arguments += [str(report), str(status)]
    done = subprocess.run(
        [sys.executable, ".ci/counts.py", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        "tests: 10 passed, 0 failed, 0 skipped",
        "tests-compiled: 8 passed, 2 failed, 0 skipped",
        "18 passed, 2 failed, 0 skipped",
    ]
