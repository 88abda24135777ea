"""How often hands are understood that are laid in other conventions."""
