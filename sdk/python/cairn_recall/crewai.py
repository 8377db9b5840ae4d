"""A memory for CrewAI: ``pip install 'cairn-recall[crewai]'``.

.. code-block:: python

    from cairn_recall import Memory
    from cairn_recall.crewai import CairnMemory

    crew = Crew(agents=[...], tasks=[...], memory=CairnMemory(Memory(agent="main")))

What a crew remembers is kept word for word, as the word of an agent, and recalled in words: no embedder and no language model is asked. A
scope is a session; a question without one is asked of all that the agent of Cairn was ever told, also elsewhere.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from datetime import datetime, timezone
from typing import Any, Literal, Optional

from crewai.memory.types import MemoryMatch, MemoryRecord, ScopeInfo
from crewai.memory.unified_memory import Memory as CrewMemory
from crewai.memory.utils import join_scope_paths
from pydantic import PrivateAttr

from ._client import Memory
from ._errors import CairnError, refused
from ._shelf import Entry, Shelf
from ._types import Hit


def _namespace(scope: Optional[str]) -> tuple[str, ...]:
    return tuple(part for part in (scope or "").split("/") if part)


def _path(namespace: tuple[str, ...]) -> str:
    return "/" + "/".join(namespace)


def _record(entry: Entry) -> MemoryRecord:
    return MemoryRecord.model_validate({**(entry.value or {}), "created_at": _naive(entry.created_at)})


def _naive(moment: datetime) -> datetime:
    """CrewAI's times are UTC and do not say so."""
    return moment.astimezone(timezone.utc).replace(tzinfo=None) if moment.tzinfo else moment


class CairnStorage:
    """CrewAI's storage of records, kept by Cairn."""

    def __init__(self, memory: Memory) -> None:
        self.shelf = Shelf(memory, "crew:")

    def __deepcopy__(self, _: dict[int, Any]) -> "CairnStorage":
        """Copies of a crew share it, as they share what is stored."""
        return self

    def save(self, records: list[MemoryRecord]) -> None:
        for record in records:
            self.shelf.put(_namespace(record.scope), record.id, record.model_dump(mode="json"), record.content)

    def update(self, record: MemoryRecord) -> None:
        before = self.get_record(record.id)
        if before is not None and before.scope != record.scope:
            self.shelf.take_out(_namespace(before.scope), record.id)
        self.save([record])

    def records(self, scope_prefix: Optional[str] = None) -> Iterator[MemoryRecord]:
        """Those of a scope and the scopes below it."""
        for namespace in self.shelf.namespaces(_namespace(scope_prefix)):
            for entry in self.shelf.entries(namespace):
                if entry.value is not None:
                    yield _record(entry)

    def get_record(self, record_id: str) -> Optional[MemoryRecord]:
        return next((record for record in self.records() if record.id == record_id), None)

    def list_records(self, scope_prefix: Optional[str] = None, limit: int = 200, offset: int = 0) -> list[MemoryRecord]:
        newest = sorted(self.records(scope_prefix), key=lambda record: record.created_at, reverse=True)
        return newest[offset : offset + limit]

    def search(self, query_embedding: list[float], scope_prefix: Optional[str] = None, categories: Optional[list[str]] = None,
               metadata_filter: Optional[dict[str, Any]] = None, limit: int = 10, min_score: float = 0.0,
               ) -> list[tuple[MemoryRecord, float]]:
        raise refused("Cairn is asked in words, not by vectors", "use this storage through CairnMemory, and its `recall`")

    def delete(self, scope_prefix: Optional[str] = None, categories: Optional[list[str]] = None, record_ids: Optional[list[str]] = None,
               older_than: Optional[datetime] = None, metadata_filter: Optional[dict[str, Any]] = None) -> int:
        """Takes records out. Only an operator deletes words (``cairn erase``)."""
        taken = 0
        for record in list(self.records(scope_prefix)):
            if (
                (categories is None or set(categories) & set(record.categories))
                and (record_ids is None or record.id in record_ids)
                and (older_than is None or _naive(record.created_at) < _naive(older_than))
                and all(record.metadata.get(name) == value for name, value in (metadata_filter or {}).items())
            ):
                taken += self.shelf.take_out(_namespace(record.scope), record.id)
        return taken

    def reset(self, scope_prefix: Optional[str] = None) -> None:
        self.delete(scope_prefix)

    def count(self, scope_prefix: Optional[str] = None) -> int:
        return sum(1 for _ in self.records(scope_prefix))

    def list_categories(self, scope_prefix: Optional[str] = None) -> dict[str, int]:
        return dict(Counter(category for record in self.records(scope_prefix) for category in record.categories))

    def list_scopes(self, parent: str = "/") -> list[str]:
        depth = len(_namespace(parent))
        children = {_path(_namespace(record.scope)[: depth + 1]) for record in self.records(parent) if len(_namespace(record.scope)) > depth}
        return sorted(children)

    def get_scope_info(self, scope: str) -> ScopeInfo:
        records = self.list_records(scope, limit=1_000_000)
        return ScopeInfo(
            path=scope, record_count=len(records), categories=sorted({name for record in records for name in record.categories}),
            oldest_record=records[-1].created_at if records else None, newest_record=records[0].created_at if records else None,
            child_scopes=self.list_scopes(scope),
        )

    async def asave(self, records: list[MemoryRecord]) -> None:
        await asyncio.to_thread(self.save, records)

    async def asearch(self, query_embedding: list[float], scope_prefix: Optional[str] = None, categories: Optional[list[str]] = None,
                      metadata_filter: Optional[dict[str, Any]] = None, limit: int = 10, min_score: float = 0.0,
                      ) -> list[tuple[MemoryRecord, float]]:
        return self.search(query_embedding, scope_prefix, categories, metadata_filter, limit, min_score)

    async def adelete(self, scope_prefix: Optional[str] = None, categories: Optional[list[str]] = None,
                      record_ids: Optional[list[str]] = None, older_than: Optional[datetime] = None,
                      metadata_filter: Optional[dict[str, Any]] = None) -> int:
        return await asyncio.to_thread(self.delete, scope_prefix, categories, record_ids, older_than, metadata_filter)


