"""The printed game of Qwirkle, and nothing else.

Everything here is pure: no web, no store, no clock, no randomness of its own. State is
frozen, actions return new state, and everything random is derived from a seed that the
caller provides. A reader who knows the printed rules finds them here:

- ``tiles``, ``lines``, ``cells``, ``board``: the material and what a line is
- ``editions``: who opens if bids are equal
- ``plays``: placing and scoring, with every broken rule by name
- ``legal_plays``: which plays a hand has
- ``actions``: what a player may do, and when; ``reducer``: what each event does to the game
- ``timeouts``: what happens when a player runs out of time
- ``shuffle``: the fair shuffle; ``starting_position``: games that start from a given one
- ``notation``, ``codec``, ``record``: the game as text, as bytes, as a replayable document
"""
