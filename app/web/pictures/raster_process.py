"""A process of its own that makes one PNG out of one SVG: `python raster_process.py FONT …`, drawing in, picture out.

resvg holds Python's lock while it works (half a second): in the server's process every move would wait for that.
Nothing of the app is imported, so that it starts in a few hundredths of a second.
"""

from __future__ import annotations

import sys


def main() -> None:
    import resvg_py

    drawing = sys.stdin.buffer.read().decode()
    # Only our own typefaces, so that no server draws it otherwise.
    sys.stdout.buffer.write(
        resvg_py.svg_to_bytes(svg_string=drawing, skip_system_fonts=True, font_files=sys.argv[1:])
    )


if __name__ == "__main__":
    main()
