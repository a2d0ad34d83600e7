"""What a broken rule is in words."""

from service.rules.cells import column_of, row_of
from service.rules.errors import Violation
from service.rules.tiles import NAMES

_SENTENCES = {
    "tiles_not_in_hand": "Your hand does not hold {tiles}.",
    "cell_occupied": "A tile already lies on {cells}.",
    "cell_repeated": "More than one tile is placed on {cells}.",
    "not_in_one_line": "The tiles placed in a turn must all end up in one row or one column.",
    "line_has_gap": "The line has a gap: {cells} would stay empty.",
    "not_touching": "At least one tile must touch a tile that already lies on the table.",
    "line_too_long": "The line {cells} would have {length} tiles; a line has at most six.",
    "line_repeats_tile": "A line holds no tile twice: {tiles}{where}.",
    "line_mixed": (
        "The tiles of a line share one colour or share one shape; "
        "these share neither: {tiles}{where}."
    ),
    "opening_not_longest": "You bid {bid}: the opening line must be of length {bid}, not {laid}.",
    "opening_off_centre": "The opening line must cover cell (0, 0).",
    "must_open": "You open the game: lay a line of exactly {bid}; no exchange and no pass.",
    "exchange_exceeds_bag": "The bag holds {bag}; you cannot exchange {given}.",
    "bag_empty": "The bag is empty; there is nothing to exchange for.",
    "must_play": (
        "You have a legal play, so you cannot pass; play, or exchange while the bag holds tiles."
    ),
    "must_exchange": "You cannot place, but the bag holds {bag}: exchange at least one tile.",
    "bid_too_high": "Your hand has no line as long as {bid}.",
    "bid_too_low": "Your hand has a line longer than {bid}.",
}

_IMPOSSIBLE = {
    "hands_unlike_seats": "Hands given: {given}; seats: {seats}.",
    "scores_unlike_seats": "Scores given: {given}; seats: {seats}.",
    "turn_without_board": "Without a board the bids decide who opens, so give no turn.",
    "turn_without_seat": "It cannot be the turn of seat {given} of {seats} seats, counted from 0.",
    "too_many_of_a_kind": "There are only three tiles of a kind: more are given of {tiles}.",
    "cell_repeated": "More than one tile lies on {cells}.",
    "board_in_pieces": "All tiles must hang together; apart from the first lie {cells}.",
    "hand_without_tiles": "Seat {seat} would have no tile.",
    "hand_below_six": "Seat {seat} holds fewer than six tiles while the bag holds {bag}.",
    "nothing_to_do": "No tile fits any open cell, so nobody would have anything to do.",
}


def describe(violation: Violation) -> str:
    """One sentence in English that tells the broken rule with its cells and tiles."""
    facts = dict(violation.facts)
    reason = str(facts.pop("reason", ""))
    sentence = _IMPOSSIBLE.get(reason) or _SENTENCES[reason or violation.code]
    # A cell can be listed once for each tile on it; a line that is only bid lies nowhere.
    cells = ", ".join(
        f"({column_of(cell)}, {row_of(cell)})" for cell in dict.fromkeys(violation.cells)
    )
    return sentence.format(
        cells=cells,
        where=f" on {cells}" if cells else "",
        tiles=", ".join(NAMES[tile] for tile in violation.tiles),
        **{"length": len(violation.cells), **facts},
    )
