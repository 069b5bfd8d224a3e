"""The short form of `make chaos`: one fault of each main kind, then the checker; and proof that it can fail.

What is tampered with is a copy of what this very run has gathered.
"""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import msgspec
import pytest
from paiju.economy.v1.events_pb2 import RoundSettled
from paiju.scoring.v1.events_pb2 import VERDICT_DISPUTED, RoundAudited
from paiju.table.v1.events_pb2 import RoundFinished
from paiju.table.v1.play_pb2 import Frame

from services.table.core import events as e
from services.table.core.events import decode_batch, encode_batch
from tests.chaos.check import Verdict, check
from tests.chaos.deployment import SMALL, Deployment
from tests.chaos.faults import Fault, Faults, each
from tests.chaos.gather import FACTS, Entry, read_kept, read_stream, read_streams, write_stream
from tests.chaos.judge_facts import judge_databases, judge_facts
from tests.chaos.judge_players import judge_players, judge_records, wanted_views
from tests.chaos.judge_processes import judge_faults, judge_processes
from tests.chaos.players import Crowd
from tests.chaos.reaper import ROOT
from tests.chaos.run import lived, partitions_by_hosts
from tests.chaos.story import Problem, Story, facts, same_history, told_by
from tests.chaos.tapes import Heard, Said, Sitting, read_returns, read_tapes
from tests.support.postgres import postgres_binaries

pytestmark = [pytest.mark.chaos, pytest.mark.slow]

BACK_MS_MAX = 30_000
"""Their table may be moving meanwhile, on a machine of two cores where several processes start at once."""

LATER_MS = 1 << 43
"""A time at which every stake should have been closed."""


@dataclass
class Gathered:
    """A folder that was gathered, read once."""

    folder: Path

    @cached_property
    def verdict(self) -> Verdict:
        return check(self.folder)

    @cached_property
    def logs(self) -> dict[str, list[Entry]]:
        return dict(read_streams(self.folder))

    @cached_property
    def sittings(self) -> list[Sitting]:
        return read_tapes(self.folder)

    @cached_property
    def story(self) -> Story:
        return told_by(self.logs.items(), wanted_views(self.sittings))

    @cached_property
    def streams(self) -> dict[str, list[Entry]]:
        return {name: read_stream(self.folder / "streams" / f"{name}.msgpack") for name in FACTS}

    def played_out(self) -> Sitting:
        """Return somebody who has played a match to its end, and acted."""
        return next(
            sitting
            for sitting in self.sittings
            if sitting.why == "over" and any(said.outcome == "accepted" for said in sitting.said.values())
        )

    def shard_of(self, table_id: str) -> tuple[str, list[Entry]]:
        """Return the name of a stream, and the messages of one shard in it."""
        subject = f"paiju.table.log.{table_id.partition('-')[0]}"
        for name, entries in self.logs.items():
            mine = [entry for entry in entries if entry.subject == subject]
            if mine:
                return name, mine
        raise AssertionError(f"no log of {subject}")


@pytest.fixture(scope="module")
def gathered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gathered]:
    """A deployment that has lived through one fault of each main kind."""
    has_postgres, hosts = postgres_binaries() is not None, partitions_by_hosts("auto")
    folder = tmp_path_factory.mktemp("chaos")
    chosen = [
        Fault("kill", "table-1", 0.5),
        Fault("stop", "table-2", 5.0),
        Fault("broker", "", 0.5),
        *([Fault("mute", "table-1", 4.0)] if hosts else []),
        *([Fault("database", "", 0.5)] if has_postgres else []),
        Fault("drain", "table-1", 0.0),
        Fault("kill", "gateway-1", 0.5),
    ]

    async def trouble(_: Deployment, faults: Faults) -> None:
        await each(faults, chosen, pause_s=1.5)

    size = replace(SMALL, postgres=has_postgres, hosts=hosts)
    crowd = Crowd(seats=24, seconds=30.0, drop_every_s=12.0, drop_share=1.0, drop_spread_ms=0.0)
    asyncio.run(lived(folder, size, crowd, "small", trouble))
    yield Gathered(folder)
    shutil.rmtree(folder, ignore_errors=True)


