"""Messages to the back ends of games."""
