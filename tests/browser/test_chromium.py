"""A smoke test of the browser itself."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tools import find_chromium


def test_chromium_renders_a_page(chromium_path: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text("<title>sloop</title><p id=p>no</p><script>p.textContent = 'six pirates'</script>")
    command = [chromium_path, *find_chromium.FLAGS, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom"]
    shown = subprocess.run([*command, page.as_uri()], capture_output=True, text=True, timeout=60, check=True)
    assert "six pirates" in shown.stdout
