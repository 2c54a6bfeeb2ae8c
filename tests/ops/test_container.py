"""The container's files, linted as hadolint would; tests/ops/test_wheel.py runs their commands."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import babel
import pytest
import yaml  # type: ignore[import-untyped]
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import AuthenticationError

from app.settings import Settings, read_settings
from app.web.i18n import LANGUAGES
from tests.ops.dockerfiles import ROOT, environment, instructions, only, stages
from tools.image.base import base_name, release_of
from tools.image.engine import ImageError
from tools.services import processes, redis_server

SECRET = "k" * 40
# What docker-compose.yml asks an operator for.
OPERATOR_SETTINGS = {
    "CARTAGENA_SECRET": SECRET,
    "CARTAGENA_PUBLIC_URL": "https://play.example.org",
    "POSTGRES_PASSWORD": "p",
    "REDIS_PASSWORD": "r",
}


# -- as hadolint would ---------------------------------------------------------------------------------


def test_every_base_image_has_a_version_and_every_stage_but_the_last_a_name() -> None:
    froms = [stage[0].words for stage in stages()]
    for words in froms:
        image, _, tag = words[0].partition(":")
        assert image, words
        assert re.search(r"\d", tag), f"{words[0]} floats"
        assert tag != "latest"
    assert all(len(words) == 3 and words[1].upper() == "AS" for words in froms[:-1])


def test_stages_share_a_base_image_that_can_be_substituted() -> None:
    """`make image-test` makes it of an empty Debian under the same name."""
    names = [stage[0].words[0] for stage in stages()]
    assert set(names) == {base_name(ROOT / "Dockerfile")}
    assert release_of(names[0]) == ("3.13", "trixie")
    with pytest.raises(ImageError, match="based on alpine:3"):
        release_of("alpine:3")


def test_the_last_user_is_not_root_and_comes_before_the_command() -> None:
    words = [each.word for each in stages()[-1]]
    assert only(stages()[-1], "USER").text not in ("root", "0")
    assert words.index("USER") < words.index("CMD")


def test_commands_are_in_exec_form_so_that_signals_reach_the_server() -> None:
    last = stages()[-1]
    assert only(last, "CMD").exec_form == ["cartagena", "serve"]
    assert "CMD [" in f"HEALTHCHECK {only(last, 'HEALTHCHECK').text}"
    assert only(last, "STOPSIGNAL").text == "SIGTERM"


def test_folders_are_absolute_and_files_are_copied_not_added() -> None:
    for each in instructions():
        assert each.word not in ("ADD", "MAINTAINER"), f"line {each.line}"
        if each.word == "WORKDIR":
            assert each.text.startswith("/")
        if each.word == "RUN":
            assert not re.search(r"\bsudo\b|\bcd /|apt-get|curl|wget", each.text), f"line {each.line}"


def test_pip_keeps_no_cache_and_installs_the_tested_versions() -> None:
    runs = [each.text for each in instructions() if each.word == "RUN"]
    installs = [text for text in runs if re.search(r"\bpip\b.* install\b", text)]
    assert len(installs) == 2, "what builds, and what is shipped"
    for text in installs:
        assert "--no-cache-dir" in text
        assert "--only-binary :all:" in text
        assert "--constraint constraints.txt" in text


def test_the_last_stage_has_no_compiler_no_sources_and_no_package_manager_run() -> None:
    last = stages()[-1]
    copies = [each.text for each in last if each.word == "COPY"]
    assert copies == ["--from=build /opt/cartagena /opt/cartagena"]
    assert not any("pip" in each.text for each in last if each.word == "RUN")


def test_image_contains_no_secret_and_sets_only_known_settings() -> None:
    baked = environment(stages()[-1])
    names = {f"CARTAGENA_{each.name.upper()}" for each in fields(Settings)}
    assert {name for name in baked if name.startswith("CARTAGENA_")} <= names
    assert "CARTAGENA_SECRET" not in baked
    assert read_settings({**_settings(baked), "CARTAGENA_SECRET": SECRET}).host == "0.0.0.0"


def test_build_context_has_only_the_sources_of_the_wheel() -> None:
    lines = [
        line
        for line in (ROOT / ".dockerignore").read_text().splitlines()
        if line and not line.startswith("#")
    ]
    assert lines[0] == "*"
    copied = {word for each in stages()[0] if each.word == "COPY" for word in each.words[:-1]}
    assert {line[1:] for line in lines if line.startswith("!")} == copied


def _settings(values: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in values.items() if name.startswith("CARTAGENA_")}


# -- the compose file -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def compose_file() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return found


def _interpolate(text: str, values: dict[str, str]) -> str:
    """${NAME:-default} and ${NAME:?sentence} as compose fills them."""

    def fill(hole: re.Match[str]) -> str:
        name, kind, rest = hole[1], hole[2], hole[3]
        if values.get(name):
            return values[name]
        assert kind == ":-", f"{name} is missing: {rest}"
        return rest

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", fill, text)


def _resolve(variables: dict[str, Any], values: dict[str, str]) -> dict[str, str]:
    """Return a service's variables as compose does: one without a value is passed on if it is set."""
    return {
        name: values[name] if value is None else _interpolate(str(value), values)
        for name, value in variables.items()
        if value is not None or name in values
    }


