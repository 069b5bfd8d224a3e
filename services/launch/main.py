"""The `paiju` command. Exit codes and the form of errors: `services.launch.exits`.

What a command needs is imported when it runs: `paiju --help` answers at once.
"""

from __future__ import annotations

import functools
import io
import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from services.launch import dlq_commands, keys, staff
from services.launch.exits import registered
from services.launch.groups import Json
from services.launch.load.command import EXAMPLE, load


class _Paiju(typer.Typer):
    """The application; where the terminal cannot show a character, it is spelt out."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        return super().__call__(*args, **kwargs)


app = _Paiju(
    name="paiju",
    help="Paiju 牌局: card and mahjong rooms. Exit codes: 0 yes, 1 no, 2 not understood, 3 data folder in "
    "use, 4 something outside failed.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)

Game = Annotated[str, typer.Argument(help="A game, for example paohuzi.")]
Preset = Annotated[
    str, typer.Option("--preset", help="A named set of options; `paiju rules GAME` lists them.")
]


command = functools.partial(registered, app)


@command("paiju up --data data --open")
def up(
    data: Annotated[Path, typer.Option(help="The data folder; made where it is missing.")] = Path("data"),
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help="Where the page is; without it 8080, or any free port. 0 = any."),
    ] = None,
    grpc_port: Annotated[int, typer.Option(min=0, max=65535, help="Where gRPC is; 0 = any free port.")] = 0,
    metrics_port: Annotated[int, typer.Option(min=0, max=65535, help="Where /metrics is; 0 = any.")] = 0,
    host: Annotated[str, typer.Option(help="The address that page and gRPC listen on.")] = "127.0.0.1",
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: Json = False,
) -> None:
    """Run everything on this machine: all services, an embedded broker, SQLite files. Ctrl-C ends it.

    Exit codes: 0 ended as asked · 2 no such host · 3 another `paiju up` holds the data folder · 4 a port is
    taken, a database is damaged, or the broker or a service failed.
    """
    from services.launch.up import Doors, run

    run(data, Doors(host, port, grpc_port, metrics_port), open_page=open_page, as_json=as_json)


@command("PAIJU_NATS_URL=nats://127.0.0.1:4222 paiju serve table")
def serve(
    service: Annotated[
        list[str], typer.Argument(help="One of the nine services; several share the process.")
    ],
) -> None:
    """Run a service in this process, with settings from the environment (PAIJU_*), until SIGTERM.

    Exit codes: 0 ended as asked · 2 no such service, or settings missing · 4 broker or database away, or it
    failed.
    """
    from services.launch.heap import ask_for_huge_pages
    from services.launch.serve import run

    if "table" in service:
        ask_for_huge_pages()
    run(service)


@command("PAIJU_NATS_URL=nats://127.0.0.1:4222 paiju migrate")
def migrate(
    service: Annotated[list[str] | None, typer.Argument(help="Only these services; all without.")] = None,
    contract: Annotated[
        bool,
        typer.Option(help="Also drop what only older versions use: once none of their processes runs."),
    ] = False,
) -> None:
    """Bring databases, streams, consumers and buckets to what this version needs. Twice does nothing more.

    To change versions without a pause: migrate, renew the processes one by one, migrate with --contract.

    Exit codes: 0 done · 2 no such service, or settings missing · 4 broker or database away.
    """
    from services.launch.serve import migrate as run

    run(service or [], contract=contract)


@command("paiju simulate paohuzi --preset tongyi-qmt --rounds 2000 --jobs 2 --json")
def simulate(
    game: Game,
    preset: Preset,
    rounds: Annotated[int, typer.Option(min=1, help="How many rounds.")] = 100,
    bots: Annotated[str, typer.Option(help="Bots by name, one per seat, separated by commas.")] = "",
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes to share the rounds.")] = 1,
    seed: Annotated[str, typer.Option(help="The same seed plays the same rounds.")] = "1",
    option: Annotated[
        list[str] | None,
        typer.Option(help="An option that differs from the preset, as name=value; may be repeated."),
    ] = None,
    duel: Annotated[
        bool, typer.Option(help="Two bots in --bots, on the same deals with seats exchanged; no audit.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Let bots play whole rounds, and let scoring audit the record of each.

    Tells how often each name, draw, self-draw and multiplier occurs, so that a house rule can be judged
    before it is opened. With `--duel` it tells how much better one bot is than another: `--rounds` deals,
    each played with every seat of either kind.

    Exit codes: 0 all ended and agreed · 1 a round was disputed, lost a card or did not sum to zero · 2
    unknown game, preset, option or bot.
    """
    names = tuple(filter(None, bots.split(",")))
    if duel:
        from services.launch.duel import Challenge
        from services.launch.duel import run as run_duel

        run_duel(Challenge(game, preset, rounds, names, jobs, seed, tuple(option or ())), as_json=as_json)
        return
    from services.launch.simulate import Order, run

    run(Order(game, preset, rounds, names, jobs, seed, tuple(option or ())), as_json=as_json)


command(EXAMPLE)(load)


