"""The printed game of Qwirkle, and nothing else.

Everything here is pure: no web, no store, no clock, no randomness of its own. State is
frozen, actions return new state, and whatever is random follows from a seed that the
caller gives. A reader who knows the printed rules finds them here:

- ``tiles``, ``lines``, ``cells``, ``board``: the material and what a line is
- ``editions``: who opens among equal bids
- ``plays``: placing and scoring, with every broken rule by name
- ``legal``: which plays a hand has
- ``actions``: what a player may do, and when; ``fold``: what it does to the game
- ``draw``: the fair draw; ``setup``: games that start from a given position
- ``notation``, ``packing``, ``record``: the game as text, as bytes, as a document
"""
