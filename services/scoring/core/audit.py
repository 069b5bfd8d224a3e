"""The verdict on a recorded round: AGREED with scoring's own figures, or DISPUTED with both sides."""

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from services.scoring.core import deal, plausible
from services.scoring.core.game import Figures
from services.scoring.core.games import GAMES
from services.scoring.core.record import BadRecord, Record, parse_record
from services.scoring.core.replay import WrongAction, replayed

VERSION: Final = "paiju-scoring 1"

AGREED: Final = "AGREED"
DISPUTED: Final = "DISPUTED"


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing both sides see differently."""

    field: str
    engine: str
    ours: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What scoring says of a round."""

    status: str
    """`AGREED` or `DISPUTED`."""
    differences: tuple[Difference, ...]
    """Empty exactly if agreed."""
    record: Record | None
    """None if the record could not be read."""
    figures: Figures | None
    """Scoring's own; None if the round could not be followed to its end."""
    wrong_action: WrongAction | None
    """The first action the rules do not allow."""
    record_sha256: bytes
    version: str = VERSION

    @property
    def agreed(self) -> bool:
        """Whether the round may be settled."""
        return self.status == AGREED

    @property
    def reason(self) -> str:
        """The first difference in one line, or empty."""
        if not self.differences:
            return ""
        first = self.differences[0]
        return f"{first.field}: the engine says {first.engine}, scoring says {first.ours}"

    @property
    def nonces_given(self) -> int:
        """How many seats contributed to the deal."""
        return sum(nonce is not None for nonce in self.record.nonces) if self.record else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heard:
    """What scoring knows of a round from elsewhere; None = not known, not compared."""

    before_first_action: bool = True
    """The commitment was heard in time."""
    dealer: int | None = None
    """Who must deal, by the round before; -1: who is drawn from the round's own seed."""
    draws_in_row: int | None = None
    """荒庄 that lie directly behind, by the round before."""
    links: Sequence[bytes | None] | None = None
    """By seat, the last link of its nonce chain (`c_0` in its first round); None: it gives no nonces."""


def audit(record_bytes: bytes, heard_commitment: bytes | None, heard: Heard | None = None) -> Verdict:
    """Recompute a round from its record and compare; never raises for what a record holds.

    Agreed means equal: deal, commitment, legality of every action, end, winners, points, 息, names,
    multiplier and succession, and nothing in the record that cannot have happened. Of the winning reading
    only its cards and its 息 are compared: there can be several.

    Args:
        record_bytes: docs/record-format.md.
        heard_commitment: What `RoundOpened` said, 32 bytes; None: nothing was heard, which is a dispute.
        heard: What else is known.
    """
    return _audit(record_bytes, heard_commitment, heard or Heard(), must_have_heard=True)


def audit_alone(record_bytes: bytes) -> Verdict:
    """Recompute a round from its record with nothing but the record: its own commitment is believed.

    This is what `paiju verify` can say about a file; it does not show when the commitment was made.
    """
    return _audit(record_bytes, None, Heard(), must_have_heard=False)


def _audit(data: bytes, commitment: bytes | None, heard: Heard, *, must_have_heard: bool) -> Verdict:
    sha256 = hashlib.sha256(data).digest()
    try:
        record = parse_record(data)
    except BadRecord as bad:
        unread = Difference("record", str(bad), "cannot be read")
        return Verdict(DISPUTED, (unread,), None, None, None, sha256)
    differences = [*_deal(record, commitment, heard, must_have_heard), *_opening(record, heard)]
    doubts = [Difference(*doubt) for doubt in plausible.doubts(record)]
    try:
        ours = replayed(record)
    except WrongAction as wrong:
        said = "the end" if wrong.action is None else f"{wrong.action.seat} {wrong.action.text}"
        differences.append(Difference(f"action {wrong.number}", said, wrong.why))
        return Verdict(DISPUTED, (*differences, *doubts), record, None, wrong, sha256)
    differences += [*_results(record, ours), *doubts]
    status = DISPUTED if differences else AGREED
    return Verdict(status, tuple(differences), record, ours, None, sha256)


def _deal(record: Record, commitment: bytes | None, heard: Heard, must_have_heard: bool) -> list[Difference]:
    found = []
    said, own = record.commitment.hex(), deal.commitment_of(record.round_id, record.seed).hex()
    if said != own:
        found.append(Difference("commitment", said, f"{own}, from the seed"))
    if must_have_heard:
        if commitment is None:
            found.append(Difference("commitment", said, "none was heard"))
        elif commitment.hex() != own:
            found.append(Difference("commitment", said, f"{commitment.hex()}, as heard"))
        if not heard.before_first_action:
            found.append(Difference("commitment", said, "heard after the first action"))
    for seat, nonce in enumerate(record.nonces):
        if nonce is None:
            continue
        if record.seats[seat].startswith("bot:"):
            found.append(Difference(f"nonce {seat}", nonce.hex(), "bots give none"))
        link = None if heard.links is None else heard.links[seat]
        if heard.links is not None and (link is None or not deal.is_revealed(link, nonce)):
            expected = "none, it gives no more" if link is None else f"the link before {link.hex()}"
            found.append(Difference(f"nonce {seat}", nonce.hex(), expected))
    return found


def _opening(record: Record, heard: Heard) -> list[Difference]:
    dealer, draws = heard.dealer, heard.draws_in_row
    drawn = deal.first_dealer(record.seed, record.round_id, record.nonces)
    if record.round_no == 1:
        dealer, draws = drawn, 0
    elif dealer == -1 or GAMES[record.game].dealer_is_drawn(record.options):
        dealer = drawn
    pairs = (("dealer", record.dealer, dealer), ("draws_in_row", record.draws_in_row, draws))
    return [
        Difference(name, str(said), str(ours))
        for name, said, ours in pairs
        if ours is not None and said != ours
    ]


def _results(record: Record, ours: Figures) -> list[Difference]:
    found = []
    fields: tuple[dataclasses.Field[Any], ...] = dataclasses.fields(cast(Any, ours.result))
    for field in fields:
        said, own = getattr(record.result, field.name), getattr(ours.result, field.name)
        if said != own:
            name = "from" if field.name == "from_seat" else field.name
            found.append(Difference(name, _written(said), _written(own)))
    doubts = GAMES[record.game].doubts_of_melds(record.melds, record.result, ours)
    return [*found, *(Difference(*doubt) for doubt in doubts)]


def _written(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False)
