"""The page's files: kept by browsers without asking, and never under a name that is another content's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import make_mocked_request

from services.gateway.doors.files import FOLDER, FilesDoor, read_folder, version_of


async def get(door: FilesDoor, path: str) -> web.Response:
    return await door.get(make_mocked_request("GET", path))


def named(index: web.Response) -> list[str]:
    assert isinstance(index.body, bytes)
    return re.findall(r'(?:href|src)="([^"]+)"', index.body.decode())


async def test_every_file_the_index_names_is_there_and_may_be_kept_for_ever() -> None:
    door = FilesDoor()
    names = named(await get(door, "/"))
    assert [name.rpartition("/")[2] for name in names if name.endswith(".mjs")] == ["all.mjs"] * 2
    for name in names:
        answer = await get(door, f"/{name}")
        assert answer.status == 200
        assert "immutable" in answer.headers["Cache-Control"], name
    assert (await get(door, "/")).headers["Cache-Control"] == "no-cache", "the index says what is newest"


async def test_the_style_sheets_are_one_file_in_the_order_of_the_index() -> None:
    door = FilesDoor()
    (sheet,) = [name for name in named(await get(door, "/")) if name.endswith(".css")]
    body = (await get(door, f"/{sheet}")).body
    assert isinstance(body, bytes)
    index = (FOLDER / "index.html").read_text("utf-8")
    sheets = re.findall(r'rel="stylesheet" href="([^"]+)"', index)
    assert len(sheets) > 10
    assert body == b"\n".join((FOLDER / one).read_bytes() for one in sheets)
    assert not re.search(rb"@import|@charset", body), "both stand at the beginning of a file only"


async def test_a_changed_file_is_another_address(tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(
        '<head></head><script src="app.mjs"></script><a href="https://x.y/">'
    )
    (tmp_path / "app.mjs").write_text("1")
    before = named(await get(FilesDoor(tmp_path), "/"))
    (tmp_path / "app.mjs").write_text("2")
    door = FilesDoor(tmp_path)
    after = named(await get(door, "/"))
    assert before[1] != after[1]
    assert before[2] == after[2] == "https://x.y/"
    # A page of another process asks under its own version: it is answered, and asks again next time.
    old = await get(door, f"/{before[1]}")
    assert (old.body, old.headers["Cache-Control"]) == (b"2", "no-cache")
    assert (await get(door, "/app.mjs")).headers["Cache-Control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/v/{}/", "/v/{}/../app.py", "/v/{}/js", "/v/x/index.html", "/v/{}//index.html"]
)
async def test_a_version_leads_to_nothing_else(path: str) -> None:
    door = FilesDoor()
    with pytest.raises(web.HTTPNotFound):
        await get(door, path.format(version_of(read_folder(FOLDER))))
