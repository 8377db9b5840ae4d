"""A memory for LlamaIndex agents and chat engines: ``pip install 'cairn-recall[llama-index]'``.

.. code-block:: python

    from cairn_recall import Memory
    from cairn_recall.llama_index import CairnMemory

    memory = CairnMemory.of(Memory(agent="main"), session="support-42")
    await agent.run("Where do I live?", memory=memory)

What is said in the session is kept word for word; each turn gets the last messages of it, and before them what other sessions of the same
agent know about the question, quoted and dated. Beginning anew is written down, not carried out: nothing that was said is deleted.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any, Optional

from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.bridge.pydantic import Field, PrivateAttr
from llama_index.core.memory.types import BaseMemory

from ._client import Memory
from ._content import ROLES
from ._errors import CairnError
from ._types import Message


class CairnMemory(BaseMemory):
    """The history of one conversation with what is known beside it, kept by Cairn."""

    session: str = Field(description="The conversation.")
    thread: Optional[str] = Field(default=None, description="The lasting project it belongs to.")
    last: int = Field(default=40, description="Maximum messages of the conversation in a prompt.")
    budget: int = Field(default=600, description="Maximum tokens of what is known beside it; 0 for nothing.")

    _memory: Memory = PrivateAttr()

    @classmethod
    def class_name(cls) -> str:
        return "CairnMemory"

    @classmethod
    def of(cls, memory: Memory, session: str, **settings: Any) -> "CairnMemory":
        """The memory of a conversation."""
        made = cls(session=session, **settings)
        made._memory = memory
        return made

    @classmethod
    def from_defaults(cls, **kwargs: Any) -> "CairnMemory":
        """As ``of``."""
        return cls.of(**kwargs)

    def get(self, input: Optional[str] = None, **kwargs: Any) -> list[ChatMessage]:
        """What is known about the question, and the last messages."""
        said = self._said(self.last)
        question = input or next((message.content for message in reversed(said) if message.role == MessageRole.USER), None)
        known = self._known(question) if question and self.budget else ""
        return [ChatMessage(role=MessageRole.SYSTEM, content=known), *said] if known else said

    def get_all(self) -> list[ChatMessage]:
        """The messages of the conversation."""
        return self._said(None)

    def put(self, message: ChatMessage) -> None:
        self.put_messages([message])

    def put_messages(self, messages: list[ChatMessage]) -> None:
        """Keeps messages; when this returns, they are durable."""
        lines = [
            self._line(ROLES.get(message.role.value, "assistant"), message.content or f"({message.role.value} without words)",
                       message=message.model_dump(mode="json"))
            for message in messages
        ]
        if lines:
            self._memory.ingest(lines)

    def set(self, messages: list[ChatMessage]) -> None:
        """Begins anew, with these messages."""
        if [message.model_dump(mode="json") for message in messages] != [message.model_dump(mode="json") for message in self.get_all()]:
            self.reset()
            self.put_messages(messages)

    def reset(self) -> None:
        """Begins anew."""
        self._memory.ingest([self._line("system", "The conversation was begun anew.", step="clear")])

    def _line(self, role: str, text: str, **more: Any) -> dict[str, Any]:
        line = {"id": str(uuid.uuid4()), "session": self.session, "role": role, "text": text, "llama_index": more}
        return line if self.thread is None else {**line, "thread": self.thread}

    def _messages(self) -> Iterator[Message]:
        """The messages, the last first; nothing if the agent is not there yet."""
        try:
            yield from self._memory.session(self.session)
        except CairnError as error:
            if error.status != 404:
                raise

    def _said(self, limit: Optional[int]) -> list[ChatMessage]:
        said: list[ChatMessage] = []
        for message in self._messages():
            kept = message["metadata"].get("llama_index") or {}
            if kept.get("step") == "clear" or len(said) == limit:
                break
            if "message" in kept:
                said.append(ChatMessage.model_validate(kept["message"]))
        return said[::-1]

    def _known(self, question: str) -> str:
        try:
            block = self._memory.context(question, session=self.session, thread=self.thread, budget=max(50, self.budget))
        except CairnError as error:
            if error.status != 404:
                raise
            return ""
        return str(block["text"])
