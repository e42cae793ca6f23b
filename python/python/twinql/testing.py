"""For tests of one's own: refactored queries still say the same.

    from twinql.testing import assert_same

    def test_orders_view():
        assert_same(open("orders_old.sql").read(), open("orders_new.sql").read(), "warehouse.sql")
"""

from __future__ import annotations

from typing import Any

from ._functions import judge_one, prove_one
from ._types import OneSchema

__all__ = ["assert_same"]


def assert_same(old: str, new: str, schema: OneSchema, *, proved: bool = False, **settings: Any) -> None:
    """Fails, with a database that shows the difference, where two queries do not return the same answer.

    A pair that is proved the same passes; one that is not is executed on generated databases, and passes where none tells
    the two apart, unless `proved` asks for a proof. `settings` are `semantics` and `dialect`.

    >>> ddl = "CREATE TABLE t (a INTEGER PRIMARY KEY, b INTEGER)"
    >>> assert_same("SELECT a FROM t WHERE b > 1", "SELECT t.a FROM t WHERE 1 < b", ddl)
    """
    __tracebackhide__ = True
    proof = prove_one(old, new, schema, **settings)
    if proof.proof == "equal":
        return
    verdict = judge_one(old, new, schema, plausible=0, **settings)
    if verdict.verdict == "different":
        raise AssertionError(f"the queries differ on this database (`gold` is the old one):\n\n{verdict.witness}")
    if verdict.verdict is None:
        raise AssertionError(f"the queries cannot be compared: {verdict.error or verdict.status}")
    if proof.proof == "different":
        raise AssertionError(f"the queries differ: {proof.text}")
    if proved:
        raise AssertionError(f"the queries are not proved the same; no database of {verdict.databases} tells them apart")
