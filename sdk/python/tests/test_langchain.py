"""LangChain's agents with the store, against the real server. The model is a script: no network."""

from __future__ import annotations

from typing import Any

import pytest

from cairn_recall import Memory

pytest.importorskip("langchain.agents", reason="langchain is not installed")

from langchain.agents import create_agent
from langchain.tools import ToolRuntime, tool
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, ToolMessage

from cairn_recall.langgraph import CairnStore


class Script(GenericFakeChatModel):
    """Calls the tools it is told to."""

    def bind_tools(self, *_: Any, **__: Any) -> "Script":
        return self


@tool
def note(text: str, runtime: ToolRuntime) -> str:
    """Keeps a note."""
    assert runtime.store is not None
    runtime.store.put(("notes",), text[:20], {"text": text})
    return "kept"


@tool
def look(query: str, runtime: ToolRuntime) -> str:
    """Looks for a note."""
    assert runtime.store is not None
    return str([item.value["text"] for item in runtime.store.search(("notes",), query=query, limit=1)])


def test_an_agents_tools_keep_and_find_in_the_next_run(url: str) -> None:
    with Memory(agent="langchain", url=url) as memory:
        def calls(name: str, **arguments: str) -> list[AIMessage]:
            asked = AIMessage(content="", tool_calls=[{"name": name, "args": arguments, "id": "1", "type": "tool_call"}])
            return [asked, AIMessage(content="Done.")]

        for turn in (calls("note", text="The harbour gauge is called Skagen."), calls("look", query="what is the harbour gauge called?")):
            agent = create_agent(Script(messages=iter(turn)), [note, look], store=CairnStore(memory))
            said = agent.invoke({"messages": [{"role": "user", "content": "Go on."}]})["messages"]
        assert [message.content for message in said if isinstance(message, ToolMessage)] == ["['The harbour gauge is called Skagen.']"]
        assert memory.recall("harbour gauge")[0]["text"] == "The harbour gauge is called Skagen."
