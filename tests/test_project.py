"""The project itself: tracked files name no machine, dependencies are pinned, shipped files are found."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from app import paths
from tools.lock import asked_for, normal

ROOT = Path(__file__).resolve().parent.parent

# Put together from pieces, so that this file does not find itself.
REGISTRY = re.compile(
    "|".join(
        (
            r"pypi\." + "org",
            "python" + r"hosted\.org",
            r"npmjs\." + "(org|com)",
            r"deb\." + r"debian\.org",
            r"registry\." + r"[a-z-]+\.[a-z]+",
            "--(extra-)?index" + "-url",
            "--find" + "-links",
        )
    )
)
MACHINE_PATH = re.compile(r"(?<![\w.~-])/(?:work|root)/")
GENERATED_FILES = re.compile(
    r"(^|/)(\.venv|__pycache__|node_modules|\.mypy_cache|var)/|\.(pyc|db|db-wal|log|orig|rej)$"
)


def list_tracked_files() -> list[Path]:
    """Return the files that git tracks; in a source archive without .git, all files that are not ignored."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        return walk_files(ROOT)
    command = ["git", "-c", "safe.directory=*", "ls-files", "-z"]  # a container's folder is another user's
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.split("\0") if name and (ROOT / name).is_file()]


def walk_files(top: Path) -> list[Path]:
    """Return every file below a folder, except those in .gitignore."""
    lines = (top / ".gitignore").read_text().splitlines()
    patterns = [line.strip("/") for line in lines if line and not line.startswith("#")]
    found: list[Path] = []
    for folder, below, files in os.walk(top):
        below[:] = [name for name in below if not _is_ignored(name, [".git", *patterns])]
        found += [Path(folder, name) for name in files if not _is_ignored(name, patterns)]
    return sorted(found)


def _is_ignored(name: str, patterns: list[str]) -> bool:
    return any(fnmatch(name, pattern) for pattern in patterns)


def find_offences(texts: dict[str, str]) -> list[str]:
    """Return the lines that tie the project to one machine or package index."""
    return [
        f"{name}:{number}: {found.group()}"
        for name, text in texts.items()
        for number, line in enumerate(text.splitlines(), 1)
        for pattern in (REGISTRY, MACHINE_PATH)
        if (found := pattern.search(line))
    ]


def test_tracked_files_name_no_package_index_and_no_machine_path() -> None:
    texts = {}
    for file in list_tracked_files():
        raw = file.read_bytes()
        if b"\0" not in raw[:8000]:
            texts[str(file.relative_to(ROOT))] = raw.decode("utf-8", errors="replace")
    assert find_offences(texts) == []


@pytest.mark.parametrize(
    "line",
    [
        "see https://py" + "pi.org/simple",
        "--index" + "-url=http://10.0.0.1/",
        '"resolved": "https://registry.np' + 'mjs.org/x"',
        "open('/wo" + "rk/main/app')",
        "HOME=/ro" + "ot/x",
    ],
)
def test_a_planted_address_or_path_is_found(line: str) -> None:
    assert len(find_offences({"planted": f"fine\n{line}\n"})) == 1


def test_ordinary_paths_are_not_reported_as_machine_paths() -> None:
    lines = "static/{0}/x ./{1}/y https://example.org/{0}/\nhttps://a.example/{1}/".format(
        "wo" + "rk", "ro" + "ot"
    )
    assert find_offences({"fine": lines}) == []


def test_a_source_archive_is_read_without_git(tmp_path: Path) -> None:
    shutil.copy(ROOT / ".gitignore", tmp_path)
    for name in (
        "app/cli.py",
        "docs/a.md",
        ".ci/run",
        "app/__pycache__/cli.pyc",
        ".venv/made",
        "var/x",
        "a.db",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    found = [str(file.relative_to(tmp_path)) for file in walk_files(tmp_path)]
    assert found == [".ci/run", ".gitignore", "app/cli.py", "docs/a.md"]
    assert {file for file in list_tracked_files() if file.suffix == ".py"} <= set(walk_files(ROOT))


def test_no_generated_file_is_tracked() -> None:
    assert [
        str(file) for file in list_tracked_files() if GENERATED_FILES.search(str(file.relative_to(ROOT)))
    ] == []


def pins() -> dict[str, str]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    return dict(line.split("==") for line in lines if line and not line.startswith("#"))


def test_every_dependency_is_pinned() -> None:
    names = [normal(re.split(r"[^\w.-]", requirement)[0]) for requirement in asked_for()]
    assert [name for name in names if name not in pins()] == []


def test_constraints_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    odd = [
        line for line in lines if not line.startswith("#") and not re.fullmatch(r"[a-z0-9-]+==[\w.+!]+", line)
    ]
    assert odd == []
    assert lines == lines[:3] + sorted(lines[3:], key=lambda line: line.split("==")[0])


def third_party_imports(folder: Path) -> dict[str, str]:
    """Top-level names imported under `folder` that are neither Python's own nor ours, and where."""
    found: dict[str, str] = {}
    for file in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(), str(file))):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            else:
                continue
            for name in names:
                root = name.split(".")[0]
                if root not in sys.stdlib_module_names and root not in {"app", "tools", "tests", "bench"}:
                    found.setdefault(root, str(file.relative_to(ROOT)))
    return found


def test_app_imports_only_dependencies_of_pyproject() -> None:
    """A package that is there only because another brought it goes away with that other's next release."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["research"], *extras["pictures"]]
    asked = {normal(re.split(r"[^\w.-]", each)[0]) for each in wanted}
    # FastAPI's own foundations, part of its interface; and PettingZoo's.
    brought = {"starlette", "pydantic", "pydantic-core", "gymnasium", "numpy"}
    owners = packages_distributions()
    undeclared = {
        root: where
        for root, where in (
            third_party_imports(ROOT / "app") | third_party_imports(ROOT / "migrations")
        ).items()
        if not {normal(owner) for owner in owners.get(root, [root])} & (asked | brought)
    }
    assert undeclared == {}


def test_files_beside_the_code_are_found_in_a_checkout() -> None:
    assert paths.STATIC == ROOT / "static"
    assert paths.TEMPLATES == ROOT / "templates"
    assert paths.MIGRATIONS == ROOT / "migrations"


def test_ci_runs_what_a_developer_runs() -> None:
    script = ROOT / ".ci" / "run"
    assert script.stat().st_mode & 0o111
    assert "make test" in script.read_text()


def test_make_install_installs_the_tools_of_lint_and_types() -> None:
    command = ["make", "--dry-run", "--always-make", "install"]
    planned = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    assert "-m tools.js install" in planned


def test_every_folder_of_the_app_with_code_is_a_package() -> None:
    """Without __init__.py a folder still imports here, but tools that walk packages pass it by."""
    folders = {
        file.parent
        for file in list_tracked_files()
        if file.suffix == ".py" and file.is_relative_to(ROOT / "app")
    }
    assert [
        str(folder.relative_to(ROOT))
        for folder in folders
        if folder / "__init__.py" not in list_tracked_files()
    ] == []


def test_no_source_file_is_too_long() -> None:
    """DESIGN: a second idea, or about 300 lines, is a reason to split; 400 is the end."""
    code = [
        file for file in list_tracked_files() if file.suffix in {".py", ".js"} and "golden" not in file.parts
    ]
    lengths = {str(file.relative_to(ROOT)): len(file.read_text().splitlines()) for file in code}
    # One class by decision: the states of a socket, which five files used to share, are read in one place.
    longer = {"app/web/ws/transport/protocol.py": 550}
    assert {name: length for name, length in lengths.items() if length > longer.get(name, 400)} == {}
