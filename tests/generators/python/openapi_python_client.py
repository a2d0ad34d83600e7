"""Plays a whole game through openapi-python-client's client, and prints the game's id."""

import sys

from tests.contract.generated import GeneratedTable

if __name__ == "__main__":
    table = GeneratedTable(sys.argv[1])
    print(table.play_a_game().id)
    table.leave()
