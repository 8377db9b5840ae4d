"""The capability, as Pydantic AI uses it, against the real server. The model is a script: no network."""

from __future__ import annotations

from collections.abc import Callable
import pytest

from cairn_recall import AsyncMemory, CairnError

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed")

from pydantic import BaseModel
from pydantic_ai import Agent
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel

from cairn_recall.pydantic_ai import CairnMemory


class Tide(BaseModel):
    place: str
    centimetres: int


async def test_the_next_run_is_shown_what_the_first_was_told(url: str) -> None:
    heard: list[str] = []

    def answer(messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        heard.append(str(messages))
        if info.function_tools and "14 cm" not in heard[-1]:
            return ModelResponse(parts=[ToolCallPart("gauge", {})])
        return ModelResponse(parts=[TextPart("Understood.")])

    async with AsyncMemory(agent="pydantic", url=url) as memory:
        agent = Agent(FunctionModel(answer), capabilities=[CairnMemory(memory, thread="tides")])
        await agent.run("My ferry leaves Bergen from pier four at seven.")
        result = await agent.run(["From which pier does my ferry leave Bergen?"])
        assert "pier four" in heard[1] and "pier four" not in str(result.all_messages())
        assert "UserPromptPart(content='From your memory" in heard[1]
        said = [hit for hit in await memory.recall("my ferry leaves Bergen") if hit["kind"] == "exchange"]
        assert {hit["role"] for hit in said} >= {"user"} and {hit["thread"] for hit in said} == {"tides"}

        @agent.tool_plain
        def gauge() -> str:
            return "14 cm"

        heard.clear()
        await agent.run("What does the gauge at pier four say?", conversation_id="c-1")
        assert len(heard) == 2 and all("seven" in step for step in heard)
        assert [message["role"] async for message in memory.session("c-1")] == ["assistant", "user"]


async def test_an_answer_that_is_no_text_is_kept_and_a_server_that_is_down_is_told(url: str) -> None:
    def answer(_: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"place": "Skagen", "centimetres": 14})])

    async with AsyncMemory(agent="pydantic-out", url=url) as memory:
        agent = Agent(FunctionModel(answer), output_type=Tide, capabilities=[CairnMemory(memory, session="s")])
        assert (await agent.run("Read the tide at Skagen.")).output.centimetres == 14
        assert '{"place": "Skagen", "centimetres": 14}' in [message["text"] async for message in memory.session("s")]
    away = Agent(FunctionModel(answer), output_type=Tide, capabilities=[CairnMemory(AsyncMemory(url="http://127.0.0.1:9"))])
    with pytest.raises(CairnError):
        await away.run("Read the tide at Skagen.")


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "user: “My ferry leaves Bergen at seven.”" in example("pydantic_agent.py")
