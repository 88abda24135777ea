"""The referee's dossier: what was photographed, read, corrected, claimed and decided about a hand,
kept to be shown later.

A case is a log of signed events, each bound to the one before by its hash (`events`, `chain`,
`keys`). `case` reads a log as the state of the case, `desk` writes what happens next, `store` keeps
logs in the database. `bundle` packs a case into one file, `verify` checks such a file without
anything else, `report` prints it.
"""
