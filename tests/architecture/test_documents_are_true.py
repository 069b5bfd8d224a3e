"""What the documents promise about the tree is in the tree."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT, SERVICES

HEADINGS = ("Decides", "Owns", "Promises", "RPCs", "Hears", "Says", "If it dies")

ADR_PARTS = ("Status", "Decides", "Held by", "Question", "Decision", "Not chosen", "Consequences")

PRIVATE = re.compile(
    r"/work/|/tmp/paiju|/root/|/opt/pypi|/home/\w"
    r"|(?i:pypi\.org|pythonhosted|registry\.npmjs|deb\.debian\.org)"
    r"|(?i:(?<!no-emit-)index-url|extra-index)"
)


def tracked(*patterns: str) -> list[Path]:
    """Return files of the repository that exist, by git's patterns; generated code apart."""
    done = subprocess.run(
        ["git", "ls-files", "-z", "--", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
    )
    files = (ROOT / name for name in done.stdout.split("\0") if name and "_pb2" not in name)
    return [path for path in files if path.is_file()]


@pytest.mark.parametrize("service", SERVICES)
def test_every_service_says_what_it_is_under_the_seven_headings(service: str) -> None:
    text = (ROOT / "services" / service / "README.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (.+?)\s*$", text, re.MULTILINE)) == HEADINGS


def test_no_file_names_a_private_host_or_path() -> None:
    found = []
    for path in tracked():
        if path == Path(__file__):
            continue  # it names them to forbid them
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a picture
        found += [f"{path.relative_to(ROOT)}: {match.group()}" for match in PRIVATE.finditer(text)]
    assert found == []


@pytest.mark.parametrize("line", ["see /work/x", "https://pypi.org/simple", "/root/.config"])
def test_a_private_name_is_found(line: str) -> None:
    assert PRIVATE.search(line)


def anchors(text: str) -> set[str]:
    """Return where links may lead within a document: its headings, as they are written in addresses.

    >>> sorted(anchors("# A day: `one`, two\\n## 黄庄"))
    ['a-day-one-two', '黄庄']
    """
    headings = re.findall(r"^#+ +(.+?) *$", re.sub(r"(?ms)^```.*?^```", "", text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(path: Path, text: str) -> list[str]:
    """Return the links of a document to files or headings that there are not."""
    dead = []
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"(?ms)^```.*?^```", "", text)):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if re.match(r"[a-z]+:", link):
            continue
        if not target.exists() or (
            anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8"))
        ):
            dead.append(f"{path.relative_to(ROOT)} -> {link}")
    return dead


def test_every_link_between_documents_leads_somewhere() -> None:
    assert [
        link for path in tracked("*.md") for link in dead_links(path, path.read_text(encoding="utf-8"))
    ] == []


@pytest.mark.parametrize("link", ["docs/nowhere.md", "ARCHITECTURE.md#nowhere", "#nowhere"])
def test_a_link_that_leads_nowhere_is_found(link: str) -> None:
    assert dead_links(ROOT / "README.md", f"see [it]({link})") == [f"README.md -> {link}"]
    assert dead_links(ROOT / "README.md", "[planes](ARCHITECTURE.md#three-planes)") == []


def test_every_number_of_a_rule_is_explained() -> None:
    parts = re.split(r"(?m)^## ", (ROOT / "docs/games/rule-numbers.md").read_text(encoding="utf-8"))[1:]
    explained = {
        part.split("\n", 1)[0]: set(re.findall(r"§[0-9]+[a-z]?(?:\.[0-9]+)?", part)) for part in parts
    }
    titles = {"doudizhu": "斗地主", "kawuxing": "卡五星", "paohuzi": "跑胡子", "qinghunpeng": "清混碰"}
    named: dict[str, set[str]] = {title: set() for title in titles.values()}
    for path in tracked("engine/*.py", "services/scoring/core/*.py"):
        game = next((title for name, title in titles.items() if name in path.parts), "跑胡子")
        named[game] |= set(
            re.findall(r"[\"\u2018](§[0-9]+[a-z]?(?:\.[0-9]+)?)", path.read_text(encoding="utf-8"))
        )
    assert {title: sorted(named[title] - explained[title]) for title in named} == {
        title: [] for title in named
    }
    assert all(named.values())


def test_every_link_of_the_page_leads_to_a_page() -> None:
    folder = ROOT / "services/gateway/web/js"
    pages = set(re.findall(r'\{ name: "([a-z]+)"', (folder / "view/pages.mjs").read_text(encoding="utf-8")))
    led_to = {
        name
        for path in folder.rglob("*.mjs")
        for name in re.findall(
            r'(?:href: "#|hashOf\("|router\.go\("|#/)([a-z]+)\b', path.read_text(encoding="utf-8")
        )
    }
    assert led_to
    assert led_to - pages == set()


def test_every_make_target_a_document_names_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {
        (path.name, target)
        for path in tracked("*.md")
        for target in re.findall(r"(?:`|^ {4})make ([a-z-]+)", path.read_text(encoding="utf-8"), re.MULTILINE)
    }
    assert {(where, target) for where, target in named if target not in targets} == set()


def test_every_decision_record_has_all_its_parts() -> None:
    records = sorted((ROOT / "docs/adr").glob("[0-9]*.md"))
    assert records
    for path in records:
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"^(?:-? ?\*\*(.+?):\*\*|## (.+?)\s*$)", text, re.MULTILINE)
        parts = [bold or heading for bold, heading in named]
        assert tuple(part for part in parts if part in ADR_PARTS) == ADR_PARTS, path.name


def test_no_two_decision_records_have_one_number() -> None:
    numbers = [path.name[:4] for path in (ROOT / "docs/adr").glob("[0-9]*.md")]
    assert len(numbers) == len(set(numbers))
