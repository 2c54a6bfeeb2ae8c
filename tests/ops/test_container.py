"""The container's files, linted as hadolint would; tests/ops/test_wheel.py runs their commands."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import ConstantBackoff
from redis.exceptions import AuthenticationError

from app.settings import read_settings, setting_names
from tests.ops.dockerfiles import ROOT, environment, instructions, only, stages
from tools.image.base import base_name, release_of
from tools.image.engine import ImageError
from tools.services import processes, redis_server

SECRET = "k" * 40
# What docker-compose.yml asks an operator for.
GIVEN = {
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


def test_both_stages_have_one_base_and_a_stand_in_can_be_made_for_it() -> None:
    """`make image-test` makes it of an empty Debian under the same name."""
    names = [stage[0].words[0] for stage in stages()]
    assert set(names) == {base_name(ROOT / "Dockerfile")}
    assert release_of(names[0]) == ("3.13", "trixie")
    with pytest.raises(ImageError, match="begins with alpine:3"):
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


def test_pip_keeps_no_cache_and_takes_the_tested_versions() -> None:
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


def test_nothing_secret_is_baked_in_and_what_is_set_are_settings() -> None:
    baked = environment(stages()[-1])
    names = {f"CARTAGENA_{each.name.upper()}" for each in setting_names()}
    assert {name for name in baked if name.startswith("CARTAGENA_")} <= names
    assert "CARTAGENA_SECRET" not in baked
    assert read_settings({**_settings(baked), "CARTAGENA_SECRET": SECRET}).host == "0.0.0.0"


def test_only_what_the_wheel_is_made_of_goes_into_the_build() -> None:
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


# -- the composition -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def composition() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
    return found


def _filled(text: str, values: dict[str, str]) -> str:
    """${NAME:-default} and ${NAME:?sentence} as compose fills them."""

    def fill(hole: re.Match[str]) -> str:
        name, kind, rest = hole[1], hole[2], hole[3]
        if values.get(name):
            return values[name]
        assert kind == ":-", f"{name} is missing: {rest}"
        return rest

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", fill, text)


def test_the_composition_needs_its_secrets_and_then_its_settings_are_right(
    composition: dict[str, Any],
) -> None:
    app = composition["services"]["app"]
    given = GIVEN
    for missing in given:
        short = {**given, missing: ""}
        with pytest.raises(AssertionError, match=f"{missing} is missing"):
            [_filled(value, short) for value in app["environment"].values()]
    filled = {name: _filled(value, given) for name, value in app["environment"].items()}
    settings = read_settings({**_settings(environment(stages()[-1])), **filled})
    assert settings.workers == 1
    assert int(_filled(str(app["deploy"]["replicas"]), {})) > 1
    assert settings.is_https
    assert settings.trusted_hops == 1
    assert settings.database == "postgresql://cartagena:p@postgres/cartagena"
    assert settings.redis == "redis://:r@redis:6379/0"


def test_services_refer_to_each_other_and_only_the_proxy_is_reachable(composition: dict[str, Any]) -> None:
    services = composition["services"]
    assert set(services) == {"proxy", "app", "postgres", "redis"}
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
    assert services["app"]["read_only"] is True
    mounted = {volume.split(":")[0] for service in services.values() for volume in service.get("volumes", [])}
    assert {name for name in mounted if not name.startswith("./")} == set(composition["volumes"])
    assert all((ROOT / name).is_file() for name in mounted if name.startswith("./"))


def test_the_proxy_gets_the_address_and_finds_the_replicas_at_their_port(composition: dict[str, Any]) -> None:
    """That it works is tried in tests/cluster, with the same two files in a real Caddy."""
    proxy = composition["services"]["proxy"]
    mounted = {volume.split(":")[1]: volume.split(":")[0] for volume in proxy["volumes"]}
    assert _filled(proxy["environment"]["SITE_ADDRESS"], GIVEN) == GIVEN["CARTAGENA_PUBLIC_URL"]
    assert mounted["/etc/caddy/Caddyfile"] == "./Caddyfile"
    assert mounted[proxy["environment"]["UPSTREAMS"]] == "./Caddyfile.upstreams"
    wanted = set(re.findall(r"\{\$(\w+)\}", (ROOT / "Caddyfile").read_text()))
    assert wanted <= set(proxy["environment"]), "what has no default must be given"
    upstreams = (ROOT / "Caddyfile.upstreams").read_text()
    assert "app" in composition["services"]
    assert re.search(r"^\tname app$", upstreams, re.MULTILINE)
    assert f"\tport {environment(stages()[-1])['CARTAGENA_PORT']}\n" in upstreams


async def test_redis_asks_for_the_password_that_the_app_has(
    composition: dict[str, Any], tmp_path: Path
) -> None:
    """The composition's own command and address, with a port and a host that there are here."""
    command = [_filled(word, GIVEN) for word in composition["services"]["redis"]["command"]]
    assert command[0] == "redis-server"
    port = str(processes.free_port())
    started = [redis_server.binary(), *command[1:], "--port", port, "--bind", "127.0.0.1"]
    address = _filled(composition["services"]["app"]["environment"]["CARTAGENA_REDIS"], GIVEN)
    here = address.replace("@redis:6379", f"@127.0.0.1:{port}")
    server = processes.start(started, tmp_path / "redis.log", ends_on=signal.SIGTERM)
    try:
        async with Redis.from_url(here, retry=Retry(ConstantBackoff(0.1), 100)) as known:
            assert await known.publish("news", "a move") == 0
        async with Redis.from_url(here.replace(":r@", "")) as stranger:
            with pytest.raises(AuthenticationError):
                await stranger.publish("news", "a move that nobody made")
    finally:
        processes.stop(server, signal.SIGTERM)


def test_the_composition_passes_where_a_compose_client_is_at_hand(composition: dict[str, Any]) -> None:
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
        known |= {"environment", "stop_grace_period", "depends_on", "volumes", "healthcheck", "command"}
        for service in composition["services"].values():
            assert set(service) <= known
        return
    ran = subprocess.run(
        [*asked, "config", "--quiet"], cwd=ROOT, env={**os.environ, **GIVEN}, capture_output=True
    )
    assert ran.returncode == 0, ran.stderr.decode()
