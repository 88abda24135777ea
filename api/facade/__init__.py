"""What `import hupai` offers: read a photo, score a hand, and results that show themselves.

`hupai.__all__` lists the public names; everything else may change between versions.
"""
