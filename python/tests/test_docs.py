"""What the documents show is run, and says what they say it says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest
from conftest import ROOT

import twinql
import twinql._functions
import twinql._rerank
import twinql._scorer
import twinql.rewards._rewarder

FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


@pytest.mark.parametrize("module", [twinql, twinql._functions, twinql._scorer, twinql._rerank, twinql.rewards._rewarder], ids=lambda m: m.__name__)
def test_doc_strings(module: ModuleType) -> None:
    results = doctest.testmod(module, optionflags=FLAGS)
    assert results.attempted > 0 and results.failed == 0


@pytest.mark.parametrize("page", ["README.md", "docs/python.md", "docs/frameworks.md", "python/README.md"])
def test_pages(page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    # Paths of a page are those of the repository.
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    code = "\n".join(blocks)
    test = doctest.DocTestParser().get_doctest(code, {}, page, page, 0)
    assert len(test.examples) >= 3
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    runner.run(test)
    assert runner.failures == 0


def test_every_public_name_is_explained() -> None:
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    missing = [name for name in twinql.__all__ if not re.search(rf"\b{re.escape(name)}\b", text)]
    assert missing == []
