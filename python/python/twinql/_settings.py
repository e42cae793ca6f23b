"""Names that arguments may have, as the compiled part lists them."""

from . import _twinql
from ._results import Metric

METRICS: dict[str, Metric] = {m[0]: Metric(*m) for m in _twinql.metrics()}
"""All metrics by name."""

SEMANTICS: tuple[str, ...] = tuple(_twinql.semantics())
"""The presets that say what "the same answer" means."""

DIALECTS: tuple[str, ...] = tuple(_twinql.dialects())
"""Whose SQL queries and DDL may be."""
