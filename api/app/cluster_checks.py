"""Checks of the parts that a cluster adds: Redis, and Ray if its address is set."""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib.util import find_spec
from time import perf_counter
from typing import Any, NamedTuple

from hupai.api.web.settings import Settings

_SECONDS = 3.0
"""How long Redis may take to answer."""


class Finding(NamedTuple):
    """The result of a check; `advice` is empty if all is well."""

    name: str
    detail: str
    advice: str = ""


def cluster_findings(settings: Settings) -> Iterator[Finding]:
    """Yield the checks that the settings and the environment ask for. None raises."""
    if settings.redis_url:
        yield _redis(settings.redis_url)
    if address := os.environ.get("RAY_ADDRESS"):
        yield _ray(address)


def _redis(url: str) -> Finding:
    if find_spec("redis") is None:
        detail = "HUPAI_REDIS_URL is set, the client is missing"
        return Finding("redis", detail, "pip install 'hupai[redis]'")
    import redis  # noqa: PLC0415 - the extra `redis` is optional

    try:
        client: Any = redis.Redis.from_url(
            url, socket_timeout=_SECONDS, socket_connect_timeout=_SECONDS
        )
        with client:
            started = perf_counter()
            client.set("hupai:doctor", "1", px=1000)
            milliseconds = (perf_counter() - started) * 1000
    except (redis.RedisError, OSError, ValueError) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Finding("redis", reason, "is the server up, and is the address right?")
    return Finding("redis", f"takes a value in {milliseconds:.0f} ms")


def _ray(address: str) -> Finding:
    if find_spec("ray") is None:
        return Finding("ray", "RAY_ADDRESS is set, Ray is missing", "pip install 'hupai[ray]'")
    import ray  # noqa: PLC0415 - the extra `ray` is optional
    from ray import serve  # noqa: PLC0415

    began = not ray.is_initialized()
    try:
        if began:
            ray.init(address=address, logging_level="error", log_to_driver=False)
        found = ray.cluster_resources()
        applications = serve.status().applications
    except Exception as error:  # noqa: BLE001 - Ray raises many kinds
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        return Finding("ray", f"{address}: {reason}", "is the cluster up? `ray status`")
    finally:
        if began and ray.is_initialized():
            ray.shutdown()
    what = f"{found.get('CPU', 0):g} cores, {found.get('GPU', 0):g} GPUs"
    states = ", ".join(f"{name} {one.status}" for name, one in applications.items())
    if states and any(str(one.status) != "RUNNING" for one in applications.values()):
        return Finding("ray", f"{what}; {states}", "`serve status` says what is wrong")
    return Finding("ray", f"{what}; {states or 'no application yet'}")
