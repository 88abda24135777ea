"""The root of all exceptions that Hupai defines.

What is wrong with a photo or a hand is data, not an exception: a list of problems. An exception
says that the caller asked for something that cannot be done, and its message says what to do::

    HupaiError
    ├── UnknownTileError, NotationError, UnknownDialectError    a hand or tile as text
    ├── CircumstanceError, ArgumentError                        what was said of a win
    ├── UnknownRuleSetError, HouseRuleError, StandingError      rules
    ├── CaseFormatError                                         conformance cases and deals
    ├── PhotoError, PhotoFileError, SourceError, RegionError    photos and video
    ├── TileSetError, WeightsError                              enrolment and models
    ├── LabelError, SheetError, FontError, FetchError           data sets
    └── StorageError, LogError, ApiProblem, StartupError        service and dossier

Each folder defines its own; those that were a ``ValueError``, ``KeyError`` or ``LookupError`` are
still one as well.
"""


class HupaiError(Exception):
    """The root of all exceptions of this project: catch it to catch every one of them."""
