"""The parts of ``hupai dossier``."""
