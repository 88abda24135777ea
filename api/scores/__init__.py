"""Routes that score hands in notation, compare rule sets and settle deals."""
