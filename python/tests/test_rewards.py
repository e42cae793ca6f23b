"""Rewards, and the adapters that frameworks call.

TRL, verl and OpenRLHF need torch and more: they are called by the signatures recorded in the adapters. verifiers is
called by its own objects where it is installed.
"""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from conftest import DDL, OTHER, SAME

import twinql
from twinql.rewards import Rewarder, extract, nemo_gym, openrlhf, trl, verifiers, verl
from twinql.rewards._batching import MicroBatcher

GOLD, RIGHT = SAME
WRONG = "SELECT COUNT(*) FROM singer WHERE age > 20"


def block(sql: str) -> str:
    return f"<think>Which table?</think>\n```sql\n{sql};\n```"


@pytest.fixture(scope="module")
def rewarder() -> Rewarder:
    return Rewarder(threads=2)


def test_completions_of_another_system() -> None:
    rewarder = Rewarder(threads=2, pred_dialect="mysql")
    gold = "SELECT age / 2 FROM singer"
    right, wrong = rewarder([block("SELECT age DIV 2 FROM singer"), block(gold)], [gold] * 2, DDL)
    assert right.reward == 1.0 and wrong.reward is not None and wrong.reward < 0.5
    assert "|dialect:sqlite>mysql|" in rewarder.signature


@pytest.fixture(autouse=True)
def _schemas(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The schemas of adapters that are called by name."""
    (tmp_path / "concerts.sql").write_text(DDL)
    monkeypatch.setenv("TWINQL_SCHEMAS", str(tmp_path))


@pytest.mark.parametrize(
    ("completion", "sql", "outcome", "format"),
    [
        (block("SELECT 1"), "SELECT 1", "sql", "sql-block"),
        ("<answer>```sql\nSELECT 1\n```</answer>", "SELECT 1", "sql", "answer-sql-block"),
        ("<solution>SELECT 1</solution>", "SELECT 1", "sql", "solution"),
        ("The query is\nSELECT 1;", "SELECT 1", "sql", "raw"),
        ("SELECT 1; SELECT 2;", None, "several", "raw"),
        ("I do not know.", None, "no_sql", None),
        ("```sql\nSELECT 1", None, "unclosed", None),
    ],
)
def test_sql_is_found(completion: str, sql: str | None, outcome: str, format: str | None) -> None:
    found = extract(completion)
    assert (found.sql, found.outcome, found.format) == (sql, outcome, format)


def test_an_unclosed_block_is_taken_where_that_is_asked_for() -> None:
    assert extract("```sql\nSELECT 1", take_unclosed=True).sql == "SELECT 1"


def test_rewards_and_their_parts(rewarder: Rewarder, schema: twinql.Schema) -> None:
    texts = [block(RIGHT), block(WRONG), "no", block("SELECT nothing FROM singer"), "--\0"]
    rewards = rewarder(texts, [GOLD] * 5, schema)
    assert [reward.reward for reward in rewards] == [1.0, 0.0, 0.0, 0.0, 0.0]
    assert [reward.status for reward in rewards] == ["ok", "ok", "pred_error", "pred_error", "pred_error"]
    assert rewards[0].sql == RIGHT and rewards[0].certainty is not None
    bad = rewarder.one(block(RIGHT), "SELECT nothing", schema)
    assert (bad.reward, bad.status) == (None, "gold_error")
    shaped = Rewarder("gmn-score", partial=0.5, format=("sql-block", 0.25), threads=1)
    reward = shaped.one(block(WRONG), GOLD, DDL)
    assert reward.parts["format"] == 1.0 and reward.parts["partial"] is not None
    assert reward.reward is not None and 0.25 < reward.reward < 0.75
    assert shaped.one("no", GOLD, DDL).reward == -1.0


def test_steps_are_aligned(schema: twinql.Schema) -> None:
    gold = "WITH a AS (SELECT id FROM singer WHERE age > 20) SELECT COUNT(*) FROM a"
    pred = "WITH grown AS (SELECT id FROM singer WHERE age > 20) SELECT MAX(id) FROM grown"
    reward = Rewarder(steps=0.5, threads=1).one(block(pred), gold, schema)
    assert reward.steps is not None and reward.parts["steps"]
    assert reward.reward is not None and 0.0 < reward.reward < 0.5


def test_the_same_on_any_number_of_threads(schema: twinql.Schema) -> None:
    texts = [block(RIGHT), block(WRONG), block(OTHER[0]), "no"] * 8
    of = [Rewarder(threads=n)(texts, [GOLD] * len(texts), schema) for n in (1, 2)]
    assert of[0] == of[1]


def test_a_rewarder_pickles(rewarder: Rewarder, schema: twinql.Schema) -> None:
    for again in (pickle.loads(pickle.dumps(rewarder)), copy.deepcopy(rewarder)):
        assert again.signature == rewarder.signature
        assert again.one(block(RIGHT), GOLD, schema).reward == 1.0


def test_wrong_settings_are_named(rewarder: Rewarder, schema: twinql.Schema) -> None:
    for make in (lambda: Rewarder("lucky"), lambda: Rewarder(format=("html", 1.0)), lambda: Rewarder(semantics="x")):
        with pytest.raises(twinql.ArgumentError):
            make()
    with pytest.raises(twinql.ArgumentError, match="2 completions"):
        rewarder(["a", "b"], [GOLD], schema)


def test_trl_by_its_recorded_signature() -> None:
    logged: dict[str, Any] = {}
    columns = {"prompts": ["?"] * 3, "completion_ids": [[1]] * 3, "trainer_state": None, "db_id": ["concerts"] * 3}
    rewards = trl.sql_reward(
        completions=[block(RIGHT), [{"role": "assistant", "content": block(WRONG)}], block(RIGHT)],
        gold=[GOLD, GOLD, "SELECT nothing"],
        log_extra=lambda name, values: logged.update({name: values}),
        log_metric=lambda name, value: logged.update({name: value}),
        **columns,
    )
    assert rewards == [1.0, 0.0, None]
    assert logged["sql"][0] == RIGHT and logged["twinql/extracted"] == 1.0
    own = pickle.loads(pickle.dumps(trl.TwinqlReward(partial=0.5, threads=1)))
    assert own.__name__ == "twinql" and own([block(RIGHT)], solution=[GOLD], schema=[DDL]) == [1.0]
    with pytest.raises(twinql.ArgumentError, match="no column"):
        own([block(RIGHT)])


def test_verl_by_its_recorded_signature() -> None:
    async def all_at_once() -> list[dict[str, Any]]:
        truth = json.dumps({"gold": GOLD, "schema": DDL})
        return await asyncio.gather(
            verl.compute_score("spider", block(RIGHT), truth, None),
            verl.compute_score("spider", block(WRONG), GOLD, {"db_id": "concerts", "num_turns": 1}),
            verl.compute_score("spider", "no", {"gold": GOLD, "db_id": "concerts"}, {}),
        )

    for _ in range(2):
        assert [answer["score"] for answer in asyncio.run(all_at_once())] == [1.0, 0.0, 0.0]
    assert verl.compute_score_sync("spider", block(RIGHT), GOLD, {"db_id": "concerts"})["score"] == 1.0
    batch = verl.compute_score_batch(["a", "b"], [block(RIGHT), "no"], [GOLD] * 2, [{"db_id": "concerts"}] * 2)
    assert [answer["twinql_extracted"] for answer in batch] == [True, False]


def test_samples_that_come_together_are_one_batch(rewarder: Rewarder) -> None:
    sizes: list[int] = []

    class Counting(Rewarder):
        def __call__(self, completions: Any, golds: Any, schema: Any) -> Any:
            sizes.append(len(completions))
            return super().__call__(completions, golds, schema)

    async def many() -> list[Any]:
        batcher = MicroBatcher(Counting(threads=1), most=8)
        return await asyncio.gather(*(batcher.reward(block(RIGHT), GOLD, DDL) for _ in range(20)))

    assert [reward.reward for reward in asyncio.run(many())] == [1.0] * 20
    assert sum(sizes) == 20 and max(sizes) == 8

    async def one_bad() -> list[Any]:
        batcher = MicroBatcher(rewarder)
        return await asyncio.gather(batcher.reward("a", GOLD, "no DDL"), return_exceptions=True)

    assert isinstance(asyncio.run(one_bad())[0], twinql.TwinqlError)


def test_openrlhf_by_its_recorded_signature() -> None:
    label = json.dumps({"gold": GOLD, "db_id": "concerts"})
    answer = openrlhf.reward_func(["How many?" + block(RIGHT)], ["How many?"], [label])
    assert [float(value) for value in answer["rewards"]] == [1.0]
    assert set(answer) == {"rewards", "scores", "extra_logs"}


def test_nemo_gym_by_its_recorded_fields() -> None:
    output = [{"type": "message", "content": [{"type": "output_text", "text": block(RIGHT)}]}]
    body = {"response": {"output": output}, "sql": GOLD, "sql_context": DDL, "sql_dialect": "sqlite", "uuid": "u"}
    answer = nemo_gym.verified(body)
    assert (answer["reward"], answer["uuid"], answer["extracted_sql"]) == (1.0, "u", RIGHT)


def test_verifiers() -> None:
    class Data:
        gold, db_id = GOLD, "concerts"

    class Task:
        data = Data()

    class Trace:
        last_reply = block(RIGHT)

    assert asyncio.run(verifiers.equivalence(Task(), Trace())) == 1.0
    installed = pytest.importorskip("verifiers.v1", reason="skipped: verifiers is not installed")
    # What the block `rewards` of a task's TOML is made into.
    assert callable(installed.reward(verifiers.equivalence))
