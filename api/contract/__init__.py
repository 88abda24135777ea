"""The outside contract: the JSON of every request and answer."""