class CairnMemory(CrewMemory):
    """CrewAI's memory, kept and searched by Cairn."""

    _cairn: CairnStorage = PrivateAttr()

    def __init__(self, memory: Memory, **settings: Any) -> None:
        storage = CairnStorage(memory)
        super().__init__(storage=storage, llm="none", embedder=_no_embedder, **settings)
        self._cairn = storage

    def _within(self, scope: Optional[str], root: Optional[str] = None) -> Optional[str]:
        root = root or self.root_scope
        return (join_scope_paths(root, scope) if scope else root) if root else scope

    def extract_memories(self, content: str) -> list[str]:
        """The content itself: what is worth remembering of it, Cairn decides once it is kept."""
        return [content] if content.strip() else []

    def remember(self, content: str, scope: Optional[str] = None, categories: Optional[list[str]] = None,
                 metadata: Optional[dict[str, Any]] = None, importance: Optional[float] = None, source: Optional[str] = None,
                 private: bool = False, agent_role: Optional[str] = None, root_scope: Optional[str] = None) -> Optional[MemoryRecord]:
        """Keeps one item; when this returns, it is durable."""
        if self.read_only or not content.strip():
            return None
        record = MemoryRecord(
            content=content, scope=_path(_namespace(self._within(scope, root_scope))), categories=categories or [],
            metadata={**(metadata or {}), **({"agent_role": agent_role} if agent_role else {})},
            importance=self.default_importance if importance is None else importance, source=source, private=private,
        )
        self._cairn.save([record])
        return record

    def remember_many(self, contents: list[str], scope: Optional[str] = None, categories: Optional[list[str]] = None,
                      metadata: Optional[dict[str, Any]] = None, importance: Optional[float] = None, source: Optional[str] = None,
                      private: bool = False, agent_role: Optional[str] = None, root_scope: Optional[str] = None) -> list[MemoryRecord]:
        """Keeps each item; when this returns, they are durable."""
        kept = [self.remember(content, scope, categories, metadata, importance, source, private, agent_role, root_scope) for content in contents]
        return [record for record in kept if record is not None]

    def update(self, record_id: str, content: Optional[str] = None, scope: Optional[str] = None, categories: Optional[list[str]] = None,
               metadata: Optional[dict[str, Any]] = None, importance: Optional[float] = None) -> MemoryRecord:
        """Puts a record anew, with what is given changed. What it said before stays readable in Cairn."""
        existing = self._cairn.get_record(record_id)
        if existing is None:
            raise ValueError(f"Record not found: {record_id}")
        given = {"content": content, "scope": scope, "categories": categories, "metadata": metadata, "importance": importance}
        updated = existing.model_copy(update={name: value for name, value in given.items() if value is not None})
        if not self.read_only:
            self._cairn.update(updated)
        return existing if self.read_only else updated

    def recall(self, query: str, scope: Optional[str] = None, categories: Optional[list[str]] = None, limit: int = 10,
               depth: Literal["shallow", "deep"] = "deep", source: Optional[str] = None, include_private: bool = False) -> list[MemoryMatch]:
        """What answers a question, best first. Both depths are the same search."""
        within, shelf = self._within(scope), self._cairn.shelf
        prefix = _namespace(within)
        if prefix:
            hits = [hit for namespace in shelf.namespaces(prefix) for hit in shelf.hits(namespace, query, 4 * limit)]
            hits.sort(key=lambda hit: hit["score"], reverse=True)
        else:
            hits = _hits(shelf.memory, query, 4 * limit)
        known: dict[tuple[str, ...], dict[str, Entry]] = {}
        matches: list[MemoryMatch] = []
        for hit in hits:
            namespace = shelf.namespace(hit["session"] or "")
            record = MemoryRecord(id=hit["ref"], content=hit["text"], created_at=_naive(datetime.fromisoformat(hit["at"].replace("Z", "+00:00"))))
            if hit["kind"] != "exchange" or hit.get("superseded"):
                continue
            if namespace is not None:
                if namespace not in known:
                    known[namespace] = {entry.id: entry for entry in shelf.entries(namespace)}
                entry = known[namespace].get(next(iter(hit["source_ids"]), ""))
                if entry is None or entry.value is None:
                    continue
                record = _record(entry)
            hidden = record.private and not include_private and (source is None or record.source != source)
            if not hidden and (not categories or set(categories) & set(record.categories)):
                reasons = [name for name, place in hit["why"]["lanes"].items() if place]
                matches.append(MemoryMatch(record=record, score=min(1.0, hit["score"]), match_reasons=reasons))
        return matches[:limit]


def _hits(memory: Memory, query: str, k: int) -> list[Hit]:
    """Messages that answer a question; none if the agent is not there yet."""
    try:
        return memory.recall(query, k=min(1_000, k), kinds=["exchange"])
    except CairnError as error:
        if error.status != 404:
            raise
        return []


def _no_embedder(_: Any) -> Any:
    raise refused("Cairn is asked in words, not by vectors", "use `recall`")
