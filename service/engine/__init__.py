"""`qwirkle engine`: games over standard input and output, one JSON document a line.

Nothing here decides anything about the game: commands are checked by the schemas of the API,
carried out by the rules, and answered with the documents of the API. docs/engine.md is the manual.
"""
