"""What the gateway decides without wire or clock."""

from __future__ import annotations

import random

import pytest
from paiju.economy.v1.economy_service_pb2 import GetWalletResponse
from paiju.gateway.v1.gateway_service_pb2 import Notice, PlayResponse, Pong
from paiju.table.v1.play_pb2 import Frame, SeatsChanged, TableCommand, TableView
from paiju.table.v1.wire_pb2 import Command, CommandBatch

from services.chassis.access import SCOPES
from services.chassis.addresses import counted, of_peer
from services.chassis.errors import Refusal
from services.chassis.reasons import REASONS
from services.gateway.core.attachment import ASK_PAUSE_S, ASKS_BEFORE_VIEW, Attachment, Verdict, shard_of
from services.gateway.core.framing import embedded, leading_number
from services.gateway.core.leftovers import CALM_S, ENDED_MAX, ENDED_PER_LOOK, Leftovers
from services.gateway.core.methods import METHODS
from services.gateway.core.outgoing import Limits, Outgoing
from services.gateway.core.refusals import call_error
from services.gateway.core.scopes import SCOPE_OF_NOTICE, hears
from services.gateway.core.waiting import BATCH_COMMANDS_MAX, COMMAND_AGE_S_MAX, SILENCE_S, WaitingCommands
from services.gateway.doors.call import STATUSES_OF_REASONS, status_of


class TestFraming:
    @pytest.mark.parametrize("number", [0, 1, 127, 128, 300, 2**32, 2**64 - 1])
    def test_the_number_of_a_frame_is_read_without_parsing_it(self, number: int) -> None:
        frame = Frame(number=number, at_ms=5, seats_changed=SeatsChanged())
        assert leading_number(frame.SerializeToString()) == number
        assert leading_number(TableView(number=number, table_id="0-abcd").SerializeToString()) == number

    @pytest.mark.parametrize("junk", [b"", b"\x08", b"\x08\xff", b"\x12\x01a", b"\x08" + b"\xff" * 20])
    def test_junk_has_no_number(self, junk: bytes) -> None:
        assert leading_number(junk) == 0

    def test_joined_bytes_are_the_message_that_protobuf_would_have_built(self) -> None:
        commands = [
            Command(player_id="p", session="s", tag=n, command=TableCommand(table_id="x" * n))
            for n in range(1, 300)
        ]
        joined = embedded(1, b"gw") + b"".join(embedded(2, c.SerializeToString()) for c in commands)
        assert CommandBatch.FromString(joined) == CommandBatch(gateway="gw", commands=commands)


