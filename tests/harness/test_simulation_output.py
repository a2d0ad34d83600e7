"""What `qwirkle simulate --out` writes."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from service.rules.record.verify import verify
from tests.servers import COMMAND

BOTS = ("random", "greedy", "greedy")
ARGUMENTS = ("simulate", "--bots", ",".join(BOTS), "--games", "7", "--seed", "out")


def simulated(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), *ARGUMENTS, *arguments], capture_output=True, text=True, check=False
    )


def test_a_parquet_file_has_the_results_and_the_records_of_all_games(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
    table, lines = tmp_path / "games.parquet", tmp_path / "games.jsonl"
    for path in (table, lines):
        done = simulated("--out", str(path))
        assert (done.returncode, done.stderr) == (0, "")
    rows = parquet.read_table(table).to_pylist()
    assert [row["number"] for row in rows] == list(range(7))
    assert [row["record"] for row in rows] == lines.read_text().splitlines()
    for row in rows:
        record = json.loads(row["record"])
        assert verify(record).ok
        assert [record["scores"][seat] for seat in row["seats"]] == row["scores"]
        assert [row["seats"][player] for player in row["winners"]] == sorted(
            record["winners"], key=row["seats"].index
        )
        assert row["end"] == record["end"]
        assert tuple(row["bots"]) == BOTS


def test_more_games_than_fit_a_piece_are_all_written(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="the extra [parquet] is not installed")
    path = tmp_path / "games.parquet"
    simulated("--games", "1003", "--bots", "greedy,greedy", "--out", str(path), "--jobs", "2")
    file = parquet.ParquetFile(path)
    assert file.metadata.num_rows == 1003
    assert file.metadata.num_row_groups == 2


def test_without_pyarrow_the_command_says_what_is_missing(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['pyarrow'] = None; from service.cli import main; sys.exit(main())"
    )
    path = tmp_path / "games.parquet"
    ran = subprocess.run(
        [sys.executable, "-c", program, *ARGUMENTS, "--out", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 2
    assert ran.stderr == "qwirkle: games.parquet needs pyarrow: pip install '.[parquet]'\n"
    assert not path.exists()


@pytest.mark.parametrize("name", ["games.jsonl", "games.parquet"])
def test_a_file_that_cannot_be_written_is_told(tmp_path: Path, name: str) -> None:
    done = simulated("--out", str(tmp_path / "nowhere" / name))
    assert done.returncode == 2
    assert done.stderr.startswith("qwirkle: cannot write ")


def test_progress_is_shown_in_a_terminal() -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(COMMAND), *ARGUMENTS], stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        shown = b""
        while b"7/7" not in shown:
            shown += os.read(ours, 4096)
        assert process.wait(60) == 0
    os.close(ours)
    assert b"1/7" in shown


def test_the_rules_check_some_games_of_the_core() -> None:
    done = simulated()
    assert "the bots ran in" in done.stdout
    assert ("checked by the rules" in done.stdout) == ("ran in C" in done.stdout)
