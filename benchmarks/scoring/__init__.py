"""Benchmarks of the scoring engine against other calculators."""