def test_whatever_fails_no_action_is_lost_no_frame_is_wrong_and_every_coin_is_there(
    gathered: Gathered,
) -> None:
    verdict = gathered.verdict
    print(verdict.text())
    assert verdict.is_right, verdict.text()
    counts = verdict.counts
    assert counts["actions"] > 50, "somebody has played"
    assert counts["frames"] > counts["actions"]
    assert counts["rounds"] > 5
    # Each once at first; those of the killed one and of the stopped one again.
    assert counts["takeovers"] > SMALL.shards + 2, "shards have changed hands"
    for kind in ("kill table", "stop table", "broker", "drain table", "kill gateway"):
        assert counts[f"fault {kind}"] == 1


def test_all_who_are_cut_off_at_once_come_back_and_those_of_a_dead_gateway_go_to_the_other(
    gathered: Gathered,
) -> None:
    returns = read_returns(gathered.folder)
    assert len([one for one in returns if one.why == "DROPPED_BY_US"]) >= 24, "a storm has cut all of them"
    assert any(one.why == "LOST" for one in returns), "a gateway was killed"
    for file in gathered.folder.glob("transcripts/*/report.json"):
        report = json.loads(file.read_text())
        assert report["errors"] == 0, report["errors_by_reason"]
    assert max(one.ms for one in returns) < BACK_MS_MAX


def test_a_stopped_owner_that_goes_on_is_fenced(gathered: Gathered) -> None:
    """It was away for longer than the lease, so another took its shards; it says so itself, and is silent."""
    [log] = (gathered.folder / "logs").glob("table-2.1.log")
    events = [json.loads(line).get("event") for line in log.read_text().splitlines() if line.startswith("{")]
    assert "shard_fenced" in events
    assert not [problem for problem in gathered.verdict.problems if problem.kind in ("fence", "epoch")]


# The checker can fail: transcripts


def complaints(gathered: Gathered, changed: Sitting, was: Sitting) -> Counter[str]:
    """Return what is said of the players when one sitting is another one."""
    sittings = [changed if sitting is was else sitting for sitting in gathered.sittings]
    return Counter(problem.kind for problem in judge_players(gathered.story, sittings, Counter()))


def with_frames(sitting: Sitting, change: Callable[[list[Heard]], list[Heard]]) -> Sitting:
    """Return a sitting that has heard something else."""
    return replace(sitting, heard=change(list(sitting.heard)))


def alone(heard: list[Heard]) -> list[Heard]:
    """Return the same with one frame in each."""
    return [
        one
        for each_ in heard
        for one in ([replace(each_, frames=(frame,)) for frame in each_.frames] or [each_])
    ]


def wrong_frame(heard: list[Heard]) -> list[Heard]:
    heard = alone(heard)
    at = next(n for n, one in enumerate(heard) if one.frames and n > 5)
    frame = Frame.FromString(heard[at].frames[0])
    frame.at_ms += 1
    heard[at] = replace(heard[at], frames=(frame.SerializeToString(),))
    return heard


def left_out(heard: list[Heard]) -> list[Heard]:
    heard = alone(heard)
    at = next(n for n, one in enumerate(heard) if one.frames and n > 5)
    return heard[:at] + heard[at + 1 :]


def older_owner(heard: list[Heard]) -> list[Heard]:
    heard = alone(heard)
    return [*heard[:-1], replace(heard[-1], epoch=heard[0].epoch - 1)]


def wrong_view(heard: list[Heard]) -> list[Heard]:
    at = next(n for n, one in enumerate(heard) if one.view)
    heard[at] = replace(heard[at], view=heard[at].view + heard[at].view[:2])
    return heard


def cut_at_the_end(heard: list[Heard]) -> list[Heard]:
    heard = alone(heard)
    at = next(
        n
        for n, one in enumerate(heard)
        for data in one.frames
        if Frame.FromString(data).HasField("match_end")
    )
    return heard[:at]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (wrong_frame, "frame"),
        (left_out, "gap"),
        (older_owner, "epoch"),
        (wrong_view, "view"),
        (cut_at_the_end, "gap"),
    ],
)
def test_a_transcript_that_was_tampered_with_is_found(
    gathered: Gathered, change: Callable[[list[Heard]], list[Heard]], kind: str
) -> None:
    sitting = gathered.played_out()
    assert set(complaints(gathered, with_frames(sitting, change), sitting)) == {kind}


