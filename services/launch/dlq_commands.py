"""The commands of `paiju dlq`, as they are typed; what they do is in `dlq`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

HELP = (
    "What consumers could not handle and put aside. Exit codes: 0 done, 1 its consumer failed again or it "
    "was decided otherwise before, 2 no such entry or no broker named, 4 broker or consumer away."
)

DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data", help="The data folder of a `paiju up`; without it, PAIJU_NATS_URL, as the operator."
    ),
]
Seq = Annotated[int, typer.Argument(min=1, help="The entry, as `paiju dlq list` numbers it.")]


def listed(
    data: DataOption = None,
    durable: Annotated[str, typer.Option(help="Only those of this consumer.")] = "",
    every: Annotated[bool, typer.Option("--all", help="Also those that were replayed or dropped.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")] = False,
) -> None:
    """List what was put aside: number, time, state, consumer, where it came from, why.

    Exit codes: 0 · 2 no broker named · 4 broker away.
    """
    from services.launch.dlq import list_entries

    list_entries(data, durable=durable, every=every, as_json=as_json)


def shown(seq: Seq, data: DataOption = None) -> None:
    """Print one entry and the fact in it, as JSON.

    Exit codes: 0 · 2 no such entry, or no broker named · 4 broker away.
    """
    from services.launch.dlq import show

    show(data, seq)


def replayed(
    seqs: Annotated[list[int], typer.Argument(min=1, help="Entries, as `paiju dlq list` numbers them.")],
    data: DataOption = None,
) -> None:
    """Give entries to the consumer that put them aside, and to no other, once; say what became of each.

    Exit codes: 0 taken (now or before) · 1 it failed again, or was dropped · 2 no such entry, or no broker
    named · 4 broker or consumer away: the entry stays, and replaying it again is safe.
    """
    from services.launch.dlq import replay as run

    run(data, seqs)


def dropped(
    seq: Seq,
    reason: Annotated[str, typer.Option(help="Why it is of no use; kept with it.")],
    data: DataOption = None,
) -> None:
    """Note that an entry needs nothing more. Nothing is removed: `paiju dlq list --all` shows it.

    Exit codes: 0 dropped (now or before) · 1 it was replayed before · 2 no such entry, no reason, or no
    broker named · 4 broker away.
    """
    from services.launch.dlq import drop

    drop(data, seq, reason)