def _example_lines() -> list[str]:
    return (ROOT / ".env.example").read_text().splitlines()


def test_every_setting_is_in_the_example_with_its_sentence_and_default() -> None:
    lines = _example_lines()
    found = {}
    for above, line in pairwise(lines):
        if match := re.fullmatch(r"(#?)CARTAGENA_([A-Z_]+)=(.*)", line):
            found[match[2].lower()] = (above.removeprefix("# "), match[3], bool(match[1]))
    assert len(found) == sum("CARTAGENA_" in line and "=" in line for line in lines)
    for each in fields(Settings):
        default = {True: "yes", False: "no"}[bool(each.default)] if each.type == "bool" else str(each.default)
        is_required = each.name in ("secret", "public_url")
        expected = (each.metadata["sentence"], "" if is_required else default, not is_required)
        sentence, *rest = found.pop(each.name)
        assert (sentence.partition(". Keep it")[0].rstrip("."), *rest) == (
            expected[0].rstrip("."),
            *expected[1:],
        )
    assert found == {}, "not settings"


def test_example_contains_every_variable_of_the_compose_file_and_no_quotes() -> None:
    """Quotes would become part of the value where a single container takes the file with --env-file."""
    active = [line for line in _example_lines() if re.match(r"#?[A-Z_]+=", line)]
    assert not any(quote in line for line in active for quote in "\"'")
    names = {line.lstrip("#").partition("=")[0] for line in active}
    wanted = set(re.findall(r"\$\{(\w+)", (ROOT / "docker-compose.yml").read_text()))
    assert wanted <= names
    assert {line.partition("=")[0] for line in active if not line.startswith("#")} == set(OPERATOR_SETTINGS)


def test_every_setting_reaches_the_app_through_the_compose_file(compose_file: dict[str, Any]) -> None:
    variables = compose_file["services"]["app"]["environment"]
    assert set(variables) == {f"CARTAGENA_{each.name.upper()}" for each in fields(Settings)}
    # These follow from the other services; a value of the operator would break them.
    fixed = {"CARTAGENA_HOST", "CARTAGENA_PORT", "CARTAGENA_DATABASE", "CARTAGENA_REDIS"}
    given = {name: f"given {name}" for name in set(variables) - fixed}
    resolved = _resolve(variables, {**OPERATOR_SETTINGS, **given})
    assert {name: value for name, value in resolved.items() if name not in fixed} == given
    without = _resolve(variables, OPERATOR_SETTINGS)
    assert "CARTAGENA_SMTP_SECURITY" not in without, "an empty value would not be the default"


