"""Games as the application sees them: load, apply a rule, commit."""
