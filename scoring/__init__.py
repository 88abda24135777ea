"""Rules: notation, decomposition and scoring of hands. Pure Python; imports nothing of ours."""

if __name__ != "hupai.scoring":
    raise ImportError(
        "this folder is the package hupai.scoring: install the project and import that"
    )