@command(
    "paiju score paohuzi --preset tongyi-qmt b1b2b3 s4s4s4 s5s6s7 b7b8b9 s10s10 peng:b6b6b6 wei:s3s3s3 +s10"
)
def score(
    game: Game,
    preset: Preset,
    hand: Annotated[
        list[str],
        typer.Argument(
            help="Cards in hand (跑胡子 s1…s10 b1…b10, or 一…十 壹…拾; tiles m1…z7, p1p2p3 or p123), melds "
            "on the table as kind:cards (chi peng pao ti wei chouwei; chi peng an ming bu, flowers:f1f2), "
            "and the winning card after a +; without one the last card in hand wins."
        ),
    ],
    source: Annotated[
        str,
        typer.Option(
            "--from",
            help="How it came. 跑胡子: self, other, liang_dealer, liang_other, discard, santi. Tiles: zimo, "
            "gangkai, discard, qianggang, and more; a wrong one lists them.",
        ),
    ] = "",
    last: Annotated[bool, typer.Option("--last", help="The winning card is the last of the wall.")] = False,
    as_json: Json = False,
) -> None:
    """Explain what a hand is worth, by the engine and by scoring, side by side.

    Exit codes: 0 both agree · 1 they do not · 2 unknown game, preset, card or meld.
    """
    from services.launch.score import Question, run

    run(Question(game, preset, tuple(hand), source, last), as_json=as_json)


@command("paiju replay round.txt")
def replay(
    record: Annotated[Path, typer.Argument(help="A record; - reads standard input.")],
    seat: Annotated[int | None, typer.Option(help="Only what this seat could see; all without.")] = None,
) -> None:
    """Play a recorded round again, step by step, as text.

    Exit codes: 0 it ended as recorded · 1 it did not, or an action was not legal · 2 not a record.
    """
    from services.launch.replay import run

    run(record, seat)


@command("paiju verify round.txt")
def verify(
    record: Annotated[Path, typer.Argument(help="A record; - reads standard input.")],
    commitment: Annotated[
        str, typer.Option(help="The commitment you saw before the deal, 64 hex digits.")
    ] = "",
    stakes: Annotated[
        str, typer.Option(help="The stakes before the round by seat, 3000,3000,3000: coins and fees follow.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Check a recorded round: deal, every action, score; by scoring's code, apart from the engine's.

    Exit codes: 0 all of it holds · 1 something does not, the first wrong event is named · 2 no such file.
    """
    from services.launch.verify import run

    run(record, commitment, stakes, as_json=as_json)


@command("paiju vectors tests/vectors/paohuzi.jsonl")
def vectors(
    files: Annotated[list[Path], typer.Argument(help="Files of worked examples, one JSON object a line.")],
) -> None:
    """Run worked examples through the engine and through scoring; the last line counts them.

    Exit codes: 0 all passed · 1 one failed · 2 no such file, or a line is not an example.
    """
    from services.launch.vectors import run

    run(files)


@command("paiju rules paohuzi --preset tongyi-qmt")
def rules(
    game: Annotated[str | None, typer.Argument(help="A game; all of them without.")] = None,
    preset: Annotated[str, typer.Option("--preset", help="Only this preset.")] = "",
    language: Annotated[
        Literal["en", "zh"], typer.Option("--language", help="Of the sentences on options.")
    ] = "en",
    as_json: Json = False,
) -> None:
    """List a game's presets and options, as the code has them.

    Exit codes: 0 · 2 unknown game or preset.
    """
    from services.launch.rules import run

    run(game, preset, language, as_json=as_json)


@command("paiju holidays my-holidays.json")
def holidays(
    file: Annotated[
        Path | None, typer.Argument(help="A file of holidays; without it, the one accounts would read here.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Check a file of public holidays, by which minors may play, and say until when it lasts.

    Exit codes: 0 at least 45 days to come are known · 1 fewer, or this year is not · 2 no usable file.
    """
    from services.launch.holidays import run

    run(file, as_json=as_json)


@command("paiju reconcile --data data")
def reconcile(
    data: Annotated[
        Path | None, typer.Option(help="The data folder of a `paiju up`; without it, PAIJU_DATABASE_URL.")
    ] = None,
    grace: Annotated[
        int,
        typer.Option(min=0, max=86_400, help="Seconds; a round younger than this may be under way still."),
    ] = 120,
    as_json: Json = False,
) -> None:
    """Prove the book of coins, and each round against its record and audit; changes nothing.

    Every transfer sums to zero, every account equals its entries, every record in ROUNDS has one audit and
    one settlement or an open dispute, no stake outlives its match. It may run beside everything else. The
    broker is that of --data or of PAIJU_NATS_URL (log in as the operator); without one, the book alone is
    proven.

    Exit codes: 0 all adds up · 1 something does not, it is named · 2 no book there · 4 database or broker
    away.
    """
    from services.launch.reconcile import run

    run(data, grace_s=grace, as_json=as_json)


dlq = typer.Typer(
    name="dlq",
    help=dlq_commands.HELP,
    no_args_is_help=True,
    epilog="Example: paiju dlq list --data data",
)
app.add_typer(dlq)
app.add_typer(staff.app)
app.add_typer(keys.app)
registered(dlq, "paiju dlq list --data data", name="list")(dlq_commands.listed)
registered(dlq, "paiju dlq show 7 --data data", name="show")(dlq_commands.shown)
registered(dlq, "paiju dlq replay 7 --data data", name="replay")(dlq_commands.replayed)
registered(dlq, "paiju dlq drop 7 --reason 'of a test' --data data", name="drop")(dlq_commands.dropped)
