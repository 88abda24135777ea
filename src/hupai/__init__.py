"""Hupai reads a photo of a revealed mahjong hand and says what it scores, and why."""
