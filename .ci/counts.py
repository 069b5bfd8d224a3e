"""Print the verdict of a test run as its last line: `N passed, N failed, N skipped`.

Usage: counts.py REPORT.xml STATUS. Exits with pytest's status, or with 1 when a test was skipped under
CI=true: a skipped test proves nothing, and CI installs what each of them needs.
"""

import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path


def main(report: str, status: int) -> int:
    """Return the exit status of the run and print its counts."""
    path = Path(report)
    if not path.exists():
        print("no test ran: pytest wrote no report", file=sys.stderr)
        print("0 passed, 1 failed, 0 skipped")
        return status or 1
    suites = list(ET.parse(path).getroot().iter("testsuite"))
    total, failures, errors, skipped = (
        sum(int(suite.get(key, "0")) for suite in suites)
        for key in ("tests", "failures", "errors", "skipped")
    )
    for case in (case for suite in suites for case in suite.iter("testcase")):
        reason = case.find("skipped")
        if reason is not None:
            print(f"skipped: {case.get('classname')}::{case.get('name')}: {reason.get('message')}")
    failed = failures + errors
    if os.environ.get("CI") == "true" and skipped and not status:
        print(f"{skipped} tests were skipped, and CI allows none", file=sys.stderr)
        status = 1
    sys.stdout.flush()
    print(f"{total - failed - skipped} passed, {failed} failed, {skipped} skipped")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
