"""A bot of one's own: `python bot.py http://127.0.0.1:8000/v1/games/<id> <player token>`."""

import json
import sys
import urllib.request
import uuid

GAME, TOKEN = sys.argv[1:3]


def call(path="", body=None):
    """One request; the answer as data."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(GAME + path, data)
    request.add_header("Authorization", f"Bearer {TOKEN}")
    request.add_header("Content-Type", "application/json")
    request.add_header("Idempotency-Key", str(uuid.uuid4()))
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


while (game := call())["status"] != "finished":
    actions = game["you"]["actions"]
    if "bid" in actions:  # the longest line: one colour or one shape, no tile twice
        tiles = [tile.split("-") for tile in set(game["you"]["hand"])]
        lines = [part for tile in tiles for part in tile]
        call("/bids", {"length": max(map(lines.count, lines))})
    elif "play" in actions:  # the best by points; the place for ideas of your own
        best = call("/legal-plays?sort=points&limit=1")["plays"][0]
        call("/plays", {"placements": best["placements"]})
    elif "exchange" in actions:
        call("/exchanges", {"tiles": game["you"]["hand"][: game["bag_count"]]})
    elif "pass" in actions:
        call("/passes", {})
    else:
        call(f"/events?after={game['version']}&wait=25")
print("over:", {player["name"]: player["score"] for player in game["players"]})
