"""Engine and scoring are written apart: they share no stretch of code, not even under other names."""

import io
import keyword
import re
import tokenize
from pathlib import Path

from tests.architecture.sources import ROOT, modules

STRETCH = 30
"""Tokens in a row that count as a shared stretch: about three lines."""

SHARED_MAX = 0.01
"""Part of scoring's stretches that may also be in the engine. Idioms of the language are as long: code that
was written for other things altogether shares 0.001."""

SKIPPED = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENCODING,
    tokenize.ENDMARKER,
}


def tokens(source: str) -> list[str]:
    """Return a program's tokens with all names made equal, without docstrings and imports."""
    kept: list[str] = []
    for line in _logical_lines(source):
        if line[0][1] in ("from", "import") or all(kind == tokenize.STRING for kind, _ in line):
            continue
        for kind, text in line:
            if kind == tokenize.NAME and not keyword.iskeyword(text):
                kept.append("name")
            elif kind == tokenize.STRING:
                kept.append("string")
            else:
                kept.append(text)
    return kept


def _logical_lines(source: str) -> list[list[tuple[int, str]]]:
    lines: list[list[tuple[int, str]]] = [[]]
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            lines.append([])
        elif token.type not in SKIPPED:
            lines[-1].append((token.type, token.string))
    return [line for line in lines if line]


def stretches(source: str) -> set[tuple[str, ...]]:
    """Return every run of `STRETCH` tokens that says something.

    A run of which more than two thirds are commas, names, numbers and strings is a table, and both sides must
    write the same tables of the rules.
    """
    row = tokens(source)
    runs = (tuple(row[at : at + STRETCH]) for at in range(len(row) - STRETCH + 1))
    return {run for run in runs if sum(map(_is_plain, run)) <= STRETCH * 2 / 3}


def _is_plain(token: str) -> bool:
    return token in ("name", "string", ",", ":", "(", ")", "-") or token.isdigit()


def shared(theirs: set[tuple[str, ...]], ours: set[tuple[str, ...]]) -> float:
    """Return the part of `ours` that is also in `theirs`."""
    return len(theirs & ours) / max(1, len(ours))


def stretches_of(paths: list[Path]) -> set[tuple[str, ...]]:
    """Return the stretches of several files."""
    return set().union(*(stretches(path.read_text(encoding="utf-8")) for path in paths))


def test_scoring_shares_no_code_with_the_engine() -> None:
    engine, scoring = modules("engine"), modules("services/scoring/core")
    assert engine, "there is an engine to compare with"
    assert scoring, "there is a second mind to compare with"
    assert shared(stretches_of(engine), stretches_of(scoring)) <= SHARED_MAX


def test_a_copy_is_found_though_every_name_was_changed() -> None:
    engine = modules("engine")
    longest = max(engine, key=lambda path: path.stat().st_size)
    text = longest.read_text(encoding="utf-8")
    names = sorted(set(re.findall(r"\b[a-z_]{3,}\b", text)) - set(keyword.kwlist))
    renaming = {name: f"other{number}" for number, name in enumerate(names)}
    copy = re.sub(r"\b[a-z_]{3,}\b", lambda match: renaming.get(match.group(), match.group()), text)
    honest = stretches_of(modules("services/scoring/core"))
    assert copy != text
    assert shared(stretches_of(engine), stretches(copy)) > 0.9
    # Also when the copy is one file among scoring's own.
    assert shared(stretches_of(engine), honest | stretches(copy)) > SHARED_MAX
    assert ROOT.is_dir()
