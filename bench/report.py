"""Runs every benchmark and writes docs/benchmarks.md with its figures and plots.

`--quick` makes every part small, to try whether it works; its figures are worth little, so the
page then goes to the folder given with `--into`.
"""

import sys

# Run as a file, this folder would come first and hide the standard library's `http`.
sys.path[0] = sys.path[0].removesuffix("/bench")

import argparse
import os
import platform
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from service.store.embedded import valkey_binary

ROOT = Path(__file__).parents[1]
PATIENCE = 240


@dataclass(frozen=True)
class Part:
    """One benchmark: its program, how to run it in earnest and to try it, and its plot."""

    program: str
    title: str
    earnest: tuple[str, ...] = ()
    quick: tuple[str, ...] = ()
    plot: str = ""


PARTS = (
    Part("engine", "The rules alone"),
    Part("http", "Requests", ("--blocks", "100"), ("--blocks", "8")),
    Part("load", "Latency against load", (), ("--seconds", "0.5"), "latency-against-load.png"),
    Part("boards", "Cost against the board", (), ("--blocks", "3"), "cost-against-board.png"),
    Part(
        "stored",
        "Cost against stored games",
        (),
        ("--blocks", "4", "--sizes", "100", "1000"),
        "cost-against-stored-games.png",
    ),
    Part("stalls", "One caller beside others", (), ("--rounds", "1")),
    Part(
        "lobby",
        "Lobby, lists and feed",
        (),
        ("--blocks", "4", "--sizes", "200", "1000", "--pages", "5", "--matches", "4"),
    ),
    Part("memory", "Memory of the store", (), ("--games", "300", "--distinct", "20")),
    Part(
        "streams",
        "Event streams",
        ("--plays", "600", "--rounds", "2"),
        ("--plays", "60", "--rounds", "1", "--streams", "100"),
    ),
    Part("simulate", "Simulation", (), ("--games", "20")),
    Part("rl", "Environments for learning", (), ("--steps", "5000")),
    Part("pipe", "Games over a pipe", (), ("--games", "10")),
    Part("replication", "Waiting for replicas"),
)


def machine() -> str:
    """What it ran on, in a line."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    valkey = subprocess.run(
        [valkey_binary(), "--version"], capture_output=True, text=True, check=True
    ).stdout.split()
    version = next((word for word in valkey if word.startswith("v=")), "v=?")
    return (
        f"{len(models)} cores of {models[0] if models else platform.processor()}, "
        f"{platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"Valkey {version[2:]}"
    )


def section(part: Part, pictures: Path, page: Path, *, quick: bool) -> tuple[list[str], int]:
    """Runs a benchmark; its part of the page, and the code with which it ended."""
    program = ROOT / "bench" / f"{part.program}.py"
    if not program.is_file():
        return [], 0
    plot = ["--plot", str(pictures / part.plot)] if part.plot else []
    load, began = os.getloadavg()[0], time.monotonic()
    ended = subprocess.run(
        [sys.executable, str(program), *(part.quick if quick else part.earnest), *plot],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=ROOT,
    )
    seconds = time.monotonic() - began
    print(f"{part.program}: {seconds:.0f} s, ended with {ended.returncode}", flush=True)
    if ended.returncode:
        print(ended.stdout + ended.stderr)
    doc = (program.read_text().split('"""')[1]).split("\n\n")
    lines = [f"## {part.title}", "", *(text.strip() + "\n" for text in doc)]
    if part.plot:
        where = Path(os.path.relpath(pictures / part.plot, page.parent)).as_posix()
        lines += [f"![{part.title}]({where})", ""]
    lines += ["```text", ended.stdout.rstrip(), "```", ""]
    took = f"`bench/{part.program}.py` took {seconds:.0f} s; the load before it was {load:.1f}."
    lines += [took, ""]
    if ended.returncode:
        lines += ["**It missed a target or could not finish.**", ""]
    return lines, ended.returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small, only to try it")
    parser.add_argument("--into", type=Path, default=ROOT / "docs", help="folder of the page")
    parser.add_argument("--only", nargs="+", help="programs to run")
    options = parser.parse_args()
    page = options.into / "benchmarks.md"
    pictures = options.into / "pictures"
    lines = [
        "# Benchmarks",
        "",
        "`make bench` writes this page. Every figure is compared with a floor, the least that the",
        "same work could cost, measured in the same run, so that machines can be compared. No run",
        "was chosen among several.",
        "",
        f"Machine: {machine()}.",
        "",
    ]
    failed = 0
    for part in PARTS:
        if options.only and part.program not in options.only:
            continue
        more, code = section(part, pictures, page, quick=options.quick)
        lines += more
        failed |= bool(code)
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("\n".join(lines).rstrip() + "\n")
    print(f"written: {page}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
