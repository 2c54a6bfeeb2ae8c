"""Rasterises one SVG from standard input to a PNG on standard output: `python raster_process.py FONT …`.

A separate process, because resvg holds the interpreter lock for half a second, which would delay every move. It
imports nothing from the app, so that it starts within a few hundredths of a second.
"""

from __future__ import annotations

import sys


def main() -> None:
    import resvg_py

    drawing = sys.stdin.buffer.read().decode()
    # Only our own fonts, so that pictures are the same on every server.
    sys.stdout.buffer.write(
        resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True, font_files=sys.argv[1:])
    )


if __name__ == "__main__":
    main()
