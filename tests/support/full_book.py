"""A book with something in every table, and a way round what guards it; for tests that doctor it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

from sqlalchemy import Connection, Engine, text

from services.chassis.auth import Staff
from services.economy.core.disputes import engine_word
from services.economy.store import decisions, facts, room_cards, wallets
from services.economy.store.matches import end_matches
from tests.support.book import NOW_MS, PLAYERS, Books, agreed, audited, seated, voided
from tests.support.scenes import (
    after,
    asked,
    bought,
    contradicted,
    decided,
    disputed,
    lapsed,
    looked_at,
    on_pay_page,
    ordered,
    owing,
    refund,
    refund_answered,
    registered,
    resolved,
    said,
    waived,
)

LATER_MS: Final = NOW_MS + 600_000
"""When it is proven."""


def give_cards(connection: Connection, player_id: str) -> None:
    wallets.grant(connection, f"cards/{player_id}", "task", player_id, "room_card", 20, "", NOW_MS)


def hold_cards(connection: Connection, match_id: str) -> None:
    room_cards.hold(connection, match_id, "winner", 4, PLAYERS[:2], PLAYERS[1], NOW_MS)


def a_full_book(engine: Engine) -> Books:
    """Return a book with something in every table.

    Match 0-m is over; 1-n is under way, its round 2 waits for round 1; 2-d had a dispute that was decided for
    scoring, 3-o has one that is open; 4-t has a tombstone. There is a fee at 5-f. Room cards are held for
    6-h, which plays; 7-k has kept the winner's, 8-r gave all back, 9-v was over before it began.
    """
    books = Books(engine)
    for player in PLAYERS[:2]:
        books.grant(player, 100_000)
    seated(books, "0-m")
    books.hear(agreed("0-m", 1), voided("0-m", 2), agreed("0-m", 3, points=(-6, 3, 3)))
    for seat in range(3):
        assert books.close("0-m", seat, 3)
    books.run(lambda c: end_matches(c, [("0-m", 3, NOW_MS)]))
    seated(books, "1-n")
    books.hear(agreed("1-n", 1, for_coins=True), agreed("1-n", 3))
    assert not books.close("1-n", 2, 3)
    seated(books, "2-d")
    record = b"a record"
    dispute = audited("2-d", 1, verdict="DISPUTED")
    dispute.record_sha256 = hashlib.sha256(record).digest()
    books.hear(facts.from_audited(dispute))
    decision = decisions.Decision(
        "2-d/1", "SCORING", "looked at it", Staff("p_anna", "disputes"), "r",
        engine_word(record, "2-d/1", dispute.record_sha256), record,
    )  # fmt: skip
    books.run(lambda c: decisions.resolve(c, decision, NOW_MS))
    seated(books, "3-o")
    books.hear(agreed("3-o", 1, verdict="DISPUTED"))
    books.close("4-t", 0, 0)
    seated(books, "5-f")
    fee = audited("5-f", 1)
    fee.settlement_json = json.dumps({"base_stake": 10, "fee": 7})
    books.hear(facts.from_audited(fee), agreed("5-f", 2, points=(0, 0, 0)))
    for player in PLAYERS[:2]:
        books.run(partial(give_cards, player_id=player))
    for match, scores, rounds in (("6-h", (), 0), ("7-k", (5, -5), 8), ("8-r", (0, 0), 0)):
        books.run(partial(hold_cards, match_id=match))
        if scores:
            ended = [room_cards.Ended(match, scores, rounds)]
            books.run(partial(room_cards.end, ended=ended, now_ms=NOW_MS))
    books.run(lambda c: end_matches(c, [("7-k", 8, NOW_MS), ("8-r", 0, NOW_MS)]))
    books.run(lambda c: room_cards.give_back(c, "9-v", NOW_MS))
    _more_of_tables(books)
    _top_ups(books)
    return books


def _more_of_tables(books: Books) -> None:
    """A dispute that was voided, one decided for the engine; alerts; coins added; what the house gave."""
    for match, outcome in (("a-v", "VOID"), ("b-e", "ENGINE")):
        disputed(match)(books)
        decided(match, outcome)(books)  # type: ignore[arg-type] # two of three
    for match in ("c-l", "d-a"):
        contradicted(match)(books)
    looked_at("d-a")(books)
    seated(books, "e-t")
    books.add("e-t", 0, "p_a", 100, 0)
    books.claim("p_poor", "q1")
    gifts = [("welcome/p_w", "welcome", "p_w", "gold", 20_000, "")]
    books.run(lambda c: wallets.welcome_many(c, gifts, NOW_MS))


def _top_ups(books: Books) -> None:
    """Orders in every state, with everything that can be said of one."""
    after(bought("o_part", "p_c"), refund("o_part", 200), refund_answered("o_part", "done"))(books)
    after(bought("o_full", "p_d"), said("o_full", "refunded", 600, "their refund"))(books)
    after(bought("o_back", "p_e"), said("o_back", "charged_back", 600, "back"))(books)
    after(
        bought("o_rev", "p_f"), said("o_rev", "charged_back", 300, "rev"),
        said("o_rev", "chargeback_reversed", 300, "rev"),
    )(books)  # fmt: skip
    after(owing("o_owes", "p_g"), bought("o_pays", "p_g"))(books)
    after(owing("o_waived", "p_h"), waived("o_waived", 5))(books)
    after(bought("o_ask", "p_i"), refund("o_ask", 100), refund_answered("o_ask", "pending"))(books)
    after(bought("o_ref", "p_j"), refund("o_ref", 100), refund_answered("o_ref", "refused"))(books)
    after(ordered("o_wait", "p_k"), said("o_wait", "paid", 5), said("o_nobody", "paid"))(books)
    after(ordered("o_exp", "p_k"), lapsed("o_exp"))(books)
    after(ordered("o_closed", "p_k"), said("o_closed", "closed"))(books)
    after(ordered("o_odd", "p_l"), said("o_odd", "paid", 7), resolved("o_odd"))(books)
    after(ordered("o_asked", "p_m"), asked("o_asked"))(books)
    after(registered("o_s"), on_pay_page("o_s", "pay"), on_pay_page("o_s", "charge_back"))(books)


@contextmanager
def unlocked(connection: Connection, table: str) -> Iterator[None]:
    """Go round the triggers, as somebody with the database's own password can, and cover the traces."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(f"ALTER TABLE {table} DISABLE TRIGGER USER"))
        yield
        connection.execute(text(f"ALTER TABLE {table} ENABLE TRIGGER USER"))
        return
    query = f"SELECT name, sql FROM sqlite_master WHERE type='trigger' AND tbl_name='{table}'"
    triggers = connection.execute(text(query)).all()
    for name, _ in triggers:
        connection.execute(text(f"DROP TRIGGER {name}"))
    yield
    for _, made in triggers:
        connection.exec_driver_sql(made)
