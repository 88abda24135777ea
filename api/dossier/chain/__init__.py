"""The signed, hash-chained log of a case."""
