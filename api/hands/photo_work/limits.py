"""Which photos the service accepts, from its settings."""

from __future__ import annotations

from hupai.api.web.settings import Settings
from hupai.vision.photo.decode import Limits


def photo_limits(settings: Settings) -> Limits:
    """Return which photos the service accepts."""
    return Limits(
        bytes=settings.max_upload_bytes, pixels=settings.max_pixels, side=settings.min_side
    )
