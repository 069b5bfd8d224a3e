"""RPCs about finished rounds: replays, lessons, links, history, favourites."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from paiju.table.v1 import replay_service_pb2 as s
from paiju.table.v1 import replay_service_pb2_grpc

from engine.errors import BadRecordAction, BadRecordLine
from engine.errors import Refusal as RuleRefusal
from engine.face import Game
from services.chassis import auth
from services.chassis.auth import AccessTable
from services.chassis.clock import Clock
from services.chassis.errors import Refusal
from services.chassis.ids import Ids
from services.table.reading import Reading
from services.table.records_filters import Filters
from services.table.records_store import FROM_ABOVE, HistoryStore, Listed, Share
from services.table.replays import RECORD_BYTES_MAX, changed_line, lesson_of, replay_of, seat_of
from services.table.retention import Retention
from services.table.rights import Rights, may_see, rights_of
from services.table.store import Kept, RecordStore

ACCESS: AccessTable = {
    "GetReplay": "player",
    "CheckRecord": "player",
    "ExplainDecision": "player",
    "ShareRound": "player",
    "RevokeShare": "player",
    "ListShares": "player",
    "ListHistory": "player",
    "SetFavourite": "player",
    "RemoveFavourite": "player",
}

PAGE_SIZE = 20
PAGE_SIZE_MAX = 100
ID_CHARS_MAX = 128
TOKEN_BYTES = 16
TOKEN_CHARS = 22
NOTE_CHARS_MAX = 100
SHARE_DAYS = 30
SHARE_DAYS_MAX = 365
TIME_MS_MAX = 10**15
DAY_MS = 86_400_000
WHY_CHARS_MAX = 300

T = TypeVar("T")


class RecordsApi(replay_service_pb2_grpc.ReplayServiceServicer):
    """See protos/paiju/table/v1/replay_service.proto."""

    def __init__(
        self,
        games: Mapping[str, Game],
        records: RecordStore,
        history: HistoryStore,
        reading: Reading,
        retention: Retention,
        clock: Clock,
        ids: Ids,
    ) -> None:
        self._games = games
        self._records = records
        self._history = history
        self._reading = reading
        self._retention = retention
        self._clock = clock
        self._ids = ids

    # What is looked at

    async def GetReplay(self, request: s.GetReplayRequest, context: Any) -> s.GetReplayResponse:  # noqa: N802 - gRPC
        """Return a finished round, as the caller may see it."""
        kept, data, rights = await self._round(request.round_id, request.share_token)
        seat = rights.view(request.viewer, request.seat, len(kept.players))
        replay = await self._read(lambda: replay_of(self._games, data, seat, rights.own))
        note = await self._note(kept)
        return s.GetReplayResponse(
            replay=replay,
            record=data if rights.sees_all else b"",
            is_favourite=note is not None,
            note=note or "",
        )

    async def CheckRecord(self, request: s.CheckRecordRequest, context: Any) -> s.CheckRecordResponse:  # noqa: N802 - gRPC
        """Check a record that was brought, by the engine and against what is kept here."""
        data = _record(request.record)
        replay = await self._read(lambda: replay_of(self._games, data, None))
        found = await self._records.find(replay.round_id)
        if found is None:
            return s.CheckRecordResponse(replay=replay)
        kept, ours = found
        if ours != data:
            # Where it differs is told only to who may see the round: to others it would confirm guesses.
            line = changed_line(ours, data) if may_see(kept) else 0
            raise Refusal("RECORD_CHANGED", line=line or "?")
        return s.CheckRecordResponse(replay=replay, is_kept=True)

    async def ExplainDecision(  # noqa: N802 - gRPC
        self, request: s.ExplainDecisionRequest, context: Any
    ) -> s.ExplainDecisionResponse:
        """Return what can be learnt from one answer."""
        if request.number < 1:
            raise Refusal("INVALID_ARGUMENT", field="number")
        if request.record:
            data = _record(request.record)
        else:
            _, data, rights = await self._round(request.round_id, request.share_token)
            seat = await self._read(lambda: seat_of(data, request.number))
            if not rights.may_learn(seat):
                raise Refusal("PERMISSION_DENIED")
        return await self._read(lambda: lesson_of(self._games, data, request.number))

    # Links

    async def ShareRound(self, request: s.ShareRoundRequest, context: Any) -> s.ShareRoundResponse:  # noqa: N802 - gRPC
        """Make a link to an own round."""
        player = auth.player()
        if not 0 <= request.days <= SHARE_DAYS_MAX:
            raise Refusal("INVALID_ARGUMENT", field="days")
        if request.viewer not in s.Viewer.values():
            raise Refusal("INVALID_ARGUMENT", field="viewer")
        kept = await self._own(request.round_id, player)
        seat = kept.players.index(player) if request.viewer == s.VIEWER_SEAT else FROM_ABOVE
        now = self._clock.now_ms()
        until = now + (request.days or SHARE_DAYS) * DAY_MS
        token = base64.urlsafe_b64encode(self._ids.token(TOKEN_BYTES)).decode().rstrip("=")
        share = await self._history.share(player, kept.round_id, seat, token, now, until)
        return s.ShareRoundResponse(share=_share(share))

    async def RevokeShare(self, request: s.RevokeShareRequest, context: Any) -> s.RevokeShareResponse:  # noqa: N802 - gRPC
        """End a link."""
        player = auth.player()
        await self._history.revoke(player, _token(request.token))
        return s.RevokeShareResponse()

    async def ListShares(self, request: s.ListSharesRequest, context: Any) -> s.ListSharesResponse:  # noqa: N802 - gRPC
        """List the caller's links."""
        player = auth.player()
        round_id = _id(request.round_id, "round_id") if request.round_id else ""
        size = _size(request.page_size, PAGE_SIZE_MAX)
        found, token = await self._history.shares(
            player, round_id, self._clock.now_ms(), size, request.page_token
        )
        return s.ListSharesResponse(shares=[_share(share) for share in found], next_page_token=token)

    # History and favourites

    async def ListHistory(self, request: s.ListHistoryRequest, context: Any) -> s.ListHistoryResponse:  # noqa: N802 - gRPC
        """List a player's rounds by filters."""
        caller = auth.current().player_id
        player = _id(request.player_id or caller, "player_id")
        if caller and player != caller:
            raise Refusal("PERMISSION_DENIED")
        size = _size(request.page_size, PAGE_SIZE)
        found, token = await self._history.page(player, _filters(request), size, request.page_token)
        return s.ListHistoryResponse(
            rounds=[self._listed(one, player) for one in found], next_page_token=token
        )

    async def SetFavourite(self, request: s.SetFavouriteRequest, context: Any) -> s.SetFavouriteResponse:  # noqa: N802 - gRPC
        """Keep an own round among the favourites."""
        player = auth.player()
        note = request.note.strip()
        if len(note) > NOTE_CHARS_MAX or not note.isprintable():
            raise Refusal("NOTE_NOT_ALLOWED", most=NOTE_CHARS_MAX)
        kept = await self._own(request.round_id, player)
        await self._history.set_favourite(player, kept.round_id, note, self._clock.now_ms())
        return s.SetFavouriteResponse()

    async def RemoveFavourite(  # noqa: N802 - gRPC
        self, request: s.RemoveFavouriteRequest, context: Any
    ) -> s.RemoveFavouriteResponse:
        """Take a round out of the favourites."""
        player = auth.player()
        await self._history.remove_favourite(player, _id(request.round_id, "round_id"))
        return s.RemoveFavouriteResponse()

    # Parts

    async def _round(self, round_id: str, token: str) -> tuple[Kept, bytes, Rights]:
        """Return a round and what the caller may see of it; who may see nothing is refused."""
        share = await self._history.shared(_token(token), self._clock.now_ms()) if token else None
        if share is not None and round_id not in ("", share.round_id):
            raise Refusal("INVALID_ARGUMENT", field="round_id")
        kept, data = await self._records.get(share.round_id if share else _id(round_id, "round_id"))
        return kept, data, rights_of(kept, share)

    async def _own(self, round_id: str, player: str) -> Kept:
        kept, _ = await self._records.get(_id(round_id, "round_id"))
        if player not in kept.players:
            raise Refusal("ROUND_UNKNOWN")
        return kept

    async def _note(self, kept: Kept) -> str | None:
        player = auth.current().player_id
        if player not in kept.players:
            return None
        return await self._history.note_of(player, kept.round_id)

    async def _read(self, work: Callable[[], T]) -> T:
        try:
            return await self._reading.run(work)
        except UnicodeDecodeError:
            raise Refusal("RECORD_MALFORMED", why="not UTF-8") from None
        except RuleRefusal as refusal:
            raise _refused(refusal) from refusal

    def _listed(self, one: Listed, player: str) -> s.HistoryRound:
        kept = one.kept
        return s.HistoryRound(
            round_id=kept.round_id,
            game=kept.game,
            preset=kept.preset,
            players=kept.players,
            points=kept.points,
            ended_at_ms=kept.ended_at_ms,
            seat=kept.players.index(player),
            place=s.PLACE_UNSPECIFIED
            if kept.room_code is None
            else s.PLACE_ROOM
            if kept.room_code
            else s.PLACE_HALL,
            room_code=kept.room_code or "",
            is_favourite=one.is_favourite,
            note=one.note,
            kept_until_ms=self._retention.until_ms(kept.ended_at_ms, is_favourite=one.is_favourite),
        )


