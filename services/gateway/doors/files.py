"""The page: the files of one folder, read once at the start; nothing outside that list can be asked for."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from aiohttp import web

FOLDER: Final = Path(__file__).parent.parent / "web"

TYPES: Final = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".mjs": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".json": "application/json; charset=utf-8",
    ".webmanifest": "application/manifest+json; charset=utf-8",
    ".svg": "image/svg+xml; charset=utf-8",
    ".txt": "text/plain; charset=utf-8",
    ".png": "image/png",
    ".webp": "image/webp",
    ".ico": "image/x-icon",
    ".woff2": "font/woff2",
    ".mp3": "audio/mpeg",
    ".ogg": "audio/ogg",
}
"""What is served; other files of the folder are not."""

PACKED: Final = frozenset({".html", ".js", ".mjs", ".css", ".json", ".svg", ".txt"})
"""Sent packed to whoever takes gzip."""

SECURITY: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
        "font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
"""On every answer over HTTP."""


@dataclass(frozen=True, slots=True)
class ServedFile:
    """One file, ready to be sent."""

    body: bytes
    packed: bytes | None
    content_type: str
    etag: str


def read_folder(folder: Path) -> Mapping[str, ServedFile]:
    """Return the files of a folder by path (`/js/app.mjs`; `/` is `index.html`).

    Hidden files, files that lead out of the folder, and types that are not in `TYPES` are left out.
    """
    root = folder.resolve()
    files: dict[str, ServedFile] = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        suffix = path.suffix.lower()
        is_hidden = any(part.startswith((".", "_")) and part != path.name for part in relative.parts)
        if is_hidden or path.name.startswith(".") or suffix not in TYPES or not path.is_file():
            continue
        if not path.resolve().is_relative_to(root):
            continue
        body = path.read_bytes()
        packed = gzip.compress(body, mtime=0) if suffix in PACKED else None
        etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        files["/" + str(PurePosixPath(*relative.parts))] = ServedFile(
            body, packed if packed and len(packed) < len(body) else None, TYPES[suffix], etag
        )
    if "/index.html" in files:
        files["/"] = files["/index.html"]
    return files


class FilesDoor:
    """The handler of everything that is not a call and not `/play`."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = read_folder(folder)

    async def get(self, request: web.Request) -> web.Response:
        """Answer with a file, or that it is unchanged, or that there is none."""
        file = self._files.get(request.path)
        if file is None:
            raise web.HTTPNotFound(text="not found")
        headers = {"ETag": file.etag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if file.etag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = file.content_type
        body = file.body
        if file.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
            body = file.packed
            headers["Content-Encoding"] = "gzip"
        return web.Response(body=body, headers=headers)
