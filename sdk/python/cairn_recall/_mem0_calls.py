"""What each call of mem0 asks of Cairn: steps, which a client takes or awaits, so that both twins do the same.

A memory's id is its owner and its ref, ``alice/mem_…``: mem0 asks for a memory without saying whose it is.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Generator, Iterator
from datetime import datetime, timezone
from typing import Any, Optional, TypeVar, Union
from urllib.parse import quote

from ._client import Call, _Calls
from ._content import ROLES, text_of
from ._errors import CairnError, refused
from ._mem0_scope import Scope, fits, split, user_of

_T = TypeVar("_T")
Steps = Generator[Call, Any, _T]
Item = dict[str, Any]

#: As many memories as mem0 gives if nothing is said.
_FEW = 20
#: How many are looked at, at most, for those that a filter asks for.
_MANY = 1_000
#: How many corrections of corrections are followed.
_LONGEST_CHAIN = 32
_EVENTS = {"create": "ADD", "update": "UPDATE", "supersede": "UPDATE"}
_GONE = ("superseded", "forgotten")


def _split_id(memory_id: str) -> tuple[str, str]:
    owner, slash, ref = str(memory_id).partition("/")
    if not slash or not ref.startswith("mem_"):
        raise refused(f"`{memory_id}` is no id of a memory", "ids are `OWNER/mem_…`, as `add`, `search` and `get_all` give them")
    return owner, ref


def _at(timestamp: Any) -> Optional[str]:
    if timestamp is None or isinstance(timestamp, str):
        return timestamp
    moment = timestamp if isinstance(timestamp, datetime) else datetime.fromtimestamp(float(timestamp), timezone.utc)
    return (moment if moment.tzinfo else moment.replace(tzinfo=timezone.utc)).isoformat()


def _spoken(messages: Any) -> list[dict[str, Any]]:
    if isinstance(messages, str):
        messages = [{"role": "user", "content": messages}]
    if isinstance(messages, dict):
        messages = [messages]
    if not isinstance(messages, list) or not messages:
        raise refused("there is nothing to add", "give a text, a message or a list of messages")
    spoken = [message for message in messages if text_of(message.get("content"))]
    if not spoken:
        raise refused("the messages have no words", "give each a `content` with a text in it")
    return spoken


class Mem0Calls:
    """Each call as steps."""

    @staticmethod
    def scoped(filters: Optional[Item], named: Item) -> tuple[Scope, Item]:
        """Whose memories are meant, and which of them."""
        named = {("top_k" if name == "limit" else name): value for name, value in named.items()}
        wanted_k = named.pop("top_k", None)
        scope, wanted = split(filters, named)
        return scope, wanted if wanted_k is None else {**wanted, "top_k": wanted_k}

    def added(self, messages: Any, scope: Scope, metadata: Item, timestamp: Any, infer: bool) -> Steps[Item]:
        """Keeps messages, and says what became of each. A text is remembered, as everything is without ``infer``; of a conversation,
        what is worth it."""
        spoken, calls, at = _spoken(messages), _Calls(scope.owner), _at(timestamp)
        session = scope.run_id or (at or datetime.now(timezone.utc).isoformat())[:10]
        kept = {**{name: value for name, value in scope._asdict().items() if value is not None}, "metadata": metadata}
        lines = []
        for message in spoken:
            line = {"id": f"mem0:{uuid.uuid4()}", "session": session, "role": ROLES.get(message.get("role", "user"), "assistant"), "thread": scope.agent_id,
                    "speaker": message.get("name"), "at": at, "text": text_of(message["content"])}
            lines.append({name: value for name, value in line.items() if value is not None})
        told: list[Item] = []
        if infer and not isinstance(messages, str):
            yield calls.ingested([{**line, "mem0": kept} for line in lines])
            found = yield from self._messages(calls, session, {line["id"] for line in lines})
            for line in lines:
                why = (yield calls.why(found[line["id"]]))["evidence"][0] if line["id"] in found else {"decisions": []}
                told.append(why)
        else:
            for line in lines:
                text = line.pop("text")
                told.append((yield calls.remember(text, metadata={"mem0": kept}, **line)))
        results = yield from self._results(scope.owner, calls, [one for why in told for one in why["decisions"]])
        return {"results": results}

    @staticmethod
    def _messages(calls: _Calls, session: str, ids: set[str]) -> Steps[dict[str, str]]:
        """The refs of messages that were just said in a session."""
        found: dict[str, str] = {}
        cursor: Optional[str] = None
        while len(found) < len(ids):
            page = yield calls.listed(f"sessions/{quote(session, safe='')}/messages", limit=min(500, len(ids) + 10), cursor=cursor)
            for message in page["messages"]:
                found.update({own: message["ref"] for own in message["source_ids"] if own in ids})
            cursor = page.get("next")
            if cursor is None:
                break
        return found

    @staticmethod
    def _results(owner: str, calls: _Calls, decisions: list[Item]) -> Steps[list[Item]]:
        """What was decided, in mem0's words: what was already known or says nothing is left out."""
        changed = [one for one in decisions if one["verdict"] in _EVENTS and one.get("ref")]
        refs = list(dict.fromkeys(ref for one in changed for ref in (one["ref"], one.get("supersedes")) if ref))
        texts: dict[str, str] = {}
        for begin in range(0, len(refs), 50):
            for record in (yield calls.open(refs[begin : begin + 50])):
                texts[record["ref"]] = record["text"]
        results = []
        for one in changed:
            result = {"id": f"{owner}/{one['ref']}", "memory": texts.get(one["ref"], ""), "event": _EVENTS[one["verdict"]]}
            if one.get("supersedes"):
                result["previous_memory"] = texts.get(one["supersedes"], "")
            results.append(result)
        return results

    def found(self, query: str, scope: Scope, wanted: Item, k: Optional[int], threshold: Optional[float]) -> Steps[Item]:
        """The memories that answer a question and fit a filter, best first."""
        k = k or wanted.pop("top_k", None) or _FEW
        wanted.pop("top_k", None)
        calls = _Calls(scope.owner)
        is_narrow = set(wanted) != {"user_id"}
        try:
            # A question that meets the words of a memory at rest would wake it. What is deleted stays away, so this one only reads.
            answer = yield calls.recall(query, kinds=["memory"], read_only=True, k=_MANY if is_narrow else min(_MANY, 2 * k))
        except CairnError as error:
            if error.status != 404:
                raise
            return {"results": []}
        corrected = yield from self._corrections(calls, scope)
        results: list[Item] = []
        for hit in answer["hits"]:
            if len(results) == k or (threshold is not None and hit["score"] < threshold):
                break
            if hit.get("superseded") or not (hit["ref"] in corrected or _may_be_of(hit, scope)):
                continue
            item = yield from self._item(scope.owner, hit["ref"], scope)
            if item is not None and fits(item, wanted):
                results.append({**item, "score": hit["score"], "confidence": hit["confidence"]})
        return {"results": results}

    def _all(self, scope: Scope, wanted: Item) -> Steps[list[Item]]:
        """Every memory of a scope that fits a filter, the newest first."""
        calls, items = _Calls(scope.owner), []
        corrected = yield from self._corrections(calls, scope)
        cursor: Optional[str] = None
        while True:
            try:
                page = yield calls.listed("memories", limit=100, cursor=cursor)
            except CairnError as error:
                if error.status != 404:
                    raise
                return []
            for record in page["memories"]:
                if record["ref"] in corrected or _may_be_of(record, scope):
                    item = yield from self._item(scope.owner, record["ref"], scope)
                    if item is not None and fits(item, wanted):
                        items.append(item)
            cursor = page.get("next")
            if cursor is None:
                return items

    def listed(self, scope: Scope, wanted: Item, k: Optional[int]) -> Steps[Item]:
        """The first memories of a scope."""
        k = k or wanted.get("top_k") or _FEW
        wanted.pop("top_k", None)
        items = yield from self._all(scope, wanted)
        return {"results": items[:k]}

    def paged(self, scope: Scope, wanted: Item, page: int, size: int) -> Steps[Item]:
        """A page of the memories of a scope, as the platform gives it."""
        wanted.pop("top_k", None)
        items = yield from self._all(scope, wanted)
        part = items[(page - 1) * size : page * size]
        return {"count": len(items), "next": page + 1 if page * size < len(items) else None,
                "previous": page - 1 if page > 1 else None, "results": part}

    @staticmethod
    def _corrections(calls: _Calls, scope: Scope) -> Steps[set[str]]:
        """Memories that correct others. They were said in no run; whose they are, the memory that they correct says."""
        if scope.run_id is None and scope.agent_id is None:
            return set()
        refs: set[str] = set()
        cursor: Optional[str] = None
        while True:
            try:
                page = yield calls.listed("memories", category="correction", limit=100, cursor=cursor)
            except CairnError as error:
                if error.status != 404:
                    raise
                return refs
            refs.update(record["ref"] for record in page["memories"])
            cursor = page.get("next")
            if cursor is None:
                return refs

    def _item(self, owner: str, ref: str, scope: Optional[Scope] = None) -> Steps[Optional[Item]]:
        """A memory as mem0 tells it; nothing if it holds no longer."""
        try:
            why = yield _Calls(owner).why(ref)
        except CairnError as error:
            if error.status != 404:
                raise
            return None
        record = why["memory"]
        if record["status"] in _GONE:
            return None
        first, said = why, _said(why)
        for _ in range(_LONGEST_CHAIN):
            corrects = said.get("metadata", {}).get("corrects")
            if corrects is None:
                break
            first = yield _Calls(owner).why(corrects)
            said = _said(first)
        kept = said.get("metadata", {}).get("mem0") or {"user_id": user_of(owner), "run_id": said.get("session"), "agent_id": said.get("thread")}
        user_id = scope.user_id if scope is not None else kept.get("user_id")
        return {
            "id": f"{owner}/{ref}", "memory": record["text"], "hash": hashlib.md5(record["text"].encode(), usedforsecurity=False).hexdigest(),
            "metadata": kept.get("metadata") or None, "created_at": first["memory"]["recorded_at"], "updated_at": record["recorded_at"],
            "user_id": user_id, "agent_id": kept.get("agent_id"), "run_id": kept.get("run_id"),
            "role": said.get("role"), "status": record["status"], "source": said.get("text"),
        }

    def _newest(self, memory_id: str) -> Steps[tuple[str, str, Item]]:
        """The owner of a memory, and the ref and evidence of what replaced it, or of itself."""
        owner, ref = _split_id(memory_id)
        why = yield _Calls(owner).why(ref)
        for _ in range(_LONGEST_CHAIN):
            if why["memory"]["status"] not in _GONE:
                break
            newer = None
            for relation in why["relations"]:
                if not relation["outgoing"] and relation["kind"] in ("supersedes", "contradicts"):
                    other = yield _Calls(owner).why(relation["other"])
                    if relation["kind"] == "supersedes" or _said(other).get("metadata", {}).get("corrects") == ref:
                        newer = other
            if newer is None:
                break
            why, ref = newer, newer["memory"]["ref"]
        return owner, ref, why

    def one(self, memory_id: str) -> Steps[Optional[Item]]:
        """What a memory says now."""
        try:
            owner, ref, _ = yield from self._newest(memory_id)
        except CairnError as error:
            if error.status != 404:
                raise
            return None
        return (yield from self._item(owner, ref))

    def updated(self, memory_id: str, text: str) -> Steps[Item]:
        """Corrects a memory, and puts what it said to rest."""
        owner, ref, _ = yield from self._newest(memory_id)
        calls = _Calls(owner)
        decisions = (yield calls.correct(ref, text))["decisions"]
        made = next((one["ref"] for one in decisions if one.get("ref")), None)
        if made is None:
            reason = decisions[0]["reason"] if decisions else "nothing came of it"
            raise refused(f"the memory was not updated: {reason}", "give a statement that says something else")
        if made != ref:
            yield calls.change(ref, "forget")
        return {"message": "Memory updated successfully!", "id": f"{owner}/{made}", "memory": text}

    def deleted(self, memory_id: str) -> Steps[Item]:
        """Puts a memory to rest."""
        owner, ref, _ = yield from self._newest(memory_id)
        yield _Calls(owner).change(ref, "forget")
        return {"message": "Memory deleted successfully!"}

    def all_deleted(self, scope: Scope) -> Steps[Item]:
        """Puts the memories of a scope to rest."""
        wanted = {name: value for name, value in scope._asdict().items() if value is not None}
        for item in (yield from self._all(scope, wanted)):
            yield _Calls(scope.owner).change(_split_id(item["id"])[1], "forget")
        return {"message": "Memories deleted successfully!"}

    @staticmethod
    def _owners() -> Steps[list[str]]:
        owners: list[str] = []
        cursor: Optional[str] = None
        while True:
            page = yield Call("GET", "/v1/agents", lambda answer: answer, query={"limit": 500, **({"cursor": cursor} if cursor else {})})
            owners.extend(agent if isinstance(agent, str) else agent["agent"] for agent in page["agents"])
            cursor = page.get("next")
            if cursor is None:
                return owners

    def everyone(self) -> Steps[Item]:
        """The users there are."""
        results = []
        for owner in (yield from self._owners()):
            user = user_of(owner)
            kind, name = ("user", user) if user is not None else ("agent", owner)
            results.append({"id": owner, "name": name, "type": kind})
        return {"count": len(results), "results": results}

    def everything_deleted(self) -> Steps[Item]:
        """Puts every memory to rest."""
        for owner in (yield from self._owners()):
            calls = _Calls(owner)
            while True:
                page = yield calls.listed("memories", limit=100)
                for record in page["memories"]:
                    yield calls.change(record["ref"], "forget")
                if page.get("next") is None:
                    break
        return {"message": "All memories were put to rest."}

    def past(self, memory_id: str) -> Steps[list[Item]]:
        """What a memory said and says, the oldest first."""
        owner, ref, why = yield from self._newest(memory_id)
        chain = [why]
        for _ in range(_LONGEST_CHAIN):
            older = _said(chain[0]).get("metadata", {}).get("corrects") or next(
                (one["other"] for one in chain[0]["relations"] if one["outgoing"] and one["kind"] == "supersedes"), None)
            if older is None:
                break
            chain.insert(0, (yield _Calls(owner).why(older)))
        return list(_events(owner, chain))

    def judged(self, memory_id: str, feedback: Optional[str]) -> Steps[Item]:
        """Says whether a memory was of use."""
        helpful = {"POSITIVE": True, "NEGATIVE": False, "VERY_NEGATIVE": False}.get(str(feedback).upper())
        if helpful is None:
            raise refused(f"there is no feedback `{feedback}`", "use POSITIVE, NEGATIVE or VERY_NEGATIVE")
        owner, ref, _ = yield from self._newest(memory_id)
        yield _Calls(owner).feedback(ref, helpful)
        return {"id": f"{owner}/{ref}", "feedback": str(feedback).upper()}


