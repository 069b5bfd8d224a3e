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


def test_every_link_between_documents_leads_somewhere() -> None:
    broken = []
    for path in tracked("*.md"):
        for target in re.findall(r"\]\(([^)#\s]+)", path.read_text(encoding="utf-8")):
            is_ours = not re.match(r"[a-z]+:", target)
            broken += [f"{path.relative_to(ROOT)} -> {target}"] * (
                is_ours and not (path.parent / target).exists()
            )
    assert broken == []


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
