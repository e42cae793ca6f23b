"""How likely do two SQL queries return the same answer on every database? From the schema alone.

>>> import twinql
>>> schema = twinql.Schema.from_ddl("CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER)")
>>> scorer = twinql.Scorer()
>>> same = scorer.score_one("SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", schema)
>>> same.status, same.decision
('ok', 'same')
"""

from ._functions import explain, judge, judge_one, prove, prove_one, suite_accuracy
from ._rerank import Ranking, rerank, rerank_all
from ._results import (
    Evaluation,
    Explanation,
    Metric,
    Proof,
    Score,
    Side,
    SuiteAccuracy,
    SuiteVerdict,
    Verdict,
    Witness,
)
from ._scorer import Scorer, evaluate
from ._settings import DIALECTS, METRICS, SEMANTICS
from ._twinql import (
    ArgumentError,
    CheckpointError,
    InputError,
    InternalError,
    QueryError,
    Schema,
    SchemaError,
    Schemas,
    SchemaWarning,
    ScoreTable,
    TwinqlError,
    __version__,
)

__all__ = [
    "DIALECTS",
    "METRICS",
    "SEMANTICS",
    "ArgumentError",
    "CheckpointError",
    "Evaluation",
    "Explanation",
    "InputError",
    "InternalError",
    "Metric",
    "Proof",
    "QueryError",
    "Ranking",
    "Schema",
    "SchemaError",
    "SchemaWarning",
    "Schemas",
    "Score",
    "ScoreTable",
    "Scorer",
    "Side",
    "SuiteAccuracy",
    "SuiteVerdict",
    "TwinqlError",
    "Verdict",
    "Witness",
    "__version__",
    "evaluate",
    "explain",
    "judge",
    "judge_one",
    "prove",
    "prove_one",
    "rerank",
    "rerank_all",
    "suite_accuracy",
]
