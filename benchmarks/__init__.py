"""Programs that measure speed and accuracy and print tables; none of them is a test."""
