"""Tests of the fit of layout."""
