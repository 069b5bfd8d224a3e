"""How a command ends: exit codes, and errors in one line.

| code | meaning |
|---|---|
| 0 | done, and the answer is yes |
| 1 | done, and the answer is no: a vector failed, a record was disputed, an account does not add up |
| 2 | the command was not understood: unknown option, game, preset, file or card |
| 3 | another `paiju up` holds the data folder |
| 4 | something outside did not work: a port is taken, the broker did not start, a database is away |
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec

import typer

P = ParamSpec("P")

OK = 0
NO = 1
USAGE = 2
HELD = 3
OUTAGE = 4


class Stop(Exception):
    """Ends the command with one line on standard error.

    Args:
        code: One of this module's exit codes.
        line: What went wrong and what to do about it, without a full stop at the end.
    """

    def __init__(self, code: int, line: str) -> None:
        super().__init__(line)
        self.code = code
        self.line = line


def end(stop: Stop) -> NoReturn:
    """Print the one line and leave with its code."""
    typer.echo(f"paiju: {stop.line}", err=True)
    raise typer.Exit(stop.code)


def registered(
    app: typer.Typer, example: str, **more: Any
) -> Callable[[Callable[P, None]], Callable[P, None]]:
    """Register a command whose help ends with an example and whose `Stop` ends in one line.

    Args:
        app: Where.
        example: A whole command line.
        more: As for `typer.Typer.command`.
    """

    def register(run: Callable[P, None]) -> Callable[P, None]:
        @functools.wraps(run)
        def stopping(*args: P.args, **kwargs: P.kwargs) -> None:
            try:
                run(*args, **kwargs)
            except Stop as stop:
                end(stop)

        app.command(epilog=f"Example: {example}", **more)(stopping)
        return run

    return register
