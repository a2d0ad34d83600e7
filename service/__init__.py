"""The Qwirkle service: the tile game over HTTP, with all its state in Redis or Valkey."""
