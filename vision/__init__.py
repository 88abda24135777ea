"""From a photo to the likeliest legal hands."""

if __name__ != "hupai.vision":
    raise ImportError(
        "this folder is the package hupai.vision: install the project and import that"
    )
