"""The book: stakes, settlements in order, disputes, alerts, immutability, the reconciler."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial

import pytest
from paiju.economy.v1.events_pb2 import RoundSettled, StakeClosed
from sqlalchemy import Connection, delete, select, text, update
from sqlalchemy.exc import DatabaseError, IntegrityError

from services.chassis.db import schema_differences
from services.chassis.errors import Defect, Refusal
from services.economy.core.caps import CapInputs, settle
from services.economy.core.money import Transfer, issuer, move, wallet
from services.economy.store import facts, proof_notes, schema, wallets
from services.economy.store.ledger import Book
from services.economy.store.matches import end_matches
from services.economy.store.proof import prove
from tests.support.book import Books, agreed, audited, seated, voided


@pytest.fixture
def books() -> Books:
    return Books()


def clean(books: Books) -> bool:
    return books.prove().findings == ()


def refused(reason: str, call: object, *arguments: object) -> Refusal:
    with pytest.raises(Refusal) as caught:
        call(*arguments)  # type: ignore[operator]
    assert caught.value.reason == reason
    return caught.value


def test_the_migrations_make_exactly_the_tables_of_the_code(books: Books) -> None:
    assert books.run(lambda c: schema_differences(c, schema.metadata)) == []
    assert books.run(lambda c: schema_differences(c, proof_notes.metadata)) == []


def test_a_grant_is_paid_once_per_key(books: Books) -> None:
    assert books.grant("p_a", 700, "k") == 700
    assert books.grant("p_b", 5, "other") == 5
    assert books.grant("p_a", 700, "k") == 700
    assert books.wallet("p_a") == 700
    assert clean(books)


def test_a_key_with_other_content_is_refused(books: Books) -> None:
    books.grant("p_a", 700, "k")
    refused("REQUEST_ID_REUSED", books.grant, "p_a", 701, "k")
    refused("REQUEST_ID_REUSED", books.grant, "p_b", 700, "k")
    refused("REQUEST_ID_REUSED", books.grant, "p_a", 700, "k", "activity")
    assert books.wallet("p_a") == 700


def test_the_first_answer_is_given_again_whatever_happened_since(books: Books) -> None:
    books.grant("p_a", 700, "k")
    books.grant("p_a", 50, "later")
    assert books.grant("p_a", 700, "k") == 700


def test_welcome_grants_are_paid_once_even_when_the_setting_changed(books: Books) -> None:
    def welcome(amount: int) -> list[str]:
        grants = [("welcome/p_a", "welcome", "p_a", "gold", amount, "")]
        return books.run(lambda c: wallets.welcome_many(c, grants, books.now_ms))

    assert welcome(20_000) == ["p_a"]
    assert welcome(30_000) == []
    assert books.wallet("p_a") == 20_000


def test_a_transfer_that_does_not_balance_is_a_defect(books: Books) -> None:
    uneven = Transfer("k", "task", (move(issuer("gold"), wallet("p_a", "gold"), 5)[1],), 0)

    def post(connection: object) -> None:
        book = Book(connection)  # type: ignore[arg-type]
        book.lock([wallet("p_a", "gold")])
        book.post(uneven)

    with pytest.raises(Defect):
        books.run(post)


def test_a_transfer_between_currencies_is_a_defect(books: Books) -> None:
    postings = (
        move(issuer("gold"), wallet("p", "gold"), 5)[0],
        move(issuer("gem"), wallet("p", "gem"), 5)[1],
    )
    with pytest.raises(Defect):
        books.run(lambda c: Book(c).post(Transfer("k", "task", postings, 0)))


@pytest.mark.parametrize("table", ["entries", "transfers"])
def test_what_was_written_cannot_be_changed_or_removed(books: Books, table: str) -> None:
    books.grant("p_a", 700)
    target = schema.metadata.tables[table]
    with pytest.raises(DatabaseError, match="immutable"):
        books.run(lambda c: c.execute(delete(target)))
    with pytest.raises(DatabaseError, match="immutable"):
        books.run(lambda c: c.execute(update(target).values(**{target.columns.keys()[0]: "0"})))


def test_the_database_itself_refuses_a_negative_balance(books: Books) -> None:
    books.grant("p_a", 700)
    with pytest.raises(IntegrityError):
        books.run(lambda c: c.execute(text("UPDATE accounts SET balance = -1 WHERE id = 'wallet/p_a'")))


# Stakes


def test_a_buy_in_moves_from_the_wallet_into_the_stake(books: Books) -> None:
    books.grant("p_a", 1_000)
    assert books.open("0-m", 0, "p_a", 300) == 300
    assert (books.wallet("p_a"), books.staked("p_a")) == (700, 300)
    assert books.stakes("0-m") == [(0, "p_a", "gold", 300, "open")]
    assert clean(books)


def test_a_buy_in_above_the_wallet_is_refused_with_the_numbers(books: Books) -> None:
    books.grant("p_a", 100)
    refusal = refused("INSUFFICIENT_FUNDS", books.open, "0-m", 0, "p_a", 300)
    assert refusal.details["needed"] == 300
    assert refusal.details["available"] == 100
    assert "100" in refusal.text("zh-CN")
    assert books.stakes("0-m") == []


def test_a_stake_opens_once(books: Books) -> None:
    books.grant("p_a", 1_000)
    books.open("0-m", 0, "p_a", 300)
    assert books.open("0-m", 0, "p_a", 300) == 300
    assert books.wallet("p_a") == 700
    refused("REQUEST_ID_REUSED", books.open, "0-m", 0, "p_a", 301)
    refused("REQUEST_ID_REUSED", books.open, "0-m", 0, "p_b", 300)


def test_the_house_pays_for_bots_and_the_issuer_fills_the_house(books: Books) -> None:
    books.open("0-m", 0, "bot:normal", 500)
    books.open("0-m", 1, "bot:greedy", 500)
    held = {
        row.id: row.balance
        for row in books.run(
            lambda c: c.execute(select(schema.accounts).order_by(schema.accounts.c.id)).all()
        )
    }
    assert held == {"house/bots": 49_000, "issuer": -50_000, "stake/0-m/0": 500, "stake/0-m/1": 500}
    books.open("0-n", 0, "bot:normal", 900_000)
    assert books.close("0-m", 0, 0)
    assert clean(books)


def test_a_stake_that_waits_for_a_round_its_match_never_played_is_found(books: Books) -> None:
    seated(books)
    books.hear(agreed("0-m", 1))
    assert not books.close("0-m", 0, 2)
    books.run(lambda c: end_matches(c, [("0-m", 1, books.now_ms)]))
    assert books.prove().findings == ()
    later = books.run(lambda c: prove(c, books.now_ms + 60_001)).findings
    assert "stake/0-m/0: its match ended after round 1, it still holds 560" in later


def test_a_stake_without_rounds_closes_at_once(books: Books) -> None:
    seated(books)
    assert books.close("0-m", 0, 0)
    assert books.close("0-m", 0, 0)
    assert books.wallet("p_a") == 1_000
    assert [StakeClosed.FromString(event).amount for event in books.events("StakeClosed")] == [500]
    assert clean(books)


def test_a_stake_waits_for_the_last_round(books: Books) -> None:
    seated(books)
    books.hear(agreed(number=1))
    assert not books.close("0-m", 0, 2)
    assert books.stakes("0-m")[0][4] == "closing"
    books.hear(agreed(number=2, points=(-3, 6, -3)))
    assert books.stakes("0-m")[0][3:] == (0, "closed")
    assert books.wallet("p_a") == 500 + 500 + 60 - 30
    assert clean(books)


def test_a_stake_waits_for_its_very_last_round_and_not_for_the_one_before(books: Books) -> None:
    seated(books)
    assert not books.close("0-m", 0, 2)
    books.hear(agreed(number=1))
    assert books.stakes("0-m")[0][4] == "closing"
    books.hear(voided(number=2))
    assert books.stakes("0-m")[0][4] == "closed"


def test_a_stake_that_waits_still_pays_and_is_paid(books: Books) -> None:
    seated(books)
    assert not books.close("0-m", 0, 1)
    assert not books.close("0-m", 1, 1)
    books.hear(agreed(points=(-6, 3, 3)))
    assert books.wallet("p_a") == 940
    assert books.wallet("p_b") == 1_030


def test_a_voided_last_round_closes_the_stakes_that_wait(books: Books) -> None:
    seated(books)
    assert not books.close("0-m", 1, 1)
    books.hear(voided(number=1))
    assert books.wallet("p_b") == 1_000
    assert books.state("0-m/1") == ("voided", [])


def test_closing_after_another_round_is_refused(books: Books) -> None:
    seated(books)
    books.close("0-m", 0, 1)
    refused("REQUEST_ID_REUSED", books.close, "0-m", 0, 2)


def test_an_unknown_stake_leaves_a_tombstone_that_refuses_the_late_one(books: Books) -> None:
    books.grant("p_a", 1_000)
    assert books.close("0-m", 0, 0)
    assert books.stakes("0-m")[0][4] == "tombstone"
    refused("STAKE_CLOSED", books.open, "0-m", 0, "p_a", 300)
    assert books.close("0-m", 0, 0)
    assert books.wallet("p_a") == 1_000


def test_a_closed_stake_is_not_opened_again(books: Books) -> None:
    seated(books)
    books.close("0-m", 0, 0)
    refused("STAKE_CLOSED", books.open, "0-m", 0, "p_a", 500)
    assert books.wallet("p_a") == 1_000


# Rounds


def test_an_agreed_round_moves_points_times_base_stake(books: Books) -> None:
    seated(books)
    heard = books.hear(agreed(points=(6, -3, -3), base_stake=10))
    assert heard.settled == 1
    assert heard.players == {"p_a", "p_b"}
    assert [stake[3] for stake in books.stakes("0-m")] == [560, 470, 470]
    assert books.state("0-m/1") == ("settled", [60, -30, -30])
    assert clean(books)


def test_round_settled_says_everything_the_coins_were_computed_from(books: Books) -> None:
    seated(books)
    books.hear(agreed(points=(600, -300, -300), base_stake=10))
    (event,) = (RoundSettled.FromString(payload) for payload in books.events("RoundSettled"))
    cap = json.loads(event.cap_inputs_json)
    inputs = CapInputs(
        tuple(seat.points for seat in event.seats),
        tuple(seat.stake_before for seat in event.seats),
        cap["base_stake"],
        cap["win_cap_by_balance"],
        event.from_seat,
    )
    assert [seat.coins for seat in event.seats] == list(settle(inputs)) == [1_000, -500, -500]
    assert [seat.stake_after for seat in event.seats] == [1_500, 0, 0]
    assert cap["payer_order"] == [1, 2]
    assert event.names_json == '{"红胡":2}'
    assert event.transfer_id.startswith("t_")


def test_a_round_without_coins_is_settled_without_a_transfer(books: Books) -> None:
    assert books.hear(agreed(for_coins=False)).settled == 1
    (event,) = (RoundSettled.FromString(payload) for payload in books.events("RoundSettled"))
    assert [seat.coins for seat in event.seats] == [0, 0, 0]
    assert [seat.points for seat in event.seats] == [6, -3, -3]
    assert (event.for_coins, event.transfer_id) == (False, "")
    assert clean(books)


def test_a_draw_settles_without_moving_anything(books: Books) -> None:
    seated(books)
    books.hear(agreed(points=(0, 0, 0)))
    assert books.state("0-m/1") == ("settled", [0, 0, 0])
    assert clean(books)


def test_the_same_audit_again_changes_nothing(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    before = books.dump()
    assert books.hear(agreed(), agreed()).settled == 0
    assert books.dump() == before


def test_a_later_round_waits_for_the_earlier_one(books: Books) -> None:
    seated(books)
    assert books.hear(agreed(number=2, points=(0, 3, -3)), agreed(number=3)).settled == 0
    assert books.state("0-m/2") == ("waiting", [])
    assert books.state("0-m/1") == ("waiting", [])
    assert [stake[3] for stake in books.stakes("0-m")] == [500, 500, 500]
    assert books.hear(agreed(number=1, points=(100, -50, -50))).settled == 3
    # Round 1 emptied the others, so round 2 could move nothing: the order decided.
    assert books.state("0-m/2") == ("settled", [0, 0, 0])
    settled = [RoundSettled.FromString(event).round_no for event in books.events("RoundSettled")]
    assert settled == [1, 2, 3]
    assert clean(books)


def test_a_voided_round_lets_the_next_settle(books: Books) -> None:
    seated(books)
    books.hear(agreed(number=2))
    assert books.hear(voided(number=1)).settled == 1
    assert clean(books)


def test_a_void_heard_early_waits_its_turn(books: Books) -> None:
    seated(books)
    books.hear(voided(number=2), agreed(number=3))
    assert books.state("0-m/2") == ("voided", [])
    heard = books.hear(agreed(number=1))
    assert (heard.settled, heard.voided) == (2, 1)


def test_a_disputed_round_moves_nothing_and_holds_up_all_later_ones(books: Books) -> None:
    seated(books)
    heard = books.hear(agreed(number=1, verdict="DISPUTED"), agreed(number=2))
    assert heard.disputed == [("0-m/1", "disputed")]
    assert heard.settled == 0
    assert books.state("0-m/1") == ("disputed", [])
    assert books.state("0-m/2") == ("waiting", [])
    assert not books.close("0-m", 0, 2)
    assert [stake[3] for stake in books.stakes("0-m")] == [500, 500, 500]
    disputes = books.run(lambda c: c.execute(select(schema.disputes.c.round_id)).scalars().all())
    assert disputes == ["0-m/1"]
    (match,) = books.run(lambda c: c.execute(select(schema.matches)).all())
    assert match.suspended
    assert clean(books)


def test_a_second_audit_that_differs_raises_an_alert_and_moves_nothing(books: Books) -> None:
    seated(books)
    books.hear(agreed(points=(6, -3, -3)))
    held = [stake[3] for stake in books.stakes("0-m")]
    heard = books.hear(agreed(points=(8, -4, -4)), agreed(verdict="DISPUTED"), voided())
    assert heard.alerts == [
        ("0-m/1", "audit_contradicts"),
        ("0-m/1", "audit_contradicts"),
        ("0-m/1", "void_contradicts"),
    ]
    assert [stake[3] for stake in books.stakes("0-m")] == held
    assert len(books.run(lambda c: c.execute(select(schema.alerts)).all())) == 3
    books.hear(agreed(points=(8, -4, -4)))
    assert len(books.run(lambda c: c.execute(select(schema.alerts)).all())) == 3
    assert clean(books)


def test_an_agreeing_audit_of_a_disputed_round_is_an_alert_too(books: Books) -> None:
    seated(books)
    books.hear(agreed(verdict="DISPUTED"))
    assert books.hear(agreed()).alerts == [("0-m/1", "audit_contradicts")]
    assert books.state("0-m/1")[0] == "disputed"


def test_the_same_result_by_another_auditor_is_no_contradiction(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    assert books.hear(agreed(auditor="paiju-scoring 2")).alerts == []


@pytest.mark.parametrize(
    ("cause", "points", "players"),
    [
        ("points_not_zero_sum", (6, -3, -2), ("p_a", "p_b", "bot:normal")),
        ("stakes_of_others", (6, -3, -3), ("p_a", "p_c", "bot:normal")),
        ("stakes_missing", (6, -3, -2, -1), ("p_a", "p_b", "bot:normal", "bot:x")),
    ],
)
def test_a_round_that_does_not_fit_its_stakes_waits_for_a_person(
    books: Books, cause: str, points: Sequence[int], players: Sequence[str]
) -> None:
    seated(books)
    heard = books.hear(agreed(points=points, players=players), agreed(number=2))
    assert heard.disputed == [("0-m/1", cause)]
    assert books.state("0-m/1")[0] == "disputed"
    assert books.state("0-m/2")[0] == "waiting"
    (match,) = books.run(lambda c: c.execute(select(schema.matches)).all())
    assert match.suspended
    assert [stake[3] for stake in books.stakes("0-m")] == [500, 500, 500]


def test_a_round_after_the_stakes_closed_waits_for_a_person(books: Books) -> None:
    seated(books)
    for seat in range(3):
        books.close("0-m", seat, 0)
    assert books.hear(agreed()).disputed == [("0-m/1", "stakes_missing")]
    assert clean(books)


def test_an_audit_whose_names_do_not_fit_is_a_defect() -> None:
    message = audited()
    message.round_no = 2
    with pytest.raises(Defect):
        facts.from_audited(message)


def test_entries_are_listed_newest_first_in_pages(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    rows = books.run(lambda c: wallets.entries_of(c, "p_a", "", 10, None))
    assert [(row.kind, row.account, row.amount, row.balance_after) for row in rows] == [
        ("settlement", "stake/0-m/0", 60, 560),
        ("stake_open", "stake/0-m/0", 500, 500),
        ("stake_open", "wallet/p_a", -500, 500),
        ("task", "wallet/p_a", 1_000, 1_000),
    ]
    assert rows[0].reference == "0-m/1"
    older = books.run(lambda c: wallets.entries_of(c, "p_a", "", 10, rows[1].id))
    assert [row.id for row in older] == [row.id for row in rows[2:]]
    assert books.run(lambda c: wallets.entries_of(c, "p_a", "gem", 10, None)) == []


# The reconciler


def planted(books: Books, *statements: str) -> str:
    for statement in statements:
        books.run(partial(Connection.execute, statement=text(statement)))
    return "\n".join(books.prove().findings)


def test_the_reconciler_finds_a_changed_balance(books: Books) -> None:
    seated(books)
    assert "account wallet/p_a gold: balance 501" in planted(
        books, "UPDATE accounts SET balance = 501 WHERE id = 'wallet/p_a'"
    )


def test_the_reconciler_finds_a_lost_entry(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    found = planted(
        books,
        "DROP TRIGGER entries_no_delete",
        "DELETE FROM entries WHERE account = 'stake/0-m/0' AND amount = 60",
    )
    assert "sum to -60" in found
    assert "account stake/0-m/0 gold" in found
    assert "round 0-m/1: its transfer moved" in found


def test_the_reconciler_finds_an_entry_with_a_wrong_balance_after(books: Books) -> None:
    seated(books)
    found = planted(
        books,
        "DROP TRIGGER entries_no_update",
        "UPDATE entries SET balance_after = 7 WHERE account = 'wallet/p_b'",
    )
    assert "says 7 after it" in found


def test_the_reconciler_finds_a_settlement_without_an_agreed_audit(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    disputed = agreed(verdict="DISPUTED").payload.hex()
    assert "settled without an agreed audit" in planted(books, f"UPDATE rounds SET payload = x'{disputed}'")


def test_the_reconciler_finds_coins_that_the_cap_function_would_not_give(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    assert "computed again [60, -30, -30]" in planted(books, "UPDATE rounds SET coins = '[90, -45, -45]'")


def test_the_reconciler_finds_a_settlement_of_no_round(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    assert "round 0-m/1 is not settled" in planted(books, "DELETE FROM rounds")


def test_the_reconciler_finds_stakes_that_should_have_closed(books: Books) -> None:
    seated(books)
    books.close("0-m", 0, 3)
    found = planted(books, "UPDATE matches SET next_round_no = 4")
    assert "stake/0-m/0: should have closed after round 3" in found


def test_the_reconciler_finds_coins_in_a_closed_stake(books: Books) -> None:
    seated(books)
    assert "stake/0-m/1: closed, but holds 500" in planted(
        books, "UPDATE stakes SET state = 'closed' WHERE seat = 1"
    )


def test_the_reconciler_finds_a_round_settled_out_of_order(books: Books) -> None:
    seated(books)
    books.hear(agreed())
    assert "round 0-m/1: out of order" in planted(books, "UPDATE matches SET next_round_no = 1")
