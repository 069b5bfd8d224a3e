"""No browser test looks at the page once and believes it: what it looks at, it waits for."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent

GATES = {"seen.py", "player.py", "mahjong_player.py", "doudizhu_player.py"}
"""Where the page may be looked at once: `seen` looks again, and players look at what they may do next."""

LOOKS = frozenset(
    {
        "all",
        "all_inner_texts",
        "all_text_contents",
        "bounding_box",
        "content",
        "count",
        "element_handle",
        "element_handles",
        "eval_on_selector",
        "eval_on_selector_all",
        "evaluate",
        "evaluate_all",
        "evaluate_handle",
        "get_attribute",
        "inner_html",
        "inner_text",
        "input_value",
        "is_checked",
        "is_disabled",
        "is_editable",
        "is_enabled",
        "is_hidden",
        "is_visible",
        "query_selector",
        "query_selector_all",
        "text_content",
        "title",
        "wait_for_timeout",
        "each",
    }
)
"""What looks at a page as it is now, or waits for a time instead of for something."""


def _called(node: ast.Await) -> str:
    """Return the name of what is called and awaited; "" for all else."""
    if not isinstance(node.value, ast.Call):
        return ""
    function = node.value.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _awaited(function: ast.AsyncFunctionDef) -> Iterator[ast.Await]:
    """Yield what a function awaits itself: not what it defines for others to await."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.Await):
            yield node
        waiting.extend(ast.iter_child_nodes(node))


def bare_looks(sources: dict[str, str]) -> list[str]:
    """Return the lines that look at the page once, by file and line.

    A function that looks once is a look itself, whoever calls it; so only tests, and functions that call
    no look by way of `until`, have to be free of them.
    """
    functions = [
        (name, node)
        for name, text in sources.items()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.AsyncFunctionDef) and name not in GATES
    ]
    looks = set(LOOKS)
    while True:
        more = {
            node.name
            for _, node in functions
            if not node.name.startswith("test_") and any(_called(one) in looks for one in _awaited(node))
        }
        if more <= looks:
            break
        looks |= more
    return sorted(
        f"{name}:{one.lineno}: {_called(one)}"
        for name, node in functions
        if node.name.startswith("test_")
        for one in _awaited(node)
        if _called(one) in looks
    )


def test_no_browser_test_looks_once() -> None:
    sources = {path.name: path.read_text("utf-8") for path in HERE.rglob("*.py")}
    assert len(sources) > 30
    assert bare_looks(sources) == [], "look by until, until_is, until_count or still of support/seen.py"


@pytest.mark.parametrize(
    "line",
    [
        "assert await page.evaluate('1') == 1",
        "marked = await page.evaluate(face)",
        "assert 'x' in await page.inner_text('.gold')",
        "if await page.locator('.a').count(): pass",
        "await page.wait_for_timeout(50)",
        "assert await shown_twice(page) == 2",
    ],
)
def test_a_bare_look_would_be_found(line: str) -> None:
    source = (
        "async def shown(page):\n    return await page.inner_text('.a')\n"
        "async def shown_twice(page):\n    return 2 * await shown(page)\n"
        f"async def test_something(page):\n    await page.click('.a')\n    {line}\n"
    )
    found = bare_looks({"test_it.py": source})
    assert [one.rsplit(":", 1)[0] for one in found] == ["test_it.py:7"]


@pytest.mark.parametrize(
    "line",
    [
        "await until_is(lambda: page.inner_text('.gold'), '20,000')",
        "await until_is(lambda: shown(page), 'x')",
        "await page.wait_for_selector('.gold')",
        "assert 'tt'.count('t') == 2",
        "assert await still(page, 'document.title') == ''",
    ],
)
def test_what_waits_is_no_bare_look(line: str) -> None:
    source = (
        "async def shown(page):\n    return await page.inner_text('.a')\n"
        f"async def test_something(page):\n    {line}\n"
    )
    assert bare_looks({"test_it.py": source}) == []
