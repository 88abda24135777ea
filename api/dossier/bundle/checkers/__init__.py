"""Programs that check a bundle without Hupai."""
