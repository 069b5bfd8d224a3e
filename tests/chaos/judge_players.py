"""What players were shown and told, against the fold of the log."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from paiju.table.v1.play_pb2 import Frame, TableView

from engine import GAMES, Refusal
from services.launch.load.audit import Auditor
from services.table.core.state import ANSWERED_MAX
from tests.chaos.story import Problem, Story, Told, Wanted, seat_frames
from tests.chaos.tapes import Said, Sitting


def wanted_views(sittings: Sequence[Sitting]) -> Wanted:
    """Return where whole views were shown."""
    found: defaultdict[tuple[str, int], set[int]] = defaultdict(set)
    for sitting in sittings:
        for heard in sitting.heard:
            if heard.view:
                view = TableView.FromString(heard.view)
                found[sitting.table_id, view.seat].add(view.number)
    return {key: frozenset(numbers) for key, numbers in found.items()}


def judge_players(story: Story, sittings: Sequence[Sitting], counts: Counter[str]) -> Iterator[Problem]:
    """Yield everything that a player was shown or told wrongly."""
    said: defaultdict[tuple[str, int], dict[int, Said]] = defaultdict(dict)
    whole: set[tuple[str, str]] = set()
    for sitting in sittings:
        counts["sittings"] += 1
        if sitting.why == "stalled":
            yield Problem("waits", f"{sitting.name} heard nothing of {sitting.table_id} any more")
        table = story.tables.get(sitting.table_id)
        if table is None:
            if sitting.heard:
                yield Problem("frame", f"{sitting.name}: {sitting.table_id} is in no log")
            continue
        yield from _shown(sitting, table, counts)
        seat = sitting.seat
        if seat is not None and seat >= 0:
            whole.add((sitting.table_id, sitting.player))
            said[sitting.table_id, seat] |= {one.question: one for one in sitting.said.values()}
            yield from _kept(sitting, seat, story, counts)
    yield from _invented(story, said, whole)


def _shown(sitting: Sitting, table: Told, counts: Counter[str]) -> Iterator[Problem]:
    """Every frame and view is the fold's, none is left out, and no older owner speaks after a newer one."""
    who = f"{sitting.name} ({sitting.player} at {sitting.table_id})"
    seat = sitting.seat
    if seat is None:
        if any(heard.frames for heard in sitting.heard):
            yield Problem("gap", f"{who}: frames before any view")
        return
    if seat >= 0 and table.s.seats[seat].player != sitting.player:
        yield Problem("view", f"{who}: was shown the seat {seat} of {table.s.seats[seat].player}")
        return
    frames = seat_frames(table, seat)
    number, epoch, is_first = 0, 0, True
    for heard in sitting.heard:
        if heard.epoch < epoch:
            yield Problem("epoch", f"{who}: something of epoch {heard.epoch} after epoch {epoch}")
        epoch = max(epoch, heard.epoch)
        if heard.view:
            view = TableView.FromString(heard.view)
            counts["views"] += 1
            if table.views.get((seat, view.number)) != heard.view:
                yield Problem("view", f"{who}: the view at {view.number} is not the sum of the frames")
            if view.number < number:
                yield Problem("view", f"{who}: a view at {view.number} after frame {number}")
            number, is_first = max(number, view.number), False
        for data in heard.frames:
            counts["frames"] += 1
            found = Frame.FromString(data).number
            if frames.get(found) != data:
                yield Problem("frame", f"{who}: frame {found} is not what the log makes")
            if is_first:
                yield Problem("gap", f"{who}: frame {found} before any view")
            elif found > number + 1:
                yield Problem("gap", f"{who}: frame {found} after frame {number}")
            number, is_first = max(number, found), False
    if sitting.why == "over" and not _tells_end(frames, number):
        yield Problem("gap", f"{who}: the match was over after frame {number}, and the log says otherwise")


def _tells_end(frames: dict[int, bytes], number: int) -> bool:
    """Return whether the end of the match is among the frames up to a number."""
    return any(
        Frame.FromString(data).HasField("match_end") for found, data in frames.items() if found <= number
    )


def _kept(sitting: Sitting, seat: int, story: Story, counts: Counter[str]) -> Iterator[Problem]:
    """Every acknowledged answer is in the log, in its round; a refused one is not."""
    who = f"{sitting.player} at {sitting.table_id} seat {seat}"
    game = GAMES[story.tables[sitting.table_id].s.spec.game]
    for said in sitting.said.values():
        found = story.answers.get((sitting.table_id, seat, said.question))
        what = f"{who}: {said.action!r} to question {said.question} of round {said.round_no}"
        is_there = (
            found is not None
            and found[0] == said.round_no
            and not found[1].cause
            and game.parse_action(found[1].action) == game.parse_action(said.action)
        )
        if said.outcome == "accepted":
            counts["actions"] += 1
            if not is_there:
                yield Problem("lost", f"{what} was acknowledged, and the log has {found}")
        elif said.outcome and is_there:
            later = sum(
                key[:2] == (sitting.table_id, seat) and key[2] > said.question for key in story.answers
            )
            if said.outcome == "QUESTION_CLOSED" and later >= ANSWERED_MAX:
                # The acknowledgement was lost, and the table remembers only the last answers for repeats.
                counts["forgotten"] += 1
                continue
            yield Problem("refused", f"{what} was refused ({said.outcome}), and is in the log")


def _invented(
    story: Story, said: dict[tuple[str, int], dict[int, Said]], whole: set[tuple[str, str]]
) -> Iterator[Problem]:
    """No answer of a player is in the log that he never gave."""
    for (table_id, seat, question), (round_no, event) in story.answers.items():
        table = story.tables[table_id]
        if event.cause or (table_id, table.s.seats[seat].player) not in whole:
            continue
        own = said[table_id, seat].get(question)
        game = GAMES[table.s.spec.game]
        if (
            own is None
            or own.round_no != round_no
            or game.parse_action(own.action) != game.parse_action(event.action)
        ):
            yield Problem(
                "invented",
                f"{table_id} seat {seat} question {question} round {round_no}: nobody said {event.action!r}",
            )


def judge_records(story: Story, counts: Counter[str]) -> Iterator[Problem]:
    """Yield where the frames of a table contradict the record of a finished round."""
    auditor = Auditor()
    for table in story.tables.values():
        for seat, listener in enumerate([*table.s.listeners[:-1], table.s.listeners[-1]]):
            if listener is None:
                continue
            own = seat if seat < len(table.s.seats) else -1
            texts: list[str] = []
            commitment = b""
            for _, data in sorted(seat_frames(table, own).items()):
                frame = Frame.FromString(data)
                if frame.HasField("round_opening"):
                    texts, commitment = [], frame.round_opening.commitment
                elif frame.HasField("play"):
                    texts += frame.play.events
                elif frame.HasField("round_end") and frame.round_end.record:
                    counts["rounds_replayed"] += own == -1
                    try:
                        wrong = auditor.problems(frame.round_end, commitment, own, texts, [])
                    except (Refusal, ValueError) as problem:
                        wrong = [("record", f"{frame.round_end.round_id}: {problem!r}")]
                    for kind, text in wrong:
                        yield Problem("record", f"{kind}: {text}")
