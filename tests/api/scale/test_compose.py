"""``compose.yaml`` and ``deploy/Caddyfile`` without containers: the processes they describe, with
the environment they give, on this machine.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api import postgres
from tests.api.overlay.service import Events, make_table
from tests.api.redis_server import Redis
from tests.api.s3_server import S3
from tests.api.service import MCR, photo_file, wait_until
from tests.shared import ROOT

yaml = pytest.importorskip("yaml", reason="no PyYAML here")
PATIENCE = 300
"""Seconds that anything may take that is waited for; on a busy machine a program starts slowly."""
pytestmark = pytest.mark.timeout(3 * PATIENCE)

SECRETS = {"HUPAI_DOMAIN": "hupai.example", "POSTGRES_PASSWORD": "a b", "OBJECTS_PASSWORD": "c d"}
"""What ``deploy/env.example`` asks for."""


def document() -> dict[str, Any]:
    """What Compose makes of the file: the variables of ``.env`` put in."""
    text = (ROOT / "compose.yaml").read_text(encoding="utf-8")
    named = set(re.findall(r"\$\{([A-Z_]+):\?", text))
    example = (ROOT / "deploy" / "env.example").read_text(encoding="utf-8")
    assert named == set(re.findall(r"^([A-Z_]+)=", example, re.MULTILINE)) == set(SECRETS)
    found: dict[str, Any] = yaml.safe_load(
        re.sub(r"\$\{([A-Z_]+):\?[^}]*\}", lambda name: SECRETS[name[1]], text)
    )
    return found


def test_services_networks_and_volumes_fit_together() -> None:
    compose = document()
    services = compose["services"]
    assert {"database", "redis", "objects", "hupai", "hupai-2", "caddy"} <= set(services)
    for name, service in services.items():
        assert set(service["networks"]) <= set(compose["networks"]), name
        assert set(service.get("depends_on", ())) <= set(services), name
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            is_file = source.startswith("./")
            assert (ROOT / source).is_file() if is_file else source in compose["volumes"], name
    app = services["hupai"]["environment"]
    assert app == services["hupai-2"]["environment"]
    for url, host in (
        (app["HUPAI_DATABASE_URL"], "database"),
        (app["HUPAI_REDIS_URL"], "redis"),
        (app["AWS_ENDPOINT_URL"], "objects"),
    ):
        assert re.search(rf"(?:@|//){host}[:/]", url), url
        assert set(services[host]["networks"]) & set(services["hupai"]["networks"])
    assert services["caddy"]["environment"]["HUPAI_UPSTREAM"] == "hupai:8000 hupai-2:8000"
    subnet = compose["networks"]["outside"]["ipam"]["config"][0]["subnet"]
    assert json.loads(app["HUPAI_TRUSTED_PROXIES"]) == [subnet]


@dataclass(frozen=True)
class Composed:
    """What runs.

    Attributes:
        address: of the proxy.
        apps: the processes, by address.
        environment: theirs.
    """

    address: str
    apps: dict[str, subprocess.Popen[bytes]]
    environment: dict[str, str]


def free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def hupai(*words: str) -> list[str]:
    return [sys.executable, "-W", "ignore", "-m", "hupai.api.cli.main", *words]


@pytest.fixture(scope="module")
def composed(
    postgresql: str, redis: Redis, s3: S3, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Composed]:
    if shutil.which("caddy") is None:
        pytest.skip("no Caddy here")
    folder = tmp_path_factory.mktemp("compose")
    services = document()["services"]
    httpx.put(f"{s3.address}/hupai", timeout=PATIENCE).raise_for_status()  # as the service `bucket`
    ports = {"caddy": free_port(), "hupai": free_port(), "hupai-2": free_port()}
    address = f"http://127.0.0.1:{ports['caddy']}"
    environment = {
        **os.environ,
        **services["hupai"]["environment"],
        # What is elsewhere here than in the networks of Compose:
        "HUPAI_DATABASE_URL": postgres.fresh(postgresql),
        "HUPAI_REDIS_URL": redis.url,
        **s3.environment,
        "HUPAI_DATA_DIR": str(folder / "data"),
        "HUPAI_TRUSTED_PROXIES": '["127.0.0.1"]',
        "HUPAI_PUBLIC_URL": address,
        "HUPAI_THREADS": "1",
        "PYTHONPATH": str(ROOT / "src"),
    }
    with ExitStack() as stack:
        apps = {}
        for name in ("hupai", "hupai-2"):
            start = hupai("serve", "--port", str(ports[name]))
            process = stack.enter_context(running(start, environment, folder / f"{name}.log"))
            apps[f"http://127.0.0.1:{ports[name]}"] = process
        for one, process in apps.items():
            wait_until(partial(is_ready, one, process), PATIENCE)
        caddy = ["caddy", "run", "--adapter", "caddyfile"]
        caddy += ["--config", str(ROOT / "deploy" / "Caddyfile")]
        proxy = {
            **os.environ,
            "HUPAI_DOMAIN": address,
            "HUPAI_UPSTREAM": f"127.0.0.1:{ports['hupai']} 127.0.0.1:{ports['hupai-2']}",
            "CADDY_ADMIN": f"127.0.0.1:{free_port()}",
            "XDG_DATA_HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder),
        }
        process = stack.enter_context(running(caddy, proxy, folder / "caddy.log"))
        wait_until(partial(is_ready, address, process), PATIENCE)
        yield Composed(address, apps, environment)


@contextmanager
def running(
    command: list[str], environment: dict[str, str], log: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """A process, ended afterwards."""
    with log.open("wb") as file:
        process = subprocess.Popen(command, env=environment, stdout=file, stderr=file)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def is_ready(address: str, process: subprocess.Popen[bytes]) -> bool:
    assert process.poll() is None, f"{process.args!r} ended"
    try:
        return httpx.get(f"{address}/readiness", timeout=PATIENCE).is_success
    except httpx.HTTPError:
        return False


@pytest.mark.nightly
def test_a_hand_is_posted_through_the_proxy_and_survives_a_process(composed: Composed) -> None:
    doctor = subprocess.run(hupai("doctor"), env=composed.environment, capture_output=True)
    assert doctor.returncode == 0, doctor.stdout.decode() + doctor.stderr.decode()
    made = subprocess.run(
        hupai("keys", "add", "club", "--scope", "operator", "--json"),
        env=composed.environment,
        capture_output=True,
        check=True,
    )
    key = {"authorization": f"Bearer {json.loads(made.stdout)['key']}"}
    scene = (ROOT / "examples" / "concealed-kong.jpg").read_bytes()

    def post(number: int) -> httpx.Response:
        return client.post(
            "/v1/hands", files=photo_file(scene + bytes([number])), data={"rules": MCR}
        )

    with httpx.Client(base_url=composed.address, headers=key, timeout=PATIENCE) as client:
        assert httpx.get(f"{composed.address}/v1/hands", timeout=PATIENCE).status_code == 401
        hands = [post(number) for number in range(2)]
        for answer in hands:
            assert answer.is_success, answer.text[:500]
            assert answer.headers["strict-transport-security"]
        for one in composed.apps:
            for answer in hands:
                path = answer.headers["location"]
                direct = httpx.get(f"{one}{path}", headers=key, timeout=PATIENCE)
                assert direct.json()["id"] == answer.json()["id"], "both see it"
        make_table(client, "final")
        stream = Events(composed.address, "final", headers=key)
        assert stream.next(PATIENCE).name == "snapshot", "the proxy passes events on as they happen"
        ended = next(iter(composed.apps.values()))
        ended.kill()
        ended.wait()
        for number in range(2, 6):
            # Caddy 2.6 answers 502 once, because it cannot send the same body to another process.
            wait_until(lambda photo=number: post(photo).is_success, PATIENCE)  # type: ignore[misc]
        assert len(client.get("/v1/hands").json()["hands"]) == 6
