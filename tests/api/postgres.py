"""A real PostgreSQL of our own for tests: started once in a temporary folder, reached by a socket
there, thrown away at the end.
"""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from sqlalchemy import create_engine, text

MISSING = "no PostgreSQL server is installed here (initdb and pg_ctl)"


def programs() -> Path | None:
    """The folder of initdb and pg_ctl; None where there are none."""
    found = shutil.which("initdb")
    candidates = [Path(found).resolve().parent] if found else []
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (
            folder
            for folder in candidates
            if (folder / "initdb").exists() and (folder / "pg_ctl").exists()
        ),
        None,
    )


def _user() -> str | None:
    """Whom to run the server as: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


@contextmanager
def server(binaries: Path) -> Iterator[str]:
    """A running server; the value is a URL whose database name is still to be set, see `fresh`."""
    folder = Path(tempfile.mkdtemp(prefix="hupai-pg-"))
    user = _user()
    if user is not None:
        shutil.chown(folder, user)
    quiet = {
        "check": True,
        "stdout": subprocess.DEVNULL,
        "stderr": subprocess.DEVNULL,
        "user": user,
        "cwd": folder,
    }
    data = folder / "data"
    # No sync: whether PostgreSQL keeps what it acknowledged is its own matter, not what these tests
    # ask.
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    try:
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "hupai", "-A", "trust", "-N"], **quiet
        )  # type: ignore[call-overload]
        subprocess.run(
            [binaries / "pg_ctl", "-D", data, "-w", "-l", folder / "log", "-o", options, "start"],
            **quiet,
        )  # type: ignore[call-overload]
        try:
            yield f"postgresql://hupai@/postgres?host={folder}"
        finally:
            subprocess.run([binaries / "pg_ctl", "-D", data, "-m", "immediate", "stop"], **quiet)  # type: ignore[call-overload]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def away(url: str) -> Iterator[None]:
    """Meanwhile the server of this URL does not run."""
    folder = Path(url.partition("host=")[2])
    binaries = programs()
    assert binaries is not None
    options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"

    def control(*words: str) -> None:
        subprocess.run(
            [binaries / "pg_ctl", "-D", folder / "data", "-w", *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            user=_user(),
            cwd=folder,
        )

    control("-m", "fast", "stop")
    try:
        yield
    finally:
        control("-l", str(folder / "log"), "-o", options, "start")


def fresh(url: str) -> str:
    """A new empty database on the server; its URL."""
    name = f"test_{uuid4().hex}"
    engine = create_engine(
        url.replace("postgresql://", "postgresql+psycopg://"), isolation_level="AUTOCOMMIT"
    )
    try:
        with engine.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    finally:
        engine.dispose()
    return url.replace("/postgres?", f"/{name}?")


@contextmanager
def silent(url: str) -> Iterator[None]:
    """Meanwhile the server of this URL accepts what comes and answers nothing."""
    folder = Path(url.partition("host=")[2])
    head = int((folder / "data" / "postmaster.pid").read_text().split()[0])
    children = Path(f"/proc/{head}/task/{head}/children").read_text().split()
    stopped = [head, *map(int, children)]
    for process in stopped:
        os.kill(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in stopped:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)
