"""A memory for Pydantic AI agents: ``pip install 'cairn-recall[pydantic-ai]'``.

.. code-block:: python

    from cairn_recall import AsyncMemory
    from cairn_recall.pydantic_ai import CairnMemory

    agent = Agent("openai:gpt-5", capabilities=[CairnMemory(AsyncMemory(agent="main"))])

Before the model is asked, it is shown what the agent of Cairn knows about the prompt: beside the user's words, quoted and dated, never as an
instruction, and not written into the history of messages. After the run both sides are kept word for word.
"""

from __future__ import annotations

import json
from dataclasses import KW_ONLY, dataclass, replace
from typing import TYPE_CHECKING, Any, Optional

from pydantic_ai.capabilities import AbstractCapability
from pydantic_ai.messages import ModelMessage, ModelRequest, UserPromptPart
from pydantic_ai.tools import AgentDepsT, RunContext
from pydantic_core import to_jsonable_python

from ._client import AsyncMemory
from ._errors import CairnError

if TYPE_CHECKING:
    from pydantic_ai.models import ModelRequestContext
    from pydantic_ai.run import AgentRunResult


@dataclass
class CairnMemory(AbstractCapability[AgentDepsT]):
    """What an agent knows, beside each prompt; what is said, kept."""

    memory: AsyncMemory
    _: KW_ONLY
    session: Optional[str] = None
    """The conversation; without one that of the run."""
    thread: Optional[str] = None
    """The lasting project it belongs to."""
    budget: int = 600
    """Maximum tokens of what is shown."""
    _block: Optional[str] = None

    @classmethod
    def get_serialization_name(cls) -> Optional[str]:
        return None

    async def for_run(self, ctx: RunContext[AgentDepsT]) -> "CairnMemory[AgentDepsT]":
        return replace(self, _block=None)

    async def before_model_request(self, ctx: RunContext[AgentDepsT], request_context: "ModelRequestContext") -> "ModelRequestContext":
        """Shows the model what is known about the prompt: the same at each step of a run."""
        if self._block is None:
            self._block = await self._known(ctx)
        if self._block:
            request_context.messages = _beside(request_context.messages, self._block)
        return request_context

    async def after_run(self, ctx: RunContext[AgentDepsT], *, result: "AgentRunResult[Any]") -> "AgentRunResult[Any]":
        """Keeps the prompt and the answer."""
        output = result.output
        answer = output if isinstance(output, str) else json.dumps(to_jsonable_python(output), ensure_ascii=False)
        lines = [
            {"id": f"{ctx.run_id}:{role}", "session": self._session(ctx), "thread": self.thread, "role": role, "text": text}
            for role, text in (("user", _words(ctx)), ("assistant", answer))
            if text.strip()
        ]
        await self.memory.ingest([{name: value for name, value in line.items() if value is not None} for line in lines])
        return result

    def _session(self, ctx: RunContext[AgentDepsT]) -> Optional[str]:
        return self.session or ctx.conversation_id

    async def _known(self, ctx: RunContext[AgentDepsT]) -> str:
        try:
            block = await self.memory.context(_words(ctx) or None, session=self._session(ctx), thread=self.thread, budget=self.budget)
        except CairnError as error:
            if error.status != 404:
                raise
            return ""
        return str(block["text"])


def _words(ctx: RunContext[Any]) -> str:
    """The words of the prompt, of which other parts may be images or files."""
    if ctx.prompt is None or isinstance(ctx.prompt, str):
        return ctx.prompt or ""
    return "\n".join(part for part in ctx.prompt if isinstance(part, str))


def _beside(messages: list[ModelMessage], block: str) -> list[ModelMessage]:
    """The messages with a block before the newest words of the user."""
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if isinstance(message, ModelRequest) and any(isinstance(part, UserPromptPart) for part in message.parts):
            shown = replace(message, parts=[UserPromptPart(block), *message.parts])
            return [*messages[:place], shown, *messages[place + 1 :]]
    return messages
