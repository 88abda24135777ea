"""Labelled photos, drawn faces and rendered scenes."""

if __name__ != "hupai.datasets":
    raise ImportError(
        "this folder is the package hupai.datasets: install the project and import that"
    )
