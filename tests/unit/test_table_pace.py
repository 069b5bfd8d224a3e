"""Checkpoints come evenly, and whoever has grown old is not forgotten."""

from collections import OrderedDict

import pytest

from services.table.pace import PER_BATCH_MAX, Pace


def made_per_message(tables: int, after: int, messages: int, warm: int = 0) -> tuple[list[int], list[float]]:
    """Append messages one by one; return how many checkpoints went with each, and the oldest age at each."""
    pace = Pace()
    kept = OrderedDict((table, 0) for table in range(tables))
    counts, ages = [], []
    for last in range(warm + 1, warm + messages + 1):
        pace.advance(last, tables / after)
        made: list[int] = []
        for table, seq in kept.items():
            if not pace.allows((last - seq) / after, len(made)):
                break
            made.append(table)
        pace.spend(len(made))
        for table in made:
            kept[table] = last
            kept.move_to_end(table)
        counts.append(len(made))
        ages.append((last - next(iter(kept.values()))) / after)
    return counts, ages


@pytest.mark.parametrize(("tables", "after"), [(13, 1_000), (250, 3_000), (1_250, 15_000)])
def test_they_come_evenly_and_no_table_grows_old(tables: int, after: int) -> None:
    counts, ages = made_per_message(tables, after, 6 * after)
    steady = counts[after:]
    # All tables in turn, no more often than twice in the time after which one is old.
    assert tables / after <= sum(steady) / len(steady) <= 2 * tables / after
    assert max(counts) == 1
    assert max(ages) < 1.01
    # Evenly: in no stretch of the log more than twice its share.
    stretch = after // 5
    most = max(sum(steady[at : at + stretch]) for at in range(0, len(steady) - stretch, stretch))
    assert most <= 2 * tables * stretch / after + 1


def test_those_that_grew_old_together_are_caught_up_with() -> None:
    # A log that somebody else has written far, with nobody's checkpoint in it.
    counts, ages = made_per_message(1_000, 4_000, 4_000, warm=20_000)
    assert counts[:100] == [PER_BATCH_MAX] * 100
    assert ages[0] > 5.0
    assert ages[-1] < 1.0


def test_the_first_message_that_is_seen_says_nothing_of_what_went_before() -> None:
    pace = Pace()
    pace.advance(1_000_000, 0.1)
    assert not pace.allows(0.6, 0)
    pace.advance(1_000_008, 0.1)
    assert pace.allows(0.6, 0)
    assert not pace.allows(0.6, 1)
    assert not pace.allows(0.1, 0)
