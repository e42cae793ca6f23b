"""A worker process, in which queries that bring a process down cost one pair.

It is run as a file, by itself: nothing else of the package, no site packages and no code of the current folder is
imported, so that it starts within milliseconds and runs nothing but the compiled part.
"""

from __future__ import annotations

import os
import sys


def command() -> tuple[str, list[str]] | None:
    """The program and arguments that start a worker, all but the last, which is its address space in bytes.

    None where this Python is no program that runs files.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return None
    return sys.executable, ["-I", "-S", os.path.abspath(__file__)]


def _main() -> None:
    import importlib.machinery
    import importlib.util
    import signal

    # What the terminal sends is for the process that asks: this one ends when its input does.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.machinery.PathFinder.find_spec("_twinql", [folder])
    if spec is None or spec.loader is None:
        sys.exit(f"{folder}: the compiled part of twinql is not there")
    compiled = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(compiled)
    compiled.serve(int(sys.argv[1]))


if __name__ == "__main__":
    _main()
