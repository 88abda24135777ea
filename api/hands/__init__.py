"""Photographed and stored hands: recognition, corrections, pictures, events."""
