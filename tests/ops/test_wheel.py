"""The wheel without a checkout: built from the source archive, installed in a separate environment, serving a game.

The Dockerfile's build stage does the work, in folders of this test instead of an image.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from app import __version__
from app.web.i18n import LANGUAGES
from tests.ops.dockerfiles import ROOT, environment, only, stages
from tests.ops.processes import fetch_body, running_server, status
from tools.archives import unpack

SECRET = "k" * 40


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source archive, unpacked where there is neither git nor a checkout."""
    place = tmp_path_factory.mktemp("archive")
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(place), str(ROOT)]
    ran = subprocess.run(build, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (archive,) = place.glob("cartagena-*.tar.gz")
    unpack(archive, place)
    return place / archive.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def installed(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build stage of the Dockerfile: its COPYs copied from the archive, its RUNs run.

    What /opt and /src are in the image are folders here. The environment may look at the packages of the one that
    runs this test, so that pip finds them installed and needs no network; of this project it sees nothing.
    """
    place = tmp_path_factory.mktemp("image")
    prefix, work = place / "opt", place / "src"
    packages = _packages_but_ours(place / "packages")
    for folder in (prefix, work):
        folder.mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    for each in stages()[0]:
        if each.word == "COPY":
            *names, _target = each.words
            for name in names:
                copy = shutil.copytree if (source / name).is_dir() else shutil.copy
                copy(source / name, work / name)
        if each.word == "RUN":
            words = each.text.replace("/opt/", f"{prefix}/")
            clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
            alone = {**clean, "PATH": path, "PIP_NO_INDEX": "1"}
            ran = subprocess.run(["bash", "-ec", words], cwd=work, env=alone, capture_output=True, text=True)
            assert ran.returncode == 0, f"{words}\n{ran.stdout}{ran.stderr}"
            if "-m venv" in words:
                (libraries,) = prefix.glob("cartagena/lib/python3*/site-packages")
                (libraries / "packages_of_this_test.pth").write_text(f"{packages}\n")
    return prefix / "cartagena"


def _packages_but_ours(folder: Path) -> Path:
    """A folder with everything that is installed here, without the editable install of this checkout."""
    folder.mkdir()
    here = next(entry for entry in sys.path if entry.endswith("site-packages"))
    for each in Path(here).iterdir():
        if "cartagena" not in each.name and each.suffix != ".pth":
            (folder / each.name).symlink_to(each)
    return folder


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    folder = tmp_path / "empty"
    folder.mkdir()
    return folder


def _run_installed(installed: Path, folder: Path, *words: str) -> str:
    """What a program of the installed environment says, in a folder that knows nothing of the checkout."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [str(installed / "bin" / words[0]), *words[1:]]
    ran = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_installed_package_prints_its_version_and_uses_no_checkout(installed: Path, empty: Path) -> None:
    assert _run_installed(installed, empty, "cartagena", "--version").split()[-1] == __version__
    ask = "import app.paths as p, app; print(app.__file__, p.STATIC, p.TEMPLATES, p.MIGRATIONS)"
    where = _run_installed(installed, empty, "python", "-c", ask).split()
    assert [str(installed) in each for each in where] == [True] * 4, where


def test_shipped_environment_has_every_file_and_no_build_tools(installed: Path) -> None:
    (libraries,) = installed.glob("lib/python3*/site-packages")
    names = {each.name.split("-")[0] for each in libraries.iterdir()}
    assert not names & {"pip", "setuptools", "hatchling", "wheel", "tests", "tools"}
    for folder in ("static", "templates", "migrations"):
        here = {
            file.relative_to(ROOT / folder) for file in (ROOT / folder).rglob("*") if _is_not_about_peer(file)
        }
        missing = [str(file) for file in sorted(here) if not (libraries / f"app/_{folder}" / file).is_file()]
        assert here
        assert not missing, f"{folder}/ is not whole in the wheel"
    assert not list(libraries.glob("app/_static/**/*.ts")), "types, which only the checker reads"


def _is_not_about_peer(file: Path) -> bool:
    return file.is_file() and file.suffix not in {".pyc", ".ts"}


def test_installed_server_serves_pages_and_a_game_in_an_empty_folder(installed: Path, empty: Path) -> None:
    start = [str(installed / "bin/cartagena"), "serve"]
    with running_server(empty, command=start, PYTHONPATH="") as server:
        base = server.address()
        for path in ("/", "/new", "/tutorial", "/rules"):
            page = fetch_body(base + path, accept="text/html")
            files = re.findall(r'(?:src|href)="(/static/[^"]+)"', page)
            assert {".js", ".css"} <= {Path(name.partition("?")[0]).suffix for name in files}, path
            for name in files:
                assert status(base + name) == 200, name
        german = fetch_body(f"{base}/?lang=de", accept="text/html")
        assert '<html lang="de"' in german
        assert german != fetch_body(f"{base}/", accept="text/html")
        assert json.loads(fetch_body(f"{base}/api/v1/openapi.json"))["paths"]

        shutil.copy(ROOT / "tools/first_game.py", empty)
        result = json.loads(_run_installed(installed, empty, "python", "first_game.py", base))
        assert result["reason"] == "goal"
        server.stop()
        assert "Traceback" not in server.errors
    assert (empty / "cartagena.db").exists()


def test_bundled_migrations_upgrade_a_database_of_an_older_release(installed: Path, empty: Path) -> None:
    kept = ROOT / "tests/store/fixtures"
    (empty / "cartagena.db").write_bytes(gzip.decompress((kept / "0.1.0.sqlite.gz").read_bytes()))
    manifest = json.loads((kept / "0.1.0.json").read_text())
    start = [str(installed / "bin/cartagena"), "serve", "--dead-room-days", "0"]
    with running_server(empty, command=start, PYTHONPATH="", CARTAGENA_SECRET=manifest["secret"]) as server:
        base = server.address()
        game = manifest["games"]["jamaica"]["id"]
        assert json.loads(fetch_body(f"{base}/api/v1/games/{game}"))["table"]["status"] == "running"
        server.stop()
        assert "Traceback" not in server.errors


def test_container_commands_start_the_server_and_check_its_health(installed: Path, empty: Path) -> None:
    last = stages()[-1]
    baked = {
        name: value.replace("/data", str(empty))
        for name, value in environment(last).items()
        if name.startswith("CARTAGENA_")
    }
    start = [str(installed / "bin" / only(last, "CMD").exec_form[0]), *only(last, "CMD").exec_form[1:]]
    given = {**baked, "CARTAGENA_PORT": "0", "CARTAGENA_SECRET": SECRET, "PYTHONPATH": ""}
    with running_server(empty, command=start, **given) as server:
        base = server.address()
        assert _health(installed, base) == 0
        server.stop()
    assert _health(installed, base) == 1


def _health(installed: Path, base: str) -> int:
    check = only(stages()[-1], "HEALTHCHECK").exec_form
    assert check[0] == "python"
    command = [str(installed / "bin/python"), *check[1:]]
    port = base.rsplit(":", 1)[1]
    return subprocess.run(command, env={**os.environ, "CARTAGENA_PORT": port}, capture_output=True).returncode


def test_image_keeps_the_languages_of_the_server() -> None:
    """The Dockerfile deletes Babel's data of all languages but these and what they inherit."""
    inherited = ("en_001", "en_GB", "no")
    text = (ROOT / "Dockerfile").read_text()
    assert set(re.findall(r"! -name (\w+)\.dat", text)) == {"root", *LANGUAGES, *inherited}
