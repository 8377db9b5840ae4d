"""The clients. Each call is described once, in `_Calls`, and made by whichever client."""

from __future__ import annotations

import asyncio
import json
import os
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional, Union, cast
from urllib.parse import quote

import httpx

from ._errors import CairnError
from ._types import AttachedFile, Attachment, Handoff, Hit, Intention, MemoryRecord, Message, ProjectSkills, Recall, Remembered, Stats

#: How often a request is sent before its failure is believed, and after which of its answers it is sent again.
_TRIES = 3
_AGAIN = {409, 429, 503}
#: What a request without an answer ends with.
_UNANSWERED = (httpx.HTTPError, httpx.InvalidURL)


class Call(NamedTuple):
    """A request, and what of its answer is given back."""

    method: str
    path: str
    read: Callable[[Any], Any]
    body: Optional[dict[str, Any]] = None
    query: Optional[dict[str, Any]] = None
    once: bool = False
    files: Optional[list[tuple[str, tuple[str, bytes]]]] = None
    lines: Optional[bytes] = None


def _given(**values: Any) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _whole(answer: Any) -> Any:
    return answer


class _Calls:
    """Every call of the server that an agent needs."""

    def __init__(self, agent: str) -> None:
        self._base = f"/v1/agents/{quote(agent, safe='')}"

    def _call(self, method: str, path: str, read: Callable[[Any], Any] = _whole, **rest: Any) -> Call:
        return Call(method, self._base + path, read, **rest)

    def remember(self, text: str, **options: Any) -> Call:
        return self._call("POST", "/remember", body=_given(text=text, **options), once=True)

    def recall(self, query: str, **options: Any) -> Call:
        return self._call("POST", "/recall", body=_given(query=query, **options))

    def context(self, **options: Any) -> Call:
        return self._call("POST", "/context", body=_given(**options))

    def feedback(self, ref: str, helpful: bool) -> Call:
        return self._call("POST", "/feedback", body={"ref": ref, "helpful": helpful}, once=True)

    def correct(self, ref: str, text: str) -> Call:
        return self._call("POST", "/correct", body={"ref": ref, "text": text}, once=True)

    def open(self, refs: Iterable[str]) -> Call:
        return self._call("POST", "/open", lambda answer: answer["records"], body={"refs": list(refs)})

    def why(self, ref: str) -> Call:
        return self._call("GET", f"/why/{quote(ref, safe='')}")

    def timeline(self, **options: Any) -> Call:
        return self._call("GET", "/timeline", lambda answer: answer["entries"], query=_given(**options))

    def change(self, ref: str, how: str) -> Call:
        return self._call("POST", f"/memories/{quote(ref, safe='')}/{how}", once=True)

    def listed(self, what: str, **options: Any) -> Call:
        return self._call("GET", f"/{what}", query=_given(**options))

    def handoffs(self, **options: Any) -> Call:
        return self._call("GET", "/handoffs", lambda answer: answer["handoffs"], query=_given(**options))

    def attach(self, files: Iterable[tuple[str, bytes]], **options: Any) -> Call:
        parts = [("file", (name, content)) for name, content in files]
        return self._call("POST", "/attachments", lambda answer: answer["files"], files=parts, query=_given(**options))

    def attachments(self, **options: Any) -> Call:
        return self._call("GET", "/attachments", lambda answer: answer["attachments"], query=_given(**options))

    def intentions(self, **options: Any) -> Call:
        return self._call("GET", "/intentions", lambda answer: answer["intentions"], query=_given(**options))

    def intend(self, text: str, **options: Any) -> Call:
        return self._call("POST", "/intentions", body=_given(text=text, **options), once=True)

    def decide(self, ref: str, how: str, **options: Any) -> Call:
        return self._call("POST", f"/intentions/{quote(ref, safe='')}/{how}", body=_given(**options) or None, once=True)

    def skills(self, **options: Any) -> Call:
        return self._call("GET", "/skills", lambda answer: answer["projects"], query=_given(**options))

    def stats(self) -> Call:
        return self._call("GET", "/stats")

    def ingested(self, messages: Iterable[dict[str, Any]], wait: bool = True) -> Call:
        return self._call("POST", "/messages", lines=_lines(messages), query={"wait": "true"} if wait else None)


def _named(file: Union[str, Path, tuple[str, bytes]]) -> tuple[str, bytes]:
    if isinstance(file, tuple):
        return file
    try:
        return (Path(file).name, Path(file).read_bytes())
    except OSError as error:
        raise CairnError.unreadable(error) from error


