"""The command `hupai`."""
