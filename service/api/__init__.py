"""The HTTP face of the service: what comes in is checked here, what goes out is written here."""
