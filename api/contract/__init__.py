"""The outside contract: the JSON of every request and answer.

`to_dict` and `to_json` write every value that leaves the program: a `PhotoReading`, a `Score`, a
`Hand`, `Waits`, a `Settlement`, an answer of the service.
"""

from __future__ import annotations

import json
from typing import Any


def to_dict(value: object) -> dict[str, Any]:
    """Convert a value to the JSON object that stands for it in the outside contract.

    Raises:
        TypeError: for a value that the contract does not know.
    """
    # pydantic takes 0.15 s to import, and `hupai --help` does not need it
    from hupai.api.contract.serialise import as_object  # noqa: PLC0415

    return as_object(value)


def to_json(value: object) -> str:
    """Write a value as one line of JSON, Chinese characters as they are; see `to_dict`."""
    document = value if isinstance(value, dict) else to_dict(value)
    return json.dumps(document, ensure_ascii=False, separators=(", ", ": "))
