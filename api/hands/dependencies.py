"""What routes get from the app: the service that reads photos."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from hupai.api.hands.recognition import ReadingService


def reading_service(request: Request) -> ReadingService:
    """Return the service that reads photos."""
    service: ReadingService = request.app.state.reading
    return service


Reader = Annotated[ReadingService, Depends(reading_service)]
"""The service that reads photos, as a parameter of a route."""
