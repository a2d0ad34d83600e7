"""Where games are kept: Redis or Valkey, and the embedded server."""
