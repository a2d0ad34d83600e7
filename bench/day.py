"""A day of a million players, minute by minute: how much the service and its store have to do.

    python bench/day.py [--players 1000000] [--failover-hour 20]

Games begin as the hour of the day says and are as long as simulated games between bots are. Each
event is one write, and each person's page then reads twice (the game, and the legal plays). In one
in four games one of the two players is a bot. A store's failover of 15 seconds in the busiest hour
refuses a third of the requests, which are repeated. What a request costs comes from `bench/http.py`
and `bench/memory.py`. This computes a day; nothing is run at that size.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
from collections import Counter
from random import Random
from statistics import mean

from service.bots.matches import Match, play_game

HOURS = (
    *(1.6, 1.0, 0.7, 0.5, 0.5, 0.8, 1.6, 2.6, 3.4, 3.9, 4.2, 4.6),
    *(5.2, 5.0, 4.6, 4.8, 5.4, 6.2, 7.2, 8.4, 9.4, 8.6, 6.2, 3.6),
)
"""Percent of the day's games that begin in each hour, UTC; they add up to 100."""

GAMES_PER_PLAYER = 3
SEATS = 2
BOT_SHARE = 0.25
TURN_SECONDS = 25.0
SETUP_EVENTS = 5
"""Created, joined, dealt and two bids."""

READS_PER_PERSON = 2
FAILOVER_SECONDS = 15
REFUSED_SHARE = 1 / 3
PLAY_MS, READ_MS = 1.05, 0.64
GAME_BYTES = 8564
STREAMS_PER_WORKER = 4000
MINUTES = 24 * 60


def turns_of_games(count: int) -> list[int]:
    """How many turns real games of two players have."""
    match = Match(("greedy", "greedy"), count, "a day")
    return [play_game(match, lambda: 0.0, number).turns for number in range(count)]


def simulate(players: int, turns: list[int], rng: Random) -> tuple[Counter[int], Counter[int]]:
    """Events and open streams of each minute; one simulated game stands for a hundred."""
    events: Counter[int] = Counter()
    streams: Counter[int] = Counter()
    stands_for = 100
    games = players * GAMES_PER_PLAYER // SEATS // stands_for
    for hour in rng.choices(range(24), HOURS, k=games):
        people = 1 if rng.random() < BOT_SHARE else SEATS
        begin = hour * 3600 + rng.random() * 3600
        now = begin
        for event in range(SETUP_EVENTS + rng.choice(turns)):
            events[int(now // 60) % MINUTES] += stands_for
            if event >= SETUP_EVENTS:
                now += rng.expovariate(1 / TURN_SECONDS)
        for minute in range(int(begin // 60), int(now // 60) + 1):
            streams[minute % MINUTES] += people * stands_for
    return events, streams


def main() -> None:
    """Compute the day and print its busiest minute."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--players", type=int, default=1_000_000)
    parser.add_argument("--failover-hour", type=int, default=20)
    options = parser.parse_args()
    turns = turns_of_games(2000)
    events, streams = simulate(options.players, turns, Random(1))
    people = SEATS - BOT_SHARE
    minute, busiest = max(events.items(), key=lambda each: each[1])
    writes = busiest / 60
    reads = writes * people * READS_PER_PERSON
    cores = (writes * PLAY_MS + reads * READ_MS) / 1000
    failing = events[options.failover_hour * 60] / 60
    repeated = failing * (1 + people * READS_PER_PERSON) * REFUSED_SHARE * FAILOVER_SECONDS
    games = options.players * GAMES_PER_PLAYER / SEATS
    print(
        f"games {games:,.0f}, turns {mean(turns):.1f} (95 of 100 below "
        f"{sorted(turns)[len(turns) * 95 // 100]}), events {sum(events.values()):,}"
    )
    print(
        f"busiest minute {minute // 60:02}:{minute % 60:02} UTC: "
        f"{writes:,.0f} writes/s, {reads:,.0f} reads/s, {cores:.1f} busy cores"
    )
    most = max(streams.values())
    print(
        f"most streams open {most:,}: {most / STREAMS_PER_WORKER:.0f} workers at "
        f"{STREAMS_PER_WORKER:,} each"
    )
    print(f"average over the day {sum(events.values()) / 86400:,.0f} writes/s")
    print(
        f"a failover of {FAILOVER_SECONDS} s at {options.failover_hour}:00: "
        f"{repeated:,.0f} requests repeated"
    )
    print(f"stored for seven days: {games * 7 * GAME_BYTES / 1e9:,.0f} GB")


if __name__ == "__main__":
    main()
