"""Draw static/share/*.png, the link previews of the site and each edition, and the PNG favicon.

`python -m tools.make_share_pictures` redraws them from the site's symbols, scenery, typeface and colours. The same
Chromium draws the same bytes. At most 256 colours, which is a sixth of the size without a visible difference.
"""

from __future__ import annotations

import struct
import sys
import threading
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from playwright.sync_api import Browser, sync_playwright

from app.paths import STATIC
from app.rules.catalogue import PRESETS
from app.rules.core.cards import SYMBOL_SETS
from tools.find_chromium import FLAGS, find_for_playwright

__all__ = ["PICTURES", "draw", "served"]

WIDTH, HEIGHT = 1200, 630
COLOURS = 256
SHORE = "M0 412c130-22 260-20 380-8s270 4 400 26c60 12 100 26 130 46-40 40-150 60-210 154H0z"


@dataclass(frozen=True)
class Picture:
    """What differs between editions: time of day, start, goal and cards."""

    theme: str
    begin: str
    end: str
    symbols: str
    backs: int = 0  # number of face-down cards


def _edition(name: str) -> Picture:
    options = PRESETS[name].values
    scenario = options["scenario"]
    return Picture(
        theme="dark" if name in ("dungeon", "hispaniola", "complete") else "light",
        begin="wreck" if scenario == "jungle" else "prison",
        end="sloop" if scenario == "passage" else "bay",
        symbols=str(options["symbols"]),
        backs=0 if options["hands"] == "open" else 3 if options["supply"] == "deck" else 2,
    )


PICTURES = {
    "cartagena": Picture("dark", "prison", "sloop", "classic"),
    **{name: _edition(name) for name in PRESETS},
}

STYLE = """
body { margin: 0; width: 1200px; height: 630px; overflow: hidden; position: relative; background: var(--paper); }
svg.scene { position: absolute; inset: 0; }
.sky { fill: color-mix(in srgb, var(--sea) 40%, var(--paper)); } .moon { fill: var(--sail); }
.far { fill: var(--jungle-ground); } .hills { fill: var(--jungle-deep); } .sea { fill: var(--sea); }
.sand { fill: var(--sand); } .grove { fill: var(--jungle-ground); } .stars { fill: var(--sail); }
h1 { position: absolute; left: 56px; top: 26px; margin: 0; font: 400 118px/1 var(--font-display); color: var(--ink); }
.cards { position: absolute; left: 60px; bottom: 40px; display: flex; gap: 10px; }
.card { width: 84px; height: 118px; border-radius: 10px; background: var(--card); color: var(--card-ink);
  border: 3px solid var(--map-ink); display: grid; place-items: center; box-sizing: border-box; }
.card svg { width: 56px; height: 56px; } .back { background: var(--card-back); color: var(--card-back-ink); }
.look-0 { color: var(--seat-0); } .look-1 { color: var(--seat-1); } .look-2 { color: var(--seat-2); }
.look-3 { color: var(--seat-3); } .look-4 { color: var(--seat-4); }
"""


def _use(file: str, name: str, x: float, y: float, w: float, h: float, more: str = "") -> str:
    return f'<use {more} href="/icons/{file}.svg#{name}" x="{x}" y="{y}" width="{w}" height="{h}"/>'


def _landmark(name: str, x: float, y: float, w: float) -> str:
    return "".join(_use("scenery", part, x, y, w, w * 220 / 280) for part in (name, f"{name}-front"))


def _scene(picture: Picture) -> str:
    is_jungle = picture.begin == "wreck"
    ground = "grove" if is_jungle else "sand"
    night = [(37 * n % 1200, 61 * n % 200 + 12, 1 + n % 3) for n in range(1, 34)]
    stars = "".join(f'<circle cx="{x}" cy="{y}" r="{r}"/>' for x, y, r in night if x > 640 or y > 150)
    parts = [
        '<rect class="sky" width="1200" height="630"/>',
        f'<g class="stars">{stars}</g>' if picture.theme == "dark" else "",
        '<circle class="moon" cx="1010" cy="92" r="46"/>'
        if picture.end == "sloop"
        else "",  # the bay has a moon already
        '<path class="far" d="M0 330c120-60 220-50 330-10s190 20 290-20 180-50 280-10 200 40 300 0v340H0z"/>',
        '<path class="hills" d="M0 376c100-34 200-30 300-4s180 14 260-6 150-20 240 4c130 36 260 20 400-10v264H0z"/>',
        '<path class="sea" d="M640 420c60-10 110 6 170 0s120-14 190-4 130 6 200-4v218H600z"/>',
        f'<path class="{ground}" d="{SHORE}"/>',
    ]
    for x, y, w in ((30, 250, 150), (170, 280, 110), (330, 262, 130), (456, 300, 100)):
        parts.append(_use("scenery", "palm", x, y, w, w))
    if is_jungle or picture.end == "bay":
        for x, y, w in ((20, 380, 90), (290, 372, 80), (560, 384, 80), (430, 396, 70)):
            parts.append(_use("scenery", "fern", x, y, w, w))
    if picture.begin == "wreck":
        parts.append(_landmark("wreck", 470, 190, 320))
    else:
        parts.append(_landmark("prison", 500, 178, 330))
    if picture.end == "bay":
        parts.append(_landmark("bay", 860, 196, 320))
        if picture.begin == "prison":  # the complete route: the sloop is in the middle
            parts.append(_landmark("sloop", 900, 412, 240))
    else:
        parts.append(_landmark("sloop", 850, 176, 340))
    for look, (x, y) in enumerate(((626, 424), (672, 436), (718, 450), (766, 462), (814, 474))):
        parts.append(_use("pirates", f"pirate-{look}", x, y, 54, 81, f'class="look-{look}"'))
    for x, y in ((930, 470), (1020, 500), (1110, 472), (1060, 560), (960, 570), (1140, 548)):
        parts.append(_use("scenery", "wave", x, y, 60, 60))
    for x, y, w in ((850, 90, 44), (910, 130, 32), (1120, 150, 38)):
        parts.append(_use("scenery", "gull", x, y, w, w))
    return f'<svg class="scene" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}">{"".join(parts)}</svg>'


