"""Whole tables as phones see them: who sits where, what lies there, and how it is drawn.

`scene` lays a table, `laying` a player's hand, `seats` what else belongs to a seat, `furniture` the
things that are not tiles, `sets` the tiles' faces, bodies and backs; `draw` draws all of it, and
`photo` adds the effects of lens and sensor. Nothing here shares a convention with
`hupai.datasets.synthetic.layout`.
"""
