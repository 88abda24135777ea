"""Rendered photos of mahjong tables, with exact ground truth.

A scene is composed (`compose`), given a tile design (`designs`), viewed by a camera (`camera`),
rendered (`render`) and degraded like a bad photo (`effects`). Everything follows from one seed.
"""
