"""A session for the OpenAI Agents SDK: ``pip install 'cairn-recall[openai-agents]'``.

.. code-block:: python

    from agents import Runner
    from cairn_recall import AsyncMemory
    from cairn_recall.openai_agents import CairnSession

    session = CairnSession("support-42", AsyncMemory(agent="main"))
    await Runner.run(agent, "I moved to Lisbon.", session=session)

What the session says is kept verbatim and remembered, so that other sessions of the same agent find it again. Taking an item
back and clearing are written down, not carried out: nothing that was said is deleted.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import AsyncIterator
from typing import Any, Optional, cast

from agents.items import TResponseInputItem
from agents.memory import SessionABC, SessionSettings

from ._client import AsyncMemory
from ._content import ROLES, text_of
from ._errors import CairnError
from ._types import Message


class CairnSession(SessionABC):
    """The history of one conversation, kept by Cairn."""

    def __init__(
        self, session_id: str, memory: AsyncMemory, *, thread: Optional[str] = None,
        session_settings: Optional[SessionSettings] = None,
    ) -> None:
        self.session_id = session_id
        self.session_settings = session_settings or SessionSettings()
        self._memory = memory
        self._thread = thread

    async def get_items(self, limit: Optional[int] = None) -> list[TResponseInputItem]:
        """The latest items, or all of them, in the order in which they were added."""
        if limit is None and self.session_settings is not None:
            limit = self.session_settings.limit
        items = await self._newest(limit)
        return items[::-1]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Keeps items; when this returns, they are durable."""
        lines = [self._line(*_words(cast(dict[str, Any], item)), item=item) for item in items]
        if lines:
            await self._memory.ingest(lines)

    async def pop_item(self) -> Optional[TResponseInputItem]:
        """Takes the newest item back."""
        newest = await self._newest(1)
        if not newest:
            return None
        await self._memory.ingest([self._line("system", "The last item was taken back.", step="pop")])
        return newest[0]

    async def clear_session(self) -> None:
        """Begins anew."""
        await self._memory.ingest([self._line("system", "The session was cleared.", step="clear")])

    def _line(self, role: str, text: str, **more: Any) -> dict[str, Any]:
        line = {"id": str(uuid.uuid4()), "session": self.session_id, "role": role, "text": text, "openai": more}
        return line if self._thread is None else {**line, "thread": self._thread}

    async def _said(self) -> AsyncIterator[Message]:
        """The messages, the last first; nothing if the agent is not there yet."""
        try:
            async for message in self._memory.session(self.session_id):
                yield message
        except CairnError as error:
            if error.status != 404:
                raise

    async def _newest(self, limit: Optional[int]) -> list[TResponseInputItem]:
        """The newest items that were not taken back, the last first."""
        items: list[TResponseInputItem] = []
        taken_back = 0
        if limit is not None and limit <= 0:
            return items
        async for message in self._said():
            kept = message["metadata"].get("openai") or {}
            if kept.get("step") == "clear":
                break
            if kept.get("step") == "pop":
                taken_back += 1
            elif "item" in kept and taken_back:
                taken_back -= 1
            elif "item" in kept:
                items.append(kept["item"])
                if len(items) == limit:
                    break
        return items


def _words(item: dict[str, Any]) -> tuple[str, str]:
    """Who said an item, and in which words."""
    kind = item.get("type", "message")
    if kind == "function_call":
        return "assistant", f"{item.get('name')}({item.get('arguments')})"
    if kind.endswith("_output"):
        return "tool", text_of(item.get("output")) or json.dumps(item, ensure_ascii=False)
    role = ROLES.get(str(item.get("role", "assistant")), "assistant")
    return role, text_of(item.get("content")) or json.dumps(item, ensure_ascii=False)
