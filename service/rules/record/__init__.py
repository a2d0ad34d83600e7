"""The replayable document of a game: write, read, replay, verify."""
