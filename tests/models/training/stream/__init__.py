"""Tests of hupai.models.training.stream."""
