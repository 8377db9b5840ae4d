"""Items under keys, kept as messages: what LangGraph's store and CrewAI's memory stand on.

A namespace is a session, and every ``put`` a message in it, in the words of the agent: nothing is overwritten, the newest message of a key
is its value. What is put is also remembered like everything else an agent is told.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple, Optional, TypeVar
from urllib.parse import quote, unquote

from ._client import Memory
from ._errors import CairnError
from ._types import Hit

_T = TypeVar("_T")


class Entry(NamedTuple):
    """The newest of a key. Its value is none once it was taken out."""

    id: str
    ref: str
    namespace: tuple[str, ...]
    key: str
    value: Optional[dict[str, Any]]
    created_at: datetime
    updated_at: datetime


class Shelf:
    """The items of an agent whose sessions begin with a prefix, so that they are told from conversations."""

    def __init__(self, memory: Memory, prefix: str) -> None:
        self.memory = memory
        self._prefix = prefix

    def put(self, namespace: tuple[str, ...], key: str, value: dict[str, Any], words: str) -> None:
        """Keeps a value, in words that are found again."""
        kept = {"namespace": list(namespace), "key": key, "value": value}
        self.memory.remember(words, role="assistant", session=self.session(namespace), id=f"{key}@{uuid.uuid4()}",
                             metadata={"store": kept}, no_wait=True)

    def take_out(self, namespace: tuple[str, ...], key: str) -> bool:
        """Writes down that a key has no value any more, and puts what is remembered of it to rest. False if it had none."""
        before = self.entry(namespace, key)
        if before is None or before.value is None:
            return False
        kept = {"namespace": list(namespace), "key": key, "value": None}
        text = f"{key} was taken out of the store."
        line = {"id": f"{key}@{uuid.uuid4()}", "session": self.session(namespace), "role": "system", "text": text, "store": kept}
        self.memory.ingest([line])
        for said in self.memory.why(before.ref)["evidence"]:
            for memory in said["memories"]:
                self.memory.forget(memory["ref"])
        return True

    def entry(self, namespace: tuple[str, ...], key: str) -> Optional[Entry]:
        """The newest of one key."""
        return next((entry for entry in self.entries(namespace) if entry.key == key), None)

    def entries(self, namespace: tuple[str, ...]) -> Iterator[Entry]:
        """The items a namespace holds or held, the newest of each key; the one put last comes first."""
        seen: dict[str, Entry] = {}
        began: set[str] = set()
        for message in _or_nothing(self.memory.session(self.session(namespace))):
            kept = message["metadata"].get("store")
            if not isinstance(kept, dict):
                continue
            at = datetime.fromisoformat(message["at"].replace("Z", "+00:00"))
            key, value = kept["key"], kept["value"]
            if key not in seen:
                seen[key] = Entry(message["source_ids"][0], message["ref"], namespace, key, value, at, at)
            elif value is None:
                began.add(key)
            if key not in began:
                seen[key] = seen[key]._replace(created_at=at)
        yield from seen.values()

    def hits(self, namespace: tuple[str, ...], query: str, k: int) -> list[Hit]:
        """What answers a question within a namespace."""
        return self.memory.recall(query, session=self.session(namespace), k=min(1_000, k))

    def namespaces(self, prefix: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
        """The namespaces that begin so."""
        for session in _or_nothing(self.memory.sessions()):
            namespace = self.namespace(session["session"])
            if namespace is not None and namespace[: len(prefix)] == prefix:
                yield namespace

    def session(self, namespace: tuple[str, ...]) -> str:
        """The session of a namespace."""
        return self._prefix + "/".join(quote(part, safe="") for part in namespace)

    def namespace(self, session: str) -> Optional[tuple[str, ...]]:
        """The namespace of a session, if it is one of these."""
        if not session.startswith(self._prefix):
            return None
        path = session.removeprefix(self._prefix)
        return tuple(unquote(part) for part in path.split("/")) if path else ()


def _or_nothing(items: Iterator[_T]) -> Iterator[_T]:
    """The items; none if the agent is not there yet."""
    try:
        yield from items
    except CairnError as error:
        if error.status != 404:
            raise
