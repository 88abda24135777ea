"""API keys, scopes, and rate limits."""
