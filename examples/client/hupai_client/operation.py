"""For those who run the service. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import Group, Json


class Operation(Group):
    """For those who run the service."""

    def healthz(self) -> Json:
        """Alive?."""
        return self._client.json("GET", "/healthz")

    def readiness(self) -> Json:
        """Ready to read photos?."""
        return self._client.json("GET", "/readiness")

    def metrics(self) -> str:
        """Prometheus metrics."""
        return self._client.text("GET", "/metrics")
