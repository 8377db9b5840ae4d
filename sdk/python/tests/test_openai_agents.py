"""The session, as the OpenAI Agents SDK uses it, against the real server. The model is a script: no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn_recall import AsyncMemory

pytest.importorskip("agents", reason="openai-agents is not installed")

from agents import Agent, ModelResponse, Runner, Usage, set_tracing_disabled
from agents.models.interface import Model
from openai.types.responses import ResponseOutputMessage, ResponseOutputText

from cairn_recall.openai_agents import CairnSession

set_tracing_disabled(True)


class Script(Model):
    """Says how much it was told, and keeps what that was."""

    def __init__(self) -> None:
        self.heard: list[Any] = []

    async def get_response(self, *args: Any, **named: Any) -> ModelResponse:
        told = named.get("input", args[1] if len(args) > 1 else None)
        self.heard.append(told)
        text = ResponseOutputText(type="output_text", text=f"I heard {len(told)} items.", annotations=[])
        said = ResponseOutputMessage(
            id=f"m{len(self.heard)}", type="message", role="assistant", status="completed", content=[text]
        )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *args: Any, **named: Any) -> Any:
        raise NotImplementedError


async def test_the_second_run_knows_what_the_first_was_told(url: str) -> None:
    async with AsyncMemory(agent="openai", url=url) as memory:
        model = Script()
        agent = Agent(name="helper", model=model)
        await Runner.run(agent, "My ferry leaves Bergen at seven.", session=CairnSession("one", memory))
        # Another object, as in another process.
        await Runner.run(agent, "When does it leave?", session=CairnSession("one", memory))
        assert "Bergen" in str(model.heard[1]) and "I heard 1 items." in str(model.heard[1])
        assert len(model.heard[1]) == 3
        hits = await memory.recall("when does the ferry leave Bergen?")
        assert "My ferry leaves Bergen at seven." in [hit["text"] for hit in hits]
        assert {hit["role"] for hit in hits if "ferry" in hit["text"]} == {"user"}
        assert await CairnSession("two", memory).get_items() == []


async def test_items_come_back_as_they_were_and_can_be_taken_back(url: str) -> None:
    async with AsyncMemory(agent="openai-items", url=url) as memory:
        session = CairnSession("s/1", memory, thread="tides")
        items: list[Any] = [
            {"role": "user", "content": "hello"},
            {"role": "user", "content": [{"type": "input_text", "text": "What is the tide?"}]},
            {"type": "function_call", "call_id": "c1", "name": "tide", "arguments": "{\"at\":\"Skagen\"}"},
            {"type": "function_call_output", "call_id": "c1", "output": "14 cm"},
            {"role": "assistant", "content": "hello"},
            {"role": "user", "content": "hello"},
        ]
        await session.add_items(items[:4])
        await session.add_items(items[4:])
        assert await session.get_items() == items
        assert await session.get_items(limit=2) == items[4:]
        assert await session.pop_item() == items[5]
        assert await session.pop_item() == items[4]
        assert await session.get_items() == items[:4]
        await session.add_items([items[0]])
        assert await session.pop_item() == items[0]
        assert await session.get_items(limit=1) == [items[3]]
        await session.clear_session()
        assert await session.get_items() == [] and await session.pop_item() is None
        await session.add_items([items[1]])
        assert await session.get_items() == [items[1]]
        many = [{"role": "user", "content": f"Line {number} of the log."} for number in range(250)]
        await session.add_items(many)  # type: ignore[arg-type]
        assert len(await session.get_items()) == 251
        tool = [hit for hit in await memory.recall("14 cm tide") if hit["role"] == "tool"]
        assert tool and tool[0]["thread"] == "tides"


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "['My ferry leaves at seven.']" in example("openai_session.py")
