"""Broadcast: tables on video, proposals, what is on air."""