class TestWaitingCommands:
    def test_a_command_is_sent_once_and_again_only_after_silence(self) -> None:
        waiting = WaitingCommands(10)
        waiting.add(1, b"a", 0.0)
        assert [w.tag for w in waiting.take(0.0)] == [1]
        assert waiting.take(SILENCE_S - 0.01) == []
        assert [w.tag for w in waiting.take(SILENCE_S)] == [1]

    def test_an_answered_command_is_never_sent_again(self) -> None:
        waiting = WaitingCommands(10)
        waiting.add(1, b"a", 0.0)
        waiting.take(0.0)
        assert waiting.forget(1)
        assert not waiting.forget(1)
        waiting.resend_all()
        assert waiting.take(5.0) == []
        assert waiting.next_at() is None

    def test_a_batch_that_nobody_got_goes_first_next_time_in_the_order_of_the_tags(self) -> None:
        waiting = WaitingCommands(10)
        for tag in (1, 2):
            waiting.add(tag, b"a", 0.0)
        batch = waiting.take(0.0)
        waiting.add(3, b"a", 0.1)
        waiting.not_sent(batch)
        assert [w.tag for w in waiting.take(0.2)] == [1, 2, 3]

    def test_a_new_owner_gets_everything_that_is_not_answered(self) -> None:
        waiting = WaitingCommands(10)
        for tag in range(1, 6):
            waiting.add(tag, b"a", 0.0)
        waiting.take(0.0)
        waiting.forget(2)
        waiting.resend_all()
        assert [w.tag for w in waiting.take(0.1)] == [1, 3, 4, 5]

    def test_an_old_command_is_given_up(self) -> None:
        waiting = WaitingCommands(10)
        waiting.add(1, b"a", 0.0)
        waiting.add(2, b"a", 1.0)
        assert waiting.expired(COMMAND_AGE_S_MAX - 0.01) == []
        assert [w.tag for w in waiting.expired(COMMAND_AGE_S_MAX)] == [1]
        assert 2 in waiting

    def test_batches_are_bounded_in_number_and_bytes_and_a_queue_in_length(self) -> None:
        waiting = WaitingCommands(1000)
        for tag in range(1, 400):
            assert waiting.add(tag, b"a", 0.0)
        assert len(waiting.take(0.0)) == BATCH_COMMANDS_MAX
        big = WaitingCommands(1000)
        for tag in range(1, 100):
            big.add(tag, b"a" * 16_000, 0.0)
        assert 0 < sum(len(w.payload) for w in big.take(0.0)) <= 256 * 1024
        full = WaitingCommands(1)
        assert full.add(1, b"a", 0.0)
        assert not full.add(2, b"a", 0.0)

    @pytest.mark.parametrize("seed", range(20))
    def test_each_command_ends_answered_or_given_up_and_is_never_silent_for_longer_than_a_second(
        self, seed: int
    ) -> None:
        chance = random.Random(seed)
        waiting = WaitingCommands(10_000)
        now, tag, ended, last_sent = 0.0, 0, set[int](), dict[int, float]()
        while now < 30.0:
            now += chance.random() * 0.2
            for old in waiting.expired(now):
                ended.add(old.tag)
            if now < 15.0:
                tag += 1
                waiting.add(tag, b"x", now)
            batch = waiting.take(now)
            for sent in batch:
                last_sent[sent.tag] = now
            fate = chance.random()
            if fate < 0.3:
                waiting.not_sent(batch)
            elif fate < 0.7:
                for sent in batch:
                    waiting.forget(sent.tag)
                    ended.add(sent.tag)
            elif fate < 0.75:
                waiting.resend_all()
            due = waiting.next_at()
            assert due is None or due <= now + max(SILENCE_S, COMMAND_AGE_S_MAX)
        assert ended == set(range(1, tag + 1))
        assert len(waiting) == 0


def attachment(last: int = 0) -> Attachment:
    return Attachment("0-abcd", 0, "s1", False, last, 7, 0.0)


class TestAttachment:
    def test_frames_go_out_in_order_once_each(self) -> None:
        a = attachment()
        assert [a.judge_frame(n, 0.0) for n in (1, 2, 2, 1, 3)] == [
            Verdict.FORWARD,
            Verdict.FORWARD,
            Verdict.DROP,
            Verdict.DROP,
            Verdict.FORWARD,
        ]

    def test_a_missing_frame_is_asked_for_once_and_nothing_overtakes_it(self) -> None:
        a = attachment(last=3)
        assert a.judge_frame(5, 1.0) is Verdict.ASK
        assert a.ask(9, 1.0).number == 3
        assert a.judge_frame(6, 1.1) is Verdict.DROP
        a.asking = 0
        assert [a.judge_frame(n, 1.2) for n in (4, 5, 6)] == [Verdict.FORWARD] * 3

    def test_the_owners_heartbeat_tells_what_was_lost_at_the_end(self) -> None:
        a = attachment(last=3)
        assert a.judge_last(3, 1.0) is Verdict.DROP
        assert a.judge_last(4, 1.0) is Verdict.ASK

    def test_gaps_that_are_not_answered_end_in_a_whole_view(self) -> None:
        a = attachment(last=3)
        numbers = []
        for step in range(4):
            now = step * ASK_PAUSE_S
            assert a.judge_last(9, now) is Verdict.ASK
            numbers.append(a.ask(step + 1, now).number)
            a.asking = 0
        assert numbers == [3, 3, 3, 0]
        assert a.judge_view(9, 2.0) is Verdict.FORWARD
        assert a.judge_frame(10, 2.0) is Verdict.FORWARD

    def test_a_client_that_claims_more_than_there_is_gets_the_view_that_answers_it(self) -> None:
        a = attachment(last=1000)
        a.asking = 5
        assert a.judge_view(7, 0.0) is Verdict.FORWARD
        assert a.judge_frame(8, 0.0) is Verdict.FORWARD

    def test_an_old_view_is_dropped(self) -> None:
        assert attachment(last=3).judge_view(2, 0.0) is Verdict.DROP

    def test_a_view_that_was_held_up_takes_nobody_back_behind_what_he_was_shown(self) -> None:
        a = attachment(last=24)
        a.asking = 5
        assert a.judge_view(37, 0.0) is Verdict.FORWARD
        a.asks, a.asking = ASKS_BEFORE_VIEW, 0
        assert a.ask(6, 1.0).number == 0
        assert a.judge_view(35, 1.1) is Verdict.DROP
        assert a.judge_view(38, 1.2) is Verdict.FORWARD
        assert a.judge_frame(39, 1.3) is Verdict.FORWARD

    @pytest.mark.parametrize("seed", range(30))
    def test_whatever_is_lost_the_client_sees_every_frame_once_in_order(self, seed: int) -> None:
        chance = random.Random(seed)
        a, seen, made, now = attachment(), [], 0, 0.0
        for step in range(400):
            now += 0.1
            if step < 300 and chance.random() < 0.6:
                made += 1
                if chance.random() > 0.3 and a.judge_frame(made, now) is Verdict.FORWARD:
                    seen.append(made)
            is_asked = chance.random() < 0.3 and a.judge_last(made, now) is Verdict.ASK
            if not is_asked:
                continue
            asked = a.ask(1, now).number
            if chance.random() > 0.3:  # an answer arrives as a whole, or not at all
                if asked == 0 and made:
                    assert a.judge_view(made, now) is Verdict.FORWARD
                    seen = list(range(1, made + 1))
                else:
                    numbers = range(asked + 1, made + 1)
                    seen += [n for n in numbers if a.judge_frame(n, now) is Verdict.FORWARD]
            a.asking = 0
        assert seen == list(range(1, made + 1))

    @pytest.mark.parametrize(
        "table_id", ["", "0", "0-", "g-abcd", "0-ABCD", "00-abcd", "fffff-abcd", "0-ab cd", "0-a.b.c"]
    )
    def test_what_is_no_table_id_is_refused(self, table_id: str) -> None:
        with pytest.raises(Refusal, match="INVALID_ARGUMENT"):
            shard_of(table_id)

    def test_the_shard_is_the_hex_before_the_dash(self) -> None:
        assert shard_of("1f-0123456789abcdefghjk") == 31


