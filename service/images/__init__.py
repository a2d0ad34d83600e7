"""Pictures of the table, drawn from its tiles alone."""
