"""Programs that play in `qwirkle simulate`: good ones, and every way to be a bad one."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from tests.servers import COMMAND

PAGE = Path(__file__).parents[2] / "docs/engine.md"


@pytest.fixture
def thrifty() -> str:
    """The program of the documentation."""
    *_, text = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(text.splitlines()) <= 20
    return text


def written(folder: Path, text: str) -> str:
    """The command that runs a program with this text."""
    path = folder / "mybot.py"
    path.write_text(text)
    return f"cmd:{sys.executable} {path}"


def simulated(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(COMMAND), "simulate", *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_program_of_the_documentation_plays(tmp_path: Path, thrifty: str) -> None:
    out = tmp_path / "games.jsonl"
    bot = written(tmp_path, thrifty)
    done = simulated("--bots", f"{bot},greedy,random", "--games", "6", "--out", str(out))
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{bot} " in done.stdout
    assert " lost " not in done.stdout
    checked = subprocess.run([str(COMMAND), "verify", str(out)], capture_output=True, check=False)
    assert checked.returncode == 0
    assert checked.stdout.count(b"right.") == 6


def test_games_with_a_program_are_the_same_with_any_number_of_jobs(
    tmp_path: Path, thrifty: str
) -> None:
    records = []
    for jobs in ("1", "3"):
        out = tmp_path / f"{jobs}.jsonl"
        bots = f"{written(tmp_path, thrifty)},greedy"
        simulated("--bots", bots, "--games", "6", "--jobs", jobs, "--out", str(out))
        records.append(out.read_text())
    assert records[0] == records[1]
    assert records[0].count("\n") == 6


ASKED = "import json, sys, time, os\nasked = sys.stdin.readline()\n"

BAD = {
    "exits at once": ("", "2 games by crash"),
    "exits with a code": ("raise SystemExit(7)", "2 games by crash"),
    "crashes when asked": (ASKED + "raise RuntimeError('no idea')", "2 games by crash"),
    "kills itself": (ASKED + "os.kill(os.getpid(), 9)", "2 games by crash"),
    "never reads": ("import time; time.sleep(600)", "2 games by timeout"),
    "never answers": (ASKED + "time.sleep(600)", "2 games by timeout"),
    "closes its output": (ASKED + "os.close(1); time.sleep(600)", "2 games by crash"),
    "never ends a line": (
        ASKED + "while True:\n    os.write(1, b'x' * 1000)",
        "2 games by illegal action",
    ),
    "floods with lines": (
        "import os\nwhile True:\n    os.write(1, b'{}\\n' * 1000)",
        "2 games by illegal action",
    ),
    "answers slowly, byte by byte": (
        ASKED + "while True:\n    os.write(1, b' ')\n    time.sleep(0.05)",
        "2 games by timeout",
    ),
    "is no JSON": (ASKED + "print('red circle', flush=True); time.sleep(9)", "illegal action"),
    "binary": (ASKED + "os.write(1, bytes(range(256))); time.sleep(9)", "illegal action"),
    "has another id": (
        ASKED + 'print(\'{"id": -1, "action": {}}\', flush=True); time.sleep(9)',
        "illegal action",
    ),
    "is no action": (
        ASKED + "print(json.dumps({'id': json.loads(asked)['id'], 'action': 3}), flush=True)",
        "illegal action",
    ),
    "breaks the rules": (
        ASKED
        + "action = {'command': 'pass'}\n"
        + "print(json.dumps({'id': json.loads(asked)['id'], 'action': action}), flush=True)\n"
        + "time.sleep(9)",
        "2 games by illegal action",
    ),
}


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_program_loses_and_nothing_else_happens(tmp_path: Path, kind: str) -> None:
    text, expected = BAD[kind]
    bot = written(tmp_path, text)
    # Time enough to start on a busy machine, where the program is not to run out of it.
    seconds = "1" if "timeout" in expected else "20"
    done = simulated("--bots", f"{bot},greedy", "--games", "2", "--move-seconds", seconds)
    assert done.returncode == 0
    assert re.search(rf"{re.escape(bot)} lost .*{expected}", done.stdout), done.stdout
    assert done.stdout.splitlines()[1].split()[2] == "0.0%"
    assert done.stderr.count(f"{bot} lost game") == 2


def test_what_a_program_writes_as_errors_is_shown_to_a_limit(tmp_path: Path) -> None:
    text = "import sys\nfor n in range(5000): print('oops', n, file=sys.stderr)\nsys.exit(3)"
    done = simulated("--bots", f"{written(tmp_path, text)},greedy", "--games", "1")
    assert ": oops 0\n" in done.stderr
    assert ": oops 99\n" in done.stderr
    assert ": oops 100\n" not in done.stderr
    assert "exit code 3" in done.stderr


def test_a_program_may_finish_its_work_after_the_last_game(tmp_path: Path, thrifty: str) -> None:
    path = tmp_path / "learned"
    goodbye = f"import pathlib\npathlib.Path(r'{path}').write_text('all games')\n"
    done = simulated("--bots", f"{written(tmp_path, thrifty + goodbye)},greedy", "--games", "2")
    assert (done.returncode, done.stderr) == (0, "")
    assert path.read_text() == "all games"


def gone(pid: int) -> bool:
    """Whether the process ends within some seconds."""
    for _ in range(100):
        if not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
            return True
        time.sleep(0.1)
    return False


CHILDREN = """
import pathlib, subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
pathlib.Path(r"{path}").write_text(str(child.pid))
time.sleep(600)
"""


def test_the_children_of_a_program_end_with_it(tmp_path: Path) -> None:
    path = tmp_path / "pid"
    bot = written(tmp_path, CHILDREN.format(path=path))
    simulated("--bots", f"{bot},greedy", "--games", "1", "--move-seconds", "3")
    assert gone(int(path.read_text()))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_programs_end_when_the_simulation_is_stopped(
    tmp_path: Path, number: signal.Signals
) -> None:
    path = tmp_path / "pid"
    bot = written(tmp_path, CHILDREN.format(path=path))
    arguments = ["simulate", "--bots", f"{bot},greedy", "--games", "9", "--move-seconds", "600"]
    with subprocess.Popen(
        [str(COMMAND), *arguments],
        stderr=subprocess.DEVNULL,
        # Tests in the background of a shell inherit that this signal is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509  # it sets a signal only
    ) as process:
        while not path.exists() or not path.read_text():
            time.sleep(0.05)
        process.send_signal(number)
        assert process.wait(30) != 0
    assert gone(int(path.read_text()))


@pytest.mark.parametrize(
    "bots", ["cmd:,greedy", "cmd:'x,greedy", "cmd:/no/such/program,greedy", "cmd:yes"]
)
def test_programs_that_cannot_be_run_are_refused_at_once(bots: str) -> None:
    assert simulated("--bots", bots).returncode == 2


@pytest.mark.parametrize("seconds", ["0", "-1", "nan", "inf", "soon"])
def test_a_time_limit_is_a_number_of_seconds(seconds: str) -> None:
    assert simulated("--move-seconds", seconds).returncode == 2