def _refused(refusal: RuleRefusal) -> Refusal:
    """Return the service's word for what the engine makes of a record."""
    why = str(refusal)[:WHY_CHARS_MAX]
    if refusal.reason == "NO_SUCH_DECISION":
        return Refusal("INVALID_ARGUMENT", field="number")
    if isinstance(refusal, BadRecordLine):
        return Refusal("RECORD_MALFORMED", why=why, kind=refusal.reason, line=refusal.line)
    if isinstance(refusal, BadRecordAction):
        return Refusal("RECORD_DOES_NOT_HOLD", why=why, kind=refusal.reason, step=refusal.index + 1)
    return Refusal("RECORD_DOES_NOT_HOLD", why=why, kind=refusal.reason)


def _record(data: bytes) -> bytes:
    if not data:
        raise Refusal("INVALID_ARGUMENT", field="record")
    if len(data) > RECORD_BYTES_MAX:
        raise Refusal("RECORD_TOO_LARGE", maximum=RECORD_BYTES_MAX)
    return data


def _id(value: str, field: str) -> str:
    if not 0 < len(value) <= ID_CHARS_MAX:
        raise Refusal("INVALID_ARGUMENT", field=field)
    return value


def _size(value: int, usual: int) -> int:
    if not 0 <= value <= PAGE_SIZE_MAX:
        raise Refusal("INVALID_ARGUMENT", field="page_size")
    return value or usual