def test_logs_of_every_service_are_limited(compose_file: dict[str, Any]) -> None:
    for service in compose_file["services"].values():
        logging = service["logging"]
        assert logging["driver"] == "json-file"
        assert set(logging["options"]) == {"max-size", "max-file"}


def test_backup_service_uses_the_server_programs_of_the_database(compose_file: dict[str, Any]) -> None:
    services = compose_file["services"]
    backup, database = services["backup"], services["postgres"]
    assert backup["image"] == database["image"], "pg_dump must not be older than the server"
    given = _resolve(backup["environment"], OPERATOR_SETTINGS)
    assert given["PGPASSWORD"] == _resolve(database["environment"], OPERATOR_SETTINGS)["POSTGRES_PASSWORD"]
    assert (given["PGUSER"], given["PGDATABASE"]) == ("cartagena", "cartagena")
    script = (ROOT / "tools/hosting/backup.sh").read_text()
    assert all(name in script for name in given if name.startswith("BACKUP_"))
    mounted = {volume.split(":")[1]: volume.split(":")[0] for volume in backup["volumes"]}
    assert mounted[backup["entrypoint"][1]] == "./tools/hosting/backup.sh"
    assert given["BACKUP_FOLDER"] in mounted


def test_image_keeps_what_babel_needs_for_every_language(tmp_path: Path) -> None:
    (command,) = [each.text for each in stages()[0] if "locale-data" in each.text]
    kept = set(re.findall(r"! -name (\w+\.dat)", command))
    package = Path(babel.__file__).parent
    copy = tmp_path / "babel"
    shutil.copytree(
        package, copy, ignore=lambda _, names: [n for n in names if n.endswith(".dat") and n not in kept]
    )
    shutil.copy(package / "global.dat", copy)
    script = (
        "import babel\nfrom app.notify.words import _find_locale, format_deadline\n"
        "from app.web.i18n import LANGUAGES\nfrom babel.lists import format_list\n"
        "assert babel.__file__.startswith(PLACE)\n"
        "for code in LANGUAGES:\n"
        "    names = format_list(['a', 'b'], locale=_find_locale(code))\n"
        "    print(code, format_deadline(1_794_989_700_000, code, 'UTC'), names)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", f"PLACE = {str(tmp_path)!r}\n{script}"],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{ROOT}"},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    assert "en Wed 18 Nov, 08:15 UTC a and b" in ran.stdout
    assert len(ran.stdout.splitlines()) == len(LANGUAGES)


def test_compose_file_requires_its_secrets_and_has_valid_settings(
    compose_file: dict[str, Any],
) -> None:
    app = compose_file["services"]["app"]
    given = OPERATOR_SETTINGS
    for missing in given:
        short = {**given, missing: ""}
        with pytest.raises(AssertionError, match=f"{missing} is missing"):
            _resolve(app["environment"], short)
    filled = _resolve(app["environment"], given)
    settings = read_settings({**_settings(environment(stages()[-1])), **filled})
    assert settings.workers == 1
    assert int(_interpolate(str(app["deploy"]["replicas"]), {})) > 1
    assert settings.is_https
    assert settings.trusted_hops == 1
    assert settings.database == "postgresql://cartagena:p@postgres/cartagena"
    assert settings.redis == "redis://:r@redis:6379/0"


def test_only_the_proxy_of_the_compose_file_is_reachable(compose_file: dict[str, Any]) -> None:
    services = compose_file["services"]
    assert set(services) == {"proxy", "app", "postgres", "redis", "backup"}
    assert set(services["app"]["depends_on"]) == {"postgres", "redis"}
    assert set(services["proxy"]["depends_on"]) == {"app"}
    for name, service in services.items():
        assert "privileged" not in service
        assert ("ports" in service) == (name == "proxy")
        if name != "app":
            assert re.search(r":\d+\.\d+(\.\d+)?-alpine$", service["image"]), "an exact version"
        if name in ("postgres", "redis"):
            assert service["healthcheck"]["test"][0] == "CMD"
        else:
            assert service["cap_drop"] == ["ALL"]
            assert service["security_opt"] == ["no-new-privileges:true"]
    assert services["app"]["read_only"] is True
    mounted = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert {name for name in mounted if not name.startswith("./")} == set(compose_file["volumes"])
    folders = {"./backups"}  # created by the first start
    assert all((ROOT / name).is_file() for name in mounted - folders if name.startswith("./"))


