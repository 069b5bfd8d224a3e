"""`python -m tests.chaos.check FOLDER`: whether what happened under faults was right, from what was gathered.

| kind | what is wrong |
|---|---|
| `log` | the log of a shard has a hole, a message twice, or does not fold |
| `fence` | an owner appended after another had taken its shard |
| `created`, `answered` | a table made twice, a question answered twice |
| `checkpoint` | a checkpoint is not what the log makes |
| `frozen` | the rules broke at a table |
| `lost` | an acknowledged action is not in the log, in its round, as it was said |
| `refused` | a refused action is in the log (but where it had been forgotten for repeats) |
| `invented` | an action is in the log that its player never said |
| `frame`, `view` | a player was shown something that is not the fold of the log for his seat |
| `gap` | a number was left out, or the end was never shown |
| `epoch` | an older owner spoke after a newer one |
| `record` | a record contradicts the frames, the log, or the promised seed |
| `published` | the world was told something else than the log says, or nothing, or too early |
| `audit` | a finished round was not audited, disputed, or audited in two ways |
| `settled`, `order` | a round was not settled exactly once, or not in the order of its match |
| `coins` | the book does not add up, or a stake was left |
| `waits` | a table, round or player that waits for ever |
| `defect` | a process logged an error; a consumer gave up on a message |
| `ended` | a process ended by itself |
| `load` | the players' own checks failed |

Exit codes: 0 all was right, 1 it was not, 2 nothing to check.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.chaos.gather import FACTS, read_kept, read_stream, read_streams
from tests.chaos.judge_facts import judge_databases, judge_facts
from tests.chaos.judge_players import judge_players, judge_records, wanted_views
from tests.chaos.judge_processes import judge_faults, judge_processes
from tests.chaos.pauses import longest_pauses
from tests.chaos.story import Problem, same_history, told_by
from tests.chaos.tapes import read_tapes

SHOWN_MAX = 20
"""Problems of one kind that are printed; all are counted."""

LONG_AFTER_MS = 3_600_000
"""The book is judged as if an hour had passed: whatever is still open then was forgotten."""


@dataclass
class Verdict:
    """What came out."""

    problems: list[Problem] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    pauses: dict[str, tuple[int, float, float]] = field(default_factory=dict)
    """By kind of fault: how many, the median and the longest pause, seconds."""

    @property
    def is_right(self) -> bool:
        return not self.problems

    def kinds(self) -> Counter[str]:
        """Return how many problems of each kind there are."""
        return Counter(problem.kind for problem in self.problems)

    def text(self) -> str:
        """Return it for people; the last line says it all."""
        lines: list[str] = []
        shown: Counter[str] = Counter()
        for problem in self.problems:
            shown[problem.kind] += 1
            if shown[problem.kind] <= SHOWN_MAX:
                lines.append(f"{problem.kind}: {problem.text}")
        count = self.counts
        lines.append(
            f"{count['actions']} actions acknowledged, {count['frames']} frames and {count['views']} views "
            f"checked in {count['sittings']} sittings; {count['tables']} tables, {count['events']} events, "
            f"{count['takeovers']} takings of shards, {count['checkpoints']} checkpoints"
        )
        lines.append(
            f"{count['rounds']} rounds settled, {count['rounds_replayed']} replayed, "
            f"{count['transfers']} transfers"
        )
        faults = {name[6:]: number for name, number in sorted(count.items()) if name.startswith("fault ")}
        lines.append(
            f"faults: {', '.join(f'{name} {number}' for name, number in faults.items()) or 'none'}; "
            f"{count['lives']} lives of processes"
        )
        for kind, (number, median, longest) in self.pauses.items():
            lines.append(
                f"pause  {kind:22} {number:4} times, median {median:6.2f} s, longest {longest:6.2f} s"
            )
        wrong = ", ".join(f"{kind} {number}" for kind, number in sorted(self.kinds().items()))
        lines.append(f"chaos: WRONG: {wrong}" if wrong else "chaos: all was right")
        return "\n".join(lines)


def check(folder: Path) -> Verdict:
    """Check a folder, as `gather.py` describes it.

    Raises:
        FileNotFoundError: It holds nothing that could be checked.
    """
    logs = list(read_streams(folder))
    if not logs:
        raise FileNotFoundError(f"{folder} holds no logs of tables")
    verdict = Verdict()
    counts, problems = verdict.counts, verdict.problems
    sittings = read_tapes(folder)
    story = told_by(logs, wanted_views(sittings))
    problems += story.problems
    problems += same_history(dict(logs), dict(read_kept(folder)))
    streams = {name: read_stream(folder / "streams" / f"{name}.msgpack") for name in FACTS}
    counts["tables"], counts["events"] = len(story.tables), story.events
    counts["takeovers"], counts["checkpoints"] = story.takeovers, story.checkpoints
    problems += judge_players(story, sittings, counts)
    problems += judge_records(story, counts)
    problems += judge_facts(story, streams, counts)
    now_ms = max((entry.at_ms for _, entries in logs for entry in entries), default=0) + LONG_AFTER_MS
    problems += judge_databases(story, folder, now_ms, counts)
    problems += judge_processes(folder, counts)
    problems += judge_faults(folder, counts)
    problems += _own_checks(folder)
    verdict.pauses = longest_pauses(folder, sittings)
    return verdict


def _own_checks(folder: Path) -> list[Problem]:
    """The players' own checks, as `paiju load --json` has reported them."""
    found = []
    for file in sorted(folder.glob("transcripts/*/report.json")):
        report = json.loads(file.read_text(encoding="utf-8") or "{}")
        if not report:
            found.append(Problem("load", f"{file.parent.name}: no report"))
            continue
        found += [Problem("load", f"{file.parent.name}: {example}") for example in report["wrong_examples"]]
        if report["wrong"] and not report["wrong_examples"]:
            found.append(Problem("load", f"{file.parent.name}: {report['wrong_by_kind']}"))
    return found


def main() -> int:
    """Check the folder that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__)
        return 2
    try:
        verdict = check(Path(sys.argv[1]))
    except FileNotFoundError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(verdict.text())
    return 0 if verdict.is_right else 1


if __name__ == "__main__":
    sys.exit(main())