def _answer(response: httpx.Response) -> Any:
    if not response.is_success:
        raise CairnError.of(response)
    try:
        return response.json()
    except ValueError as error:
        raise CairnError.foreign(response.url) from error


def _request(call: Call) -> dict[str, Any]:
    """How a call is sent. An import takes as long as it takes."""
    if call.lines is not None:
        return {"content": call.lines, "params": call.query, "headers": {"Content-Type": "application/x-ndjson"}, "timeout": None}
    headers = {"Idempotency-Key": str(uuid.uuid4())} if call.once else {}
    return {"json": call.body, "files": call.files, "params": call.query, "headers": headers}


def _settings(url: Optional[str], key: Optional[str], timeout: float) -> dict[str, Any]:
    key, url = key or os.environ.get("CAIRN_KEY"), url or os.environ.get("CAIRN_URL", "http://127.0.0.1:7777")
    try:
        base = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise CairnError.unanswered(url, error) from error
    return {
        "base_url": base,
        "headers": {"Authorization": f"Bearer {key}"} if key else {},
        "timeout": timeout,
    }


def _pause(attempt: int) -> float:
    return float(0.2 * 2**attempt)


def _lines(messages: Iterable[dict[str, Any]]) -> bytes:
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


class Memory:
    """The memory of one agent. Without a ``url`` it is that of this machine; ``CAIRN_URL`` and ``CAIRN_KEY`` say otherwise."""

    def __init__(
        self, agent: str = "main", url: Optional[str] = None, key: Optional[str] = None, timeout: float = 30.0
    ) -> None:
        self._http = httpx.Client(**_settings(url, key, timeout))
        self._calls = _Calls(agent)

    def __enter__(self) -> "Memory":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes its connections."""
        self._http.close()

    def _make(self, call: Call) -> Any:
        request = _request(call)
        for attempt in range(_TRIES):
            last = attempt + 1 == _TRIES or call.lines is not None
            try:
                response = self._http.request(call.method, call.path, **request)
            except _UNANSWERED as error:
                if last or not isinstance(error, httpx.TransportError):
                    raise CairnError.unanswered(self._http.base_url, error) from error
            else:
                if response.is_success or last or response.status_code not in _AGAIN:
                    return call.read(_answer(response))
            time.sleep(_pause(attempt))
        raise AssertionError("unreachable")

    def remember(self, text: str, *, session: Optional[str] = None, thread: Optional[str] = None, role: Optional[str] = None,
                 speaker: Optional[str] = None, at: Optional[str] = None, id: Optional[str] = None,
                 metadata: Optional[dict[str, Any]] = None, no_wait: Optional[bool] = None) -> Remembered:
        """Keeps one message. When this returns, it is durable. The same ``id`` with the same words is kept once."""
        return cast(Remembered, self._make(self._calls.remember(
            text, session=session, thread=thread, role=role, speaker=speaker, at=at, id=id, metadata=metadata,
            no_wait=no_wait)))

    def recall(self, query: str, *, k: Optional[int] = None, thread: Optional[str] = None,
               session: Optional[str] = None, sender: Optional[str] = None, as_of: Optional[str] = None,
               kinds: Optional[list[str]] = None) -> list[Hit]:
        """Hits that answer a question, best first."""
        return self.answer(query, k=k, thread=thread, session=session, sender=sender, as_of=as_of, kinds=kinds)["hits"]

    def answer(self, query: str, **options: Any) -> Recall:
        """The whole answer to a question: its hits, and how they were found."""
        return cast(Recall, self._make(self._calls.recall(query, **options)))

    def context(self, query: Optional[str] = None, *, thread: Optional[str] = None, session: Optional[str] = None,
                budget: Optional[int] = None, resume: Optional[bool] = None) -> dict[str, Any]:
        """The recalled text to put into the prompt, within a budget of tokens. With ``resume``, the last exchanges of a
        session word for word."""
        return cast(dict[str, Any], self._make(
            self._calls.context(query=query, thread=thread, session=session, budget=budget, resume=resume)))

    def handoffs(self, *, thread: Optional[str] = None) -> list[Handoff]:
        """Where the last session and each thread stood, the last written first."""
        return cast("list[Handoff]", self._make(self._calls.handoffs(thread=thread)))

    def attach(self, *files: Union[str, Path, tuple[str, bytes]], session: Optional[str] = None,
               thread: Optional[str] = None) -> list[AttachedFile]:
        """Attaches files, by path or as a name with its content. Each gets a receipt, durable when this returns, or a
        problem with a hint."""
        return cast("list[AttachedFile]", self._make(
            self._calls.attach([_named(file) for file in files], session=session, thread=thread)))

    def attachments(self, *, session: Optional[str] = None, thread: Optional[str] = None) -> list[Attachment]:
        """Attached files and how they stand now, the last to appear first."""
        return cast("list[Attachment]", self._make(
            self._calls.attachments(session=session, thread=thread)))

    def intentions(self, *, due: bool = False, all: bool = False) -> list[Intention]:
        """What was asked to be told later, or promised: what is due first, then what waits."""
        return cast("list[Intention]", self._make(self._calls.intentions(due=due or None, all=all or None)))

    def intend(self, text: str, *, on: Optional[str] = None, minute: Optional[int] = None, person: Optional[str] = None,
               file: Optional[str] = None, topic: Optional[str] = None) -> Intention:
        """Sets something to be told later: on a day, or when a person, a file or a topic comes up."""
        return cast(Intention, self._make(
            self._calls.intend(text, on=on, minute=minute, person=person, file=file, topic=topic)))

    def snooze(self, ref: str, until: str) -> Intention:
        """Puts an intention off until a day."""
        return cast(Intention, self._make(self._calls.decide(ref, "snooze", until=until)))

    def finish(self, ref: str) -> Intention:
        """Says that an intention is done."""
        return cast(Intention, self._make(self._calls.decide(ref, "done")))

    def drop(self, ref: str) -> Intention:
        """Drops an intention: it is not to be done."""
        return cast(Intention, self._make(self._calls.decide(ref, "drop")))

    def skills(self, *, thread: Optional[str] = None, limit: Optional[int] = None) -> list[ProjectSkills]:
        """How work with tools went in each project, and the procedures that worked; of at most so many, 50 if not given."""
        return cast("list[ProjectSkills]", self._make(self._calls.skills(thread=thread, limit=limit)))

    def feedback(self, ref: str, helpful: bool) -> dict[str, Any]:
        """Says whether something recalled was of use."""
        return cast(dict[str, Any], self._make(self._calls.feedback(ref, helpful)))

    def correct(self, ref: str, text: str) -> dict[str, Any]:
        """Says what a memory should say instead."""
        return cast(dict[str, Any], self._make(self._calls.correct(ref, text)))

    def open(self, *refs: str) -> list[dict[str, Any]]:
        """Records in full."""
        return cast("list[dict[str, Any]]", self._make(self._calls.open(refs)))

    def why(self, ref: str) -> dict[str, Any]:
        """The evidence of a record, down to the verbatim words."""
        return cast(dict[str, Any], self._make(self._calls.why(ref)))

    def timeline(self, query: Optional[str] = None, *, ref: Optional[str] = None, k: Optional[int] = None) -> list[Message]:
        """Messages in the order they were said: about a query, around a ref, or the newest."""
        return cast("list[Message]", self._make(self._calls.timeline(query=query, ref=ref, k=k)))

    def memories(self, *, session: Optional[str] = None, all: bool = False) -> Iterator[MemoryRecord]:
        """Memories, the newest first, fetched part by part."""
        return self._all("memories", "memories", session=session, all="true" if all else None)

    def session(self, name: str) -> Iterator[Message]:
        """The messages of a session, the last first, fetched page by page."""
        return self._all(f"sessions/{quote(name, safe='')}/messages", "messages")

    def sessions(self) -> Iterator[dict[str, Any]]:
        """Sessions, the one spoken in last first, fetched part by part."""
        return self._all("sessions", "sessions")

    def _all(self, what: str, items: str, **options: Any) -> Iterator[Any]:
        cursor: Optional[str] = None
        while True:
            part = self._make(self._calls.listed(what, limit=100, cursor=cursor, **options))
            yield from part[items]
            cursor = part.get("next")
            if cursor is None:
                return

    def pin(self, ref: str) -> MemoryRecord:
        """Lets no rhythm ever put a memory to rest."""
        return cast(MemoryRecord, self._make(self._calls.change(ref, "pin")))

    def unpin(self, ref: str) -> MemoryRecord:
        """Takes that back."""
        return cast(MemoryRecord, self._make(self._calls.change(ref, "unpin")))

    def forget(self, ref: str) -> MemoryRecord:
        """Puts a memory to rest: dormant, never deleted."""
        return cast(MemoryRecord, self._make(self._calls.change(ref, "forget")))

    def wake(self, ref: str) -> MemoryRecord:
        """Wakes it again."""
        return cast(MemoryRecord, self._make(self._calls.change(ref, "wake")))

    def stats(self) -> Stats:
        """Counts and sizes."""
        return cast(Stats, self._make(self._calls.stats()))

    def ingest(self, messages: Iterable[dict[str, Any]], *, wait: bool = False) -> dict[str, Any]:
        """Takes in messages in bulk, each as a line of ``cairn ingest``. Sent again it adds nothing twice."""
        return cast(dict[str, Any], self._make(self._calls.ingested(messages, wait)))


class AsyncMemory:
    """The same, awaited. The memory of one agent. Without a ``url`` it is that of this machine; ``CAIRN_URL`` and ``CAIRN_KEY`` say otherwise."""

    def __init__(
        self, agent: str = "main", url: Optional[str] = None, key: Optional[str] = None, timeout: float = 30.0
    ) -> None:
        self._http = httpx.AsyncClient(**_settings(url, key, timeout))
        self._calls = _Calls(agent)

    async def __aenter__(self) -> "AsyncMemory":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes its connections."""
        await self._http.aclose()

    async def _make(self, call: Call) -> Any:
        request = _request(call)
        for attempt in range(_TRIES):
            last = attempt + 1 == _TRIES or call.lines is not None
            try:
                response = await self._http.request(call.method, call.path, **request)
            except _UNANSWERED as error:
                if last or not isinstance(error, httpx.TransportError):
                    raise CairnError.unanswered(self._http.base_url, error) from error
            else:
                if response.is_success or last or response.status_code not in _AGAIN:
                    return call.read(_answer(response))
            await asyncio.sleep(_pause(attempt))
        raise AssertionError("unreachable")

    async def remember(self, text: str, *, session: Optional[str] = None, thread: Optional[str] = None, role: Optional[str] = None,
                 speaker: Optional[str] = None, at: Optional[str] = None, id: Optional[str] = None,
                 metadata: Optional[dict[str, Any]] = None, no_wait: Optional[bool] = None) -> Remembered:
        """Keeps one message. When this returns, it is durable. The same ``id`` with the same words is kept once."""
        return cast(Remembered, await self._make(self._calls.remember(
            text, session=session, thread=thread, role=role, speaker=speaker, at=at, id=id, metadata=metadata,
            no_wait=no_wait)))

    async def recall(self, query: str, *, k: Optional[int] = None, thread: Optional[str] = None,
               session: Optional[str] = None, sender: Optional[str] = None, as_of: Optional[str] = None,
               kinds: Optional[list[str]] = None) -> list[Hit]:
        """Hits that answer a question, best first."""
        answer = await self.answer(query, k=k, thread=thread, session=session, sender=sender, as_of=as_of, kinds=kinds)
        return answer["hits"]

    async def answer(self, query: str, **options: Any) -> Recall:
        """The whole answer to a question: its hits, and how they were found."""
        return cast(Recall, await self._make(self._calls.recall(query, **options)))

    async def context(self, query: Optional[str] = None, *, thread: Optional[str] = None, session: Optional[str] = None,
                budget: Optional[int] = None, resume: Optional[bool] = None) -> dict[str, Any]:
        """The recalled text to put into the prompt, within a budget of tokens. With ``resume``, the last exchanges of a
        session word for word."""
        return cast(dict[str, Any], await self._make(
            self._calls.context(query=query, thread=thread, session=session, budget=budget, resume=resume)))

    async def handoffs(self, *, thread: Optional[str] = None) -> list[Handoff]:
        """Where the last session and each thread stood, the last written first."""
        return cast("list[Handoff]", await self._make(self._calls.handoffs(thread=thread)))

    async def attach(self, *files: Union[str, Path, tuple[str, bytes]], session: Optional[str] = None,
               thread: Optional[str] = None) -> list[AttachedFile]:
        """Attaches files, by path or as a name with its content. Each gets a receipt, durable when this returns, or a
        problem with a hint."""
        return cast("list[AttachedFile]", await self._make(
            self._calls.attach([_named(file) for file in files], session=session, thread=thread)))

    async def attachments(self, *, session: Optional[str] = None, thread: Optional[str] = None) -> list[Attachment]:
        """Attached files and how they stand now, the last to appear first."""
        return cast("list[Attachment]", await self._make(
            self._calls.attachments(session=session, thread=thread)))

    async def intentions(self, *, due: bool = False, all: bool = False) -> list[Intention]:
        """What was asked to be told later, or promised: what is due first, then what waits."""
        return cast("list[Intention]", await self._make(self._calls.intentions(due=due or None, all=all or None)))

    async def intend(self, text: str, *, on: Optional[str] = None, minute: Optional[int] = None, person: Optional[str] = None,
               file: Optional[str] = None, topic: Optional[str] = None) -> Intention:
        """Sets something to be told later: on a day, or when a person, a file or a topic comes up."""
        return cast(Intention, await self._make(
            self._calls.intend(text, on=on, minute=minute, person=person, file=file, topic=topic)))

    async def snooze(self, ref: str, until: str) -> Intention:
        """Puts an intention off until a day."""
        return cast(Intention, await self._make(self._calls.decide(ref, "snooze", until=until)))

    async def finish(self, ref: str) -> Intention:
        """Says that an intention is done."""
        return cast(Intention, await self._make(self._calls.decide(ref, "done")))

    async def drop(self, ref: str) -> Intention:
        """Drops an intention: it is not to be done."""
        return cast(Intention, await self._make(self._calls.decide(ref, "drop")))

    async def skills(self, *, thread: Optional[str] = None, limit: Optional[int] = None) -> list[ProjectSkills]:
        """How work with tools went in each project, and the procedures that worked; of at most so many, 50 if not given."""
        return cast("list[ProjectSkills]", await self._make(self._calls.skills(thread=thread, limit=limit)))

    async def feedback(self, ref: str, helpful: bool) -> dict[str, Any]:
        """Says whether something recalled was of use."""
        return cast(dict[str, Any], await self._make(self._calls.feedback(ref, helpful)))

    async def correct(self, ref: str, text: str) -> dict[str, Any]:
        """Says what a memory should say instead."""
        return cast(dict[str, Any], await self._make(self._calls.correct(ref, text)))

    async def open(self, *refs: str) -> list[dict[str, Any]]:
        """Records in full."""
        return cast("list[dict[str, Any]]", await self._make(self._calls.open(refs)))

    async def why(self, ref: str) -> dict[str, Any]:
        """The evidence of a record, down to the verbatim words."""
        return cast(dict[str, Any], await self._make(self._calls.why(ref)))

    async def timeline(self, query: Optional[str] = None, *, ref: Optional[str] = None, k: Optional[int] = None) -> list[Message]:
        """Messages in the order they were said: about a query, around a ref, or the newest."""
        return cast("list[Message]", await self._make(self._calls.timeline(query=query, ref=ref, k=k)))

    def memories(self, *, session: Optional[str] = None, all: bool = False) -> AsyncIterator[MemoryRecord]:
        """Memories, the newest first, fetched part by part."""
        return self._all("memories", "memories", session=session, all="true" if all else None)

    def session(self, name: str) -> AsyncIterator[Message]:
        """The messages of a session, the last first, fetched page by page."""
        return self._all(f"sessions/{quote(name, safe='')}/messages", "messages")

    def sessions(self) -> AsyncIterator[dict[str, Any]]:
        """Sessions, the one spoken in last first, fetched part by part."""
        return self._all("sessions", "sessions")

    async def _all(self, what: str, items: str, **options: Any) -> AsyncIterator[Any]:
        cursor: Optional[str] = None
        while True:
            part = await self._make(self._calls.listed(what, limit=100, cursor=cursor, **options))
            for item in part[items]:
                yield item
            cursor = part.get("next")
            if cursor is None:
                return

    async def pin(self, ref: str) -> MemoryRecord:
        """Lets no rhythm ever put a memory to rest."""
        return cast(MemoryRecord, await self._make(self._calls.change(ref, "pin")))

    async def unpin(self, ref: str) -> MemoryRecord:
        """Takes that back."""
        return cast(MemoryRecord, await self._make(self._calls.change(ref, "unpin")))

    async def forget(self, ref: str) -> MemoryRecord:
        """Puts a memory to rest: dormant, never deleted."""
        return cast(MemoryRecord, await self._make(self._calls.change(ref, "forget")))

    async def wake(self, ref: str) -> MemoryRecord:
        """Wakes it again."""
        return cast(MemoryRecord, await self._make(self._calls.change(ref, "wake")))

    async def stats(self) -> Stats:
        """Counts and sizes."""
        return cast(Stats, await self._make(self._calls.stats()))

    async def ingest(self, messages: Iterable[dict[str, Any]], *, wait: bool = False) -> dict[str, Any]:
        """Takes in messages in bulk, each as a line of ``cairn ingest``. Sent again it adds nothing twice."""
        return cast(dict[str, Any], await self._make(self._calls.ingested(messages, wait)))