def test_the_proxy_gets_the_address_and_finds_the_replicas_at_their_port(
    compose_file: dict[str, Any],
) -> None:
    """That it works is tried in tests/cluster, with the same two files in a real Caddy."""
    proxy = compose_file["services"]["proxy"]
    mounted = {volume.split(":")[1]: volume.split(":")[0] for volume in proxy["volumes"]}
    assert (
        _interpolate(proxy["environment"]["SITE_ADDRESS"], OPERATOR_SETTINGS)
        == OPERATOR_SETTINGS["CARTAGENA_PUBLIC_URL"]
    )
    assert mounted["/etc/caddy/Caddyfile"] == "./Caddyfile"
    assert mounted[proxy["environment"]["UPSTREAMS"]] == "./Caddyfile.upstreams"
    wanted = set(re.findall(r"\{\$(\w+)\}", (ROOT / "Caddyfile").read_text()))
    assert wanted <= set(proxy["environment"]), "what has no default must be given"
    upstreams = (ROOT / "Caddyfile.upstreams").read_text()
    assert "app" in compose_file["services"]
    assert re.search(r"^\tname app$", upstreams, re.MULTILINE)
    assert f"\tport {environment(stages()[-1])['CARTAGENA_PORT']}\n" in upstreams


async def test_redis_requires_the_password_of_the_app(compose_file: dict[str, Any], tmp_path: Path) -> None:
    """The compose file's own command and address, with a port and a host that there are here."""
    command = [_interpolate(word, OPERATOR_SETTINGS) for word in compose_file["services"]["redis"]["command"]]
    assert command[0] == "redis-server"
    port = str(processes.free_port())
    started = [redis_server.binary(), *command[1:], "--port", port, "--bind", "127.0.0.1"]
    address = _interpolate(
        compose_file["services"]["app"]["environment"]["CARTAGENA_REDIS"], OPERATOR_SETTINGS
    )
    here = address.replace("@redis:6379", f"@127.0.0.1:{port}")
    server = processes.start(started, tmp_path / "redis.log", ends_on=signal.SIGTERM)
    try:
        async with Redis.from_url(here, retry=Retry(ConstantBackoff(0.1), 100)) as known:
            assert await known.publish("news", "a move") == 0
        async with Redis.from_url(here.replace(":r@", "")) as stranger:
            with pytest.raises(AuthenticationError):
                await stranger.publish("news", "a forged move")
    finally:
        processes.stop(server, signal.SIGTERM)


def test_compose_client_accepts_the_file_where_installed(compose_file: dict[str, Any]) -> None:
    client = shutil.which("docker-compose")
    asked = [client] if client else ["docker", "compose"]
    have = shutil.which(asked[0]) and subprocess.run([*asked, "version"], capture_output=True).returncode == 0
    if not have:
        # Without a client the two tests above stand for it; what compose itself would refuse first:
        known = {
            "build",
            "image",
            "restart",
            "init",
            "read_only",
            "tmpfs",
            "cap_drop",
            "security_opt",
            "ports",
            "cap_add",
            "deploy",
        }
        known |= {
            "logging",
            "entrypoint",
            "environment",
            "stop_grace_period",
            "depends_on",
            "volumes",
            "healthcheck",
            "command",
        }
        for service in compose_file["services"].values():
            assert set(service) <= known
        return
    ran = subprocess.run(
        [*asked, "config", "--quiet"], cwd=ROOT, env={**os.environ, **OPERATOR_SETTINGS}, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()