def test_an_acknowledged_action_that_the_log_does_not_have_is_lost(gathered: Gathered) -> None:
    sitting = gathered.played_out()
    more = sitting.said | {(1, 9_999): Said(1, 9_999, "pass", "accepted")}
    assert complaints(gathered, replace(sitting, said=more), sitting) == {"lost": 1}


def test_an_acknowledged_action_in_another_round_than_it_was_said_in_is_lost(gathered: Gathered) -> None:
    sitting = gathered.played_out()
    key, said = next(item for item in sitting.said.items() if item[1].outcome == "accepted")
    moved = sitting.said | {key: replace(said, round_no=said.round_no + 1)}
    assert set(complaints(gathered, replace(sitting, said=moved), sitting)) == {"lost", "invented"}


def test_a_refused_action_that_is_in_the_log_is_found(gathered: Gathered) -> None:
    sitting = gathered.played_out()
    key, said = next(item for item in sitting.said.items() if item[1].outcome == "accepted")
    refused = sitting.said | {key: replace(said, outcome="ILLEGAL_ACTION")}
    assert complaints(gathered, replace(sitting, said=refused), sitting) == {"refused": 1}


def test_an_action_that_nobody_said_is_found(gathered: Gathered) -> None:
    sitting = gathered.played_out()
    key = next(key for key, said in sitting.said.items() if said.outcome == "accepted")
    silent = {other: said for other, said in sitting.said.items() if other != key}
    assert complaints(gathered, replace(sitting, said=silent), sitting) == {"invented": 1}


def test_a_player_who_waits_for_ever_is_found(gathered: Gathered) -> None:
    sitting = gathered.played_out()
    assert complaints(gathered, replace(sitting, why="stalled"), sitting) == {"waits": 1}


# The checker can fail: the log


def folded(gathered: Gathered, change: Callable[[list[Entry]], list[Entry]]) -> Story:
    """Return the story of one shard whose log is another one."""
    sitting = gathered.played_out()
    _, entries = gathered.shard_of(sitting.table_id)
    # Alone in its stream, so numbered without gaps.
    numbered = [entry_with(entry, seq=number + 1, expected_last=-1) for number, entry in enumerate(entries)]
    assert not told_by([("x", numbered)], {}).problems
    return told_by([("x", change(numbered))], {})


def entry_with(entry: Entry, **changes: object) -> Entry:
    return msgspec.structs.replace(entry, **changes)


def kinds(problems: list[Problem]) -> set[str]:
    return {problem.kind for problem in problems}


def test_a_message_that_is_missing_from_the_log_is_found(gathered: Gathered) -> None:
    assert "log" in kinds(folded(gathered, lambda log: log[:5] + log[6:]).problems)


def test_a_message_that_is_in_the_log_twice_is_found(gathered: Gathered) -> None:
    def twice(log: list[Entry]) -> list[Entry]:
        return [*log, entry_with(log[-1], seq=log[-1].seq + 1)]

    assert "log" in kinds(folded(gathered, twice).problems)


def test_a_zombie_that_appends_is_found(gathered: Gathered) -> None:
    def by_a_zombie(log: list[Entry]) -> list[Entry]:
        first = log[0].msg_id.partition("/")[0]
        return [*log, Entry(log[-1].seq + 1, log[0].subject, 0, f"{first}/999999", -1, encode_batch([]))]

    def by_a_stranger(log: list[Entry]) -> list[Entry]:
        return [*log, Entry(log[-1].seq + 1, log[0].subject, 0, "i_nobody/1", -1, encode_batch([]))]

    assert kinds(folded(gathered, by_a_stranger).problems) == {"fence"}
    takers = {
        entry.msg_id.partition("/")[0]
        for _, log in gathered.logs.items()
        for entry in log
        for _, event in decode_batch(entry.payload)
        if isinstance(event, e.ShardTaken)
    }
    assert len(takers) > 2, "several processes have owned shards"
    for name, log in gathered.logs.items():
        for subject in sorted({entry.subject for entry in log}):
            mine = [entry for entry in log if entry.subject == subject]
            writers = [entry.msg_id.partition("/")[0] for entry in mine]
            if writers[0] != writers[-1]:
                renumbered = [
                    entry_with(entry, seq=n + 1, expected_last=-1)
                    for n, entry in enumerate(by_a_zombie(mine))
                ]
                assert kinds(told_by([(name, renumbered)], {}).problems) == {"fence"}
                return
    raise AssertionError("no shard has changed hands")


