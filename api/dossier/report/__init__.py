"""The referee's report as a PDF."""
