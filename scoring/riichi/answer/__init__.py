"""The answer to a riichi hand: fu and points step by step, payments, and reasons."""
