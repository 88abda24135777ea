"""Rule sets and what to ask for. Written by generate.py: do not edit."""

from __future__ import annotations

from hupai_client.core import Group, Json


class Rules(Group):
    """Rule sets and what to ask for."""

    def list_rules(self) -> Json:
        """Rule sets."""
        return self._client.json("GET", "/v1/rules")
