"""One module for each group of `hupai` commands."""
