"""What a profile may say besides the name: homepage, region, city, dialect, theme."""

from __future__ import annotations

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from services.accounts.core.cities import cities
from services.accounts.core.regions import REGIONS
from services.chassis.errors import Refusal

HOMEPAGE_CHARACTERS_MAX: Final = 200
THEMES: Final = ("auto", "light", "dark")
DIALECTS: Final = {
    "putonghua": ("普通话", "Standard Mandarin"),
    "beijing": ("北京话", "Beijing"),
    "dongbei": ("东北话", "Northeastern"),
    "jiaoliao": ("胶辽话", "Jiaoliao"),
    "zhongyuan": ("中原话", "Central Plains"),
    "lanyin": ("兰银话", "Lanyin"),
    "jianghuai": ("江淮话", "Jianghuai"),
    "xinan": ("西南官话", "Southwestern"),
    "wuhan": ("武汉话", "Wuhan"),
    "sichuan": ("四川话", "Sichuanese"),
    "jin": ("晋语", "Jin"),
    "wu": ("吴语", "Wu"),
    "hui": ("徽语", "Hui"),
    "gan": ("赣语", "Gan"),
    "xiang": ("湘语", "Xiang"),
    "changsha": ("长沙话", "Changsha"),
    "hengyang": ("衡阳话", "Hengyang"),
    "min": ("闽语", "Min"),
    "minnan": ("闽南话", "Southern Min"),
    "kejia": ("客家话", "Hakka"),
    "yue": ("粤语", "Cantonese"),
    "pinghua": ("平话", "Pinghua"),
}
"""Code → Chinese and English: the groups of the Language Atlas of China, and speeches of the games' homes."""
_HOST: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-.")
_URL: Final = frozenset(
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~:/?#[]@!$&'()*+,;=%"
)
"""RFC 3986; others are percent-encoded, a host in Punycode."""
_LOCAL: Final = ("localhost", "local", "internal", "lan", "home.arpa", "test", "invalid", "example", "onion")


def homepage_of(text: str) -> str:
    """Return a homepage as it is kept; empty stays empty.

    It is a link for others: https, a public name, no user, no port, nothing that could be read as something
    else.

    >>> homepage_of(" https://Example.com/me?x=1 ")
    'https://example.com/me?x=1'

    Raises:
        Refusal: HOMEPAGE_INVALID.
    """
    refusal = Refusal("HOMEPAGE_INVALID", most=HOMEPAGE_CHARACTERS_MAX)
    text = text.strip(" ")
    if not text:
        return ""
    if len(text) > HOMEPAGE_CHARACTERS_MAX or not _URL.issuperset(text):
        raise refusal
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise refusal from None
    host = (parts.hostname or "").lower()
    is_plain = parts.scheme == "https" and port is None and parts.netloc.lower() == host
    if not is_plain or not _is_public_name(host):
        raise refusal
    return parts._replace(scheme="https", netloc=host).geturl()


def region_of(text: str) -> str:
    """Return a region's code; empty stays empty.

    Raises:
        Refusal: REGION_UNKNOWN.
    """
    if text and text not in REGIONS:
        raise Refusal("REGION_UNKNOWN")
    return text


def city_of(text: str) -> str:
    """Return a city's code; empty stays empty.

    Raises:
        Refusal: CITY_UNKNOWN.
    """
    if text and text not in cities():
        raise Refusal("CITY_UNKNOWN")
    return text


def is_in(city: str, region: str) -> bool:
    """Return whether a city lies in a region.

    >>> is_in("430700", "CN-HN"), is_in("430700", "CN-HB"), is_in("", "CN-HB")
    (True, False, True)
    """
    return not city or cities()[city].region == region


def dialect_of(text: str) -> str:
    """Return a dialect's code; empty stays empty.

    Raises:
        Refusal: DIALECT_UNKNOWN.
    """
    if text and text not in DIALECTS:
        raise Refusal("DIALECT_UNKNOWN", known=", ".join(DIALECTS))
    return text


def theme_of(text: str) -> str:
    """Return a theme; empty stays empty.

    Raises:
        Refusal: THEME_UNKNOWN.
    """
    if text and text not in THEMES:
        raise Refusal("THEME_UNKNOWN", known=", ".join(THEMES))
    return text


def _is_public_name(host: str) -> bool:
    labels = host.split(".")
    if len(labels) < 2 or len(host) > 253 or not _HOST.issuperset(host):
        return False
    if any(not 1 <= len(label) <= 63 or label[0] == "-" or label[-1] == "-" for label in labels):
        return False
    if any(host == name or host.endswith(f".{name}") for name in _LOCAL):
        return False
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return not labels[-1].isdigit()
    return False
