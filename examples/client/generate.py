"""Writes hupai_client/ beside this file, all but its core.py, from the service's OpenAPI document.

    python examples/client/generate.py                                    # from the checkout
    python examples/client/generate.py http://127.0.0.1:8000/openapi.json # from a running service

Each tag of the document becomes a class, each operation a method with the parameters, fields and
answers that the document tells.
"""

from __future__ import annotations

import json
import keyword
import re
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

HERE = Path(__file__).parent
OUTPUT = HERE / "hupai_client"
METHODS = ("get", "post", "put", "patch", "delete")
WIDTH = 110
Document = dict[str, Any]


def generate(document: Document) -> dict[str, str]:
    """The modules by file name."""
    groups: dict[str, list[str]] = {}
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                groups.setdefault(item[method]["tags"][0], []).append(
                    _method(document, path, method, item[method])
                )
    about = {tag["name"]: tag["description"] for tag in document["tags"]}
    modules = {
        f"{_snake(tag)}.py": _module(tag, about.get(tag, tag), methods)
        for tag, methods in groups.items()
    }
    core = "from hupai_client.core import File, Json, Problem, Transport"
    imports = "\n".join(
        sorted([core, *(f"from hupai_client.{_snake(tag)} import {_class(tag)}" for tag in groups)])
    )
    members = "\n".join(f"        self.{_snake(tag)} = {_class(tag)}(self)" for tag in groups)
    return {**modules, "__init__.py": INIT.format(imports=imports, members=members)}


INIT = '''"""A client of the Hupai service; needs only httpx. Written by generate.py, all but core.py: do not edit.

    from hupai_client import Client, Problem

    with Client("http://127.0.0.1:8000", key="hupai_...") as hupai:
        answer = hupai.hands.read_and_score("hand.jpg", "mcr-1998")

Answers are JSON objects as the OpenAPI document describes them, pictures are bytes. What the service refuses is raised as
`Problem`.
"""

from __future__ import annotations

{imports}

__all__ = ["Client", "File", "Json", "Problem"]


class Client(Transport):
    """The service at an address, its operations by group."""

    def __init__(
        self, address: str = "http://127.0.0.1:8000", key: str | None = None, retries: int = 3, timeout: float = 90
    ) -> None:
        super().__init__(address, key, retries, timeout)
{members}
'''


def _module(tag: str, about: str, methods: list[str]) -> str:
    text = "\n\n".join(methods)
    used = [
        name
        for name in ("File", "Group", "Json", "quoted")
        if re.search(rf"\b{name}\b", f"Group {text}")
    ]
    extra = "from collections.abc import Iterator\n" * ("Iterator[" in text)
    extra += "from typing import Any\n" * bool(re.search(r"\bAny\b", text))
    start = f'"""{about} Written by generate.py: do not edit."""\n\nfrom __future__ import annotations\n\n'
    imports = f"{extra}\n" * bool(extra) + f"from hupai_client.core import {', '.join(used)}\n\n\n"
    return start + imports + f'class {_class(tag)}(Group):\n    """{about}"""\n\n{text}\n'


