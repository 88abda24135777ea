"""The OpenAPI document as one plain HTML page for people, without scripts."""

from __future__ import annotations

import json
import re
from html import escape
from typing import Any

from hupai.api.web.problems import MEDIA_TYPE

_METHODS = ("get", "post", "put", "patch", "delete")


def docs_html(document: dict[str, Any]) -> str:
    """Write the body of /docs: what each operation takes and answers, with an example."""
    info = document["info"]
    sections = [
        _operation(document, path, method, item[method])
        for path, item in document["paths"].items()
        for method in _METHODS
        if method in item
    ]
    return (
        f"<h1>{escape(info['title'])} API {escape(info['version'])}</h1>"
        f"<p>{escape(info['summary'])}. The machine-readable form is "
        '<a href="/openapi.json">/openapi.json</a>; errors are explained at '
        f'<a href="/problems">/problems</a>.</p>{"".join(sections)}'
    )


def _operation(document: dict[str, Any], path: str, method: str, operation: dict[str, Any]) -> str:
    parts = [
        f'<section id="{escape(operation["operationId"])}"><h2>{escape(operation["summary"])}</h2>'
        f"<p><code>{method.upper()} {escape(path)}</code></p>"
        f"<p>{_prose(operation['description'])}</p>"
    ]
    parts += [_parameter(parameter) for parameter in operation.get("parameters", [])]
    for media, content in operation.get("requestBody", {}).get("content", {}).items():
        parts.append(
            f"<h3>Request, {escape(media)}</h3>"
            f"{_fields(document, content['schema'])}{_examples(content)}"
        )
    for status, response in operation["responses"].items():
        kinds = list(response.get("content", {}))
        if MEDIA_TYPE in kinds:
            slugs = response["content"][MEDIA_TYPE]["examples"]
            links = ", ".join(
                f'<a href="/problems/{escape(slug)}">{escape(slug)}</a>' for slug in slugs
            )
            parts.append(f"<p>{escape(status)}: {links}</p>")
        else:
            parts.append(
                f"<h3>{escape(status)}, {escape(', '.join(kinds))}</h3>"
                f"<p>{_prose(response['description'])}</p>"
            )
            parts += [_examples(content) for content in response.get("content", {}).values()]
    return "".join(parts) + "</section>"


def _prose(text: str) -> str:
    """Mark up paragraphs and `code`."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text)).replace("\n\n", "</p><p>")


def _fields(document: dict[str, Any], schema: dict[str, Any]) -> str:
    """List the fields of a request's body."""
    name = schema.get("$ref", "").rsplit("/", 1)[-1]
    whole = document["components"]["schemas"].get(name, schema)
    needed = whole.get("required", [])
    lines = []
    for field, about in whole.get("properties", {}).items():
        optional = "" if field in needed else ", optional"
        lines.append(
            f"<li><code>{escape(field)}</code>{optional}. "
            f"{_prose(about.get('description', ''))}</li>"
        )
    return f"<ul>{''.join(lines)}</ul>"


def _parameter(parameter: dict[str, Any]) -> str:
    return (
        f"<p><code>{escape(parameter['name'])}</code> ({escape(parameter['in'])}) "
        f"{_prose(parameter.get('description', ''))}</p>"
    )


def _examples(content: dict[str, Any]) -> str:
    shown = []
    for name, example in content.get("examples", {}).items():
        text = json.dumps(example["value"], ensure_ascii=False, indent=2)
        title = example.get("summary", name)
        shown.append(
            f"<details><summary>{escape(title)}</summary><pre>{escape(text)}</pre></details>"
        )
    return "".join(shown)
