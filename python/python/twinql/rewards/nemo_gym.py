"""A resource server for NVIDIA's NeMo Gym: `/verify`, with the fields of its `text_to_sql` server.

`twinql serve` is such a server, without Python. This one is for those who want to build on `SimpleResourcesServer`:

    from twinql.rewards.nemo_gym import verified
    reward = verified(body)["reward"]
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ._batching import schema_of, usual_rewarder


def last_reply(response: Any) -> str:
    """The text of the last message of a response of the Responses API."""
    if isinstance(response, str):
        return response
    for item in reversed(response.get("output") or []):
        content = item.get("content")
        if isinstance(content, str):
            return content
        if content:
            return "".join(part.get("text") or "" for part in content)
    return ""


def verified(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request of `/verify` with its reward: `response`, `sql`, `sql_context` (DDL) or `db_id`."""
    schema = schema_of(body.get("sql_context"), body.get("db_id"))
    reward = usual_rewarder().one(last_reply(body["response"]), body["sql"], schema)
    return {
        **body,
        "reward": 0.0 if reward.reward is None else reward.reward,
        "extracted_sql": reward.sql,
        "status": reward.status,
        "error": reward.error,
    }
