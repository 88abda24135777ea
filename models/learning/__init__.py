"""Weights of the user: fine-tuned on corrected hands, judged by a gate, used or taken back."""