def test_an_answer_that_is_in_the_log_twice_is_found(gathered: Gathered) -> None:
    def again(log: list[Entry]) -> list[Entry]:
        changed, done = [], False
        for entry in log:
            batch = list(decode_batch(entry.payload))
            at = next((n for n, (_, event) in enumerate(batch) if isinstance(event, e.Answered)), None)
            if at is not None and not done:
                batch.insert(at, batch[at])
                done = True
            changed.append(entry_with(entry, payload=encode_batch(batch)))
        return changed

    assert "answered" in kinds(folded(gathered, again).problems)


def test_a_table_that_was_made_twice_is_found(gathered: Gathered) -> None:
    def again(log: list[Entry]) -> list[Entry]:
        for entry in log:
            for table_id, event in decode_batch(entry.payload):
                if isinstance(event, e.TableCreated):
                    writer = log[-1].msg_id.partition("/")[0]
                    payload = encode_batch([(table_id, event)])
                    return [*log, Entry(log[-1].seq + 1, entry.subject, 0, f"{writer}/99999", -1, payload)]
        raise AssertionError("there is a table")

    assert kinds(folded(gathered, again).problems) == {"created"}


def test_a_record_that_is_not_what_the_frames_told_is_found(gathered: Gathered) -> None:
    table_id = gathered.played_out().table_id

    def another_seed(log: list[Entry]) -> list[Entry]:
        """The seed is changed where the round is opened, but not the commitment."""
        changed, done = [], False
        for entry in log:
            batch = []
            for name, event in decode_batch(entry.payload):
                if isinstance(event, e.RoundOpened) and name == table_id and not done:
                    event, done = msgspec.structs.replace(event, seed=bytes(32)), True
                batch.append((name, event))
            changed.append(entry_with(entry, payload=encode_batch(batch)))
        return changed

    story = folded(gathered, another_seed)
    assert "log" in kinds(story.problems) or "record" in kinds(list(judge_records(story, Counter())))
    record = gathered.story.records.popitem()
    gathered.story.records[record[0]] = record[1] + b"x"
    try:
        found = kinds(list(judge_facts(gathered.story, gathered.streams, Counter())))
        found |= kinds(list(judge_databases(gathered.story, gathered.folder, LATER_MS, Counter())))
    finally:
        gathered.story.records[record[0]] = record[1]
    assert found == {"published", "record"}


def test_a_history_that_was_rewritten_is_found(gathered: Gathered) -> None:
    kept = dict(read_kept(gathered.folder))
    assert list(same_history(gathered.logs, kept)) == []
    name = next(name for name, entries in kept.items() if len(entries) > 2)
    shorter = kept | {name: kept[name][:-1]}
    assert kinds(list(same_history(gathered.logs, shorter))) == {"log"}
    other = kept | {name: [*kept[name][:-1], entry_with(kept[name][-1], payload=b"other")]}
    assert kinds(list(same_history(gathered.logs, other))) == {"log"}
    rehung = kept | {name: [*kept[name][:-1], entry_with(kept[name][-1], expected_last=1)]}
    assert kinds(list(same_history(gathered.logs, rehung))) == {"log"}


# The checker can fail: facts, money, processes


def test_a_round_that_was_never_told_audited_or_settled_is_found(gathered: Gathered) -> None:
    for stream, cls, expected in (
        ("ROUNDS", RoundFinished, {"published"}),
        ("AUDITS", RoundAudited, {"audit"}),
        ("LEDGER", RoundSettled, {"settled"}),
    ):
        round_id = facts(gathered.streams[stream], cls)[0].round_id
        without = [
            entry
            for entry in gathered.streams[stream]
            if round_id not in {f.round_id for f in facts([entry], cls)}
        ]
        assert len(without) < len(gathered.streams[stream])
        streams = gathered.streams | {stream: without}
        assert kinds(list(judge_facts(gathered.story, streams, Counter()))) == expected


