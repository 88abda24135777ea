"""JSON text as plain values; whatever is wrong with it is one kind of error."""

from __future__ import annotations

import json

from hupai.scoring.cases.fields import CaseFormatError


def read_json(text: str, name: str = "file") -> object:
    """Read JSON text.

    Args:
        text: the whole text.
        name: name of the text in errors.

    Raises:
        CaseFormatError: for what is not JSON, is nested too deeply to be read, or names a field of
            one object twice, of which the first would be silently lost.
    """
    try:
        value: object = json.loads(text, object_pairs_hook=_object)
    except CaseFormatError as error:
        raise CaseFormatError(name, error.message, error.message_zh) from None
    except json.JSONDecodeError as error:
        raise CaseFormatError(name, f"not JSON: {error}") from None
    except ValueError:
        raise CaseFormatError(name, "not JSON: a number has too many digits") from None
    except RecursionError:
        raise CaseFormatError(name, "not JSON that can be read: nested too deeply") from None
    return value


def _object(members: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(members)
    if len(found) < len(members):
        names = [name for name, _ in members]
        twice = next(name for name in names if names.count(name) > 1)
        raise CaseFormatError("", f"{twice!r} stands twice in one object: keep one of them")
    return found
