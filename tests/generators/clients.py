"""How each generator is run, and how its client is compiled and made to play a game."""

import os
import shutil
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path

from tests.generators.dangling import dangling_types
from tests.generators.workspace import CONTRACT, HERE, ROOT, Failed, Workspace

GO_LIBRARIES = "/usr/share/gocode"
JAVA_LIBRARIES = Path("/usr/share/java")


@dataclass
class Client(ABC):
    """One generator; `options` are what users of it need to give as well."""

    name: str
    space: Workspace
    options: tuple[str, ...] = ()
    checked_by = ""

    def __post_init__(self) -> None:
        self.folder = self.space.client(self.name)

    @abstractmethod
    def generate(self) -> str:
        """Make the client, and return what the generator wrote."""

    @abstractmethod
    def compile(self) -> None:
        """Compile the client and the program that plays with it."""

    @abstractmethod
    def play(self, base_url: str) -> str | None:
        """Play a whole game and return what the program wrote; None if it cannot be run."""


class OpenApiGenerator(Client):
    """A client of openapi-generator that no compiler here can compile."""

    checked_by = "not compiled; no type dangles"

    def generate(self) -> str:
        return self.space.run(
            str(self.space.openapi_generator),
            *("generate", "-i", str(CONTRACT), "-g", self.name, "-o", str(self.folder)),
            *(f"--additional-properties={option}" for option in self.options),
        )

    def compile(self) -> None:
        found = dangling_types(self.name, self.folder)
        if found:
            raise Failed(f"types that nothing declares: {found}")

    def play(self, base_url: str) -> str | None:
        return None


class Go(OpenApiGenerator):
    checked_by = "`go vet`"

    def compile(self) -> None:
        source = self.folder / "gopath" / "src"
        shutil.copytree(self.folder, source / "example.com" / "qwirkle", ignore=_only_go_files)
        shutil.copytree(HERE / "go", source / "play")
        for command in (("vet", "./..."), ("build", "-o", str(self.folder / "play"), "./play")):
            self.space.run("go", *command, cwd=source, GO111MODULE="off", GOPATH=self._path())

    def _path(self) -> str:
        return f"{self.folder / 'gopath'}{os.pathsep}{GO_LIBRARIES}"

    def play(self, base_url: str) -> str | None:
        return self.space.run(str(self.folder / "play"), base_url)


def _only_go_files(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not name.endswith(".go")]


class Java(OpenApiGenerator):
    checked_by = "`javac`"

    def compile(self) -> None:
        sources = map(str, (self.folder / "src" / "main").rglob("*.java"))
        self.space.run(
            *("javac", "-nowarn", "-cp", self._classpath(), "-d", str(self.folder / "classes")),
            *(*sources, str(HERE / "java" / "Play.java")),
        )

    def _classpath(self) -> str:
        # The generator is written in Java itself, and brings Jackson along.
        libraries = (
            self.space.openapi_generator_jar,
            JAVA_LIBRARIES / "jakarta-annotation-api.jar",
            self.folder / "classes",
        )
        return os.pathsep.join(map(str, libraries))

    def play(self, base_url: str) -> str | None:
        return self.space.run("java", "-cp", self._classpath(), "Play", base_url)


class Kotlin(OpenApiGenerator):
    checked_by = "`kotlinc`"

    def compile(self) -> None:
        self.space.run(
            *("bash", str(self._compiler / "bin" / "kotlinc"), "-nowarn", "-cp", self._classpath()),
            *("-d", str(self.folder / "play.jar"), str(self.folder / "src" / "main")),
            str(HERE / "kotlin" / "Play.kt"),
        )

    @property
    def _compiler(self) -> Path:
        return self.space.folder / "node_modules" / "kotlin-compiler"

    def _classpath(self) -> str:
        plugin = self.space.folder / "node_modules/allure-commandline/dist/plugins/jira-plugin/lib"
        libraries = (
            JAVA_LIBRARIES / "gson.jar",
            *plugin.glob("okhttp-jvm-*.jar"),
            *plugin.glob("okio-jvm-*.jar"),
            self._compiler / "lib" / "kotlin-stdlib.jar",
            self._compiler / "lib" / "kotlin-reflect.jar",
            self.folder / "play.jar",
        )
        return os.pathsep.join(map(str, libraries))

    def play(self, base_url: str) -> str | None:
        return self.space.run("java", "-cp", self._classpath(), "PlayKt", base_url)


class Python(OpenApiGenerator):
    checked_by = "mypy"
    program = HERE / "python" / "openapi_generator.py"

    def compile(self) -> None:
        self.space.run(
            *(str(self.space.python), "-m", "mypy", "openapi_client", str(self.program)),
            cwd=self.folder,
        )

    def play(self, base_url: str) -> str | None:
        return self.space.run(
            str(self.space.python), str(self.program), base_url, PYTHONPATH=str(self.folder)
        )


class OpenApiPythonClient(Client):
    checked_by = "mypy"

    def generate(self) -> str:
        tools = Path(sys.executable).parent
        return self.space.run(
            *(str(tools / "openapi-python-client"), "generate", f"--path={CONTRACT}"),
            *(f"--output-path={self.folder / 'generated_client'}", "--meta=none"),
            "--fail-on-warning",
            f"--config={HERE / 'python' / 'openapi_python_client.yaml'}",
            PATH=f"{tools}{os.pathsep}{os.environ['PATH']}",
        )

    def compile(self) -> None:
        settings = str(HERE / "python" / "openapi_python_client.ini")
        self.space.run(
            *(sys.executable, "-m", "mypy", f"--config-file={settings}", "generated_client"),
            cwd=self.folder,
        )

    def play(self, base_url: str) -> str | None:
        program = str(HERE / "python" / "openapi_python_client.py")
        path = os.pathsep.join(map(str, (self.folder, ROOT)))
        return self.space.run(sys.executable, program, base_url, PYTHONPATH=path)


class TypeScript(Client):
    """A generator from npm, for TypeScript."""

    checked_by = "`tsc --strict`"

    def generate(self) -> str:
        made = self.folder / "generated"
        made.mkdir()
        command, *arguments = (
            option.format(contract=CONTRACT, folder=made) for option in self.options
        )
        return self.space.run(self.space.npm(command), *arguments)

    def compile(self) -> None:
        self.add_program()
        self.space.run(self.space.npm("tsc"), "-p", str(self.folder))

    def add_program(self) -> None:
        """Put the program that plays beside the client."""
        for file in ("game.ts", f"{self._program}.ts", "tsconfig.json"):
            shutil.copy(HERE / "typescript" / file, self.folder)

    @property
    def _program(self) -> str:
        return self.name.replace("-", "_")

    def play(self, base_url: str) -> str | None:
        program = str(self.folder / f"{self._program}.ts")
        return self.space.run(self.space.npm("tsx"), program, base_url)


class OpenApiGeneratorTypeScript(TypeScript):
    def generate(self) -> str:
        return self.space.run(
            *(str(self.space.openapi_generator), "generate", "-i", str(CONTRACT)),
            *("-g", self.name, "-o", str(self.folder / "generated")),
        )
