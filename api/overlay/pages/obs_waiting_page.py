"""A local page for OBS that waits for the service: a browser source that is opened too early keeps
showing an error.
"""

from __future__ import annotations

import json
from urllib.parse import urlsplit

_PAGE = """<!doctype html>
<html><head><meta charset="utf-8"><title>Hupai overlay</title>
<style>html, body { margin: 0; background: transparent }</style></head>
<body><script>
// Opens the overlay as soon as the service answers.
// Hands on the parameters of this file's address, such as ?theme=paper&key=…
const ADDRESS = %s;
async function open() {
  try {
    await fetch(%s, { mode: "no-cors", cache: "no-store" });
    location.replace(ADDRESS + location.search);
  } catch {
    setTimeout(open, 1000);
  }
}
open();
</script></body></html>
"""


def local_page(address: str) -> str:
    """Return the file for the overlay at this address."""
    parts = urlsplit(address)
    return _PAGE % (_script_text(address), _script_text(f"{parts.scheme}://{parts.netloc}/healthz"))


def _script_text(text: str) -> str:
    """Quote a string for a script so that nothing in it ends the script element."""
    return json.dumps(text).replace("<", "\\u003c")
