"""Each game whose tables are open, through the players' door: a person and bots, a whole match for coins."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from hashlib import sha256
from pathlib import Path

import pytest
from paiju.table.v1.play_pb2 import Frame

from engine import GAMES, fair_deal
from engine.record import parse_record
from services.economy.core.caps import CapInputs, Terms, fees, settle, terms_of
from services.gateway.app import Gateway
from services.gateway.settings import GatewaySettings
from services.launch.catalog import wirings
from services.matchmaking.core.halls import parse_halls
from services.matchmaking.settings import HALLS, MatchmakingSettings
from services.table.settings import TableSettings
from tests.support.nats import NatsServer
from tests.support.person import Person
from tests.support.real_process import World, running

TIMING = {"claim_pause_ms": 0, "turn_ms": 9000, "claim_ms": 9000, "nonce_ms": 3000, "between_ms": 500}
ROUNDS = 2
WAIT_S = 90.0

pytestmark = pytest.mark.slow


@pytest.fixture
async def platform(nats_server: NatsServer, tmp_path: Path) -> AsyncIterator[World]:
    halls = json.loads(HALLS.read_text(encoding="utf-8"))
    for level in halls["levels"]:
        level |= {"timing": TIMING, "rounds": ROUNDS}
    file = tmp_path / "halls.json"
    file.write_text(json.dumps(halls), encoding="utf-8")
    own = {
        "gateway": GatewaySettings(http_port=0),
        "matchmaking": MatchmakingSettings(halls_file=file),
    }
    async with running(nats_server.url, tmp_path, wirings(), own) as world:
        yield world


class Match:
    """What a person hears of a match."""

    def __init__(self) -> None:
        self.opened: dict[str, Frame] = {}
        self.ends: dict[str, Frame] = {}
        self.settled: dict[str, Frame] = {}
        self.cause = ""

    def hear(self, frame: Frame) -> bool:
        """Take a frame; true once the match is over and its rounds are settled."""
        if frame.HasField("round_opening"):
            self.opened[frame.round_opening.round_id] = frame
        elif frame.HasField("round_end"):
            self.ends[frame.round_end.round_id] = frame
        elif frame.HasField("round_settlement") and frame.round_settlement.settled:
            self.settled[frame.round_settlement.round_id] = frame
        elif frame.HasField("match_end"):
            self.cause = frame.match_end.cause
        return bool(self.cause) and self.settled.keys() == self.ends.keys()


def check_deal(opened: Frame, end: Frame, own_links: list[bytes]) -> None:
    """Check a round as anybody can: the seed against what was promised, and the cards against the seed."""
    promised, shown = opened.round_opening, end.round_end
    assert fair_deal.commit(promised.round_id, shown.seed) == promised.commitment
    record = parse_record(shown.record.decode())
    assert bytes.fromhex(record.seed) == shown.seed
    nonces = [b"" if nonce == "-" else bytes.fromhex(nonce) for nonce in record.nonces]
    (own,) = [nonce for nonce in nonces if nonce]
    assert own in own_links, "the deal uses a nonce that we did not give"
    assert sha256(b"paiju-nonce-1" + own).digest() in own_links
    game = GAMES[record.game]
    deck = game.deck()
    wall = [deck[at] for at in fair_deal.wall_order(shown.seed, promised.round_id, nonces, len(deck))]
    position = game.deal(record.rules(), wall, record.dealer, record.draws_in_row)
    for answer in record.actions:
        position.apply(answer.seat, answer.action)
    outcome = position.outcome()
    assert outcome is not None
    assert list(outcome.points) == json.loads(shown.result_json)["points"]


@pytest.mark.parametrize("name", TableSettings().games)
async def test_a_person_and_bots_play_a_match_for_coins(platform: World, name: str) -> None:
    gateway = platform.services["gateway"]
    assert isinstance(gateway, Gateway)
    hall = next(hall for hall in parse_halls(HALLS.read_text(encoding="utf-8")).values() if hall.game == name)
    person = Person(gateway.url, bot="normal")
    await person.sign_in()
    await person.connect()
    await person.wait_for_the_welcome()
    assert await person.gold() == (20_000, 0)
    await person.find_a_match(hall.hall_id)
    await person.attach()
    await person.sit()

    match = Match()
    await person.play(lambda frame: match.hear(frame) or person.answered >= 2, WAIT_S)
    assert len(person.view.seats) == GAMES[name].seats
    assert (await person.gold())[0] == 20_000 - hall.stakes.buy_in

    # In the middle of it the connection breaks; who comes back gets what he missed, and a view is its fold.
    await person.close()
    await person.connect()
    await person.attach()
    await person.attach(from_nothing=True)
    await person.play(lambda frame: match.hear(frame) or bool(match.cause) or person.refolded > 0, WAIT_S)
    if not match.hear(Frame()):
        await person.play(match.hear, WAIT_S)

    assert person.refolded
    assert match.cause in ("all_rounds", "stake_short")
    assert 1 <= len(match.ends) == len(match.settled) <= ROUNDS
    assert {frame.round_settlement.verdict for frame in match.settled.values()} == {"AGREED"}
    numbers = [frame.number for frame in person.frames]
    assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
    for round_id, end in match.ends.items():
        check_deal(match.opened[round_id], end, person.nonces)
    seat = next(seat.seat for seat in person.view.seats if seat.player_id == person.player_id)
    won = 0
    for round_id, settlement in match.settled.items():
        told = settlement.round_settlement
        coins, paid = tuple(told.coins), tuple(told.fees)
        # The record alone says what was agreed on; with it and the stakes anybody can compute the coins.
        record = parse_record(match.ends[round_id].round_end.record.decode())
        terms, result = terms_of(record.options), json.loads(match.ends[round_id].round_end.result_json)
        assert terms == Terms(hall.stakes.base_stake, name == "paohuzi", hall.stakes.fee)
        before = tuple(held + fee - got for held, fee, got in zip(told.stakes, paid, coins, strict=True))
        inputs = CapInputs.under(terms, tuple(result["points"]), before, result["from"])
        assert (coins, paid) == (settle(inputs), fees(inputs))
        assert paid == (20,) * len(paid)
        won += coins[seat] - paid[seat]
    while await person.gold() != (20_000 + won, 0):
        await platform.parts.clock.sleep(0.1)
    await person.close()
