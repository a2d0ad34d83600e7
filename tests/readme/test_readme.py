"""The README is run word for word, and its table of settings is compared with the settings."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.servers import QwirkleServer
from tests.serving.test_config import settings_read

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found, f"the README has no block of {kind}"
    return found[1]


def test_the_game_of_the_readme_prints_what_it_says(qwirkle_server: QwirkleServer) -> None:
    played = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", block("sh")],
        env=os.environ | {"BASE": qwirkle_server.base_url},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert played.returncode == 0, played.stderr
    assert played.stdout == block("text")


def test_every_setting_is_in_the_readme_and_no_other() -> None:
    told = re.findall(r"`(QWIRKLE_[A-Z_]+)`", README.split("## Settings")[1])

    assert len(told) > 15
    assert sorted(set(told)) == sorted(settings_read())


@pytest.mark.parametrize(
    "page", sorted(set(re.findall(r"\]\(((?:docs/|[A-Z]+\.md)[^)#]*)\)", README)))
)
def test_every_page_that_the_readme_names_exists(page: str) -> None:
    assert (ROOT / page).exists()
