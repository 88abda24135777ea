"""A small RTSP server for one viewer: FFmpeg makes the RTP packets, and they are passed on over the
viewer's own connection (RFC 2326, section 10.12).
"""

from __future__ import annotations

import socket
import struct
import subprocess
import threading
from pathlib import Path


class RtspServer:
    """Serves a video file over and over at `address`; a context manager."""

    def __init__(self, clip: Path) -> None:
        self._packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._packets.bind(("127.0.0.1", 0))
        self._packets.settimeout(0.2)
        port = self._packets.getsockname()[1]
        self._description = "\r\n".join(
            ("v=0", "o=- 0 0 IN IP4 127.0.0.1", "s=table", "c=IN IP4 127.0.0.1", "t=0 0",
             "m=video 0 RTP/AVP 96", "a=rtpmap:96 MP4V-ES/90000", "a=control:video", "")
        )  # fmt: skip
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(0.2)
        self.address = f"rtsp://127.0.0.1:{self._listener.getsockname()[1]}/table"
        self.asked: list[str] = []
        self._stopping = threading.Event()
        loop = ["-re", "-stream_loop", "-1", "-i", str(clip), "-c", "copy"]
        target = ["-bsf:v", "dump_extra", "-f", "rtp", f"rtp://127.0.0.1:{port}?pkt_size=1200"]
        self._ffmpeg = subprocess.Popen(
            ["ffmpeg", "-loglevel", "quiet", *loop, *target],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> RtspServer:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        self._ffmpeg.kill()
        self._ffmpeg.wait()
        self._thread.join(5)
        self._listener.close()
        self._packets.close()

    def _serve(self) -> None:
        while not self._stopping.is_set():
            try:
                viewer, _ = self._listener.accept()
            except TimeoutError:
                continue
            with viewer:
                self._talk(viewer)

    def _talk(self, viewer: socket.socket) -> None:
        """Answer requests until the viewer wants to see, then send what FFmpeg gives."""
        file = viewer.makefile("rb")
        while not self._stopping.is_set():
            lines = []
            while (line := file.readline().decode().strip()) != "":
                lines.append(line)
            if not lines:
                return
            method = lines[0].split()[0]
            self.asked.append(method)
            headers = dict(line.split(": ", 1) for line in lines[1:])
            body, more = "", ""
            if method == "DESCRIBE":
                body = self._description
                more = f"Content-Type: application/sdp\r\nContent-Length: {len(body)}\r\n"
            elif method == "SETUP":
                more = "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 1\r\n"
            number = headers.get("CSeq", "1")
            viewer.sendall(f"RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{more}\r\n{body}".encode())
            if method == "PLAY":
                self._send(viewer)
                return

    def _send(self, viewer: socket.socket) -> None:
        while not self._stopping.is_set():
            try:
                packet = self._packets.recv(2048)
                viewer.sendall(struct.pack(">cBH", b"$", 0, len(packet)) + packet)
            except TimeoutError:
                continue
            except OSError:
                return
