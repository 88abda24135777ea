"""The stages in order: one photo, or several photos of one hand."""
