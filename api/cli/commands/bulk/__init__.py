"""The command ``hupai bulk``."""
