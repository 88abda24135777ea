"""The example that drives OBS, against a server that speaks obs-websocket 5."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import httpx
import pytest
from websockets.sync.server import ServerConnection, serve

from tests.api.overlay.service import READY, WON, entered, make_table, overlay_app, serving
from tests.api.service import wait_until
from tests.shared import ROOT


class Obs:
    """What OBS answers: one scene is on air, and a client may change it."""

    def __init__(self) -> None:
        self.scenes = ["Table"]

    def speak(self, line: ServerConnection) -> None:
        """Serve one client, as the protocol's version 5 says."""
        hello = {"obsWebSocketVersion": "5.5.0", "rpcVersion": 1}
        line.send(json.dumps({"op": 0, "d": hello}))
        for text in line:
            message = json.loads(text)
            if message["op"] == 1:
                line.send(json.dumps({"op": 2, "d": {"negotiatedRpcVersion": 1}}))
                continue
            request = message["d"]
            answer: dict[str, object] = {}
            if request["requestType"] == "GetCurrentProgramScene":
                answer = {"sceneName": self.scenes[-1]}
            elif request["requestType"] == "SetCurrentProgramScene":
                self.scenes.append(request["requestData"]["sceneName"])
            done = {
                "requestType": request["requestType"],
                "requestId": request["requestId"],
                "requestStatus": {"result": True, "code": 100},
                "responseData": answer,
            }
            line.send(json.dumps({"op": 7, "d": done}))


@pytest.fixture
def obs() -> Iterator[tuple[Obs, int]]:
    """A running OBS, and its port."""
    obs = Obs()
    with serve(obs.speak, "127.0.0.1", 0) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield obs, server.socket.getsockname()[1]
        server.shutdown()


def test_the_scene_changes_on_a_win_and_comes_back(tmp_path: Path, obs: tuple[Obs, int]) -> None:
    pytest.importorskip("obsws_python")
    studio, port = obs
    with (
        serving(overlay_app(tmp_path)) as address,
        httpx.Client(base_url=address, timeout=30) as client,
    ):
        make_table(client)
        command = [sys.executable, "-u", str(ROOT / "examples" / "obs_scene_on_win.py"), address]
        options = ["final", "--scene", "Win", "--seconds", "0.3", "--obs-port", str(port)]
        with subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True) as example:
            try:
                entered(client, notation=READY, approve=True)
                wait_until(lambda: _wins(client, studio) >= 3)
            finally:
                example.kill()
            assert example.stdout is not None
            said = example.stdout.read()
    assert studio.scenes[:3] == ["Table", "Win", "Table"]
    assert "Lin wins 8 fan" in said


def _wins(client: httpx.Client, studio: Obs) -> int:
    """Put a winning hand on air once more, and say how many scenes were shown."""
    entered(client, notation=WON, approve=True)
    return len(studio.scenes)