def test_a_round_that_is_disputed_or_settled_twice_is_found(gathered: Gathered) -> None:
    def more(stream: str, fact: RoundAudited | RoundSettled, subject: str) -> set[str]:
        entry = Entry(1 << 40, subject, 0, "x/1", -1, fact.SerializeToString())
        streams = gathered.streams | {stream: [*gathered.streams[stream], entry]}
        return kinds(list(judge_facts(gathered.story, streams, Counter())))

    audit = facts(gathered.streams["AUDITS"], RoundAudited)[0]
    audit.verdict = VERDICT_DISPUTED
    assert more("AUDITS", audit, gathered.streams["AUDITS"][0].subject) == {"audit"}
    subject = next(entry.subject for entry in gathered.streams["LEDGER"] if "round_settled" in entry.subject)
    settled = facts(gathered.streams["LEDGER"], RoundSettled)[0]
    settled.transfer_id = "another"
    assert more("LEDGER", settled, subject) == {"settled"}
    settled.seats[0].coins += 1
    assert "coins" in more("LEDGER", settled, subject)


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("UPDATE accounts SET balance = balance + 1 WHERE kind != 'issuer'", "coins"),
        ("DELETE FROM entries WHERE id = (SELECT max(id) FROM entries)", "coins"),
        ("UPDATE stakes SET state = 'open' WHERE rowid = (SELECT min(rowid) FROM stakes)", "coins"),
        ("UPDATE stakes SET returned = returned - 1 WHERE rowid = (SELECT min(rowid) FROM stakes)", "coins"),
        ("DELETE FROM rounds WHERE rowid = (SELECT min(rowid) FROM rounds)", "settled"),
        (
            "UPDATE entries SET id = -id WHERE transfer_id IN "
            "(SELECT id FROM transfers WHERE kind = 'settlement')",
            "order",
        ),
    ],
)
def test_a_book_that_was_tampered_with_is_found(
    gathered: Gathered, tmp_path: Path, statement: str, kind: str
) -> None:
    for name in ("economy.db", "table.db"):
        shutil.copy(gathered.folder / name, tmp_path / name)
    with sqlite3.connect(tmp_path / "economy.db") as book:
        # Whoever does this has switched the guards off, and on again.
        guards = book.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in guards:
            book.execute(f"DROP TRIGGER {name}")
        assert book.execute(statement).rowcount > 0
        for _, made_by in guards:
            book.execute(made_by)
    assert kind in kinds(list(judge_databases(gathered.story, tmp_path, LATER_MS, Counter())))


def test_a_process_that_ended_by_itself_or_logged_an_error_is_found(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "table-1.1.log").write_text(
        '{"event":"shard_taken","level":"info"}\nnot ours\n'
        '{"event":"shard_broken","level":"error","exception":"E: x"}\n'
        "Traceback (most recent call last):\n"
    )
    found = list(judge_processes(tmp_path, Counter()))
    assert kinds(found) == {"defect"}
    assert len(found) == 2
    (tmp_path / "faults.jsonl").write_text('{"kind":"ended","who":"table-1","at":1,"code":4}\n')
    assert kinds(list(judge_faults(tmp_path, Counter()))) == {"ended"}


def test_the_command_says_what_is_wrong_and_how_many(gathered: Gathered, tmp_path: Path) -> None:
    def run(folder: Path) -> subprocess.CompletedProcess[str]:
        paths = os.pathsep.join([str(ROOT), str(ROOT / "protos")])
        return subprocess.run(
            [sys.executable, "-m", "tests.chaos.check", str(folder)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": paths},
            capture_output=True,
            text=True,
            check=False,
        )

    copied = tmp_path / "copied"
    shutil.copytree(gathered.folder, copied, ignore=shutil.ignore_patterns("broker", "data"))
    done = run(copied)
    assert done.returncode == 0, done.stdout
    assert done.stdout.splitlines()[-1] == "chaos: all was right"
    audits = copied / "streams" / "AUDITS.msgpack"
    write_stream(audits, read_stream(audits)[1:])
    done = run(copied)
    assert done.returncode == 1
    assert done.stdout.splitlines()[-1] == "chaos: WRONG: audit 1"
    assert run(tmp_path / "nothing").returncode == 2
