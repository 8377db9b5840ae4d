"""The words of a message, in the shapes in which frameworks hand it over."""

from __future__ import annotations

from typing import Any


#: The roles of others, as Cairn knows them.
ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "system": "system", "developer": "system", "tool": "tool", "function": "tool"}


def text_of(content: Any) -> str:
    """The words of a content: a text, or parts of which some are. Empty if there are none."""
    if isinstance(content, str):
        return content.strip() and content
    parts = content if isinstance(content, list) else []
    texts = [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]
    return "\n".join(texts).strip() and "\n".join(texts)