def _page(picture: Picture) -> str:
    cards = "".join(
        f'<div class="card"><svg><use href="/icons/symbols.svg#symbol-{symbol}"/></svg></div>'
        if at < 6 - picture.backs
        else '<div class="card back"><svg><use href="/icons/scenery.svg#rose"/></svg></div>'
        for at, symbol in enumerate(SYMBOL_SETS[picture.symbols])
    )
    return (
        f'<!doctype html><html data-theme="{picture.theme}"><link rel="stylesheet" href="/css/tokens.css">'
        f"<style>{STYLE}</style><body>{_scene(picture)}<h1>Cartagena</h1>"
        f'<div class="cards">{cards}</div></body></html>'
    )


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *arguments: object) -> None:
        pass


@contextmanager
def served() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(STATIC)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def draw(browser: Browser, address: str, picture: Picture) -> bytes:
    """Return the picture as a PNG with few colours."""
    page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
    page.goto(f"{address}/icons/favicon.svg")  # same origin, so that the page below may load its files
    page.route("**/picture", lambda route: route.fulfill(body=_page(picture), content_type="text/html"))
    page.goto(f"{address}/picture", wait_until="networkidle")
    page.evaluate("() => document.fonts.ready")
    shot = page.screenshot(type="png")
    page.close()
    return _with_few_colours(shot)


def favicon(browser: Browser, address: str) -> bytes:
    """Return the favicon for programs that cannot read SVG."""
    page = browser.new_page(viewport={"width": 48, "height": 48})
    icon = '<body style="margin:0"><img src="/icons/favicon.svg" width="48" height="48">'
    page.route("**/icon", lambda route: route.fulfill(body=icon, content_type="text/html"))
    page.goto(f"{address}/icon", wait_until="networkidle")
    shot = page.screenshot(type="png", omit_background=True)
    page.close()
    return shot


def _pixels(png: bytes) -> list[bytes]:
    """Return the rows of an 8-bit RGB or RGBA picture as RGB."""
    at, data, deep = 8, b"", 3
    while at < len(png):
        length, kind = struct.unpack(">I4s", png[at : at + 8])
        body = png[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            deep = {2: 3, 6: 4}[body[9]]
        elif kind == b"IDAT":
            data += body
        at += length + 12
    flat, row, rows = zlib.decompress(data), bytearray(WIDTH * deep), []
    for y in range(HEIGHT):
        start = y * (WIDTH * deep + 1)
        how, line = flat[start], bytearray(flat[start + 1 : start + 1 + WIDTH * deep])
        for n in range(len(line)):
            left = line[n - deep] if n >= deep else 0
            up, corner = row[n], row[n - deep] if n >= deep else 0
            if how == 1:
                line[n] = line[n] + left & 255
            elif how == 2:
                line[n] = line[n] + up & 255
            elif how == 3:
                line[n] = line[n] + (left + up) // 2 & 255
            elif how == 4:
                guess = left + up - corner
                near = min((left, up, corner), key=lambda each: abs(guess - each))
                line[n] = line[n] + near & 255
        row = line
        rows.append(bytes(line) if deep == 3 else bytes(b for n, b in enumerate(line) if n % 4 != 3))
    return rows


def _with_few_colours(png: bytes) -> bytes:
    rows = _pixels(png)
    colours = [[row[n : n + 3] for n in range(0, len(row), 3)] for row in rows]
    counts = Counter(each for row in colours for each in row)
    # The most frequent colours, skipping those close to a more frequent one, because edges need shades too.
    palette: list[bytes] = []
    for closest in (14, 6, 0):
        for colour, _ in counts.most_common(6000):
            if len(palette) == COLOURS:
                break
            if all(sum(abs(a - b) for a, b in zip(colour, kept, strict=True)) > closest for kept in palette):
                palette.append(colour)
    nearest: dict[bytes, int] = {}
    for colour in counts:
        nearest[colour] = min(
            range(len(palette)),
            key=lambda at: sum((a - b) ** 2 for a, b in zip(colour, palette[at], strict=True)),
        )
    body = b"".join(b"\0" + bytes(nearest[each] for each in row) for row in colours)

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", WIDTH, HEIGHT, 8, 3, 0, 0, 0))
        + chunk(b"PLTE", b"".join(palette))
        + chunk(b"IDAT", zlib.compress(body, 9))
        + chunk(b"IEND", b"")
    )


def main(wanted: list[str]) -> None:
    folder = STATIC / "share"
    folder.mkdir(exist_ok=True)
    with sync_playwright() as playwright, served() as address:
        browser = playwright.chromium.launch(executable_path=find_for_playwright(), args=list(FLAGS))
        for name in wanted or PICTURES:
            (folder / f"{name}.png").write_bytes(draw(browser, address, PICTURES[name]))
        (STATIC / "icons" / "favicon-48.png").write_bytes(favicon(browser, address))
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
