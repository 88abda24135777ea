"""Times for people: in the zone of the table, with the offset from UTC beside each."""

from __future__ import annotations

import os
import re
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

_OFFSET = re.compile(r"([+-])(0\d|1[0-4]):([0-5]\d)")
_LOCAL_TIME = Path("/etc/localtime")

NO_ZONE_ZH = "时区无法识别，例如 Asia/Shanghai 或 +08:00"
"""The Chinese of the error of `zone_of` for an unknown name."""


def zone_of(name: str) -> tzinfo:
    """Return the zone of an IANA name or of an offset such as ``+08:00``; UTC for the empty name.

    Raises:
        ValueError: for a name that is not known here.
    """
    if not name:
        return UTC
    offset = _OFFSET.fullmatch(name)
    if offset:
        sign, hours, minutes = offset.groups()
        ahead = timedelta(hours=int(hours), minutes=int(minutes))
        return timezone(-ahead if sign == "-" else ahead)
    try:
        return ZoneInfo(name)
    except (KeyError, OSError, ValueError):  # ZoneInfoNotFoundError is a KeyError
        raise ValueError(
            f"{name!r} is no time zone: give a name such as Europe/Paris, or +08:00"
        ) from None


def local_zone() -> str:
    """Return this machine's zone: its IANA name if it is known, otherwise the current offset."""
    linked = str(_LOCAL_TIME.resolve()).partition("zoneinfo/")[2] if _LOCAL_TIME.exists() else ""
    for name in (os.environ.get("TZ", "").lstrip(":"), linked):
        try:
            zone_of(name)
        except ValueError:
            continue
        if name:
            return name
    return datetime.now().astimezone().isoformat()[-6:]


def shown_time(moment: str, zone: str = "", *, seconds: bool = False) -> str:
    """Format a time of the log for people, e.g. ``2026-11-20 20:31 +01:00``.

    If the zone is not known on this machine, UTC is used and named.
    """
    try:
        chosen = zone_of(zone)
    except ValueError:
        chosen = UTC
    at = datetime.fromisoformat(moment).astimezone(chosen)
    offset = at.isoformat()[-6:] if chosen is not UTC else "UTC"
    return f"{at:%Y-%m-%d %H:%M}{f':{at:%S}' if seconds else ''} {offset}"
