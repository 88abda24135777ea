"""The yaku of riichi."""
