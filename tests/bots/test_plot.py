"""The picture that a simulation draws."""

import struct
import subprocess
from pathlib import Path

from tests.servers import COMMAND, environment_for


def test_a_simulation_draws_its_report(tmp_path: Path) -> None:
    picture = tmp_path / "report.png"
    command = [str(COMMAND), "simulate", "--games", "12", "--bots", "greedy,random", "--seed", "1"]
    done = subprocess.run(
        [*command, "--jobs", "1", "--plot", str(picture)],
        capture_output=True,
        text=True,
        timeout=100,
        env=environment_for(MPLCONFIGDIR=str(tmp_path)),
        check=False,
    )

    assert done.returncode == 0, done.stderr
    drawn = picture.read_bytes()
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", drawn[16:24])
    assert width >= 600
    assert height >= 300
