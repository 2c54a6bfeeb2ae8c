"""Find or install all programs that the tests need and no wheel contains (a part of `make test`).

It runs beside the first tests, so that a fresh machine does not wait for it later.
"""

from __future__ import annotations

import sys

from tools import debian
from tools.cluster.caddy import caddy_program
from tools.find_chromium import NoChromium, find_for_playwright
from tools.services import ServiceError


def main() -> int:
    try:
        print(debian.program("curl", wanted_for="trying the shell blocks of the docs"))
        print(caddy_program())
        print(find_for_playwright())
    except (debian.Missing, NoChromium, ServiceError) as missing:
        print(missing, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
