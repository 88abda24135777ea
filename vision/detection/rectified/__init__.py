"""Rectified (bird's-eye) views of oblique tables, and what stands on these tables."""
