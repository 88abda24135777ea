"""What every request passes through: proxies, request ids and logs, shutdown."""
