"""All mutants: importing this registers them."""

from typing import Final

from tests.simulation.mutants import checkpoints, commands, facts, money, places, shard_log, showing, waiting
from tests.simulation.mutants.planting import MUTANTS

NAMED: Final = {
    "show before ack": ("frames_and_answers_leave_before_the_acknowledgement",),
    "no fence": ("an_owner_takes_a_shard_without_a_fence",),
    "fence without reading up to it": (
        "the_log_is_read_before_the_fence_is_appended",
        "the_reader_stops_where_the_log_seems_to_end",
    ),
    "Msg-Id without incarnation": ("message_ids_carry_no_incarnation",),
    "time-out = failure": ("a_time_out_is_taken_as_failure",),
    "repeat in flight": ("a_repeat_in_flight_is_taken_as_new",),
    "refusal before ack": ("a_refusal_leaves_before_what_it_rests_on_is_durable",),
    "checkpoint without answers": ("checkpoints_are_made_without_the_last_answers",),
    "floor without outbox": ("the_floor_forgets_what_is_owed",),
    "purge by keep": ("the_log_is_purged_by_how_many_to_keep",),
    "unlogged frame number": (
        "resumed_takes_a_number_without_an_event",
        "presence_is_shown_and_not_logged",
    ),
    "seed not in the log": ("the_seed_is_drawn_again_by_each_owner",),
    "no epoch": ("frames_and_answers_carry_no_epoch",),
    "double settle": ("a_round_heard_of_twice_is_settled_twice",),
    "leaked card": (
        "every_seat_reads_what_the_first_seat_reads",
        "spectators_read_what_the_first_seat_reads",
        "a_seat_gets_the_frames_of_all_seats",
    ),
    "forgotten deadline": ("a_new_owner_forgets_the_deadlines",),
    "ack before store": ("a_delivery_is_acknowledged_before_it_is_handled",),
    "settlement out of order": ("rounds_are_settled_in_the_order_of_hearing",),
}
"""The mistakes that a platform like this one makes first, and the mutants that make them."""

__all__ = [
    "MUTANTS",
    "NAMED",
    "checkpoints",
    "commands",
    "facts",
    "money",
    "places",
    "shard_log",
    "showing",
    "waiting",
]
