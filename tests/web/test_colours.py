"""The six colours are easy to distinguish, with and without colour blindness."""

import json
from collections.abc import Sequence
from importlib.resources import files
from itertools import combinations
from math import dist

import pytest

THEME = json.loads((files("service") / "web" / "table" / "tiles.json").read_bytes())

# Simulations of colour blindness in linear RGB: the matrices of Machado, Oliveira and Fernandes
# (2009) for the complete absence of one type of cone.
VISION = {
    "full": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# In Oklab the smallest visible difference is about 0.02; five times that is easy to see.
CLEAR_DIFFERENCE = 0.1
# WCAG's minimum contrast between a graphic and its background.
MIN_CONTRAST = 3


def to_linear(colour: str) -> list[float]:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def multiply(matrix: Sequence[Sequence[float]], light: Sequence[float]) -> list[float]:
    return [sum(a * b for a, b in zip(row, light, strict=True)) for row in matrix]


def to_oklab(light: Sequence[float]) -> list[float]:
    """The colour in Oklab, where distance is perceived difference."""
    cones = multiply(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ],
        [min(1.0, max(0.0, part)) for part in light],
    )
    return multiply(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ],
        [cone ** (1 / 3) for cone in cones],
    )


@pytest.mark.parametrize("kind", VISION)
def test_any_two_colours_differ_clearly(kind: str) -> None:
    seen = {
        name: to_oklab(multiply(VISION[kind], to_linear(colour)))
        for name, colour in THEME["colours"].items()
    }
    assert len(seen) == 6
    alike = {
        (one, other): round(dist(seen[one], seen[other]), 3)
        for one, other in combinations(seen, 2)
        if dist(seen[one], seen[other]) < CLEAR_DIFFERENCE
    }
    assert alike == {}


@pytest.mark.parametrize("name", THEME["colours"])
def test_every_colour_stands_out_from_its_tile(name: str) -> None:
    weights = [[0.2126, 0.7152, 0.0722]]
    (bright,) = multiply(weights, to_linear(THEME["colours"][name]))
    (dark,) = multiply(weights, to_linear(THEME["face"]))
    assert (bright + 0.05) / (dark + 0.05) >= MIN_CONTRAST
