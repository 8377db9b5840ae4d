"""A store for LangGraph and LangChain agents: ``pip install 'cairn-recall[langgraph]'``.

.. code-block:: python

    from cairn_recall import Memory
    from cairn_recall.langgraph import CairnStore

    graph = builder.compile(store=CairnStore(Memory(agent="main")))

A namespace is a session of the memory, and every ``put`` a message in it, in the words of the agent: nothing is overwritten,
the newest message of a key is its value. What is put is also remembered like everything else an agent is told.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, NamedTuple, Optional, TypeVar
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from ._client import Memory
from ._errors import CairnError

_T = TypeVar("_T")

#: How the sessions of a store are called, so that they are told from conversations.
_PREFIX = "store:"
#: The fields of a value that are words for people, the first that is there.
_WORDS = ("text", "content", "memory", "data")


class _Entry(NamedTuple):
    """The newest of a key."""

    id: str
    ref: str
    item: Item
    is_there: bool


class CairnStore(BaseStore):
    """A LangGraph store whose items are kept by Cairn."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            entry = self._entry(op.namespace, op.key)
            return entry.item if entry is not None and entry.is_there else None
        if isinstance(op, PutOp):
            self._put(op)
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(op)

    def _put(self, op: PutOp) -> None:
        kept = {"namespace": list(op.namespace), "key": op.key, "value": op.value}
        session, number = _session(op.namespace), f"{op.key}@{uuid.uuid4()}"
        if op.value is not None:
            self._memory.remember(
                _words(op.value), role="assistant", session=session, id=number, metadata={"store": kept}, no_wait=True
            )
            return
        before = self._entry(op.namespace, op.key)
        if before is None or not before.is_there:
            return
        text = f"{op.key} was taken out of the store."
        self._memory.ingest([{"id": number, "session": session, "role": "system", "text": text, "store": kept}])
        for said in self._memory.why(before.ref)["evidence"]:
            for memory in said["memories"]:
                self._memory.forget(memory["ref"])

    def _entry(self, namespace: tuple[str, ...], key: str) -> Optional[_Entry]:
        return next((entry for entry in self._entries(namespace) if entry.item.key == key), None)

    def _entries(self, namespace: tuple[str, ...]) -> Iterator[_Entry]:
        """The items a namespace holds or held, the newest of each key; the one put last comes first."""
        seen: dict[str, _Entry] = {}
        began: dict[str, datetime] = {}
        for message in _or_nothing(self._memory.session(_session(namespace))):
            kept = message["metadata"].get("store")
            if not isinstance(kept, dict):
                continue
            at = datetime.fromisoformat(message["at"].replace("Z", "+00:00"))
            key, value = kept["key"], kept["value"]
            if key not in seen:
                item = Item(value=value or {}, key=key, namespace=namespace, created_at=at, updated_at=at)
                seen[key] = _Entry(message["source_ids"][0], message["ref"], item, value is not None)
            elif value is None:
                began.setdefault(key, seen[key].item.created_at)
            if key not in began:
                seen[key].item.created_at = at
        yield from seen.values()

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        for namespace in self._known(op.namespace_prefix):
            there = {entry.id: entry.item for entry in self._entries(namespace) if entry.is_there}
            there = {id: item for id, item in there.items() if _fits(item.value, op.filter)}
            if op.query and there:
                for hit in self._memory.recall(op.query, session=_session(namespace), k=min(1_000, 2 * len(there) + 50)):
                    item = there.pop(next(iter(hit["source_ids"]), ""), None)
                    if item is not None:
                        found.append(_searched(item, hit["score"]))
            found.extend(_searched(item, None) for item in there.values())
        if op.query:
            found.sort(key=lambda item: -1.0 if item.score is None else item.score, reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _known(self, prefix: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """The namespaces that begin so."""
        for session in _or_nothing(self._memory.sessions()):
            if session["session"].startswith(_PREFIX):
                namespace = _namespace(session["session"])
                if namespace[: len(prefix)] == prefix:
                    yield namespace

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        known = {
            namespace[: op.max_depth]
            for namespace in self._known(())
            if all(_matches(namespace, condition) for condition in conditions)
            and any(entry.is_there for entry in self._entries(namespace))
        }
        return sorted(known)[op.offset : op.offset + op.limit]


def _or_nothing(items: Iterator[_T]) -> Iterator[_T]:
    """The items; none if the agent is not there yet."""
    try:
        yield from items
    except CairnError as error:
        if error.status != 404:
            raise


def _session(namespace: tuple[str, ...]) -> str:
    return _PREFIX + "/".join(quote(part, safe="") for part in namespace)


def _namespace(session: str) -> tuple[str, ...]:
    return tuple(unquote(part) for part in session.removeprefix(_PREFIX).split("/"))


def _words(value: Mapping[str, Any]) -> str:
    for field in _WORDS:
        words = value.get(field)
        if isinstance(words, str) and words.strip():
            return words
    return json.dumps(dict(value), ensure_ascii=False)


def _searched(item: Item, score: Optional[float]) -> SearchItem:
    return SearchItem(item.namespace, item.key, item.value, item.created_at, item.updated_at, score)


def _matches(namespace: tuple[str, ...], condition: MatchCondition) -> bool:
    path = condition.path
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", have) for want, have in zip(path, part))


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": lambda have, want: have == want,
    "$ne": lambda have, want: have != want,
    "$gt": lambda have, want: have is not None and have > want,
    "$gte": lambda have, want: have is not None and have >= want,
    "$lt": lambda have, want: have is not None and have < want,
    "$lte": lambda have, want: have is not None and have <= want,
}


def _fits(value: dict[str, Any], wanted: Optional[dict[str, Any]]) -> bool:
    def fits(have: Any, want: Any) -> bool:
        if isinstance(want, dict) and any(name.startswith("$") for name in want):
            unknown = [name for name in want if name not in _COMPARE]
            if unknown:
                raise ValueError(f"there is no operator {unknown[0]}; use one of {', '.join(_COMPARE)}")
            return all(_COMPARE[name](have, than) for name, than in want.items())
        return bool(have == want)

    return all(fits(value.get(field), want) for field, want in (wanted or {}).items())
