"""Rewards for reinforcement learning, without a database.

A `Rewarder` takes the SQL out of completions and rewards it against golds. The modules beside it call it as the
frameworks call rewards: `trl`, `verl`, `openrlhf`, `verifiers`, `nemo_gym`.
"""

from ._rewarder import FORMATS, SHAPINGS, Extraction, Reward, Rewarder, extract

__all__ = ["FORMATS", "SHAPINGS", "Extraction", "Reward", "Rewarder", "extract"]
