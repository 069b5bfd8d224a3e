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

from typing import NoReturn

import typer

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
