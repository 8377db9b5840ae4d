"""Whose a memory of mem0 is: its ids, the agent, thread and session of Cairn that stand for them, and its filters."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

from ._errors import refused

#: The longest name of an agent.
_NAME_CHARS = 64
#: Begins the name of an agent that stands for an ``agent_id`` without a user, and one whose first sign could not begin a name. Neither can be
#: the name of a user: an escape is `_` and two digits.
_AGENT, _OTHER = "agent__", "user__"
#: The agent that stands for a ``run_id`` without a user.
_NOBODY = "main"
_IDS = ("user_id", "agent_id", "run_id")


class Scope(NamedTuple):
    """The ids of a call."""

    user_id: Optional[str] = None
    agent_id: Optional[str] = None
    run_id: Optional[str] = None

    @classmethod
    def of(cls, **ids: Any) -> "Scope":
        """The scope that is named; at least one id has to be."""
        unknown = [name for name in ids if name not in _IDS and ids[name] is not None]
        if unknown:
            raise refused(f"there is no id `{unknown[0]}`", f"use {', '.join(_IDS)}")
        given = {name: _trimmed(name, value) for name, value in ids.items() if name in _IDS and value is not None}
        if not given:
            raise refused(f"it is not said whose memory it is: at least one of {', '.join(_IDS)}", 'give filters={"user_id": "…"}')
        return cls(**given)

    @property
    def owner(self) -> str:
        """The agent of Cairn that holds it."""
        if self.user_id is not None:
            return owner_of(self.user_id)
        return _bounded(_AGENT + _escaped(self.agent_id)) if self.agent_id is not None else _NOBODY


def _trimmed(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise refused(f"`{name}` has to be a text", "give one name; for several users ask once for each")
    return value.strip()


def owner_of(user_id: str) -> str:
    """The agent of a user: the same name if it can be one, and never that of another user."""
    name = _escaped(user_id)
    return _bounded(name if name[0].isalnum() else _OTHER + name)


def _escaped(name: str) -> str:
    """The name with `_` and two digits for each byte that no name of an agent holds."""
    return "".join(chr(byte) if re.match(r"[a-z0-9.-]", chr(byte)) else f"_{byte:02x}" for byte in name.encode())


def _bounded(name: str) -> str:
    if len(name) <= _NAME_CHARS:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:22]
    return f"{name[: _NAME_CHARS - 24]}__{digest}"


def user_of(owner: str) -> Optional[str]:
    """The user that an agent stands for. Of a name that was too long, the agent's."""
    if owner.startswith(_AGENT):
        return None
    name = owner.removeprefix(_OTHER)
    if "__" in name:
        return owner
    return bytes(int(part[1:], 16) if len(part) == 3 else ord(part) for part in re.findall(r"_[0-9a-f]{2}|.", name)).decode(errors="replace")


def split(filters: Optional[dict[str, Any]], named: dict[str, Any]) -> tuple[Scope, dict[str, Any]]:
    """Whose memories a filter asks for, and the filter itself. The ids stand at its top, in its ``AND``, or beside it by name."""
    wanted = dict(filters or {})
    unknown = [name for name, value in named.items() if name not in _IDS and value is not None] + [name for name in wanted if name == "app_id"]
    if unknown:
        raise refused(f"`{unknown[0]}` cannot be as in mem0", "leave it out; see the README of cairn-recall")
    wanted.update({name: value for name, value in named.items() if value is not None})
    ids = {name: wanted[name] for name in _IDS if name in wanted}
    for condition in wanted.get("AND") or []:
        ids.update({name: condition[name] for name in _IDS if name in condition})
    for name, value in ids.items():
        if isinstance(value, dict) and list(value) == ["eq"]:
            ids[name] = value["eq"]
    user = ids.get("user_id")
    if user == "*" or isinstance(user, (dict, list)):
        raise refused("a user's memories are walled off: one user at a time", "ask once for each `user_id`")
    named_ids = {name: value for name, value in ids.items() if isinstance(value, str) and value != "*"}
    return Scope.of(**named_ids), wanted


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": lambda have, want: bool(have == want),
    "ne": lambda have, want: bool(have != want),
    "gt": lambda have, want: bool(have > want),
    "gte": lambda have, want: bool(have >= want),
    "lt": lambda have, want: bool(have < want),
    "lte": lambda have, want: bool(have <= want),
    "in": lambda have, want: have in want,
    "nin": lambda have, want: have not in want,
    "contains": lambda have, want: want in have,
    "icontains": lambda have, want: str(want).lower() in str(have).lower(),
}


def fits(item: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a memory is among what a filter asks for."""
    fields = {**item, **(item.get("metadata") or {}), **{name: item[name] for name in _IDS}}

    def all_hold(conditions: dict[str, Any]) -> bool:
        return all(holds(name, want) for name, want in conditions.items())

    def holds(name: str, want: Any) -> bool:
        if name in ("AND", "OR", "NOT"):
            if not isinstance(want, list):
                raise refused(f"{name} takes a list of conditions", f'write {{"{name}": [{{"key": "value"}}]}}')
            held = [all_hold(condition) for condition in want]
            return {"AND": all(held), "OR": any(held), "NOT": not any(held)}[name]
        have = fields.get(name)
        if want == "*":
            return have is not None
        if not isinstance(want, dict):
            return bool(have == want)
        unknown = [operator for operator in want if operator not in _COMPARE]
        if unknown:
            raise refused(f"there is no operator `{unknown[0]}`", f"use one of {', '.join(_COMPARE)}")
        try:
            return all((have is not None or operator in ("ne", "nin")) and _COMPARE[operator](have, than) for operator, than in want.items())
        except TypeError:
            return False

    return all_hold(wanted)
