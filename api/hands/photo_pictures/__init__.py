"""Pictures of a stored hand: its photo, plain and annotated, and who may see it by a link."""
