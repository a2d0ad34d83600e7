"""Ratings from games of two, by the model of Bradley and Terry, on the scale of Elo.

A bot that is 200 points ahead wins 76% of the games, one that is 400 points ahead 91%.
"""

from collections.abc import Mapping, Sequence
from math import exp, log, sqrt

from service.bots.standings import Estimate

MEAN = 1500
_Z95 = 1.96
_ELO = 400 / log(10)
_STEPS = 200

# Each pair begins with a drawn game, so that a bot that never wins has a rating too.
_DRAWN = 0.5

_Matrix = list[list[float]]


def ratings(bots: Sequence[str], wins: Mapping[tuple[str, str], float]) -> list[Estimate]:
    """The rating of each bot, with its 95% interval; they are 1500 on average.

    ``wins[one, other]`` is how many games ``one`` has won against ``other``, half of a tie.
    """
    won = [[_won(wins, one, other) for other in bots] for one in bots]
    strengths = [0.0] * len(bots)
    # Newton's method: the likelihood has a single maximum.
    for _ in range(_STEPS):
        gaps = _gaps(won, strengths)
        if max(map(abs, gaps)) < 1e-9:
            break
        inverse = _inverse(_information(won, strengths))
        steps = [sum(map(float.__mul__, row, gaps)) for row in inverse]
        longest = max(1.0, *map(abs, steps))
        strengths = [at + step / longest for at, step in zip(strengths, steps, strict=True)]
    spread = _inverse(_information(won, strengths))
    mean = sum(strengths) / len(strengths)
    return [
        _estimate(strength - mean, spread[at][at] - 1 / len(bots) ** 2)
        for at, strength in enumerate(strengths)
    ]


def _won(wins: Mapping[tuple[str, str], float], one: str, other: str) -> float:
    return 0.0 if one == other else wins[one, other] + _DRAWN


def _estimate(strength: float, variance: float) -> Estimate:
    middle = MEAN + _ELO * strength
    half = _ELO * _Z95 * sqrt(max(0.0, variance))
    return Estimate(middle, middle - half, middle + half)


def _chance(strengths: Sequence[float], one: int, other: int) -> float:
    return 1 / (1 + exp(strengths[other] - strengths[one]))


def _gaps(won: _Matrix, strengths: Sequence[float]) -> list[float]:
    """How many more games each has won than its strength explains."""
    every = range(len(won))
    return [
        sum(
            won[one][other] - (won[one][other] + won[other][one]) * _chance(strengths, one, other)
            for other in every
        )
        for one in every
    ]


def _information(won: _Matrix, strengths: Sequence[float]) -> _Matrix:
    """What the games tell about the differences, and a one everywhere: the sum is fixed."""
    every = range(len(won))
    matrix = [[1.0] * len(won) for _ in won]
    for one in every:
        for other in every:
            chance = _chance(strengths, one, other)
            told = (won[one][other] + won[other][one]) * chance * (1 - chance)
            matrix[one][one] += told
            matrix[one][other] -= told
    return matrix


def _inverse(matrix: _Matrix) -> _Matrix:
    """By elimination. The matrix is symmetric and positive, so no row has to be exchanged."""
    size = len(matrix)
    rows = [row + [float(at == column) for column in range(size)] for at, row in enumerate(matrix)]
    for at, row in enumerate(rows):
        pivot = row[at]
        row[:] = [value / pivot for value in row]
        for other in rows:
            if other is not row:
                factor = other[at]
                other[:] = [value - factor * own for value, own in zip(other, row, strict=True)]
    return [row[size:] for row in rows]
