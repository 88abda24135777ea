"""Where the service's log lines go: standard error, as text or as one JSON object a line."""

from __future__ import annotations

import json
import logging

from api.settings import Settings


class JsonFormatter(logging.Formatter):
    """One object a line; lines that are objects already, such as the access log's, are merged in."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as JSON; a trace goes into ``trace``."""
        fields: dict[str, object] = {"time": self.formatTime(record), "level": record.levelname, "logger": record.name}
        fields.update(getattr(record, "fields", {"message": record.getMessage()}))
        if record.exc_info:
            fields["trace"] = self.formatException(record.exc_info)
        return json.dumps(fields, ensure_ascii=False)


def configure(settings: Settings) -> None:
    """Send the loggers ``hupai.*`` to standard error, unless the program that embeds the service has set them up already."""
    logger = logging.getLogger("hupai")
    if logger.handlers or logging.getLogger().handlers:
        return
    handler = logging.StreamHandler()
    handler.setFormatter(
        JsonFormatter() if settings.log_format == "json" else logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s")
    )
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
