"""What `pip install` of the built wheel gives is enough to serve, from any folder."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

from tests.servers import QwirkleServer

ROOT = Path(__file__).parents[2]


def pip(python: str | Path, *arguments: str | Path) -> None:
    subprocess.run(
        [python, "-m", "pip", "--disable-pip-version-check", "--quiet", *arguments],
        cwd=ROOT,
        check=True,
    )


def test_the_wheel_alone_is_enough_to_serve_from_any_folder(tmp_path: Path) -> None:
    pip(sys.executable, "wheel", "--no-deps", "--no-build-isolation", "-w", tmp_path, ".")
    [wheel] = tmp_path.glob("*.whl")
    carried = set(zipfile.ZipFile(wheel).namelist())
    written = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "service").rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    assert carried >= written | {"service/openapi.yaml"}

    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip(python, "install", "--require-hashes", "-r", "requirements.lock")
    pip(python, "install", "--no-deps", wheel)
    pip(python, "check")

    elsewhere = tmp_path / "elsewhere"
    # A folder with modules of the same names must not get in the way.
    for name in ("service", "redis", "flask"):
        (elsewhere / name).mkdir(parents=True)
        (elsewhere / name / "__init__.py").write_text("raise RuntimeError")
    command = tmp_path / "venv" / "bin" / "qwirkle"
    with QwirkleServer(command=command, cwd=elsewhere) as server:
        assert server.get("/livez")[0] == 200
        assert server.stop() == 0
        assert server.errors == ""
