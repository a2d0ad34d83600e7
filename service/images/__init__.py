"""Pictures of the table, drawn from what lies on it and from nothing else."""
