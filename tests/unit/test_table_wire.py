"""What is encoded by hand is byte for byte what the generated classes write."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st
from paiju.table.v1 import play_pb2 as p
from paiju.table.v1.wire_pb2 import Detached, Out, OutBatch, TaggedAnswer

from services.chassis.metrics import Metrics
from services.table.core import frames as f
from services.table.encode import FrameEncoder, answer_of
from services.table.sessions import OUT_BYTES_MAX, OUTS_PER_BATCH_MAX, Outgoing, Sender, Session

NUMBER = st.integers(1, 2**63 - 1)
TEXT = st.text(max_size=300)
NAME = st.text(min_size=1, max_size=300)
TEXTS = st.lists(TEXT, max_size=4).map(tuple)
QUESTION = st.builds(f.Question, NUMBER, TEXTS, st.integers(0, 2**60), st.integers(0, 300))
PLAY = st.builds(f.Play, TEXT, TEXTS, st.none() | QUESTION, st.integers(-1, 3), st.integers(0, 2**60))


def built(body: f.Play) -> p.Play:
    asked = body.question
    question = None
    if asked is not None:
        question = p.Question(
            number=asked.number, actions=asked.actions, deadline_at_ms=asked.deadline, misses=asked.misses
        )
    return p.Play(
        events=body.events,
        question=question,
        turn_seat=body.turn_seat,
        turn_deadline_at_ms=body.turn_deadline,
        round_id=body.round_id,
    )


@given(PLAY, NUMBER, NUMBER)
def test_a_frame_of_play_is_what_protobuf_writes(body: f.Play, number: int, at: int) -> None:
    frame = FrameEncoder().encode(f.Shown(0, number, at, body))
    assert frame == p.Frame(number=number, at_ms=at, play=built(body)).SerializeToString()


def test_every_other_frame_is_what_protobuf_writes() -> None:
    encoder = FrameEncoder()
    for number in range(1, 200):
        frame = encoder.encode(f.Shown(0, number, 5, f.Paused(f"R{number}")))
        assert (
            frame == p.Frame(number=number, at_ms=5, paused=p.Paused(reason=f"R{number}")).SerializeToString()
        )


@given(st.integers(0, 2**63 - 1))
def test_an_acceptance_is_what_protobuf_writes(number: int) -> None:
    assert answer_of("", number) == p.CommandAnswer(number=number).SerializeToString()


def test_a_refusal_says_why_in_both_languages() -> None:
    answer = p.CommandAnswer.FromString(answer_of("ILLEGAL_ACTION", 7))
    assert (answer.reason, answer.number) == ("ILLEGAL_ACTION", 7)
    assert answer.message_zh
    assert answer.message_en


class Gateway:
    """Hears what is told to one gateway."""

    def __init__(self) -> None:
        self.batches: list[bytes] = []

    async def tell(self, subject: str, payload: bytes) -> None:
        assert subject == "paiju.gateway.out.gw"
        self.batches.append(payload)

    def outs(self) -> list[Out]:
        return [out for batch in self.batches for out in OutBatch.FromString(batch).outs]


def outgoing(gateway: Gateway, shard: int = 0, epoch: int = 0) -> Outgoing:
    made = Outgoing(gateway, Metrics(), shard)  # type: ignore[arg-type] # tells, and nothing else
    made.epoch = epoch
    return made


@given(
    NAME,
    NAME,
    st.integers(0, 2**60),
    st.integers(0, 2**63 - 1),
    st.integers(0, 2**60),
    st.binary(max_size=400),
)
def test_a_batch_of_everything_is_what_protobuf_writes(
    table: str, name: str, shard: int, epoch: int, attached: int, payload: bytes
) -> None:
    gateway = Gateway()
    out = outgoing(gateway, shard % 2**31, epoch)
    session = Session("gw", name, table, "p_a", 0, 0, 0)
    out.frame(session, payload)
    out.view(session, payload)
    out.answer(Sender("gw", name, shard), table, answer_of("", epoch), attached)
    out.last_number(session, shard)
    out.detached("gw", name, table, "REPLACED")
    asyncio.run(out.flush())
    tagged = TaggedAnswer(tag=shard, answer=p.CommandAnswer(number=epoch), attached=attached)
    expected = [
        Out(table_id=table, session=name, frame=payload),
        Out(table_id=table, session=name, view=payload),
        Out(table_id=table, session=name, answer=tagged),
        Out(table_id=table, session=name, last_number=shard),
        Out(table_id=table, session=name, detached=Detached(reason="REPLACED")),
    ]
    whole = OutBatch(shard=shard % 2**31, epoch=epoch, outs=expected)
    assert gateway.batches == [whole.SerializeToString()]


def test_a_batch_is_bounded_in_number_and_in_bytes_and_keeps_the_order() -> None:
    gateway = Gateway()
    out = outgoing(gateway)
    session = Session("gw", "s", "0-t", "p_a", 0, 0, 0)
    sizes = [10] * (2 * OUTS_PER_BATCH_MAX + 1) + [200_000] * 9 + [OUT_BYTES_MAX + 1, 3]
    for number, size in enumerate(sizes):
        out.view(session, number.to_bytes(4, "big") + bytes(size))
    asyncio.run(out.flush())
    assert [int.from_bytes(heard.view[:4], "big") for heard in gateway.outs()] == list(range(len(sizes)))
    assert all(len(OutBatch.FromString(batch).outs) <= OUTS_PER_BATCH_MAX for batch in gateway.batches)
    over = [batch for batch in gateway.batches if len(batch) > OUT_BYTES_MAX]
    assert [len(OutBatch.FromString(batch).outs) for batch in over] == [1]
