"""Threads, forks, spawns, signals, pickles."""

from __future__ import annotations

import concurrent.futures
import copy
import json
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, DDL, OTHER, SAME

import twinql

_SCORER: twinql.Scorer | None = None


def _score(scorer: twinql.Scorer, schema: Any) -> list[Any]:
    return [score.to_dict() for score in scorer.score([SAME, OTHER], schema)]


def _score_inherited(schema: twinql.Schema) -> list[Any]:
    assert _SCORER is not None
    return _score(_SCORER, schema)


def test_a_scorer_pickles_and_copies(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    wanted = _score(scorer, schema)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert _score(pickle.loads(pickle.dumps(scorer, protocol)), pickle.loads(pickle.dumps(schema, protocol))) == wanted
    special = twinql.Scorer("base", "no-fk", ["relpm", "gmn"], threads=1, seed=9, abstain=True, workers="threads")
    again = copy.deepcopy(special)
    assert again.signatures == special.signatures and repr(again) == repr(special)
    assert "seed:9" in special.signatures["relpm"]


def test_a_spawned_process_scores(scorer: twinql.Scorer, schema: twinql.Schema) -> None:
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert pool.submit(_score, scorer, schema).result(timeout=60) == _score(scorer, schema)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("metrics", [("gmn",), ("gmn", "suite")])
def test_a_forked_process_scores_with_what_it_inherits(schema: twinql.Schema, metrics: tuple[str, ...]) -> None:
    global _SCORER
    _SCORER = twinql.Scorer(metrics=metrics, threads=2, databases=10)
    wanted = _score(_SCORER, schema)
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        results = [pool.apply_async(_score_inherited, (schema,)) for _ in range(4)]
        assert [result.get(timeout=60) for result in results] == [wanted] * 4
    # What the children left alone still works here: its threads and its worker processes.
    assert _score(_SCORER, schema) == wanted


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_fork_in_the_middle_of_a_batch(scorer: twinql.Scorer, schema: twinql.Schema, bundled: list[Any], schemas: twinql.Schemas) -> None:
    wanted = _score(scorer, schema)
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        batch = threads.submit(scorer.score, bundled * 20, schemas)
        time.sleep(0.02)
        for _ in range(3):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    status = 0 if _score(scorer, schema) == wanted else 2
                finally:
                    os._exit(status)
            deadline = time.monotonic() + 60
            while True:
                ended, status = os.waitpid(child, os.WNOHANG)
                if ended:
                    break
                if time.monotonic() > deadline:
                    os.kill(child, signal.SIGKILL)
                    os.waitpid(child, 0)
                    pytest.fail("the child hangs")
                time.sleep(0.02)
            assert os.waitstatus_to_exitcode(status) == 0
        assert len(batch.result(timeout=120)) == 20 * len(bundled)


def test_threads_share_a_scorer(scorer: twinql.Scorer, bundled: list[Any], schemas: twinql.Schemas) -> None:
    wanted = scorer.score(bundled, schemas)
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        batches = [threads.submit(scorer.score, bundled, schemas) for _ in range(16)]
        assert all(batch.result(timeout=120) == wanted for batch in batches)


def test_the_lock_is_released(scorer: twinql.Scorer, bundled: list[Any], schemas: twinql.Schemas) -> None:
    ticks = 0
    done = threading.Event()

    def tick() -> None:
        nonlocal ticks
        while not done.is_set():
            ticks += 1
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    scorer.score(bundled * 10, schemas)
    took = time.monotonic() - began
    done.set()
    thread.join()
    # With the lock held the whole time there would be next to none.
    assert ticks > took * 20


_ENDLESS = """
import sys, time, twinql
schema = twinql.Schema.from_ddl({ddl!r})
def pairs():
    n = 0
    while True:
        n += 1
        yield ("SELECT name FROM singer WHERE age > %d" % n, "SELECT name FROM singer WHERE age >= %d" % n)
def tell(done, total):
    print(done, flush=True)
try:
    {call}
except KeyboardInterrupt:
    print("interrupted", flush=True)
    sys.exit(3)
"""


@pytest.mark.parametrize(
    "call",
    [
        "twinql.Scorer().score(pairs(), schema, progress=tell)",
        "twinql.judge(pairs(), schema, databases=30, progress=tell)",
        "twinql.judge(pairs(), schema, databases=30, workers='threads', progress=tell)",
        "twinql.prove(pairs(), schema, progress=tell)",
    ],
)
def test_ctrl_c_ends_a_batch(call: str) -> None:
    program = [sys.executable, "-c", _ENDLESS.format(ddl=DDL, call=call)]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        # It has begun.
        assert process.stdout.readline().strip().isdigit()
        process.send_signal(signal.SIGINT)
        began = time.monotonic()
        out, err = process.communicate(timeout=30)
        took = time.monotonic() - began
    assert process.returncode == 3 and "interrupted" in out, err
    assert took < 5, f"{took:.1f} s"


def test_worker_processes_end_with_their_parent() -> None:
    code = f"""
import os, twinql
scorer = twinql.Scorer(metrics="suite", databases=5)
print(scorer.score_one({OTHER[0]!r}, {OTHER[1]!r}, {DDL!r}).decision)
print(os.popen("ps -ww -o pid=,args= --ppid %d" % os.getpid()).read())
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.startswith("different")
    workers = [int(line.split()[0]) for line in done.stdout.splitlines()[1:] if "_worker.py" in line]
    assert workers, done.stdout
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}").exists() for pid in workers):
        assert time.monotonic() < deadline, workers
        time.sleep(0.05)


def test_a_worker_runs_nothing_of_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "twinql.py").write_text("raise SystemExit('taken')")
    (tmp_path / "_twinql.py").write_text("raise SystemExit('taken')")
    (tmp_path / "sitecustomize.py").write_text("raise SystemExit('taken')")
    code = f"import sys; sys.path.pop(0); import twinql; print(twinql.judge_one({OTHER[0]!r}, {OTHER[1]!r}, {DDL!r}, databases=5).verdict)"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "different", done.stderr


def test_a_scorer_ends_with_the_interpreter() -> None:
    code = f"import twinql; s = twinql.Scorer(metrics=('gmn', 'suite'), databases=5); print(s.score_one({SAME[0]!r}, {SAME[1]!r}, {DDL!r}).status)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.stdout.strip(), done.stderr, done.returncode) == ("ok", "", 0)


def test_importing_brings_nothing_heavy_along() -> None:
    code = "import sys, json, twinql; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.split(".")[0] for name in json.loads(done.stdout)}
    assert not loaded & {"pyarrow", "polars", "pandas", "numpy", "sqlalchemy", "tqdm", "multiprocessing", "asyncio"}
