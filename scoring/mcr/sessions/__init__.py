"""Sessions of MCR: table points and standard points."""

from hupai.scoring.mcr.sessions.sheet import SESSIONS

__all__ = ["SESSIONS"]
