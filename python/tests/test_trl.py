"""The reward in TRL's own trainer, with a network of a few hundred weights, where TRL is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from conftest import DDL

pytest.importorskip("torch", reason="skipped: torch is not installed")
pytest.importorskip("trl", reason="skipped: trl is not installed")

RIGHT, WRONG = "SELECT s.name FROM singer AS s", "SELECT id FROM singer"


def test_grpo(tmp_path: Path) -> None:
    import torch
    from datasets import Dataset
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    from twinql.rewards.trl import TwinqlReward, sql_reward

    # A query is one token, so that a network that has learned nothing writes some.
    words = ["<pad>", "<eos>", "Names?", RIGHT, WRONG, "none"]
    tokens = Tokenizer(models.WordLevel({word: place for place, word in enumerate(words)}, unk_token="<pad>"))
    tokens.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, pad_token="<pad>", eos_token="<eos>", unk_token="<pad>")
    torch.manual_seed(0)
    sizes = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "num_key_value_heads": 2}
    config = Qwen2Config(vocab_size=len(words), max_position_embeddings=32, pad_token_id=0, eos_token_id=1, bos_token_id=None, **sizes)
    seen: list[tuple[str, float | None]] = []

    class Watched(TwinqlReward):
        def __call__(self, completions: Any, *args: Any, **columns: Any) -> list[float | None]:
            rewards = super().__call__(completions, *args, **columns)
            seen.extend(zip(completions, rewards))
            return rewards

    trainer = GRPOTrainer(
        model=Qwen2ForCausalLM(config),
        processing_class=tokenizer,
        reward_funcs=[sql_reward, Watched(threads=1)],
        train_dataset=Dataset.from_list([{"prompt": "Names?", "gold": "SELECT name FROM singer", "schema": DDL}] * 4),
        args=GRPOConfig(
            output_dir=str(tmp_path), max_steps=2, per_device_train_batch_size=16, num_generations=16, max_completion_length=1,
            use_cpu=True, bf16=False, report_to=[], save_strategy="no", logging_steps=1, disable_tqdm=True, seed=1,
        ),
    )  # fmt: skip
    trainer.train()
    assert {RIGHT, WRONG} <= {text for text, _ in seen}
    assert all(reward == (1.0 if text == RIGHT else 0.0) for text, reward in seen), seen
    logged = trainer.state.log_history[0]
    assert logged["rewards/twinql/mean"] == logged["rewards/sql_reward/mean"] > 0
    assert 0 < logged["twinql/extracted"] < 1