class TestOutgoing:
    def test_frames_of_one_table_that_follow_each_other_travel_together(self) -> None:
        queue = Outgoing(Limits(100, 10_000))
        queue.put_frame("0-a", 1, b"x")
        queue.put_frame("0-a", 1, b"y")
        queue.put_frame("0-b", 1, b"z")
        queue.put(PlayResponse(pong=Pong()), 4)
        queue.put_frame("0-a", 1, b"w")
        queue.put_frame("0-a", 2, b"v")
        taken = queue.take()
        assert [list(r.table_frames.frames) for r in taken] == [[b"x", b"y"], [b"z"], [], [b"w"], [b"v"]]
        assert taken[4].table_frames.epoch == 2
        assert len(queue) == 0

    def test_the_queue_is_full_by_items_or_bytes(self) -> None:
        queue = Outgoing(Limits(3, 100))
        assert all(queue.put_frame("0-a", 1, b"x") for _ in range(3))
        assert not queue.put_frame("0-a", 1, b"x")
        assert not queue.put(PlayResponse(), 1)
        heavy = Outgoing(Limits(100, 100))
        assert heavy.put(PlayResponse(), 60)
        assert not heavy.put_frame("0-a", 1, b"x" * 60)

    def test_chat_is_dropped_before_anything_else_suffers(self) -> None:
        queue = Outgoing(Limits(4, 1000))
        chat = PlayResponse(notice=Notice())
        assert queue.put(chat, 10, is_droppable=True)
        assert queue.put(PlayResponse(), 10)
        assert queue.put(chat, 10, is_droppable=True)
        assert queue.dropped == 1
        assert len(queue) == 2


