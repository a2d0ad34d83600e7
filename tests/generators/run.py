"""Makes a client with every generator, plays with it, and writes the table of docs/clients.md.

Run it with `make clients`. It fails if any of them fails.
"""

import json
import re
import sys
import time
import urllib.request
from collections.abc import Iterator
from importlib.metadata import version

from tests.generators import clients
from tests.generators.clients import Client
from tests.generators.workspace import HERE, ROOT, Failed, Workspace
from tests.servers import QwirkleServer

PAGE = ROOT / "docs" / "clients.md"
TABLE = re.compile(r"(?s)(?<=<!-- written by make clients -->\n).*(?=<!-- end -->)")
HEAD = "| generator | version | warnings | compiles | plays a whole game |\n|---|---|---|---|---|\n"
NOT_OURS = (
    "OpenAPI 3.1 support is still in beta",
    "Failed to get the schema name: null",  # comes and goes with the same contract
    "cannot be used as",  # names that are keywords in Swift and Rust
    "Ignoring complex example on request body",
)
"""What openapi-generator warns of whatever the contract says."""


def all_clients(space: Workspace) -> Iterator[Client]:
    yield clients.Kotlin("kotlin", space, ("serializationLibrary=gson",))
    yield clients.Java("java", space, ("library=native,openApiNullable=false,useJakartaEe=true",))
    yield clients.Go("go", space, ("packageName=qwirkle",))
    yield clients.Python("python", space)
    for name in ("typescript-fetch", "typescript-axios"):
        yield clients.OpenApiGeneratorTypeScript(name, space)
    for name in ("csharp", "dart", "rust", "swift6"):
        yield clients.OpenApiGenerator(name, space)
    yield from npm_clients(space)
    yield clients.OpenApiPythonClient("openapi-python-client", space)


def npm_clients(space: Workspace) -> Iterator[clients.TypeScript]:
    """Those that need nothing but npm."""
    yield clients.TypeScript(
        "openapi-fetch",
        space,
        (
            "openapi-typescript",
            "{contract}",
            "--default-non-nullable=false",
            "-o={folder}/api.d.ts",
        ),
    )
    yield clients.TypeScript("hey-api", space, ("openapi-ts", "-i", "{contract}", "-o", "{folder}"))
    yield clients.TypeScript(
        "orval",
        space,
        ("orval", "--input", "{contract}", "--output", "{folder}/api.ts", "--client", "fetch"),
    )
    yield clients.TypeScript("oazapfts", space, ("oazapfts", "{contract}", "{folder}/api.ts"))


NPM_NAMES = {"hey-api": "@hey-api/openapi-ts", "openapi-fetch": "openapi-typescript"}


def title(client: Client) -> str:
    """The generator's name and version, as two cells of the table."""
    if isinstance(client, clients.OpenApiPythonClient):
        return f"{client.name} | {version(client.name)}"
    if isinstance(client, clients.OpenApiGenerator | clients.OpenApiGeneratorTypeScript):
        return f"openapi-generator {client.name} | {pinned_generator()}"
    name = NPM_NAMES.get(client.name, client.name)
    number = json.loads((HERE / "package.json").read_text())["dependencies"][name]
    with_fetch = " with openapi-fetch" if client.name == "openapi-fetch" else ""
    return f"{name}{with_fetch} | {number}"


def pinned_generator() -> str:
    (number,) = re.findall(r"openapi-generator-cli==(\S+)", (HERE / "requirements.txt").read_text())
    return str(number)


def warnings(said: str) -> str:
    """What the table says of the warnings; fails if one of them may be ours."""
    lines = [line for line in said.splitlines() if re.search(r"\bwarn", line, re.IGNORECASE)]
    ours = [line for line in lines if not any(known in line for known in NOT_OURS)]
    if ours:
        raise Failed("\n".join(ours))
    return "none of ours" if lines else "none"


def has_finished(base_url: str, said: str) -> bool:
    game_id = said.rsplit(maxsplit=1)[-1]
    with urllib.request.urlopen(f"{base_url}/v1/games/{game_id}", timeout=30) as answer:
        return bool(json.load(answer)["status"] == "finished")


def row(client: Client, base_url: str) -> str:
    noise = warnings(client.generate())
    client.compile()
    said = client.play(base_url)
    if said is not None and not has_finished(base_url, said):
        raise Failed(f"its game has not finished: {said}")
    played = "yes" if said is not None else "not run"
    return f"| {title(client)} | {noise} | {client.checked_by} | {played} |\n"


def main() -> int:
    space = Workspace(ROOT / "build" / "clients")
    space.prepare()
    server = QwirkleServer(workers=2).start()
    rows, failed = [], 0
    try:
        for client in all_clients(space):
            begun = time.monotonic()
            try:
                rows.append(row(client, server.base_url))
                print(rows[-1].strip(), f"{time.monotonic() - begun:.0f} s", flush=True)
            except Failed as why:
                failed += 1
                print(f"{client.name} FAILED: {why}", file=sys.stderr, flush=True)
    finally:
        server.stop()
    if not failed:
        PAGE.write_text(TABLE.sub(lambda _: HEAD + "".join(rows), PAGE.read_text()))
    return failed


if __name__ == "__main__":
    sys.exit(main())
