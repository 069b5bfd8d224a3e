"""QR codes of the links to friends' rooms: `GET /qr/room/<code>.svg`.

Only links to this very site are drawn: whoever asks chooses six digits, and whether the site is reached by
`https`. The name is the one that he has reached us by, which the door has looked at before.
"""

from __future__ import annotations

import io
from functools import lru_cache
from typing import Final

import segno
from aiohttp import web

ROUTE: Final = "/qr/room/{code:[0-9]{6}}.svg"
KEPT: Final = 512
BORDER: Final = 2
"""Modules of quiet around the code. The standard asks for four; the page gives it a white frame."""


class QrDoor:
    """See the module."""

    async def get(self, request: web.Request) -> web.Response:
        """Answer with the code as a picture."""
        scheme = "https" if "https" in request.query else "http"
        link = f"{scheme}://{request.host}/#/room/{request.match_info['code']}"
        return web.Response(
            body=_drawn(link),
            content_type="image/svg+xml",
            headers={"Cache-Control": "private, max-age=3600"},
        )


@lru_cache(maxsize=KEPT)
def _drawn(link: str) -> bytes:
    """Return a code as SVG. Errors of a quarter are bridged: a phone reads it from a bad screen."""
    out = io.BytesIO()
    code = segno.make_qr(link, error="q")
    code.save(
        out, kind="svg", border=BORDER, xmldecl=False, svgns=True, nl=False, omitsize=True, light="#fff"
    )
    return out.getvalue()
