"""The program: `twinql`, or `python -m twinql`."""

from __future__ import annotations

import sys

from . import _twinql, _worker


def main() -> None:
    """Runs the program with the arguments of this process."""
    worker = _worker.command()
    if worker is None:
        sys.exit("twinql: this Python does not know its own program, by which twinql starts its workers")
    sys.exit(_twinql.main(sys.argv[1:], *worker))


if __name__ == "__main__":
    main()
