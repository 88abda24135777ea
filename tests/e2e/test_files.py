"""The page's own files, without a browser: both palettes, both languages, and the worker's list are
complete.
"""

from __future__ import annotations

import re
from pathlib import Path

from hupai.api.web.page_files import PAGE_DIR, html_page

STYLES = {path.name: path.read_text(encoding="utf-8") for path in sorted(PAGE_DIR.rglob("*.css"))}
SCRIPTS = {
    path.relative_to(PAGE_DIR): path.read_text(encoding="utf-8")
    for path in sorted(PAGE_DIR.rglob("*.js"))
}
WORD = re.compile(
    r'^  (\w+): \[\s*"((?:[^"\\]|\\.)*)",\s*"((?:[^"\\]|\\.)*)",?\s*\],$', re.MULTILINE
)


def own_scripts() -> dict[Path, str]:
    """The scripts of the two pages tested here."""
    return {path: text for path, text in SCRIPTS.items() if path.parts[0] in ("js", "tile-sets")}


def words() -> dict[str, tuple[str, str]]:
    """Every text of those pages by key: English, Chinese."""
    found = {}
    for path, text in own_scripts().items():
        if path.name == "words.js":
            found.update({key: (english, chinese) for key, english, chinese in WORD.findall(text)})
    return found


def palette(block: str) -> dict[str, str]:
    """The custom properties of a block of CSS."""
    return dict(re.findall(r"--([\w-]+):\s*([^;]+);", block))


def test_the_dark_colours_are_the_same_by_choice_and_by_system() -> None:
    base = STYLES["base.css"]
    by_system = re.search(
        r"@media \(prefers-color-scheme: dark\) \{\s*:root[^{]*\{(.*?)\}", base, re.DOTALL
    )
    by_choice = re.search(r":root\[data-theme=\"dark\"\] \{(.*?)\}", base, re.DOTALL)
    light = re.search(r":root \{(.*?)\}", base, re.DOTALL)
    assert by_system is not None
    assert by_choice is not None
    assert light is not None
    dark = palette(by_choice[1])
    assert palette(by_system[1]) == dark
    assert set(dark) <= set(palette(light[1]))
    assert len(dark) >= 20


def test_no_style_needs_a_browser_of_the_last_two_years() -> None:
    for name, text in STYLES.items():
        code = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert not re.findall(r"light-dark\(|color-mix\(|@layer|@scope|:has\(", code), name


def test_every_text_exists_in_both_languages() -> None:
    known = words()
    assert len(known) > 150
    for key, (english, chinese) in known.items():
        assert english, key
        assert chinese, key
        assert set(re.findall(r"\{\w+\}", english)) == set(re.findall(r"\{\w+\}", chinese)), key
    used = set()
    for path, text in own_scripts().items():
        used |= {(key, path) for key in re.findall(r'\bt\("(\w+)"', text)}
    for page in (PAGE_DIR / "index.html", PAGE_DIR / "tile-sets" / "index.html"):
        used |= {
            (key, page)
            for key in re.findall(r'data-i18n(?:-label)?="(\w+)"', page.read_text(encoding="utf-8"))
        }
    assert [(key, str(path)) for key, path in used if key not in known] == []


def test_the_worker_keeps_every_file_that_the_page_is_made_of() -> None:
    worker = (PAGE_DIR / "sw.js").read_text(encoding="utf-8")
    listed = re.search(r"const FILES = \[(.*?)\];", worker, re.DOTALL)
    assert listed is not None
    kept = set(re.findall(r'"([\w./-]+)"', listed[1]))
    scripts = {path.relative_to(PAGE_DIR).as_posix() for path in (PAGE_DIR / "js").rglob("*.js")}
    page = bytes(html_page("index.html").body).decode()
    styles = set(re.findall(r'href="/page/(css/[\w-]+\.css)"', page))
    assert kept == scripts | styles | {"icon.svg", "symbols.svg", "manifest.webmanifest"}


def test_every_import_names_a_file() -> None:
    for path, text in SCRIPTS.items():
        for name in re.findall(r'(?:from|import) "([^"]+)"', text):
            target = (
                PAGE_DIR / name.removeprefix("/page/")
                if name.startswith("/page/")
                else (PAGE_DIR / path).parent / name
            )
            assert target.resolve().is_file(), (path, name)
