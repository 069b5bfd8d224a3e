"""The command line of `paiju load`; what it needs is imported when it runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

EXAMPLE = "paiju load http://127.0.0.1:8080/ --seats 100 --rate 10 --seconds 60 --slo action_p99=50ms"


def load(
    urls: Annotated[
        list[str],
        typer.Argument(help="Where the page is, as `paiju up` prints it; of several gateways, each."),
    ],
    grpc: Annotated[
        str, typer.Option(help="Where gRPC is, host:port, one for each page; for --door grpc and tables.")
    ] = "",
    seats: Annotated[int, typer.Option(min=1, help="Players at once.")] = 100,
    rate: Annotated[float, typer.Option(help="Players who arrive in a second, at random.")] = 10.0,
    seconds: Annotated[float, typer.Option(min=0, help="How long with all seats taken.")] = 60.0,
    drain: Annotated[float, typer.Option(min=0, help="Seconds to finish matches in, at the end.")] = 60.0,
    patience: Annotated[float, typer.Option(min=1, help="Seconds until players give up trying.")] = 30.0,
    games: Annotated[str, typer.Option(help="As paohuzi,doudizhu/qiang; all without.")] = "",
    seating: Annotated[
        str,
        typer.Option(
            help="quick, quick-bots (a hall), room, room-bots (one's own), table, table-bots (--key)."
        ),
    ] = "quick-bots",
    level: Annotated[str, typer.Option(help="Of the hall.")] = "novice",
    rounds: Annotated[int, typer.Option(min=1, max=64, help="Of a match, in rooms and tables.")] = 4,
    matches: Annotated[float, typer.Option(min=0, help="Mean number a visit; 0 = to the end.")] = 3.0,
    rest_ms: Annotated[float, typer.Option(min=0, help="Mean pause between two matches.")] = 2000.0,
    bots: Annotated[
        str, typer.Option(help="Who decides: fallback (cheapest), random, easy, normal.")
    ] = "random",
    think_ms: Annotated[str, typer.Option(help="Median of the time to think, or median:spread.")] = "600:0.6",
    door: Annotated[str, typer.Option(help="websocket, grpc or both.")] = "websocket",
    slow: Annotated[float, typer.Option(help="Share of players who read slowly.")] = 0.0,
    slow_ms: Annotated[float, typer.Option(min=0, help="Their pause before each message.")] = 500.0,
    watch: Annotated[int, typer.Option(min=0, max=100, help="Spectators per table.")] = 0,
    drop_every: Annotated[float, typer.Option(min=0, help="Seconds between two storms; 0 = none.")] = 0.0,
    drop_share: Annotated[float, typer.Option(help="Share of connections a storm cuts.")] = 0.5,
    drop_spread_ms: Annotated[float, typer.Option(min=0, help="They come back within this.")] = 1000.0,
    check: Annotated[
        str, typer.Option(help="full: also replay each record; frames: numbers, views, questions.")
    ] = "full",
    nonces: Annotated[bool, typer.Option(help="Whether players give nonces to the deal.")] = True,
    key_file: Annotated[
        Path | None, typer.Option(help="The service key (data/keys/service); else PAIJU_SERVICE_KEY.")
    ] = None,
    timing: Annotated[str, typer.Option(help="Waits of tables made by --seating table, JSON.")] = "",
    shards: Annotated[int, typer.Option(min=1, help="PAIJU_LOG_SHARDS of the platform, for the same.")] = 4,
    addresses: Annotated[
        bool | None,
        typer.Option(help="A loopback address for each player; without it, wherever that works."),
    ] = None,
    from_: Annotated[
        str, typer.Option("--from", help="A network of this machine; each player has an address of it.")
    ] = "",
    transcripts: Annotated[
        Path | None, typer.Option(help="Keep what every player was told and said, in this folder.")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=64, help="Processes that share the players.")] = 1,
    seed: Annotated[str, typer.Option(help="The same seed: the same arrivals and choices.")] = "1",
    slo: Annotated[
        list[str] | None, typer.Option(help="action_p99=50ms, errors=0, actions_per_s>=100; may be repeated.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object, for programs.")] = False,
) -> None:
    """Let players arrive, sit down, play and leave at a running platform, and check all that they are shown.

    How to read what comes out: docs/load.md.

    Exit codes: 0 all was right · 1 a transcript is wrong, or a promise (--slo) was not kept · 2 an option
    can't be used · 4 nobody answers, nobody could play, or the generator broke.
    """
    from services.launch.load.order import (
        LOOPBACK,
        Order,
        is_loopback_here,
        key_from,
        parse_games,
        parse_think,
    )
    from services.launch.load.run import run
    from services.launch.load.slo import parse_slo

    think_median_ms, think_sigma = parse_think(think_ms)
    url, *others = [url.rstrip("/") + "/" for url in urls]
    is_loopback = is_loopback_here(urls) if addresses is None else addresses
    order = Order(
        url=url,
        others=tuple(others),
        grpc=grpc,
        patience_s=patience,
        games=parse_games(games),
        seats=seats,
        rate=rate,
        seconds=seconds,
        drain_s=drain,
        seating=seating,
        level=level,
        rounds=rounds,
        matches=matches,
        rest_ms=rest_ms,
        policy=bots,
        think_ms=think_median_ms,
        think_sigma=think_sigma,
        door=door,
        slow=slow,
        slow_ms=slow_ms,
        watch=watch,
        drop_every_s=drop_every,
        drop_share=drop_share,
        drop_spread_ms=drop_spread_ms,
        check=check,
        nonces=nonces,
        jobs=jobs,
        seed=seed,
        key=key_from(key_file) if seating.startswith("table") else "",
        shards=shards,
        timing_json=timing,
        transcripts=transcripts,
        network=from_ or (LOOPBACK if is_loopback else ""),
    )
    run(order, [parse_slo(text) for text in slo or ()], as_json=as_json)
