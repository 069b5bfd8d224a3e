"""Print the verdict of test runs as their last line: `N passed, N failed, N skipped`, all of them together.

Usage: counts.py REPORT.xml STATUS [REPORT.xml STATUS]... Exits with the first status of pytest's that is not
0, or with 1 when a test was skipped under CI=true: a skipped test proves nothing, and CI installs what each
of them needs.
"""

import os
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

KEYS = ("tests", "failures", "errors", "skipped")


def counted(path: Path) -> dict[str, int]:
    """Return the counts of a report, and print what was skipped; a missing report is one failure."""
    if not path.exists():
        print(f"no test ran: pytest wrote no {path.name}", file=sys.stderr)
        return {"tests": 1, "failures": 1, "errors": 0, "skipped": 0}
    suites = list(ET.parse(path).getroot().iter("testsuite"))
    for case in (case for suite in suites for case in suite.iter("testcase")):
        reason = case.find("skipped")
        if reason is not None:
            print(f"skipped: {case.get('classname')}::{case.get('name')}: {reason.get('message')}")
    return {key: sum(int(suite.get(key, "0")) for suite in suites) for key in KEYS}


def verdict(counts: dict[str, int]) -> str:
    """Return the counts in words."""
    failed = counts["failures"] + counts["errors"]
    return (
        f"{counts['tests'] - failed - counts['skipped']} passed, {failed} failed, {counts['skipped']} skipped"
    )


def main(arguments: list[str]) -> int:
    """Return the exit status of the runs and print their counts."""
    together = dict.fromkeys(KEYS, 0)
    status = 0
    pairs = list(zip(arguments[::2], arguments[1::2], strict=True))
    for report, code in pairs:
        counts = counted(Path(report))
        together = {key: together[key] + counts[key] for key in KEYS}
        status = status or int(code) or int(not Path(report).exists())
        if len(pairs) > 1:
            print(f"{Path(report).stem}: {verdict(counts)}")
    if os.environ.get("CI") == "true" and together["skipped"] and not status:
        print(f"{together['skipped']} tests were skipped, and CI allows none", file=sys.stderr)
        status = 1
    sys.stdout.flush()
    print(verdict(together))
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
