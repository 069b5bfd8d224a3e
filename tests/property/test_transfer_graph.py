"""No way leads from what is won to cash, gems, or a payment provider: the graph of all transfer kinds."""

from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.chassis.errors import Defect
from services.economy.core.kinds import (
    GRANTS,
    KINDS,
    PLACES,
    WAGERED,
    WON,
    Kind,
    Spot,
    check_kind,
    paths_from,
    place_of,
)
from services.economy.core.money import (
    CURRENCIES,
    Account,
    Posting,
    Transfer,
    house,
    issuer,
    move,
    stake,
    wallet,
)

ECONOMY = Path(__file__).resolve().parents[2] / "services" / "economy"

WHAT_IS_WON = [Spot(place, currency) for currency in WON for place in ("wallet", "stake", "bots", "fees")]
"""Everything that holds what was won, or was staked to win."""

FORBIDDEN = frozenset(
    [Spot("provider", currency) for currency in CURRENCIES] + [Spot(place, "gem") for place in PLACES]
)
"""Cash leaves by a provider only, and gems are what cash becomes."""


def ways_out(kinds: dict[str, Kind]) -> dict[Spot, tuple[str, ...]]:
    """Return the forbidden spots that what is won can get to, with the way there."""
    return {spot: way for spot, way in paths_from(WHAT_IS_WON, kinds).items() if spot in FORBIDDEN}


def test_nothing_won_leads_to_gems_or_to_a_provider() -> None:
    assert ways_out(dict(KINDS)) == {}


def test_what_is_won_never_goes_back_to_the_issuer_either() -> None:
    reached = paths_from(WHAT_IS_WON)
    assert not [spot for spot in reached if spot.place == "issuer"]


def test_what_a_player_gets_at_all_comes_from_the_house_or_was_paid_for() -> None:
    # Gems come from a provider and from nothing else, so a refund can give back what was paid and no more.
    into_gems = {name for name, kind in KINDS.items() if Spot("wallet", "gem") in kind.gives_to}
    assert into_gems == {"topup", "topup_bonus", "refund_undone"}
    for name in into_gems:
        assert KINDS[name].takes_from == {Spot("provider", "gem")}
    to_providers = {
        name for name, kind in KINDS.items() for spot in kind.gives_to if spot.place == "provider"
    }
    assert to_providers == {"refund", "chargeback", "debt"}
    for name in to_providers:
        assert KINDS[name].takes_from == {Spot("wallet", "gem")}


def test_only_gold_is_wagered() -> None:
    staked = {spot.currency for kind in KINDS.values() for spot in kind.gives_to if spot.place == "stake"}
    assert staked == set(WAGERED) == {"gold"}


@pytest.mark.parametrize(
    ("planted", "way_to"),
    [
        (
            Kind(frozenset([Spot("wallet", "gold")]), frozenset([Spot("wallet", "gem")])),
            Spot("wallet", "gem"),
        ),
        (
            Kind(frozenset([Spot("stake", "gold")]), frozenset([Spot("provider", "gold")])),
            Spot("provider", "gold"),
        ),
        # Two steps: fees go back to the issuer, whose gold can be exchanged for.
        (
            Kind(frozenset([Spot("fees", "gold")]), frozenset([Spot("issuer", "gold")])),
            Spot("exchange", "gem"),
        ),
        (
            Kind(frozenset([Spot("wallet", "activity")]), frozenset([Spot("exchange", "gem")])),
            Spot("exchange", "gem"),
        ),
    ],
    ids=["shop sells gems for gold", "a cash-out", "fees feed the issuer", "activity buys what gems buy"],
)
def test_a_kind_that_would_open_a_way_is_found(planted: Kind, way_to: Spot) -> None:
    found = ways_out({**KINDS, "planted": planted})
    assert way_to in found
    assert "planted" in found[way_to]


def test_the_walk_agrees_with_a_walk_of_the_closure() -> None:
    # Written the other way round: the relation is closed by repetition until nothing is added.
    pairs = {(a, b) for kind in KINDS.values() for a in kind.takes_from for b in kind.gives_to}
    while True:
        more = {(a, d) for a, b in pairs for c, d in pairs if b == c} - pairs
        if not more:
            break
        pairs |= more
    for start in sorted({a for a, _ in pairs}):
        assert set(paths_from([start])) == {start} | {b for a, b in pairs if a == start}


_SPOTS = st.builds(Spot, st.sampled_from(PLACES), st.sampled_from(CURRENCIES))


def _account(spot: Spot) -> Account:
    made: dict[str, Callable[[str], Account]] = {
        "wallet": lambda currency: wallet("p_a", currency),
        "stake": lambda currency: stake("0-m", 0, "p_a", currency),
        "bots": house,
        "fees": lambda currency: Account("house/fees/0-m", currency, "house", ""),
        "rooms": lambda currency: Account("house/rooms/0-m", currency, "house", ""),
        "exchange": lambda currency: Account("house/exchange", currency, "house", ""),
        "issuer": issuer,
        "provider": lambda currency: Account("provider/sandbox", currency, "issuer", ""),
    }
    return made[spot.place](spot.currency)


@given(_SPOTS, _SPOTS, st.sampled_from([*sorted(KINDS), "undeclared"]), st.integers(1, 10**15))
def test_the_ledger_lets_through_exactly_what_is_declared(
    source: Spot, target: Spot, name: str, amount: int
) -> None:
    postings = Posting(_account(source), -amount), Posting(_account(target), amount)
    assert [place_of(posting.account) for posting in postings] == [source.place, target.place]
    transfer = Transfer("k", name, postings, 0)
    kind = KINDS.get(name)
    if kind is not None and source in kind.takes_from and target in kind.gives_to:
        check_kind(transfer)
    else:
        with pytest.raises(Defect):
            check_kind(transfer)


@pytest.mark.parametrize(
    "account",
    [
        Account("house/elsewhere", "gold", "house", ""),
        Account("issuer/second", "gold", "issuer", ""),
        Account("provider", "gem", "issuer", ""),
    ],
)
def test_an_account_that_is_none_of_the_places_takes_part_in_nothing(account: Account) -> None:
    with pytest.raises(Defect):
        check_kind(Transfer("k", "welcome", move(account, wallet("p_a", account.currency), 1), 0))


def test_a_kind_that_is_not_declared_moves_nothing() -> None:
    with pytest.raises(Defect, match="not declared"):
        check_kind(Transfer("k", "gift", move(issuer("gold"), wallet("p_a", "gold"), 1), 0))


def _kinds_written() -> dict[str, str]:
    """Return the kinds that the code of economy names in `Transfer(key, kind, …)`, with the file."""
    found: dict[str, str] = {}
    for file in sorted(ECONOMY.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            if node.func.id == "Transfer" and len(node.args) > 1 and isinstance(node.args[1], ast.Constant):
                found[str(node.args[1].value)] = file.name
    return found


def test_every_kind_that_the_code_names_is_declared() -> None:
    written = _kinds_written()
    assert {"stake_open", "stake_close", "settlement"} <= set(written), "the search finds what is there"
    assert not set(written) - set(KINDS), written
    assert set(GRANTS) <= set(KINDS)
