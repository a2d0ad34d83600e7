"""A program that paints the SVG picture on its standard input as PNG on its standard output.

Its only argument is the folder that holds the renderer. See `service.images.png`.
"""

import os
import sys

_POLITENESS = 5


def main() -> None:
    """Paint one picture, after everybody else who needs the processor."""
    sys.path.append(sys.argv[1])
    os.nice(_POLITENESS)
    import resvg_py  # noqa: PLC0415  # only now can it be found

    svg = sys.stdin.buffer.read().decode()
    # No picture has text, and looking for fonts would take longer than all the rest.
    png = resvg_py.svg_to_bytes(svg_string=svg, skip_system_fonts=True)
    sys.stdout.buffer.write(png)


if __name__ == "__main__":
    main()
