"""Measures throughput with one and several processes, and plans the capacity for a load."""
