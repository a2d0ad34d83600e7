"""The example of the documentation does what it says."""

import re
from pathlib import Path
from typing import Any

from tests.worker.conftest import Hire
from tests.worker.local_games import House
from tests.worker.webhook_receiver import Receiver

PAGE = Path(__file__).parents[2] / "docs" / "webhooks.md"


def test_the_lines_of_the_documentation_verify_a_message(
    house: House, hire: Hire, receiver: Receiver
) -> None:
    found = re.search(r"```python\n(.+?)```", PAGE.read_text(), re.DOTALL)
    assert found
    example: dict[str, Any] = {}
    exec(found[1], example)
    is_genuine = example["is_genuine"]
    id_ = house.dealt(webhook_url=receiver.url)
    hire().run_due()
    came = receiver.next()
    secret = house.games.keyring.webhook_secret(id_)

    assert is_genuine(secret, came.headers, came.body)
    assert not is_genuine(secret, came.headers, came.body + b" ")
    assert not is_genuine(house.games.keyring.webhook_secret("a" * 26), came.headers, came.body)
    old = came.headers | {"webhook-timestamp": "1700000000"}
    assert not is_genuine(secret, old, came.body)
