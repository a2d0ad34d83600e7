"""The English texts of the rules: what is wrong with an action, or why it is not possible now.

service/i18n has the other languages under the same keys.
"""

from service.rules.cells import column_of, row_of
from service.rules.errors import Violation
from service.rules.messages import Message
from service.rules.tiles import NAMES

ENGLISH = {
    "rule.tiles_not_in_hand": "Your hand does not hold {tiles}.",
    "rule.cell_occupied": "There is already a tile on {cells}.",
    "rule.cell_repeated": "More than one tile is placed on {cells}.",
    "rule.not_in_one_line": "The tiles placed in a turn must all end up in one row or one column.",
    "rule.line_has_gap": "The line has a gap: {cells} would stay empty.",
    "rule.not_touching": "At least one tile must touch a tile that is already on the table.",
    "rule.line_too_long": "The line {cells} would have {length} tiles; a line has at most six.",
    "rule.line_repeats_tile": "A line cannot hold the same tile twice: {tiles}{where}.",
    "rule.line_mixed": (
        "The tiles of a line share one colour or share one shape; these share neither: "
        "{tiles}{where}."
    ),
    "rule.opening_not_longest": (
        "You bid {bid}: the opening line must have length {bid}, not {laid}."
    ),
    "rule.opening_off_centre": "The opening line must cover cell (0, 0).",
    "rule.must_open": (
        "You open the game: lay a line of exactly {bid}; you cannot exchange or pass."
    ),
    "rule.exchange_exceeds_bag": "The bag holds {bag}; you cannot exchange {given}.",
    "rule.bag_empty": "The bag is empty; there is nothing to exchange for.",
    "rule.must_play": (
        "You have a legal play, so you cannot pass; play, or exchange while the bag holds tiles."
    ),
    "rule.must_exchange": "You cannot place, but the bag holds {bag}: exchange at least one tile.",
    "rule.bid_too_high": "Your hand has no line as long as {bid}.",
    "rule.bid_too_low": "Your hand has a line longer than {bid}.",
    "rule.seats_taken": (
        "People sit at this table, so it needs at least {least} seats; given: {given}."
    ),
    "setup.hands_unlike_seats": "Hands given: {given}; seats: {seats}.",
    "setup.scores_unlike_seats": "Scores given: {given}; seats: {seats}.",
    "setup.turn_without_board": "Without a board the bids decide who opens, so do not give a turn.",
    "setup.turn_without_seat": "There is no seat {given}: the {seats} seats are numbered from 0.",
    "setup.too_many_of_a_kind": (
        "There are only three tiles of each kind; more are given of {tiles}."
    ),
    "setup.cell_repeated": "There is more than one tile on {cells}.",
    "setup.board_in_pieces": (
        "All tiles must be connected; not connected to the first one: {cells}."
    ),
    "setup.hand_without_tiles": "Seat {seat} would have no tiles.",
    "setup.hand_below_six": "Seat {seat} holds fewer than six tiles while the bag holds {bag}.",
    "setup.nothing_to_do": "No tile fits any open cell, so nobody could make a move.",
    "setup.seats_fixed": "The position is for {seats} seats, so their number cannot change.",
    "where.on": " on {cells}",
    "moment.table_full": "every seat of this game is taken",
    "moment.seat_taken": "seat {seat} of this game is taken",
    "moment.seats_open": "nobody has taken seat {seats} yet",
    "moment.over": "the game is finished",
    "moment.phase": "the game is {now}, not {needed}",
    "moment.seat_out": "seat {seat} is not in the game",
    "moment.already_bid": "seat {seat} has already bid {bid}",
    "moment.not_your_turn": "it is the turn of seat {mover}, not of seat {seat}",
    "moment.game_too_long": (
        "this game has reached the maximum of {most} events; you can only resign"
    ),
    "moment.changed_too_often": (
        "this waiting game has changed too often; nobody can join it or change it now"
    ),
    "phase.waiting": "waiting",
    "phase.bidding": "bidding",
    "phase.playing": "playing",
    "phase.finished": "finished",
}


def message(key: str, **values: object) -> Message:
    """The message with this key of ``ENGLISH``."""
    return Message(ENGLISH[key].format(**values), key, values)


def describe(violation: Violation) -> Message:
    """One English sentence that states the broken rule with its cells and tiles."""
    facts = dict(violation.facts)
    reason = facts.pop("reason", None)
    key = f"setup.{reason}" if f"setup.{reason}" in ENGLISH else f"rule.{reason or violation.code}"
    # A cell can be listed once for each tile on it; a line that is only bid has no cells.
    cells = ", ".join(
        f"({column_of(cell)}, {row_of(cell)})" for cell in dict.fromkeys(violation.cells)
    )
    values: dict[str, object] = {
        "cells": cells,
        "where": message("where.on", cells=cells) if cells else "",
        "tiles": ", ".join(NAMES[tile] for tile in violation.tiles),
        "length": len(violation.cells),
    }
    return message(key, **(values | facts))
