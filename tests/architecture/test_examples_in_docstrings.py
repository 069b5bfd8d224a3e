"""Every example in a docstring gives what it says."""

import doctest
import importlib

from tests.architecture.sources import dotted, modules


def test_every_example_in_a_docstring_is_true() -> None:
    tried = 0
    for path in modules("engine", "services"):
        if ">>> " in path.read_text(encoding="utf-8"):
            result = doctest.testmod(importlib.import_module(dotted(path)))
            assert result.failed == 0, dotted(path)
            tried += result.attempted
    assert tried > 0
