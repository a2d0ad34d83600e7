"""What operators see of the service: its numbers, its log, its traces. Knows nothing of games."""
