"""Plug-ins of evaluation frameworks: each with its framework where that is installed."""

from __future__ import annotations

import asyncio
import doctest
from pathlib import Path
from typing import Any

import pytest
from conftest import DDL, OTHER, SAME

import twinql
import twinql.testing
from twinql.plugins import hf_evaluate, lm_eval, ragas


def test_inspect_ai(schema: twinql.Schema) -> None:
    pytest.importorskip("inspect_ai", reason="skipped: inspect_ai is not installed")
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from twinql.plugins.inspect_ai import equivalence

    answers = [f"```sql\n{SAME[1]}\n```", "```sql\nSELECT name FROM singer\n```", "no"]
    outputs = [ModelOutput.from_content("mockllm/model", answer) for answer in answers]
    for output in outputs:
        # Tokens that nobody has counted would be counted by an encoding from the network.
        output.usage = ModelUsage()
    samples = [Sample(input="How many?", target=SAME[0], metadata={"schema": DDL}) for _ in answers]
    task = Task(dataset=samples, scorer=equivalence(threads=1))
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = eval(task, model=model, display="none", log_dir="memory://twinql", max_connections=1)
    assert log.status == "success" and log.results is not None, log.error
    assert log.results.scores[0].metrics["accuracy"].value == pytest.approx(1 / 3)


def test_lm_eval() -> None:
    doc = {"query": SAME[0], "schema": DDL}
    right = lm_eval.process_results(doc, [f"```sql\n{SAME[1]}\n```"])
    assert right["twinql_same"] == 1.0 and right["twinql_probability"] > 0.9
    assert lm_eval.process_results(doc, ["no"]) == {"twinql_same": 0.0, "twinql_probability": 0.0}


def test_hf_evaluate() -> None:
    metric = hf_evaluate.Equivalence(threads=1)
    metric.add(prediction=SAME[1], reference=SAME[0], schema=DDL)
    found: dict[str, Any] = metric.compute(predictions=[OTHER[1]], references=[OTHER[0]], schemas=[DDL])
    assert found["accuracy"] == 0.5 and found["statuses"] == ["ok", "ok"]
    assert metric.compute()["accuracy"] == 0.0
    with pytest.raises(twinql.ArgumentError):
        metric.compute(predictions=["SELECT 1"])
    assert doctest.testmod(hf_evaluate).failed == 0


def test_ragas() -> None:
    metric = ragas.SQLEquivalence(threads=1)
    result = asyncio.run(metric.ascore(f"```sql\n{SAME[1]}\n```", SAME[0], [DDL]))
    assert result.value == 1.0 and "same" in result.reason
    assert metric.score("no", SAME[0], [DDL]).value == 0.0


def test_refactored_queries(schema: twinql.Schema, tmp_path: Path) -> None:
    assert doctest.testmod(twinql.testing).failed == 0
    twinql.testing.assert_same(*SAME, schema, proved=True)
    with pytest.raises(AssertionError, match="INSERT INTO"):
        twinql.testing.assert_same(*OTHER, schema)
    with pytest.raises(AssertionError, match="cannot be compared"):
        twinql.testing.assert_same(OTHER[0], "SELECT x FROM singer", schema)