def _token(value: str) -> str:
    if len(value) != TOKEN_CHARS:
        raise Refusal("SHARE_UNKNOWN")
    return value


def _filters(request: s.ListHistoryRequest) -> Filters:
    for field in ("game", "preset", "room_code", "opponent_id"):
        if len(getattr(request, field)) > ID_CHARS_MAX:
            raise Refusal("INVALID_ARGUMENT", field=field)
    for field in ("from_ms", "to_ms"):
        if not 0 <= getattr(request, field) <= TIME_MS_MAX:
            raise Refusal("INVALID_ARGUMENT", field=field)
    if request.place not in s.Place.values():
        raise Refusal("INVALID_ARGUMENT", field="place")
    if request.ending not in s.Ending.values():
        raise Refusal("INVALID_ARGUMENT", field="ending")
    return Filters(
        game=request.game,
        preset=request.preset,
        is_room={s.PLACE_HALL: False, s.PLACE_ROOM: True}.get(request.place),
        room_code=request.room_code,
        from_ms=request.from_ms,
        to_ms=request.to_ms,
        sign={s.ENDING_WON: 1, s.ENDING_LOST: -1, s.ENDING_EVEN: 0}.get(request.ending),
        opponent=request.opponent_id,
        favourites=request.favourites,
    )


def _share(share: Share) -> s.Share:
    return s.Share(
        token=share.token,
        round_id=share.round_id,
        viewer=s.VIEWER_ABOVE if share.seat == FROM_ABOVE else s.VIEWER_SEAT,
        seat=max(share.seat, 0),
        created_at_ms=share.created_at_ms,
        expires_at_ms=share.expires_at_ms,
    )
