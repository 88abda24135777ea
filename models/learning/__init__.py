"""Fine-tuned weights: training on corrected hands, acceptance gate, use and rollback."""
