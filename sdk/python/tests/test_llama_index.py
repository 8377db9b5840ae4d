"""The memory, as LlamaIndex uses it, against the real server. The model is a script: no network."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn_recall import Memory

pytest.importorskip("llama_index.core", reason="llama-index-core is not installed")

from llama_index.core.agent.workflow import ReActAgent
from llama_index.core.base.llms.types import ChatMessage, ChatResponse, MessageRole
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.chat_engine import SimpleChatEngine
from llama_index.core.llms.mock import MockLLM

from cairn_recall.llama_index import CairnMemory


class Script(MockLLM):
    """Answers the same, and keeps what it was told."""

    _heard: list[str] = PrivateAttr(default_factory=list)

    def chat(self, messages: Any, **_: Any) -> ChatResponse:
        self._heard.append("\n".join(f"{message.role.value}: {message.content}" for message in messages))
        return ChatResponse(message=ChatMessage(role=MessageRole.ASSISTANT, content="Thought: I know.\nAnswer: At seven."))


def test_a_chat_knows_what_it_and_others_said(url: str) -> None:
    with Memory(agent="llama", url=url) as memory:
        memory.remember("The ferry to Bergen leaves from pier four.", session="elsewhere")
        model = Script()
        engine = SimpleChatEngine.from_defaults(llm=model, memory=CairnMemory.of(memory, session="one"))
        engine.chat("My name is Ece, and I take the ferry to Bergen.")
        again = SimpleChatEngine.from_defaults(llm=model, memory=CairnMemory.of(memory, session="one"))
        again.chat("From which pier does the ferry to Bergen leave?")
        assert "My name is Ece" in model._heard[1] and "pier four" in model._heard[1] and "At seven." in model._heard[1]
        assert model._heard[1].startswith("system: ")
        assert [message.role.value for message in again.chat_history] == ["user", "assistant"] * 2
        assert any("My name is Ece" in hit["text"] for hit in memory.recall("who takes the ferry? Ece"))


async def test_an_agent_uses_it(url: str) -> None:
    with Memory(agent="llama-agent", url=url) as memory:
        model = Script()
        agent = ReActAgent(llm=model, tools=[], streaming=False)
        answer = await agent.run("When does the ferry leave Bergen?", memory=CairnMemory.of(memory, session="a", thread="tides"))
        assert "At seven." in str(answer)
        await agent.run("And the next one?", memory=CairnMemory.of(memory, session="a", thread="tides"))
        assert "When does the ferry leave Bergen?" in model._heard[-1]
        assert {message["thread"] for message in memory.session("a")} == {"tides"}


def test_messages_come_back_as_they_were_until_it_begins_anew(url: str) -> None:
    with Memory(agent="llama-messages", url=url) as client:
        memory = CairnMemory.of(client, session="s", last=2, budget=0)
        assert memory.get() == [] == memory.get_all()
        said = [ChatMessage(role=MessageRole.USER, content="One."), ChatMessage(role=MessageRole.ASSISTANT, content=None, additional_kwargs={"tool_calls": [{"id": "c"}]}),
                ChatMessage(role=MessageRole.TOOL, content="14 cm", additional_kwargs={"tool_call_id": "c"})]
        memory.put_messages(said)
        assert memory.get_all() == said and memory.get() == said[1:]
        memory.set(said)
        assert len(list(client.session("s"))) == 3
        memory.set(said[:1])
        assert memory.get_all() == said[:1]
        memory.reset()
        assert memory.get_all() == []


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "user: My ferry leaves at seven.\nassistant" in example("llama_index_chat.py")
