"""What of the package is compiled."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import Any, final

from ._results import Proof, Score, Verdict
from ._types import HasTables

__version__: str

class TwinqlError(Exception): ...
class ArgumentError(TwinqlError): ...
class SchemaError(TwinqlError): ...
class CheckpointError(TwinqlError): ...
class InputError(TwinqlError): ...
class QueryError(TwinqlError): ...
class InternalError(TwinqlError): ...
class SchemaWarning(UserWarning): ...

@final
class Schema:
    @staticmethod
    def from_ddl(ddl: str, *, db_id: str = "schema", dialect: str = "sqlite") -> Schema: ...
    @staticmethod
    def from_sqlite(path: str | PathLike[str]) -> Schema: ...
    @staticmethod
    def from_tables_json(path: str | PathLike[str], db_id: str) -> Schema: ...
    @classmethod
    def from_sqlalchemy(cls, metadata: HasTables, *, db_id: str = "schema") -> Schema: ...
    @property
    def db_id(self) -> str: ...
    @property
    def tables(self) -> dict[str, list[str]]: ...
    @property
    def notes(self) -> list[str]: ...
    def to_ddl(self) -> str: ...
    def renamed(self, db_id: str) -> Schema: ...
    @staticmethod
    def _load(json: str) -> Schema: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...

@final
class Schemas:
    def __new__(
        cls,
        schemas: Schemas | Schema | Mapping[str, Schema | str] | HasTables | str | PathLike[str],
        *,
        dialect: str = "sqlite",
    ) -> Schemas: ...
    @staticmethod
    def load(path: str | PathLike[str], *, dialect: str = "sqlite") -> Schemas: ...
    def keys(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, db_id: object, /) -> bool: ...
    def __getitem__(self, db_id: str, /) -> Schema: ...
    def __reduce__(self) -> tuple[Any, ...]: ...
    def __eq__(self, other: object, /) -> bool: ...
    __hash__: None  # type: ignore[assignment]

@final
class ScoreTable:
    @property
    def column_names(self) -> list[str]: ...
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...
    def __arrow_c_schema__(self) -> Any: ...

@final
class Engine:
    def __new__(
        cls,
        checkpoint: str,
        semantics: str,
        metrics: list[str],
        dialect: str,
        threads: int | None,
        seed: int,
        gold_dialect: str | None,
        pred_dialect: str | None,
        databases: int | None,
        abstain: bool,
        db: str | None,
        workers: str,
        question: str,
        probes: int | None,
        plausible: int | None,
        profile: str | None,
        relpm_alpha: float | None,
        relpm_beta: float | None,
        relpm_omega: float | None,
        crystalbleu_corpus: str | None,
        without_rules: list[str],
    ) -> Engine: ...
    def score(self, pairs: Any, schemas: Any, progress: Any) -> list[Score]: ...
    def score_one(self, gold: str, pred: str, schema: Any) -> Score: ...
    def score_arrow(self, pairs: Any, schemas: Any, progress: Any) -> ScoreTable: ...
    def evaluate(
        self, pairs: Any, schemas: Any, progress: Any, resamples: int, level: float
    ) -> dict[str, Any]: ...
    def signatures(self) -> dict[str, str]: ...
    def thresholds(self) -> dict[str, float]: ...
    def semantics(self) -> dict[str, str]: ...

GUARD_DATABASES: int

@final
class Rewarder:
    def __new__(
        cls,
        checkpoint: str,
        semantics: str,
        dialect: str,
        gold_dialect: str | None,
        pred_dialect: str | None,
        seed: int,
        shaping: str,
        guard: int,
        partial: float,
        steps: float,
        clauses: float,
        no_sql: float | None,
        no_plan: float | None,
        format: tuple[str, float] | None,
        take_unclosed: bool,
        threads: int | None,
        workers: str,
    ) -> Rewarder: ...
    def rewards(self, completions: list[str], golds: list[str], given: list[Any]) -> list[dict[str, Any]]: ...
    def signature(self) -> str: ...

def extract_sql(completion: str, take_unclosed: bool) -> tuple[str | None, str, str | None]: ...
def reward_names() -> tuple[list[str], list[str]]: ...
def rerank(
    sets: list[list[tuple[str, float | None]]],
    given: list[Any],
    method: str,
    utility: str,
    weights: str,
    parameter: float,
    proofs: bool,
    checkpoint: str,
    semantics: str,
    dialect: str,
    pred_dialect: str | None,
    threads: int | None,
) -> list[dict[str, Any]]: ...
def judge(
    pairs: Any,
    schemas: Any,
    semantics: str,
    databases: int | None,
    seed: int,
    dialect: str,
    gold_dialect: str | None,
    pred_dialect: str | None,
    shrink: bool,
    plausible: int,
    threads: int | None,
    workers: str,
    progress: Any,
) -> list[Verdict]: ...
def prove(
    pairs: Any,
    schemas: Any,
    semantics: str,
    dialect: str,
    gold_dialect: str | None,
    pred_dialect: str | None,
    threads: int | None,
    progress: Any,
) -> list[Proof]: ...
def explain(
    gold: str,
    pred: str,
    schema: Any,
    semantics: str,
    dialect: str,
    gold_dialect: str | None,
    pred_dialect: str | None,
    threads: int | None,
) -> dict[str, Any]: ...
def suite_accuracy(
    pairs: Any,
    schemas: Any,
    suite: str | None,
    semantics: str,
    databases: int | None,
    seed: int,
    dialect: str,
    gold_dialect: str | None,
    pred_dialect: str | None,
    plug_values: bool,
    threads: int | None,
    workers: str,
    progress: Any,
) -> tuple[list[tuple[Any, Any, bool | None, str | None]], dict[str, int], str]: ...
def metrics() -> list[tuple[str, str, str, bool]]: ...
def semantics() -> list[str]: ...
def dialects() -> list[str]: ...
def serve(address_space: int) -> None: ...
def main(arguments: list[str], worker: str, worker_arguments: list[str]) -> int: ...
