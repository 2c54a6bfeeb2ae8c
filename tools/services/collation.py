"""A locale that sorts "a" < "B" < "c", compiled where the test server runs.

PostgreSQL servers are usually set up under a locale such as en_US.UTF-8, which sorts by language rules, while Python
compares code points. The server that tests use must do the same, but its build has no ICU and a minimal operating
system has no locale except C. So `localedef`, which comes with the C library, compiles one from the text below.
"""

from __future__ import annotations

import shutil
import string
import subprocess
from pathlib import Path

from tools.services.processes import ServiceError

__all__ = ["NAME", "compile_locale"]

NAME = "en_TEST"
_SYMBOLS = "".join(chr(code) for code in range(1, 128) if not chr(code).isalnum())
_LETTERS = "".join(small + small.upper() for small in string.ascii_lowercase)


def compile_locale(folder: Path) -> None:
    """Write the locale `NAME` below `folder`, for a process whose environment names it as LOCPATH."""
    if (folder / NAME / "LC_COLLATE").exists():
        return
    program = shutil.which("localedef")
    if program is None:
        raise ServiceError("no localedef, which compiles the tests' locale: install libc-bin")
    folder.mkdir(parents=True, exist_ok=True)
    charmap, source = folder / "charmap", folder / "source"
    charmap.write_text(_charmap())
    source.write_text(_source())
    # It warns about every category that is left out, such as money, and then ends with 1 although all is written.
    command = [program, "-c", "-f", str(charmap), "-i", str(source), str(folder / NAME)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not (folder / NAME / "LC_COLLATE").exists():
        raise ServiceError(f"localedef could not compile the tests' locale: {done.stderr.strip()}")


def _source() -> str:
    order = "\n".join(f"<U{ord(each):04X}>" for each in _SYMBOLS + string.digits + _LETTERS)
    return f"LC_COLLATE\norder_start forward\n{order}\nUNDEFINED\norder_end\nEND LC_COLLATE\n"


def _charmap() -> str:
    """Return ASCII under the name by which PostgreSQL accepts it with any encoding."""
    codes = "\n".join(f"<U{code:04X}> /x{code:02x}" for code in range(128))
    return f"<code_set_name> ANSI_X3.4-1968\n<escape_char> /\nCHARMAP\n{codes}\nEND CHARMAP\n"
