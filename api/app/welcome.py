"""The start message of `hupai serve`: addresses, who has access, and a QR code to pair a phone."""

from __future__ import annotations

import io
import socket
from collections.abc import Iterator

import segno

from hupai.api.auth.keys import PAIRING_DAYS, KeyStore
from hupai.api.storage import StorageError
from hupai.api.web.settings import TEMPORARY, Settings
from hupai.api.web.storage_access import storage_of

_ELSEWHERE = ("192.0.2.1", 9)
"""An address reserved for documentation (RFC 5737), used to find out from which address this
machine would reach it; nothing is sent.
"""


def lan_address() -> str | None:
    """Return this machine's address in the local network; None if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(_ELSEWHERE)
            found = str(probe.getsockname()[0])
        except OSError:
            return None
    return None if found.startswith(("127.", "0.")) else found


def welcome(settings: Settings, address: str, port: int, scheme: str) -> Iterator[str]:
    """Yield the lines to print before the service starts.

    Args:
        settings: settings of the service.
        address, port: address and port that it listens on.
        scheme: ``http`` or ``https``.
    """
    everywhere = address in ("0.0.0.0", "::")
    here = "127.0.0.1" if everywhere else f"[{address}]" if ":" in address else address
    yield f"Hupai is at {scheme}://{here}:{port}/  (stop with Ctrl+C)"
    if settings.is_local:
        return
    lan = lan_address() if everywhere else here
    reach = f"{scheme}://{lan}:{port}/" if lan else "this machine's address in the network"
    if not settings.keys_needed:
        yield (
            f"OPEN TO EVERYBODY who reaches {reach}: all hands and photos can be seen, changed and "
            "deleted without a key, because HUPAI_REQUIRE_KEYS is false."
        )
        return
    if settings.require_keys or lan is None:
        yield f"Phones reach it at {reach} with a key: `hupai keys add NAME --scope player`."
        return
    key = _pairing_key(settings)
    if key is None:
        yield (
            f"Others reach it at {reach} with a key only, and none can be made: "
            f"HUPAI_DATA_DIR is {TEMPORARY} or the database cannot be used."
        )
        return
    link = f"{reach}#key={key}"
    yield f"Phones in this network: scan the code, or open {link}"
    yield _code(link)
    yield (
        f"The code lets a phone in for {PAIRING_DAYS} days: show it to players only. "
        "`hupai keys revoke phones` shuts all paired phones out."
    )
    if scheme == "http":
        yield "For the live camera on phones: hupai serve --lan --https"


def _pairing_key(settings: Settings) -> str | None:
    """Make a key for phones; None if it could not be stored."""
    if settings.data_dir == TEMPORARY and not settings.database_url:
        return None
    storage = storage_of(settings)
    try:
        storage.database.migrate()
        return KeyStore(storage.database).pair()[0]
    except StorageError:
        return None
    finally:
        storage.database.close()


def _code(link: str) -> str:
    """Draw a QR code for a terminal."""
    drawn = io.StringIO()
    segno.make(link, error="l", micro=False).terminal(out=drawn, compact=True, border=2)
    return drawn.getvalue().rstrip("\n")
