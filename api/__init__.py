"""Command line, HTTP service, page, dossier and broadcast overlay."""

if __name__ != "hupai.api":
    raise ImportError("this folder is the package hupai.api: install the project and import that")
