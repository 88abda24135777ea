"""Weights: the registry, training and evaluation."""

if __name__ != "hupai.models":
    raise ImportError(
        "this folder is the package hupai.models: install the project and import that"
    )
