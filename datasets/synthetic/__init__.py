"""Rendered photos of mahjong tables, with exact truth.

A scene is composed (who lies where: `compose`), dressed in a tile design (`designs`), seen by a
camera (`camera`), drawn (`render`) and photographed badly (`effects`). Everything follows from one
seed.
"""
