"""The page: the files of one folder, read once at the start; nothing outside that list can be asked for.

The page is some two hundred small files. Asking for each whether it has changed would take longer than
showing what they show; so `index.html` names them below `/v/<version>/`, where a browser keeps them without
asking. The version follows from the content of all files: another one is another address.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final

from aiohttp import web

from services.chassis import log
from services.gateway.doors.bundle import NotJoined, joined

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


_log = log.get(service="gateway")


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
        files["/" + str(PurePosixPath(*relative.parts))] = _served(path.read_bytes(), suffix)
    if "/index.html" in files:
        files["/"] = files["/index.html"]
    return files


def _served(body: bytes, suffix: str) -> ServedFile:
    packed = gzip.compress(body, mtime=0) if suffix in PACKED else None
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    return ServedFile(body, packed if packed and len(packed) < len(body) else None, TYPES[suffix], etag)


def version_of(files: Mapping[str, ServedFile]) -> str:
    """Return the name of exactly this content of all files."""
    named = "".join(f"{path} {file.etag}\n" for path, file in sorted(files.items()))
    return hashlib.sha256(named.encode()).hexdigest()[:16]


def versioned(index: ServedFile, files: Mapping[str, ServedFile], version: str) -> ServedFile:
    """Return an index that names the files of the folder by their version, and all its modules at once.

    A browser finds a module only when it has read the one that names it; ten such rounds are saved. The
    style sheets are one file (`styles_of`): the page is drawn when the last of them is there. So are the
    modules where they can be joined (`script_of`).
    """

    def name(found: re.Match[bytes]) -> bytes:
        attribute, path = found[1], found[2]
        return (
            b'%s="v/%s/%s"' % (attribute, version.encode(), path)
            if f"/{path.decode()}" in files
            else found[0]
        )

    modules = [
        f'<link rel="modulepreload" href="{path[1:]}">'
        for path in sorted(files)
        if path.endswith(".js") or (path == SCRIPT if SCRIPT in files else path.endswith(".mjs"))
    ]
    body = index.body.replace(b"</head>", "\n".join([*modules, "</head>"]).encode(), 1)
    if SCRIPT in files:
        body = _ENTRY.sub(b'<script type="module" src="%s">' % SCRIPT[1:].encode(), body, count=1)
    if STYLES in files:
        first, rest = b'<link rel="stylesheet" href="%s">' % STYLES[1:].encode(), _SHEETS.split(body)
        body = first.join((rest[0], b"".join(rest[2::2]))) if len(rest) > 1 else body
    return _served(_NAMES.sub(name, body), ".html")


def styles_of(index: ServedFile, files: Mapping[str, ServedFile]) -> ServedFile | None:
    """Return the style sheets that an index names as one, in its order; None: it names fewer than two.

    They lie in one folder, so what they name relative to themselves stays what it is.
    """
    paths = [f"/{found.decode()}" for found in _SHEETS.findall(index.body)]
    folder = STYLES.rpartition("/")[0]
    if len(paths) < 2 or any(path not in files or path.rpartition("/")[0] != folder for path in paths):
        return None
    return _served(b"\n".join(files[path].body for path in paths), ".css")


def script_of(index: ServedFile, files: Mapping[str, ServedFile]) -> ServedFile | None:
    """Return the module that an index begins with, and all it needs, as one (`bundle`); None: as they are."""
    if (entry := _ENTRY.search(index.body)) is None:
        return None
    sources = {path: file.body.decode() for path, file in files.items() if path.endswith((".mjs", ".js"))}
    try:
        return _served(joined(f"/{entry[1].decode()}", SCRIPT, sources).encode(), ".mjs")
    except NotJoined as why:
        _log.warning("modules_not_joined", why=str(why))
        return None


SCRIPT: Final = "/js/all.mjs"

_ENTRY: Final = re.compile(rb'<script type="module" src="([^"/:#][^":#]*\.mjs)">')

STYLES: Final = "/css/all.css"

_SHEETS: Final = re.compile(rb'<link rel="stylesheet" href="([^"/:#][^":#]*)">\n?')

_NAMES: Final = re.compile(rb'(href|src)="([^"/:#][^":#]*)"')
"""Where an index names a file beside it."""

_VERSIONED: Final = re.compile(r"/v/([0-9a-f]{16})(/.+)")


class FilesDoor:
    """The handler of everything that is not a call and not `/play`."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._files = dict(read_folder(folder))
        self._version = version_of(self._files)
        if (index := self._files.get("/")) is not None:
            made = {STYLES: styles_of(index, self._files), SCRIPT: script_of(index, self._files)}
            self._files |= {path: file for path, file in made.items() if file is not None}
            self._files["/"] = self._files["/index.html"] = versioned(index, self._files, self._version)

    async def get(self, request: web.Request) -> web.Response:
        """Answer with a file, or that it is unchanged, or that there is none."""
        path, kept = request.path, "no-cache"
        if (found := _VERSIONED.fullmatch(path)) is not None:
            path = found[2]
            # Another version is another process's: what is here under its name must not be kept under it.
            if found[1] == self._version:
                kept = "public, max-age=31536000, immutable"
        file = self._files.get(path)
        if file is None:
            raise web.HTTPNotFound(text="not found")
        headers = {"ETag": file.etag, "Cache-Control": kept, "Vary": "Accept-Encoding"}
        if file.etag in request.headers.get("If-None-Match", ""):
            return web.Response(status=304, headers=headers)
        headers["Content-Type"] = file.content_type
        body = file.body
        if file.packed is not None and "gzip" in request.headers.get("Accept-Encoding", ""):
            body = file.packed
            headers["Content-Encoding"] = "gzip"
        return web.Response(body=body, headers=headers)
