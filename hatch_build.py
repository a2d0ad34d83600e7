"""Builds the compiled core along with the package, if this machine has a C compiler.

Without one, or if it fails, the package is complete all the same: the rules and the bots in Python
do the same work.
"""

import shlex
import shutil
import subprocess
import sysconfig
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FOLDER = Path("service/core")
MODULE = FOLDER / "_native.abi3.so"
FLAGS = ("-std=c11", "-O3", "-fPIC", "-fno-math-errno", "-fvisibility=hidden", "-Wall", "-Wextra")


class CoreBuildHook(BuildHookInterface[Any]):
    """Compiles the core into the wheel, or next to its sources for an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add the compiled module, and the tag of the platform, to what is built."""
        root = Path(self.root)
        built = Path(mkdtemp()) / MODULE.name
        try:
            subprocess.run(  # noqa: S603  # the compiler that Python itself was built with
                command(root / FOLDER, built), check=True, capture_output=True, text=True
            )
        except (OSError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", None) or error
            self.app.display_info(f"The compiled core is left out: {reason}")
            (root / MODULE).unlink(missing_ok=True)
            return
        if version == "editable":
            # Under another name first: a running service may be reading the old one.
            waiting = root / MODULE.with_suffix(".new")
            shutil.copy(built, waiting)
            waiting.replace(root / MODULE)
            return
        build_data["force_include"][str(built)] = str(MODULE)
        build_data["pure_python"] = False
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"cp311-abi3-{platform}"


def command(sources: Path, built: Path, *flags: str) -> list[str]:
    """What compiles the core for every Python from 3.11 on."""
    link = shlex.split(sysconfig.get_config_var("LDSHARED") or "cc -shared")
    if shutil.which(link[0]) is None:
        link[0] = "cc"
    files = sorted(map(str, sources.glob("*.c")))
    return [*link, *FLAGS, *flags, f"-I{sysconfig.get_path('include')}", *files, "-o", str(built)]