def _method(document: Document, path: str, method: str, operation: dict[str, Any]) -> str:
    """One method of a group's class."""
    required: list[str] = []
    optional: list[str] = []
    parts: dict[str, list[str]] = {"query": [], "header": [], "json": [], "form": [], "files": []}
    for parameter in operation.get("parameters", []):
        name = _snake(parameter["name"])
        _declare(
            document, name, parameter["schema"], bool(parameter.get("required")), required, optional
        )
        if parameter["in"] in parts:
            parts[parameter["in"]].append(f'"{parameter["name"]}": {name}')
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        where = "json" if media == "application/json" else "form"
        schema = _resolved(document, content["schema"])
        for field, inner in schema.get("properties", {}).items():
            is_file = where == "form" and "contentMediaType" in json.dumps(inner)
            name = _snake(field)
            kind = "list[File]" if inner.get("type") == "array" else "File"
            _declare(
                document,
                name,
                inner,
                field in schema.get("required", ()),
                required,
                optional,
                kind if is_file else None,
            )
            parts["files" if is_file else where].append(f'"{field}": {name}')
        if not schema.get("properties"):
            required.append("body: Json")
            parts[where].append("**body")
    answers = [answer for status, answer in operation["responses"].items() if status < "300"]
    media_types = [media for answer in answers for media in answer.get("content", {})]
    returns, call = _returns(media_types)
    if len([media for media in media_types if media != "text/event-stream"]) > 1:
        optional.append(f'accept: str = "{media_types[0]}"')
        returns, call = ("Any", "any") if "application/json" in media_types else (returns, call)
        parts["header"].append('"Accept": accept')
    filled = re.sub(r"{(\w+)}", lambda found: f"{{quoted({_snake(found[1])})}}", path)
    arguments = [f'"{method.upper()}"', f'f"{filled}"' if "{" in path else f'"{path}"']
    arguments += [
        _wrapped(f"            {name}={{", fields, "}", 100).lstrip()
        for name, fields in parts.items()
        if fields
    ]
    name = re.sub(r"_(v1|healthz|readiness|metrics)_.*$", "", operation["operationId"])
    signature = _wrapped(
        f"    def {name}(",
        ["self", *required, *(["*", *optional] if optional else [])],
        f") -> {returns}:",
    )
    document_string = f'        """{operation["summary"].rstrip(".")}."""'
    body = _wrapped(
        f"        {'return ' if returns != 'None' else ''}self._client.{call}(", arguments, ")"
    )
    return "\n".join((signature, document_string, body))


def _declare(
    document: Document,
    name: str,
    schema: Document,
    is_required: bool,
    required: list[str],
    optional: list[str],
    kind: str | None = None,
) -> None:
    written = kind or _type(document, schema)
    if is_required:
        required.append(f"{name}: {written}")
    else:
        optional.append(
            f"{name}: {written}{'' if 'None' in written.split(' | ') else ' | None'} = None"
        )


def _returns(media_types: list[str]) -> tuple[str, str]:
    """What a method returns, and the client's method that makes it so."""
    if not media_types:
        return "None", "none"
    if media_types[0] == "application/json":
        return "Json", "json"
    if media_types == ["text/event-stream"]:
        return "Iterator[tuple[str, Json]]", "events"
    return (
        ("str", "text")
        if media_types[0].startswith("text/") or media_types[0].endswith("xml")
        else ("bytes", "bytes")
    )


def _type(document: Document, schema: Document) -> str:
    """A Python type for a JSON schema, as far as a caller needs to know."""
    schema = _resolved(document, schema)
    if "anyOf" in schema or "oneOf" in schema:
        kinds = [_type(document, one) for one in (schema.get("anyOf") or schema["oneOf"])]
        ordered = [kind for kind in dict.fromkeys(kinds) if kind != "None"] + (
            ["None"] if "None" in kinds else []
        )
        return "Any" if "Any" in ordered else " | ".join(ordered)
    if schema.get("type") == "array":
        return f"list[{_type(document, schema.get('items', {}))}]"
    names = {
        "string": "str",
        "integer": "int",
        "number": "float",
        "boolean": "bool",
        "object": "Json",
        "null": "None",
    }
    return names.get(str(schema.get("type")), "Any")


def _resolved(document: Document, schema: Document) -> Document:
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _wrapped(start: str, parts: list[str], end: str, width: int = WIDTH) -> str:
    line = start + ", ".join(parts) + end
    if len(line) <= width and "\n" not in line:
        return line
    indent = " " * (len(start) - len(start.lstrip()))
    return start + "\n" + "".join(f"{indent}    {part},\n" for part in parts) + indent + end


def _class(tag: str) -> str:
    return "".join(word.capitalize() for word in tag.split())


def _snake(text: str) -> str:
    name = re.sub(r"\W+", "_", text).lower()
    return f"{name}_" if keyword.iskeyword(name) else name


def _document() -> Document:
    if len(sys.argv) > 1:
        with urlopen(sys.argv[1]) as answer:
            loaded: Document = json.load(answer)
            return loaded
    sys.path.insert(0, str(HERE.parent.parent))
    from hupai.api.app.factory import create_app
    from hupai.api.web.settings import Settings

    made: Document = create_app(Settings(preload=False)).openapi()
    return made


if __name__ == "__main__":
    for file, text in generate(_document()).items():
        (OUTPUT / file).write_text(text, encoding="utf-8")
