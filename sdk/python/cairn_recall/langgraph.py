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
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Optional

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
from ._shelf import Entry, Shelf

#: The fields of a value that are words for people, the first that is there.
_WORDS = ("text", "content", "memory", "data")


class CairnStore(BaseStore):
    """A LangGraph store whose items are kept by Cairn."""

    def __init__(self, memory: Memory) -> None:
        self._shelf = Shelf(memory, "store:")

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        return [self._do(op) for op in ops]

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        return await asyncio.to_thread(self.batch, list(ops))

    def _do(self, op: Op) -> Result:
        if isinstance(op, GetOp):
            entry = self._shelf.entry(op.namespace, op.key)
            return _item(entry) if entry is not None and entry.value is not None else None
        if isinstance(op, PutOp):
            if op.value is None:
                self._shelf.take_out(op.namespace, op.key)
            else:
                self._shelf.put(op.namespace, op.key, dict(op.value), _words(op.value))
            return None
        if isinstance(op, SearchOp):
            return self._search(op)
        return self._namespaces(op)

    def _search(self, op: SearchOp) -> list[SearchItem]:
        found: list[SearchItem] = []
        for namespace in self._shelf.namespaces(op.namespace_prefix):
            there = {entry.id: _item(entry) for entry in self._shelf.entries(namespace)
                     if entry.value is not None and _fits(entry.value, op.filter)}
            if op.query and there:
                for hit in self._shelf.hits(namespace, op.query, 2 * len(there) + 50):
                    item = there.pop(next(iter(hit["source_ids"]), ""), None)
                    if item is not None:
                        found.append(_searched(item, hit["score"]))
            found.extend(_searched(item, None) for item in there.values())
        if op.query:
            found.sort(key=lambda item: -1.0 if item.score is None else item.score, reverse=True)
        return found[op.offset : op.offset + op.limit]

    def _namespaces(self, op: ListNamespacesOp) -> list[tuple[str, ...]]:
        conditions = op.match_conditions or ()
        known = {
            namespace[: op.max_depth]
            for namespace in self._shelf.namespaces()
            if all(_matches(namespace, condition) for condition in conditions)
            and any(entry.value is not None for entry in self._shelf.entries(namespace))
        }
        return sorted(known)[op.offset : op.offset + op.limit]


def _item(entry: Entry) -> Item:
    return Item(value=entry.value or {}, key=entry.key, namespace=entry.namespace, created_at=entry.created_at,
                updated_at=entry.updated_at)


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
