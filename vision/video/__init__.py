"""A hand on video: sources, motion, voting over frames."""
