"""Finished rounds behind their RPCs, on real databases: who sees what, what is refused, what is kept."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from paiju.accounts.v1.events_pb2 import AccountDeleted
from paiju.table.v1 import replay_service_pb2 as s
from paiju.table.v1 import replay_service_pb2_grpc
from paiju.table.v1.events_pb2 import RoundFinished
from sqlalchemy import Connection, insert, text

from engine import GAMES
from engine.record import parse_record
from services.chassis.auth import acting_for
from services.chassis.clock import SystemClock
from services.chassis.db import Database, migrate
from services.chassis.errors import Refusal
from services.table import migrations
from services.table.library import Library
from services.table.records_filters import Filters
from services.table.records_schema import favourites, shares
from services.table.records_store import FAVOURITES_MAX, FROM_ABOVE, SHARES_MAX, HistoryStore, Share
from services.table.replays import RECORD_BYTES_MAX
from services.table.retention import DAY_MS, Retention, sweep
from services.table.settings import TableSettings
from services.table.store import RecordStore
from tests.support.finished import STARTED_MS, PlayedMatch
from tests.support.process import MemoryWorld

ENDED_MS = STARTED_MS + 60_000
STAFF = frozenset({"support"})


class House:
    """The service, a caller of it, and what lies beneath."""

    def __init__(self, stub: Any, records: RecordStore, history: HistoryStore, world: MemoryWorld) -> None:
        self._stub = stub
        self.records = records
        self.history = history
        self.world = world

    async def call(
        self, player: str, method: str, roles: frozenset[str] = frozenset(), **request: Any
    ) -> Any:
        """Call as a player, or (empty) as a service."""
        message = getattr(s, f"{method}Request")(**request)
        if not player:
            return await getattr(self._stub, method)(message)
        with acting_for(player, roles):
            return await getattr(self._stub, method)(message)

    async def refused(self, player: str, method: str, **request: Any) -> str:
        with pytest.raises(Refusal) as refusal:
            await self.call(player, method, **request)
        return refusal.value.reason

    async def finish(self, match: PlayedMatch, room_code: str = "", at_ms: int = 0) -> RoundFinished:
        """Play a round and keep it."""
        _, fact = match.round()
        fact.room_code = room_code
        fact.ended_at_ms = at_ms or ENDED_MS + match.round_no
        await self.records.keep(fact)
        return fact


@pytest.fixture
async def house(database_url: str, db: Database, tmp_path: Path) -> AsyncIterator[House]:
    migrate(database_url, "table")
    world = MemoryWorld(SystemClock(), database=lambda service: db, data_dir=tmp_path)
    process = world.process("table")
    records = RecordStore(db)
    library = Library(TableSettings(), process.parts, GAMES, records)
    await process.rpc.start()
    await library.start()
    stub: Any = replay_service_pb2_grpc.ReplayServiceStub
    yield House(world.process("caller").rpc.client(stub, "table"), records, HistoryStore(db), world)
    await library.stop()
    for each in world.processes:
        await each.stop()


async def test_a_player_sees_his_round_from_every_side_and_a_stranger_sees_nothing(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    mine = (await house.call("p_b", "GetReplay", round_id=fact.round_id)).replay
    assert (mine.viewer, mine.seat, [one.seat for one in mine.scripts]) == (s.VIEWER_SEAT, 1, [1])
    above = await house.call("p_b", "GetReplay", round_id=fact.round_id, viewer=s.VIEWER_ABOVE)
    assert [one.seat for one in above.replay.scripts] == [0, 1, 2]
    assert above.record == fact.record
    assert len(above.replay.steps) == len(mine.steps)
    assert all(len(one.told) == len(above.replay.steps) for one in above.replay.scripts)
    assert list(above.replay.scripts[1].events) == list(mine.scripts[0].events)
    assert list(above.replay.points) == parse_record(fact.record.decode()).result["points"]
    assert above.replay.explanation_zh
    for viewer in (s.VIEWER_UNSPECIFIED, s.VIEWER_SEAT, s.VIEWER_ABOVE):
        assert await house.refused("p_x", "GetReplay", round_id=fact.round_id, viewer=viewer) == (
            "ROUND_UNKNOWN"
        )
    staff = await house.call("p_x", "GetReplay", STAFF, round_id=fact.round_id)
    assert staff.replay.viewer == s.VIEWER_ABOVE
    assert (await house.call("", "GetReplay", round_id=fact.round_id)).record == fact.record


async def test_a_round_that_is_not_over_has_no_replay(house: House) -> None:
    match = PlayedMatch()
    await house.finish(match)
    asked: list[tuple[str, dict[str, Any]]] = [
        ("GetReplay", {}),
        ("ExplainDecision", {"number": 1}),
        ("ShareRound", {}),
    ]
    for method, more in asked:
        assert await house.refused("p_a", method, round_id="0-m/2", **more) == "ROUND_UNKNOWN"
    assert await house.refused("p_a", "SetFavourite", round_id="0-m/2") == "ROUND_UNKNOWN"


async def test_a_link_opens_what_it_was_made_for_until_it_is_revoked(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    seat = (await house.call("p_b", "ShareRound", round_id=fact.round_id, viewer=s.VIEWER_SEAT)).share
    shown = await house.call("p_x", "GetReplay", share_token=seat.token)
    assert (shown.replay.viewer, shown.replay.seat) == (s.VIEWER_SEAT, 1)
    assert not shown.record, "a record shows every hand"
    assert not shown.replay.deal.seed, "so does the seed"
    assert shown.replay.deal.commitment
    own = [answer.seat for answer in shown.replay.answers]
    assert set(own) == {1}
    for request in ({"viewer": s.VIEWER_ABOVE}, {"viewer": s.VIEWER_SEAT, "seat": 0}):
        assert await house.refused("p_x", "GetReplay", share_token=seat.token, **request) == (
            "PERMISSION_DENIED"
        )
    above = (await house.call("p_b", "ShareRound", round_id=fact.round_id)).share
    assert above.token != seat.token
    assert (await house.call("p_x", "GetReplay", share_token=above.token)).record == fact.record
    again = (await house.call("p_b", "ShareRound", round_id=fact.round_id, days=365)).share
    assert again.token == above.token
    assert again.expires_at_ms > above.expires_at_ms
    listed = (await house.call("p_b", "ListShares", round_id=fact.round_id)).shares
    assert {one.token for one in listed} == {seat.token, above.token}
    await house.call("p_a", "RevokeShare", token=above.token)
    assert (await house.call("p_x", "GetReplay", share_token=above.token)).record, "only his own are revoked"
    for _ in range(2):
        await house.call("p_b", "RevokeShare", token=above.token)
    assert await house.refused("p_x", "GetReplay", share_token=above.token) == "SHARE_UNKNOWN"
    assert [one.token for one in (await house.call("p_b", "ListShares")).shares] == [seat.token]


async def test_links_are_listed_in_pages_that_stay_where_they_were(house: House) -> None:
    match = PlayedMatch()
    for _ in range(3):
        fact = await house.finish(match)
        for viewer in (s.VIEWER_SEAT, s.VIEWER_ABOVE):
            await house.call("p_b", "ShareRound", round_id=fact.round_id, viewer=viewer)
    whole = [one.token for one in (await house.call("p_b", "ListShares")).shares]
    found: list[str] = []
    token = ""
    while not found or token:
        page = await house.call("p_b", "ListShares", page_size=4, page_token=token)
        found += [one.token for one in page.shares]
        token = page.next_page_token
        if len(found) == 4:
            await house.call("p_b", "RevokeShare", token=found[3])
    assert found == whole
    assert len(whole) == 6
    for bad in ({"page_size": 101}, {"page_size": -1}, {"page_token": "x"}):
        assert await house.refused("p_b", "ListShares", **bad) == "INVALID_ARGUMENT"


async def test_a_guessed_link_opens_nothing(house: House) -> None:
    for token in ("x", "A" * 22, "A" * 21, "' OR 1=1 --".ljust(22), "漢" * 22):
        assert await house.refused("p_x", "GetReplay", share_token=token) == "SHARE_UNKNOWN"
        assert await house.refused("p_x", "ExplainDecision", share_token=token, number=1) == "SHARE_UNKNOWN"


async def test_only_who_played_a_round_shares_it_and_no_link_lasts_for_ever(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    assert await house.refused("p_x", "ShareRound", round_id=fact.round_id) == "ROUND_UNKNOWN"
    for days in (-1, 366):
        assert await house.refused("p_a", "ShareRound", round_id=fact.round_id, days=days) == (
            "INVALID_ARGUMENT"
        )
    made = await house.history.share("p_a", fact.round_id, FROM_ABOVE, "t" * 22, 1_000, 2_000)
    assert await house.history.shared(made.token, 1_999) == made
    with pytest.raises(Refusal, match="SHARE_UNKNOWN"):
        await house.history.shared(made.token, 2_000)


async def test_links_and_favourites_are_bounded_for_each_person(house: House, db: Database) -> None:
    links = [
        vars(Share(f"t{number}", f"r/{number}", "p_a", FROM_ABOVE, 1_000, 2_000))
        for number in range(SHARES_MAX)
    ]
    stars = [
        {"player_id": "p_a", "round_id": f"r/{number}", "note": "", "at_ms": 1_000}
        for number in range(FAVOURITES_MAX)
    ]

    def fill(connection: Connection) -> None:
        connection.execute(insert(shares), links)
        connection.execute(insert(favourites), stars)

    await db.run(fill)
    with pytest.raises(Refusal, match="SHARES_FULL"):
        await house.history.share("p_a", "r/x", FROM_ABOVE, "tx", 1_000, 2_000)
    await house.history.share("p_b", "r/x", FROM_ABOVE, "ty", 1_000, 2_000)
    await house.history.share("p_a", "r/x", FROM_ABOVE, "tx", 2_000, 3_000)  # The old ones are over.
    with pytest.raises(Refusal, match="FAVOURITES_FULL"):
        await house.history.set_favourite("p_a", "r/x", "", 1_000)
    await house.history.set_favourite("p_a", "r/0", "a new note is no new favourite", 1_000)
    await house.history.remove_favourite("p_a", "r/1")
    await house.history.set_favourite("p_a", "r/x", "", 1_000)


@pytest.mark.parametrize(
    ("game", "preset"),
    [
        ("paohuzi", "tongyi-qmt"),
        ("doudizhu", "classic"),
        ("kawuxing", "xiangyang"),
        ("qinghunpeng", "shanghai"),
    ],
)
async def test_a_record_that_holds_is_played_again_for_anybody(house: House, game: str, preset: str) -> None:
    seats = ("p_a", "p_b", "bot:normal", "bot:normal")[: GAMES[game].seats]
    match = PlayedMatch(game=game, preset=preset, players=seats)
    _, elsewhere = match.round()
    found = await house.call("p_x", "CheckRecord", record=elsewhere.record)
    assert not found.is_kept
    assert found.replay.viewer == s.VIEWER_ABOVE
    assert found.replay.preset == f"{preset}@1"
    here = await house.finish(match)
    assert (await house.call("p_x", "CheckRecord", record=here.record)).is_kept
    lesson = await house.call("p_x", "ExplainDecision", record=here.record, number=2)
    assert lesson.suggestion in [one.action for one in lesson.alternatives]


async def test_a_record_with_one_byte_changed_anywhere_is_refused_with_the_reason(house: House) -> None:
    """At every kind of place: each header, each part of an action, the result, line ends, the last byte."""
    fact = await house.finish(PlayedMatch())
    data = bytes(fact.record)
    reasons: dict[str, set[str]] = {}
    lines = data.split(b"\n")
    at = 0
    for number, line in enumerate(lines):
        kind = (
            line.split(b": ")[0].decode()[:12]
            if number < 12
            else "action"
            if number < len(lines) - 2
            else "end"
        )
        places = {0, len(line) // 3, len(line) // 2, len(line)}
        for place in sorted(places):
            where = min(at + place, len(data) - 1)
            changed = data[:where] + bytes([data[where] ^ 1]) + data[where + 1 :]
            reasons.setdefault(kind, set()).add(await house.refused("p_a", "CheckRecord", record=changed))
        at += len(line) + 1
    everything = set().union(*reasons.values())
    assert everything <= {"RECORD_MALFORMED", "RECORD_DOES_NOT_HOLD", "RECORD_CHANGED"}, reasons
    assert "RECORD_MALFORMED" in reasons["Seed"]
    assert reasons["end"] & {"RECORD_DOES_NOT_HOLD", "RECORD_MALFORMED"}
    for changed in (data + b"\n", data[:-1], b"\xff" + data[1:], data.replace(b"\n", b"\r\n"), data + data):
        assert await house.refused("p_a", "CheckRecord", record=changed) == "RECORD_MALFORMED"


async def test_what_a_file_can_lie_about_is_caught_where_the_round_was_kept(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    changed = fact.record.replace(b"p_a", b"p_z")
    with pytest.raises(Refusal) as told:
        await house.call("p_b", "CheckRecord", record=changed)
    assert (told.value.reason, told.value.details["line"]) == ("RECORD_CHANGED", "6")
    with pytest.raises(Refusal) as untold:
        await house.call("p_x", "CheckRecord", record=changed)
    assert untold.value.details["line"] == "?", "a stranger learns nothing of the round by guessing"


async def test_another_seed_is_refused_whoever_made_the_result_fit(house: House) -> None:
    match = PlayedMatch()
    data = match.round()[1].record
    record = parse_record(data.decode())
    other = data.replace(record.seed.encode(), record.seed[::-1].encode())
    with pytest.raises(Refusal, match="RECORD_DOES_NOT_HOLD") as refusal:
        await house.call("p_x", "CheckRecord", record=other)
    assert "seed" in str(refusal.value.details["why"])
    assert refusal.value.details["kind"] == "RECORD_SEED_WRONG"


async def test_a_changed_record_names_its_step_or_its_line_for_a_sentence_in_any_language(
    house: House,
) -> None:
    data = PlayedMatch().round()[1].record
    head, empty, course = data.partition(b"\n\n")
    first, line, rest = course.partition(b"\n")
    seat, at = first.split(b" ")[0], first[first.index(b"@") :]
    with pytest.raises(Refusal, match="RECORD_DOES_NOT_HOLD") as step:
        await house.call("p_x", "CheckRecord", record=head + empty + seat + b" hu " + at + line + rest)
    assert (step.value.details["kind"], step.value.details["step"]) == ("BAD_RECORD_ACTION", "1")
    with pytest.raises(Refusal, match="RECORD_MALFORMED") as place:
        await house.call("p_x", "CheckRecord", record=data.replace(b"Game:", b"Gane:"))
    assert (place.value.details["kind"], place.value.details["line"]) == ("BAD_RECORD_LINE", "3")


async def test_a_record_that_is_too_large_is_not_looked_at(house: House) -> None:
    assert (
        await house.refused("p_a", "CheckRecord", record=b"x" * (RECORD_BYTES_MAX + 1)) == "RECORD_TOO_LARGE"
    )
    assert await house.refused("p_a", "CheckRecord", record=b"x" * RECORD_BYTES_MAX) == "RECORD_MALFORMED"
    assert await house.refused("p_a", "CheckRecord", record=b"") == "INVALID_ARGUMENT"


async def test_a_player_learns_from_his_own_decisions_and_a_link_from_above_teaches_all(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    by_seat = {line.seat: at for at, line in enumerate(parse_record(fact.record.decode()).actions, 1)}
    for seat, number in by_seat.items():
        request: dict[str, Any] = {"round_id": fact.round_id, "number": number}
        if seat == 0:
            assert (await house.call("p_a", "ExplainDecision", **request)).seat == 0
        else:
            assert await house.refused("p_a", "ExplainDecision", **request) == "PERMISSION_DENIED"
        assert await house.refused("p_x", "ExplainDecision", **request) == "ROUND_UNKNOWN"
    seat_link = (
        await house.call("p_a", "ShareRound", round_id=fact.round_id, viewer=s.VIEWER_SEAT)
    ).share.token
    above_link = (await house.call("p_a", "ShareRound", round_id=fact.round_id)).share.token
    assert (await house.call("p_x", "ExplainDecision", share_token=seat_link, number=by_seat[0])).alternatives
    assert await house.refused("p_x", "ExplainDecision", share_token=seat_link, number=by_seat[1]) == (
        "PERMISSION_DENIED"
    )
    for number in by_seat.values():
        assert (await house.call("p_x", "ExplainDecision", share_token=above_link, number=number)).suggestion
    for number in (0, -1, 99_999):
        assert await house.refused("p_a", "ExplainDecision", round_id=fact.round_id, number=number) == (
            "INVALID_ARGUMENT"
        )


async def test_history_answers_every_filter(house: House) -> None:
    hall, room = PlayedMatch(match_id="0-hall", seed=2), PlayedMatch(match_id="0-room", seed=3)
    poker = PlayedMatch(
        match_id="0-poker", game="doudizhu", preset="classic", players=("p_c", "p_a", "bot:easy")
    )
    kept = [await house.finish(hall) for _ in range(3)]
    kept += [await house.finish(room, "123456", ENDED_MS + 100 + n) for n in range(3)]
    kept += [await house.finish(poker, "654321", ENDED_MS + 200)]
    facts = {fact.round_id: fact for fact in kept}
    await house.call("p_a", "SetFavourite", round_id="0-room/2", note=" 好牌 ")

    async def ids(**filters: Any) -> set[str]:
        found = (await house.call("p_a", "ListHistory", **filters)).rounds
        return {one.round_id for one in found}

    def points(round_id: str) -> int:
        fact = facts[round_id]
        return int(
            parse_record(fact.record.decode()).result["points"][
                [seat.player_id for seat in fact.seats].index("p_a")
            ]
        )

    rooms = {f"0-room/{n}" for n in (1, 2, 3)}
    assert await ids() == set(facts)
    assert await ids(game="doudizhu") == {"0-poker/1"}
    assert await ids(preset="tongyi-qmt") == await ids(preset="tongyi-qmt@1") == set(facts) - {"0-poker/1"}
    assert await ids(preset="tongyi") == await ids(preset="tongyi-qmt@2") == await ids(preset="%") == set()
    assert await ids(place=s.PLACE_ROOM) == {*rooms, "0-poker/1"}
    assert await ids(place=s.PLACE_HALL) == {"0-hall/1", "0-hall/2", "0-hall/3"}
    assert await ids(room_code="123456") == rooms
    assert await ids(from_ms=ENDED_MS + 101, to_ms=ENDED_MS + 200) == {"0-room/2", "0-room/3"}
    assert await ids(opponent_id="p_c") == {"0-poker/1"}
    assert await ids(opponent_id="p_b") == set(facts) - {"0-poker/1"}
    assert await ids(favourites=True) == {"0-room/2"}
    assert await ids(ending=s.ENDING_WON) == {one for one in facts if points(one) > 0}
    assert await ids(ending=s.ENDING_LOST) == {one for one in facts if points(one) < 0}
    assert await ids(ending=s.ENDING_EVEN) == {one for one in facts if points(one) == 0}
    (one,) = (await house.call("p_a", "ListHistory", favourites=True)).rounds
    assert (one.note, one.is_favourite, one.room_code, one.seat) == ("好牌", True, "123456", 0)
    assert one.kept_until_ms == one.ended_at_ms + 1_095 * DAY_MS
    assert await house.refused("p_b", "ListHistory", player_id="p_a") == "PERMISSION_DENIED"
    assert not (await house.call("p_b", "ListHistory", favourites=True)).rounds, "favourites are one's own"
    for bad in (
        {"page_size": 101},
        {"page_size": -1},
        {"page_token": "x"},
        {"from_ms": -1},
        {"game": "x" * 200},
    ):
        assert await house.refused("p_a", "ListHistory", **bad) == "INVALID_ARGUMENT"


async def test_pages_stay_where_they_were_while_rounds_end(house: House) -> None:
    match = PlayedMatch()
    for _ in range(9):
        await house.finish(match)
    found, token = [], ""
    while True:
        page = await house.call("p_a", "ListHistory", page_size=2, page_token=token, preset="tongyi-qmt")
        found += [one.round_id for one in page.rounds]
        token = page.next_page_token
        if not token:
            break
        await house.finish(match)
    assert found == [f"0-m/{number}" for number in range(9, 0, -1)]


async def test_notes_have_a_length_and_one_line(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    for note in ("x" * 101, "two\nlines", "\x00", "a\u202eb"):
        assert (
            await house.refused("p_a", "SetFavourite", round_id=fact.round_id, note=note)
            == "NOTE_NOT_ALLOWED"
        )
    assert await house.refused("p_x", "SetFavourite", round_id=fact.round_id) == "ROUND_UNKNOWN"
    await house.call("p_a", "SetFavourite", round_id=fact.round_id, note="好" * 100)
    shown = await house.call("p_a", "GetReplay", round_id=fact.round_id)
    assert (shown.is_favourite, shown.note) == (True, "好" * 100)
    assert not (await house.call("p_b", "GetReplay", round_id=fact.round_id)).is_favourite
    for _ in range(2):
        await house.call("p_a", "RemoveFavourite", round_id=fact.round_id)
    assert not (await house.call("p_a", "GetReplay", round_id=fact.round_id)).is_favourite


async def test_rounds_are_forgotten_after_their_time_and_favourites_later(house: House) -> None:
    match = PlayedMatch()
    for number in range(1, 5):
        await house.finish(match, at_ms=ENDED_MS + number * DAY_MS)
    await house.history.set_favourite("p_b", "0-m/1", "", ENDED_MS)
    token = (await house.call("p_a", "ShareRound", round_id="0-m/2")).share.token
    retention = Retention(days=10, favourite_days=20)
    assert await sweep(house.history, retention, ENDED_MS + 11 * DAY_MS) == 0
    assert await sweep(house.history, retention, ENDED_MS + 13 * DAY_MS) == 1
    assert await house.refused("p_a", "GetReplay", round_id="0-m/2") == "ROUND_UNKNOWN"
    assert await house.refused("p_x", "GetReplay", share_token=token) == "SHARE_UNKNOWN"
    assert {one.round_id for one in (await house.call("p_a", "ListHistory")).rounds} == {
        f"0-m/{number}" for number in (1, 3, 4)
    }
    assert await sweep(house.history, retention, ENDED_MS + 22 * DAY_MS) == 3
    assert await sweep(house.history, Retention(0, 5), ENDED_MS + 10_000 * DAY_MS) == 0


async def test_a_person_who_is_gone_leaves_no_notes_and_no_links(house: House) -> None:
    fact = await house.finish(PlayedMatch())
    await house.call("p_a", "SetFavourite", round_id=fact.round_id, note="private")
    await house.call("p_b", "SetFavourite", round_id=fact.round_id)
    token = (await house.call("p_a", "ShareRound", round_id=fact.round_id)).share.token
    bus = house.world.process("accounts").bus
    await bus.publish(AccountDeleted(player_id="p_a", at_ms=ENDED_MS), "deleted:p_a")
    async with SystemClock().timeout(60):
        while (await house.history.shares("p_a", "", 0))[0]:
            await SystemClock().sleep(0.01)
    assert await house.refused("p_x", "GetReplay", share_token=token) == "SHARE_UNKNOWN"
    assert await house.history.note_of("p_a", fact.round_id) is None
    assert (await house.history.page("p_a", Filters(), 10, ""))[0] == []
    (left,) = (await house.history.page("p_b", Filters(), 10, ""))[0]
    assert left.is_favourite, "others keep what is theirs"


async def test_rounds_that_were_kept_before_places_were_known_are_found_by_how_they_ended(
    database_url: str, db: Database, tmp_path: Path
) -> None:
    """The older schema with rounds in it, migrated: nothing is lost, and the winner's filter knows them."""
    older = tmp_path / "older" / "versions"
    older.mkdir(parents=True)
    for name in ("0001_first.py", "0002_marks.py"):
        shutil.copy(Path(migrations.__path__[0]) / "versions" / name, older)
    migrate(database_url, "table", older.parent)
    _, fact = PlayedMatch().round()
    points = parse_record(fact.record.decode()).result["points"]
    rows = {"id": fact.round_id, "record": bytes(fact.record), "points": str(points), "at": ENDED_MS}

    def fill(connection: Any) -> None:
        connection.execute(
            text(
                "INSERT INTO records VALUES (:id, 'paohuzi', 'tongyi-qmt@1',"
                ' \'["p_a", "p_b", "bot:normal"]\', :points, :at, :record)'
            ),
            rows,
        )
        connection.execute(text("INSERT INTO record_players VALUES ('p_a', :at, :id)"), rows)

    await db.run(fill)
    migrate(database_url, "table")
    history = HistoryStore(db)
    sign = (points[0] > 0) - (points[0] < 0)
    (one,) = (await history.page("p_a", Filters(sign=sign), 10, ""))[0]
    assert one.kept.room_code is None
    assert (await history.page("p_a", Filters(sign=sign, is_room=True), 10, ""))[0] == []
    assert (await RecordStore(db).get(fact.round_id))[1] == fact.record
