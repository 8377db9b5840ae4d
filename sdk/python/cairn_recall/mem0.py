"""The calls of mem0, answered by Cairn: leaving mem0 is one import.

.. code-block:: python

    from cairn_recall.mem0 import Memory        # was: from mem0 import Memory

    memory = Memory()
    memory.add([{"role": "user", "content": "I moved to Lisbon in March."}], user_id="alice")
    memory.search("where does she live?", filters={"user_id": "alice"})

A ``user_id`` is an agent of Cairn and a wall: nothing crosses it. Within it an ``agent_id`` is a thread and a ``run_id`` a session.
``AsyncMemory``, ``MemoryClient`` and ``AsyncMemoryClient`` are here, too. What cannot be as in mem0 is refused with a ``CairnError`` that
says what to do instead; the README of this package lists it.
"""

from __future__ import annotations

from types import TracebackType
from typing import Any, Optional, TypeVar, Union

from . import _client
from ._errors import CairnError, refused
from ._mem0_calls import Mem0Calls, Steps
from ._mem0_scope import Scope

_T = TypeVar("_T")
Answer = dict[str, Any]
Messages = Union[str, dict[str, Any], list[dict[str, Any]]]


def _options(options: Any, given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call of the platform's client: its options, and what was given by name."""
    if options is None:
        return given
    named = options if isinstance(options, dict) else options.model_dump(exclude_unset=True)
    return {**named, **given}


def _own(config: Optional[dict[str, Any]], name: str) -> Any:
    """A setting under ``cairn`` of a configuration. Everything else in it is about machinery that is not here."""
    own = config.get("cairn") if isinstance(config, dict) else None
    return own.get(name) if isinstance(own, dict) else None


class _Operations(Mem0Calls):
    """The calls with mem0's arguments, each as steps that a client takes."""

    def _add(self, messages: Messages, ids: dict[str, Any], metadata: Optional[Answer], timestamp: Any, infer: bool,
             unknown: dict[str, Any]) -> Steps[Answer]:
        self._nothing_else(unknown)
        return self.added(messages, Scope.of(**ids), metadata or {}, timestamp, infer)

    def _found(self, query: str, filters: Optional[Answer], k: Optional[int], threshold: Optional[float],
               unknown: dict[str, Any]) -> Steps[Answer]:
        scope, wanted = self.scoped(filters, unknown)
        return self.found(query, scope, wanted, k, threshold)

    def _listed(self, filters: Optional[Answer], k: Optional[int], unknown: dict[str, Any]) -> Steps[Answer]:
        scope, wanted = self.scoped(filters, unknown)
        return self.listed(scope, wanted, k)

    def _updated(self, memory_id: str, text: Optional[str], metadata: Optional[Answer], unknown: dict[str, Any]) -> Steps[Answer]:
        self._nothing_else(unknown)
        if metadata is not None:
            raise refused("metadata stays as it was given with `add`", "add the memory anew, or leave `metadata` out")
        if not text:
            raise refused("there is no text to update the memory with", "give `text`")
        return self.updated(memory_id, text)

    @staticmethod
    def _nothing_else(unknown: dict[str, Any]) -> None:
        """Refuses what would be promised and not kept."""
        for name, value in unknown.items():
            if value is not None and value is not False:
                raise refused(f"`{name}` cannot be as in mem0", "leave it out; see the README of cairn-recall")


class Memory(_Operations):
    """mem0's ``Memory`` over ``cairn serve``. Its configuration is accepted; only ``url`` and ``key`` under ``cairn`` have an effect."""

    def __init__(self, config: Any = None, *, url: Optional[str] = None, key: Optional[str] = None, timeout: float = 60.0) -> None:
        self._client = _client.Memory(url=url or _own(config, "url"), key=key or _own(config, "key"), timeout=timeout)

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> "Memory":
        return cls(config_dict)

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._client.close()

    def _take(self, steps: Steps[_T]) -> _T:
        try:
            call = next(steps)
            while True:
                try:
                    answer = self._client._make(call)
                except CairnError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as end:
            done: _T = end.value
            return done

    def add(self, messages: Messages, *, user_id: Optional[str] = None, agent_id: Optional[str] = None, run_id: Optional[str] = None,
            metadata: Optional[Answer] = None, timestamp: Any = None, expiration_date: Any = None, infer: bool = True,
            memory_type: Optional[str] = None, prompt: Optional[str] = None) -> Answer:
        """Keeps messages word for word and says what became of them. A text is remembered, and with ``infer=False`` each message; of a
        conversation, what is worth it."""
        ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        more = {"expiration_date": expiration_date, "memory_type": memory_type, "prompt": prompt}
        return self._take(self._add(messages, ids, metadata, timestamp, infer, more))

    def search(self, query: str, *, top_k: Optional[int] = None, filters: Optional[Answer] = None, threshold: Optional[float] = None,
               rerank: bool = False, explain: bool = False, show_expired: bool = False, **ids: Any) -> Answer:
        """Memories that answer a question, best first. ``rerank``, ``explain`` and ``show_expired`` change nothing: hits are ranked
        anyway, say why, and nothing expires."""
        return self._take(self._found(query, filters, top_k, threshold, ids))

    def get_all(self, *, filters: Optional[Answer] = None, top_k: Optional[int] = None, show_expired: bool = False, **ids: Any) -> Answer:
        """Memories, the newest first; twenty if not said."""
        return self._take(self._listed(filters, top_k, ids))

    def get(self, memory_id: str) -> Optional[Answer]:
        """One memory, or nothing. An id that was updated since leads to what holds now."""
        return self._take(self.one(memory_id))

    def update(self, memory_id: str, text: Optional[str] = None, metadata: Optional[Answer] = None, expiration_date: Any = None,
               data: Optional[str] = None) -> Answer:
        """Corrects a memory: the new text holds, the old one is put to rest and stays in the history."""
        return self._take(self._updated(memory_id, text or data, metadata, {"expiration_date": expiration_date}))

    def delete(self, memory_id: str) -> Answer:
        """Puts a memory to rest: nothing finds it any more. Only an operator deletes words (``cairn erase``)."""
        return self._take(self.deleted(memory_id))

    def delete_all(self, user_id: Optional[str] = None, agent_id: Optional[str] = None, run_id: Optional[str] = None) -> Answer:
        """Puts all memories of a user, an agent or a run to rest."""
        return self._take(self.all_deleted(Scope.of(user_id=user_id, agent_id=agent_id, run_id=run_id)))

    def history(self, memory_id: str) -> list[Answer]:
        """All that a memory has said, the oldest first."""
        return self._take(self.past(memory_id))

    def reset(self) -> Answer:
        """Puts the memories of all users to rest. It takes an operator's key, who alone may see that there are others."""
        return self._take(self.everything_deleted())


class AsyncMemory(_Operations):
    """The same, awaited."""

    def __init__(self, config: Any = None, *, url: Optional[str] = None, key: Optional[str] = None, timeout: float = 60.0) -> None:
        self._client = _client.AsyncMemory(url=url or _own(config, "url"), key=key or _own(config, "key"), timeout=timeout)

    @classmethod
    def from_config(cls, config_dict: dict[str, Any]) -> "AsyncMemory":
        return cls(config_dict)

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(self, kind: Optional[type[BaseException]], error: Optional[BaseException], trace: Optional[TracebackType]) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.close()

    async def _take(self, steps: Steps[_T]) -> _T:
        try:
            call = next(steps)
            while True:
                try:
                    answer = await self._client._make(call)
                except CairnError as error:
                    call = steps.throw(error)
                else:
                    call = steps.send(answer)
        except StopIteration as end:
            done: _T = end.value
            return done

    async def add(self, messages: Messages, *, user_id: Optional[str] = None, agent_id: Optional[str] = None,
                  run_id: Optional[str] = None, metadata: Optional[Answer] = None, timestamp: Any = None, expiration_date: Any = None,
                  infer: bool = True, memory_type: Optional[str] = None, prompt: Optional[str] = None, llm: Any = None) -> Answer:
        """As ``Memory.add``."""
        ids = {"user_id": user_id, "agent_id": agent_id, "run_id": run_id}
        more = {"expiration_date": expiration_date, "memory_type": memory_type, "prompt": prompt}
        return await self._take(self._add(messages, ids, metadata, timestamp, infer, more))

    async def search(self, query: str, *, top_k: Optional[int] = None, filters: Optional[Answer] = None,
                     threshold: Optional[float] = None, rerank: bool = False, explain: bool = False, show_expired: bool = False,
                     **ids: Any) -> Answer:
        """Memories that answer a question, best first. ``rerank``, ``explain`` and ``show_expired`` change nothing."""
        return await self._take(self._found(query, filters, top_k, threshold, ids))

    async def get_all(self, *, filters: Optional[Answer] = None, top_k: Optional[int] = None, show_expired: bool = False,
                      **ids: Any) -> Answer:
        """Memories, the newest first; twenty if not said."""
        return await self._take(self._listed(filters, top_k, ids))

    async def get(self, memory_id: str) -> Optional[Answer]:
        """One memory, or nothing. An id that was updated since leads to what holds now."""
        return await self._take(self.one(memory_id))

    async def update(self, memory_id: str, text: Optional[str] = None, metadata: Optional[Answer] = None,
                     expiration_date: Any = None, data: Optional[str] = None) -> Answer:
        """Corrects a memory: the new text holds, the old one is put to rest and stays in the history."""
        return await self._take(self._updated(memory_id, text or data, metadata, {"expiration_date": expiration_date}))

    async def delete(self, memory_id: str) -> Answer:
        """Puts a memory to rest: nothing finds it any more. Only an operator deletes words (``cairn erase``)."""
        return await self._take(self.deleted(memory_id))

    async def delete_all(self, user_id: Optional[str] = None, agent_id: Optional[str] = None, run_id: Optional[str] = None) -> Answer:
        """Puts all memories of a user, an agent or a run to rest."""
        return await self._take(self.all_deleted(Scope.of(user_id=user_id, agent_id=agent_id, run_id=run_id)))

    async def history(self, memory_id: str) -> list[Answer]:
        """All that a memory has said, the oldest first."""
        return await self._take(self.past(memory_id))

    async def reset(self) -> Answer:
        """Puts the memories of all users to rest. It takes an operator's key, who alone may see that there are others."""
        return await self._take(self.everything_deleted())


class _PlatformArguments(_Operations):
    """The arguments of the platform's client: options, or the same by name."""

    def _client_add(self, messages: Messages, options: Any, named: dict[str, Any]) -> Steps[Answer]:
        named = _options(options, named)
        ids = {**(named.pop("filters", None) or {})}
        ids.update({name: named.pop(name) for name in ("user_id", "agent_id", "run_id") if name in named})
        metadata, timestamp, infer = named.pop("metadata", None), named.pop("timestamp", None), named.pop("infer", None)
        return self._add(messages, ids, metadata, timestamp, infer is not False, named)

    def _client_search(self, query: str, options: Any, named: dict[str, Any]) -> Steps[Answer]:
        named = _options(options, named)
        for without_effect in ("rerank", "show_expired", "latest_only", "keyword_search", "version", "output_format"):
            named.pop(without_effect, None)
        filters, k, threshold = named.pop("filters", None), named.pop("top_k", None), named.pop("threshold", None)
        return self._found(query, filters, k, threshold, named)

    def _client_get_all(self, options: Any, named: dict[str, Any]) -> Steps[Answer]:
        named = _options(options, named)
        for without_effect in ("show_expired", "latest_only", "version", "output_format"):
            named.pop(without_effect, None)
        filters, page, size = named.pop("filters", None), named.pop("page", None) or 1, named.pop("page_size", None) or 100
        scope, wanted = self.scoped(filters, named)
        return self.paged(scope, wanted, page, size)

    def _client_update(self, memory_id: str, options: Any, named: dict[str, Any]) -> Steps[Answer]:
        named = _options(options, named)
        return self._updated(memory_id, named.pop("text", None), named.pop("metadata", None), named)

    def _client_delete_all(self, options: Any, named: dict[str, Any]) -> Steps[Answer]:
        named = _options(options, named)
        return self.all_deleted(Scope.of(**{**(named.pop("filters", None) or {}), **named}))


class MemoryClient(_PlatformArguments):
    """mem0's client of its platform, over ``cairn serve``: ``host`` is where it listens, ``api_key`` a key of ``cairn key add``."""

    def __init__(self, api_key: Optional[str] = None, host: Optional[str] = None, client: Any = None, *, timeout: float = 60.0) -> None:
        if client is not None:
            raise refused("a client of one's own cannot be used", "leave `client` out")
        self._memory = Memory(url=host, key=api_key, timeout=timeout)

    def add(self, messages: Messages, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.add``."""
        return self._memory._take(self._client_add(messages, options, kwargs))

    def search(self, query: str, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.search``."""
        return self._memory._take(self._client_search(query, options, kwargs))

    def get_all(self, options: Any = None, **kwargs: Any) -> Answer:
        """A page of memories, with how many there are."""
        return self._memory._take(self._client_get_all(options, kwargs))

    def get(self, memory_id: str) -> Optional[Answer]:
        """As ``Memory.get``."""
        return self._memory.get(memory_id)

    def update(self, memory_id: str, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.update``."""
        return self._memory._take(self._client_update(memory_id, options, kwargs))

    def delete(self, memory_id: str) -> Answer:
        """As ``Memory.delete``."""
        return self._memory.delete(memory_id)

    def delete_all(self, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.delete_all``."""
        return self._memory._take(self._client_delete_all(options, kwargs))

    def history(self, memory_id: str) -> list[Answer]:
        """As ``Memory.history``."""
        return self._memory.history(memory_id)

    def feedback(self, memory_id: str, feedback: Optional[str] = None, feedback_reason: Optional[str] = None) -> Answer:
        """Says whether a memory was of use: ``POSITIVE``, ``NEGATIVE`` or ``VERY_NEGATIVE``."""
        return self._memory._take(self.judged(memory_id, feedback))

    def users(self) -> Answer:
        """The users there are. It takes an operator's key."""
        return self._memory._take(self.everyone())

    def reset(self) -> Answer:
        """As ``Memory.reset``."""
        return self._memory.reset()


class AsyncMemoryClient(_PlatformArguments):
    """The same, awaited."""

    def __init__(self, api_key: Optional[str] = None, host: Optional[str] = None, client: Any = None, *, timeout: float = 60.0) -> None:
        if client is not None:
            raise refused("a client of one's own cannot be used", "leave `client` out")
        self._memory = AsyncMemory(url=host, key=api_key, timeout=timeout)

    async def add(self, messages: Messages, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.add``."""
        return await self._memory._take(self._client_add(messages, options, kwargs))

    async def search(self, query: str, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.search``."""
        return await self._memory._take(self._client_search(query, options, kwargs))

    async def get_all(self, options: Any = None, **kwargs: Any) -> Answer:
        """A page of memories, with how many there are."""
        return await self._memory._take(self._client_get_all(options, kwargs))

    async def get(self, memory_id: str) -> Optional[Answer]:
        """As ``Memory.get``."""
        return await self._memory.get(memory_id)

    async def update(self, memory_id: str, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.update``."""
        return await self._memory._take(self._client_update(memory_id, options, kwargs))

    async def delete(self, memory_id: str) -> Answer:
        """As ``Memory.delete``."""
        return await self._memory.delete(memory_id)

    async def delete_all(self, options: Any = None, **kwargs: Any) -> Answer:
        """As ``Memory.delete_all``."""
        return await self._memory._take(self._client_delete_all(options, kwargs))

    async def history(self, memory_id: str) -> list[Answer]:
        """As ``Memory.history``."""
        return await self._memory.history(memory_id)

    async def feedback(self, memory_id: str, feedback: Optional[str] = None, feedback_reason: Optional[str] = None) -> Answer:
        """Says whether a memory was of use: ``POSITIVE``, ``NEGATIVE`` or ``VERY_NEGATIVE``."""
        return await self._memory._take(self.judged(memory_id, feedback))

    async def users(self) -> Answer:
        """The users there are. It takes an operator's key."""
        return await self._memory._take(self.everyone())

    async def reset(self) -> Answer:
        """As ``Memory.reset``."""
        return await self._memory.reset()
