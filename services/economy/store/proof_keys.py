"""The proof's part about keys: each kind of transfer is asked for under a key that says what it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from services.chassis.days import day_of
from services.economy.core.kinds import GRANTS
from services.economy.core.money import Transfer
from services.economy.core.relief import PER_DAY_MAX


def key_problem(transfer: Transfer) -> str:
    """Return why a transfer can't be the one that its key names, or nothing.

    It takes somebody who knows the code to make one up; who does not is found by this.
    """
    fits = _FITS.get(transfer.kind)
    # Whatever a service gives, it may call a gift of any kind.
    is_given = transfer.kind in GRANTS and transfer.key.startswith("grant/")
    if fits is None or is_given or fits(transfer):
        return ""
    return f"{transfer.kind} can't be under key {transfer.key}"


def _owner(transfer: Transfer) -> str:
    """Return whose wallet it is about; of a kind that has one wallet."""
    wallets = [one.account.id for one in transfer.postings if one.account.kind == "wallet"]
    return wallets[0].removeprefix("wallet/") if wallets else ""


def _relief(transfer: Transfer) -> bool:
    """`relief/<player>/<day>/<number>`: the day is that of the transfer, but for clocks that differ."""
    head, _, number = transfer.key.rpartition("/")
    player, _, day = head.rpartition("/")
    if player != f"relief/{_owner(transfer)}" or not (number.isdecimal() and day.isdecimal()):
        return False
    return int(number) < PER_DAY_MAX and abs(int(day) - day_of(transfer.at_ms)) <= 1


def _of_reference(stem: str) -> Callable[[Transfer], bool]:
    return lambda transfer: f"{transfer.key}/".startswith(f"{stem}/{transfer.reference}/")


def _of_player(stem: str) -> Callable[[Transfer], bool]:
    return lambda transfer: f"{transfer.key}/".startswith(f"{stem}/{_owner(transfer)}/")


_FITS: Final[dict[str, Callable[[Transfer], bool]]] = {
    "welcome": _of_player("welcome"),
    "relief": _relief,
    "exchange": _of_player("exchange"),
    **{
        kind: _of_reference(stem)
        for kind, stem in {
            "stake_open": "stake_open",
            "stake_topup": "stake_topup",
            "stake_close": "stake_close",
            "settlement": "settlement",
            "room_hold": "room",
            "room_return": "room_back",
            "topup": "topup",
            "topup_bonus": "topup_bonus",
            "refund": "topup_refund",
            "chargeback": "topup_chargeback",
            "refund_undone": "topup_undone",
            "debt": "topup_debt",
        }.items()
    },
}
"""`sign_in` and `task` are asked for under whatever key a service gives."""
