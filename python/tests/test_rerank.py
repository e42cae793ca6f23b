"""Reranking."""

from __future__ import annotations

import pytest
from conftest import DDL

import twinql

COUNTS = ["SELECT name FROM singer", "SELECT COUNT(*) FROM singer", "SELECT COUNT(id) FROM singer", "SELECT COUNT(x) FROM singer"]


def test_equal_candidates_vote_together() -> None:
    for method in ("mbr", "majority"):
        ranking = twinql.rerank(COUNTS, DDL, method=method)
        assert ranking.chosen == 1 and ranking.classes == [[0], [1, 2]] and ranking.status == "ok"
        assert ranking.errors[3] and ranking.scores[3] is None


def test_weights_and_forms_of_candidates() -> None:
    candidates = [{"sql": COUNTS[0], "logprob": -0.1}, (COUNTS[1], -3.0), {"sql": COUNTS[2], "logprob": -3.0}]
    assert twinql.rerank(candidates, DDL, weights="logprob", method="majority").chosen == 0
    assert twinql.rerank(candidates, DDL, weights="logprob", temperature=100.0, method="majority").chosen == 1
    assert twinql.rerank(candidates, DDL, weights="rank", decay=0.1, method="majority").chosen == 0


def test_many_sets() -> None:
    sets = [COUNTS, [], ["no SQL"]]
    alone = [twinql.rerank(candidates, DDL) for candidates in sets]
    assert twinql.rerank_all(sets, [DDL] * 3, threads=1) == alone
    assert [ranking.status for ranking in alone] == ["ok", "empty", "unread"]
    assert [ranking.chosen for ranking in alone] == [1, None, 0]


def test_wrong_settings_are_named() -> None:
    for settings in ({"method": "best"}, {"utility": "bleu"}, {"weights": "heavy"}, {"weights": "rank", "decay": 2.0}):
        with pytest.raises(twinql.ArgumentError):
            twinql.rerank(COUNTS, DDL, **settings)
    with pytest.raises(twinql.ArgumentError, match="2 sets"):
        twinql.rerank_all([COUNTS] * 2, [DDL])
