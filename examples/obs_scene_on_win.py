"""Switch OBS to another scene while a winning hand is on air, and back afterwards.

    pip install httpx obsws-python
    python obs_scene_on_win.py http://127.0.0.1:8000 final --scene Win --password SECRET

OBS 28 or later: *Tools → WebSocket Server Settings → Enable*.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import obsws_python


def main() -> None:
    """Command line of this example."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("service", help="address of Hupai")
    parser.add_argument("table")
    parser.add_argument("--scene", required=True, help="scene to show while a hand wins")
    parser.add_argument("--seconds", type=float, default=8.0, help="how long")
    parser.add_argument("--key", default="", help="key of the service, where it requires one")
    parser.add_argument("--obs-host", default="127.0.0.1")
    parser.add_argument("--obs-port", type=int, default=4455)
    parser.add_argument("--password", default="")
    arguments = parser.parse_args()
    obs = obsws_python.ReqClient(
        host=arguments.obs_host, port=arguments.obs_port, password=arguments.password, timeout=5
    )
    for card in wins(arguments.service, arguments.table, arguments.key):
        before = obs.get_current_program_scene().scene_name
        print(f"{card['player'] or card['seat']} wins {card['score']['total']} {card['unit_en']}")
        obs.set_current_program_scene(arguments.scene)
        time.sleep(arguments.seconds)
        obs.set_current_program_scene(before)


def wins(service: str, table: str, key: str) -> Iterator[dict[str, Any]]:
    """Yield the card of every winning hand that goes on air; ends when the stream does."""
    headers = {"Accept": "text/event-stream"} | ({"Authorization": f"Bearer {key}"} if key else {})
    address = f"{service.rstrip('/')}/v1/tables/{table}/events"
    with httpx.stream("GET", address, headers=headers, timeout=30) as events:
        events.raise_for_status()
        name = ""
        for line in events.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: ") and name == "hand":
                card = json.loads(line.removeprefix("data: "))["card"]
                if card["score"] is not None and card["score"]["legal"]:
                    yield card


if __name__ == "__main__":
    main()
