"""What of a text is kept."""

from __future__ import annotations

import json
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.chassis.errors import Refusal
from services.chat.core.text import BLANK, TEXT_CHARACTERS_MAX, UNSEEN, normalise
from services.chat.settings import PHRASES


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("你好", "你好"),
        ("  a \n\t b　c ", "a b c"),
        ("cafe\u0301", "caf\u00e9"),
        ("\u202egnihton", "gnihton"),
        ("a\u200bb\u200dc\ufeffd\u2060e", "abcde"),
        ("\u2066x\u2069", "x"),
        ("bell\x07\x00\x1b[31m", "bell[31m"),
        ("Z\u0335\u0336\u0337\u0338\u0339\u033a", "Z\u0335\u0336\u0337"),
        ("e\u200b\u0301", "\u00e9"),
        ("👍", "👍"),
        ("\u3164x\u2800", "x"),
    ],
)
def test_a_text_is_kept_without_what_is_unseen(said: str, kept: str) -> None:
    assert normalise(said) == kept


@pytest.mark.parametrize(
    "said", ["", "   ", "\n", "\u200b\u200b", "\u202e", "\u0301\u0301", "\u3164", "\x00"]
)
def test_nothing_is_refused(said: str) -> None:
    with pytest.raises(Refusal, match="TEXT_EMPTY"):
        normalise(said)


def test_the_length_is_that_of_what_is_kept() -> None:
    assert normalise("好" * TEXT_CHARACTERS_MAX + "\u200b" * 100) == "好" * TEXT_CHARACTERS_MAX
    for said in ("好" * (TEXT_CHARACTERS_MAX + 1), "x" * 1_000_000):
        with pytest.raises(Refusal, match="TEXT_TOO_LONG"):
            normalise(said)


@given(st.text(max_size=200))
def test_what_is_kept_is_kept_again_and_holds_nothing_unseen(said: str) -> None:
    try:
        kept = normalise(said)
    except Refusal:
        return
    assert normalise(kept) == kept
    assert unicodedata.is_normalized("NFC", kept)
    assert 1 <= len(kept) <= TEXT_CHARACTERS_MAX
    assert not any(unicodedata.category(c) in UNSEEN or c in BLANK for c in kept)
    assert kept == " ".join(kept.split())


def test_every_phrase_has_both_texts() -> None:
    phrases = json.loads(PHRASES.read_text(encoding="utf-8"))
    assert list(phrases) == [f"phrase_{n:02}" for n in range(1, 11)]
    assert all(texts["zh"] and texts["en"] for texts in phrases.values())


def test_the_page_has_words_for_the_same_phrases() -> None:
    words = PHRASES.parents[1] / "gateway" / "web" / "js" / "lib" / "words" / "table.mjs"
    said = re.findall(r'"(phrase_\d\d)": \["(.+?)", "(.+?)"\]', words.read_text(encoding="utf-8"))
    phrases = json.loads(PHRASES.read_text(encoding="utf-8"))
    assert {key: (zh, en) for key, zh, en in said} == {k: (t["zh"], t["en"]) for k, t in phrases.items()}