class TestAddresses:
    @pytest.mark.parametrize(
        ("address", "network"),
        [
            ("10.0.0.7", "10.0.0.7"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
            ("2001:db8:1:2:ffff::", "2001:db8:1:2::/64"),
            ("::ffff:10.0.0.7", "10.0.0.7"),
            ("fe80::1%eth0", "fe80::/64"),
            ("unknown", "unknown"),
            ("x" * 500, "x" * 64),
        ],
    )
    def test_a_household_counts_as_one(self, address: str, network: str) -> None:
        assert counted(address) == network

    @pytest.mark.parametrize(
        ("peer", "address"),
        [
            ("ipv4:10.0.0.7:5312", "10.0.0.7"),
            ("ipv6:[2001:db8::1]:5312", "2001:db8::1"),
            ("ipv6:%5B::1%5D:5312", "::1"),
            ("unix:", "unix:"),
        ],
    )
    def test_a_peer_of_grpc_is_an_address_without_its_port(self, peer: str, address: str) -> None:
        assert of_peer(peer) == address


class TestRefusals:
    def test_a_refusal_carries_reason_both_texts_and_details(self) -> None:
        error = call_error(Refusal("COINS_TOO_FEW", entry_min=3000, coins=12, advice_zh="", advice_en=""))
        assert (error.code, error.reason, error.details["entry_min"]) == (9, "COINS_TOO_FEW", "3000")
        assert "3000" in error.message_zh
        assert "3000" in error.message_en


class TestMethods:
    def test_no_method_that_only_services_may_call_is_listed(self) -> None:
        private = {
            "CreateTable",
            "CloseTable",
            "OpenStake",
            "CloseStake",
            "GetStakes",
            "GrantReward",
            "Reconcile",
        }
        assert not {path.rpartition("/")[2] for path in METHODS} & private

    def test_only_signing_in_and_what_says_nothing_of_anybody_is_public(self) -> None:
        public = {path.rpartition("/")[2] for path, method in METHODS.items() if method.access == "public"}
        assert public == {
            "CreateChallenge",
            "SignInGuest",
            "RefreshSession",
            "GetSigningKeys",
            "SignInPassword",
            "ListOidcProviders",
            "BeginOidc",
            "FinishOidc",
            "ExchangeApiKey",
            "ListProfileChoices",
            "ListGames",
            "ScoreHand",
        }

    def test_every_method_belongs_to_the_service_in_its_path(self) -> None:
        assert METHODS["paiju.chat.v1.ChatService/PostMessage"].service == "chat"


def test_what_connections_left_behind_is_looked_for_when_nobody_comes_or_there_is_too_much() -> None:
    left = Leftovers()
    for _ in range(ENDED_PER_LOOK):
        left.opened(10.0)
        left.ended()
    assert left.looks(10.0 + CALM_S - 0.1) == 0, "they are coming back: not now"
    assert left.looks(10.0 + CALM_S) == 1
    assert left.looks(99.0) == 1, "once for the same"
    for _ in range(ENDED_MAX - 1):
        left.ended()
    left.opened(100.0)
    assert left.looks(100.0) == 1
    left.ended()
    assert left.looks(100.0) == 2, "people come and go all the time"


class TestStatuses:
    def test_every_reason_has_a_status_and_only_ours_to_mend_are_500(self) -> None:
        statuses = {reason: status_of(call_error(Refusal(reason))) for reason in REASONS}
        assert {reason for reason, status in statuses.items() if status == 500} == {"INTERNAL"}
        assert statuses.keys() >= STATUSES_OF_REASONS.keys()

    def test_what_a_library_should_repeat_by_itself_is_429_or_503_and_nothing_else_is(self) -> None:
        later = {"FRIEND_ASKS_SPENT", "QUOTA_EXCEEDED", "RATE_LIMITED", "TOO_MANY_CALLS"}
        later |= {"TOO_MANY_NEW_PLAYERS"}
        # Said on a connection only.
        later |= {"TOO_MANY_TABLES", "WATCHERS_FULL", "WATCH_ASKS_FULL"}
        assert {reason for reason in REASONS if status_of(call_error(Refusal(reason))) == 429} == later

    def test_what_is_too_large_is_413(self) -> None:
        found = {reason for reason in REASONS if status_of(call_error(Refusal(reason))) == 413}
        assert found == {"MESSAGE_TOO_LARGE", "RECORD_TOO_LARGE"}


class TestScopes:
    def test_every_notice_has_a_scope_and_a_person_needs_none(self) -> None:
        kinds = {field.name for field in Notice.DESCRIPTOR.oneofs_by_name["body"].fields}
        assert SCOPE_OF_NOTICE.keys() == kinds
        assert set(SCOPE_OF_NOTICE.values()) <= set(SCOPES)
        wallet = Notice(wallet=GetWalletResponse())
        assert hears(None, wallet)
        assert hears(frozenset({"wallet.read"}), wallet)
        assert not hears(frozenset({"play"}), wallet)
        assert not hears(frozenset(SCOPES), Notice())
