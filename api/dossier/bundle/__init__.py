"""A case as one file that anybody can verify."""
