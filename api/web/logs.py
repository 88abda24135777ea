"""Log lines on standard error, as text or JSON, each with the id of its request."""

from __future__ import annotations

import json
import logging
from contextvars import ContextVar
from datetime import UTC, datetime

from hupai.api.web.settings import Settings

request_id_var: ContextVar[str] = ContextVar("request_id", default="")
"""The request that is being answered; empty outside of one."""


class RequestIdFilter(logging.Filter):
    """Adds ``request_id`` to each record, for text as the suffix of the line."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Add it; every record passes."""
        request_id = request_id_var.get()
        record.__dict__["request_id"] = request_id
        record.__dict__["request_suffix"] = (
            f" request_id={request_id}" if request_id and not hasattr(record, "fields") else ""
        )
        return True


class JsonFormatter(logging.Formatter):
    """Writes one object per line.

    Lines that are objects already, such as those of the access log, are merged in.
    """

    def format(self, record: logging.LogRecord) -> str:
        """Write the record as JSON, its time in UTC, a traceback as ``trace``."""
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
        }
        if getattr(record, "request_id", ""):
            fields["request_id"] = record.__dict__["request_id"]
        fields.update(getattr(record, "fields", {"message": record.getMessage()}))
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def configure(settings: Settings) -> None:
    """Send the loggers ``hupai.*`` to standard error.

    Nothing is changed if the program that embeds the service has configured logging.
    """
    logger = logging.getLogger("hupai")
    if logger.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    handler.addFilter(RequestIdFilter())
    handler.setFormatter(
        JsonFormatter()
        if settings.log_format == "json"
        else logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s%(request_suffix)s")
    )
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
