"""The font of the reports; `python -m hupai.api.dossier.report.fonts` makes it from an installed
Noto Sans CJK.
"""

from __future__ import annotations

from pathlib import Path

PATH = Path(__file__).with_name("NotoSansCJKsc-subset.otf")