def _may_be_of(record: Union[Item, Any], scope: Scope) -> bool:
    """Whether what a hit or a record says of itself allows that it is of a scope."""
    return (scope.run_id is None or record["session"] == scope.run_id) and (
        scope.agent_id is None or record["thread"] == scope.agent_id)


def _said(why: Item) -> Item:
    """The message that a memory rests on."""
    for evidence in why["evidence"]:
        if evidence.get("message"):
            message: Item = evidence["message"]
            return message
    return {}


def _events(owner: str, chain: list[Item]) -> Iterator[Item]:
    before: Optional[str] = None
    began = chain[0]["revisions"][0]["at"]
    newest = f"{owner}/{chain[-1]['memory']['ref']}"

    def event(kind: str, now: Optional[str], at: Optional[str], why: Item) -> Item:
        said = _said(why)
        return {"id": f"{newest}#{kind.lower()}@{at}", "memory_id": newest, "old_memory": before, "new_memory": now, "event": kind,
                "created_at": began, "updated_at": at, "is_deleted": kind == "DELETE", "actor_id": said.get("speaker"), "role": said.get("role")}

    for why in chain:
        for revision in why["revisions"]:
            yield event("ADD" if before is None else "UPDATE", revision["text"], revision["at"], why)
            before = revision["text"]
    if chain[-1]["memory"]["status"] == "forgotten":
        yield event("DELETE", None, None, chain[-1])
