"""The Chinese of what the commands say."""
