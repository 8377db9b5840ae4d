"""The calls of mem0, against the real server; their arguments beside those of mem0 itself, where it is installed."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable
from typing import Any, Optional

import pytest

from cairn_recall import CairnError
from cairn_recall import mem0
from cairn_recall._mem0_scope import owner_of, user_of

TALK = [
    {"role": "system", "content": "You are a helpful assistant."},
    {"role": "user", "content": "I moved to Lisbon in March. I work at Siemens."},
    {"role": "assistant", "content": "Nice!"},
    {"role": "user", "content": [{"type": "text", "text": "I'm allergic to peanuts."}, {"type": "image_url", "image_url": {"url": "x"}}]},
]


def texts(answer: dict[str, Any]) -> list[str]:
    return [one["memory"] for one in answer["results"]]


def test_what_is_added_is_found_and_walled_off_by_user(url: str) -> None:
    memory = mem0.Memory(url=url)
    added = memory.add(TALK, user_id="Alice@example.com", metadata={"channel": "chat"})
    assert {one["event"] for one in added["results"]} == {"ADD"} and any("Lisbon" in text for text in texts(added))
    found = memory.search("who moved to Lisbon in March?", filters={"user_id": "Alice@example.com"})
    first = found["results"][0]
    assert "Lisbon" in first["memory"] and first["score"] > 0 and 0 <= first["confidence"] <= 1
    assert first["user_id"] == "Alice@example.com" and first["metadata"] == {"channel": "chat"}
    assert first["source"] == TALK[1]["content"] and first["status"] == "new" and first["created_at"] and first["hash"]
    assert memory.search("Lisbon", user_id="bob", limit=3) == {"results": []}
    assert memory.get_all(user_id="bob") == {"results": []}
    listed = memory.get_all(filters={"user_id": "Alice@example.com"})["results"]
    assert {one["id"] for one in listed} == {one["id"] for one in added["results"]}
    assert memory.get(first["id"]) == {name: value for name, value in first.items() if name not in ("score", "confidence")}
    assert memory.get("alice/mem_00000000000000000000000000") is None
    small_talk = [{"role": "user", "content": "ok"}]
    assert memory.add(small_talk, user_id="bob") == {"results": []}
    assert len(memory.add(small_talk, user_id="bob", infer=False)["results"]) == 1


def test_agents_and_runs_narrow_a_user(url: str) -> None:
    memory = mem0.Memory(url=url)
    memory.add("My kiln fires at 1240 degrees.", user_id="carol", agent_id="potter", run_id="r1", metadata={"room": 3, "tags": ["hot", "clay"]})
    memory.add("My bicycle is a green Batavus.", user_id="carol", agent_id="coach", run_id="r2", metadata={"room": 7})
    memory.add("The studio opens at nine.", agent_id="potter")
    memory.add("The ferry leaves from pier four.", run_id="r3")
    assert texts(memory.get_all(user_id="carol", agent_id="potter")) == texts(memory.get_all(user_id="carol", run_id="r1"))
    assert len(memory.get_all(user_id="carol")["results"]) == 2 and len(memory.get_all(user_id="carol", limit=1)["results"]) == 1
    assert "studio" in texts(memory.get_all(agent_id="potter"))[0] and "ferry" in texts(memory.get_all(run_id="r3"))[0]
    assert memory.search("the kiln fires", user_id="carol", run_id="r2")["results"] == []
    rows: list[tuple[dict[str, Any], Optional[int]]] = [
        ({"room": 3}, 3), ({"room": {"gte": 4}}, 7), ({"room": {"in": [7, 8]}}, 7), ({"room": {"ne": 7}}, 3), ({"room": {"gt": 9}}, None),
        ({"tags": {"contains": "clay"}}, 3), ({"tags": "*"}, 3), ({"AND": [{"room": {"lt": 8}}, {"agent_id": "coach"}]}, 7),
        ({"NOT": [{"room": 3}]}, 7), ({"OR": [{"room": 99}, {"run_id": "r1"}]}, 3), ({"room": {"lt": "text"}}, None), ({"nothing": 1}, None),
    ]
    for wanted, room in rows:
        rooms = [] if room is None else [room]
        listed = memory.get_all(filters={"user_id": "carol", **wanted})["results"]
        found = memory.search("my kiln, my bicycle", filters={"AND": [{"user_id": "carol"}, wanted]})["results"]
        assert [one["metadata"]["room"] for one in listed] == rooms == [one["metadata"]["room"] for one in found], wanted
    for wrong in [{"room": {"like": 1}, "user_id": "carol"}, {"user_id": "*"}, {"user_id": {"in": ["a", "b"]}}, {}, {"user_id": "  "}]:
        with pytest.raises(CairnError) as refused:
            memory.get_all(filters=wrong)
        assert refused.value.hint


def test_a_memory_is_corrected_traced_and_put_to_rest(url: str) -> None:
    memory = mem0.Memory(url=url)
    added = memory.add("I live in Lisbon.", user_id="dan", run_id="r", metadata={"room": 1})["results"][0]
    changed = memory.update(added["id"], text="The user lives in Porto.")
    now = memory.get(added["id"])
    assert now is not None and now["memory"] == "The user lives in Porto." and now["id"] == changed["id"] != added["id"]
    assert now["metadata"] == {"room": 1} and now["run_id"] == "r" and now["created_at"] < now["updated_at"]
    assert texts(memory.get_all(user_id="dan", run_id="r")) == ["The user lives in Porto."] == texts(memory.get_all(user_id="dan"))
    assert "Porto" in texts(memory.search("user lives in Porto or Lisbon", user_id="dan", run_id="r"))[0]
    assert memory.get_all(user_id="dan", run_id="other") == {"results": []}
    memory.update(added["id"], data="The user lives in Bergen.")
    past = memory.history(added["id"])
    assert [(one["event"], one["new_memory"]) for one in past] == [
        ("ADD", added["memory"]), ("UPDATE", "The user lives in Porto."), ("UPDATE", "The user lives in Bergen.")]
    assert past[1]["old_memory"] == added["memory"] and not past[1]["is_deleted"]
    memory.delete(added["id"])
    assert memory.get(added["id"]) is None and memory.get_all(user_id="dan")["results"] == []
    for _ in range(2):
        assert memory.search("The user lives in Bergen, Porto or Lisbon", user_id="dan")["results"] == []
    assert memory.history(added["id"])[-1]["event"] == "DELETE" and memory.history(added["id"])[-1]["is_deleted"]
    changed_job = memory.add("I work at Siemens.", user_id="dan")["results"] + memory.add("I'm at Bosch now.", user_id="dan")["results"]
    assert [one["event"] for one in changed_job] == ["ADD", "UPDATE"] and "Siemens" in changed_job[1]["previous_memory"]
    followed = memory.get(changed_job[0]["id"])
    assert followed is not None and followed["id"] == changed_job[1]["id"]
    assert [one["event"] for one in memory.history(changed_job[1]["id"])] == ["ADD", "UPDATE"]
    memory.delete_all(user_id="dan")
    assert memory.get_all(user_id="dan")["results"] == []
    for wrong in (lambda: memory.update(added["id"]), lambda: memory.update(added["id"], "x", metadata={}), lambda: memory.delete("nothing"),
                  lambda: memory.add("x", user_id="dan", expiration_date="2027-01-01"), lambda: memory.add("  ", user_id="dan"),
                  memory.delete_all, lambda: memory.add("x"), memory.reset,
                  lambda: memory.search("x", user_id="dan", reference_date="2027-01-01"), lambda: memory.get_all(filters={"app_id": "x"})):
        with pytest.raises(CairnError) as refused:
            wrong()
        assert refused.value.hint, refused.value


async def test_the_twins_and_the_platform_client_do_the_same(url: str) -> None:
    async with mem0.AsyncMemory.from_config({"llm": {"provider": "openai"}, "cairn": {"url": url}}) as memory:
        added = await memory.add(TALK, user_id="erin")
        assert added["results"]
        found = await memory.search("Lisbon in March", filters={"user_id": "erin"})
        assert "Lisbon" in found["results"][0]["memory"]
        one = found["results"][0]["id"]
        await memory.update(one, "The user lives in Porto.")
        assert [event["event"] for event in await memory.history(one)] == ["ADD", "UPDATE"]
        assert (await memory.get_all(user_id="erin"))["results"] and await memory.get(one)
        await memory.delete(one)
        await memory.delete_all(user_id="erin")
        assert await memory.get_all(user_id="erin") == {"results": []}
        with pytest.raises(CairnError):
            await memory.reset()
    client = mem0.MemoryClient(host=url)
    client.add(TALK, user_id="frank")
    page = client.get_all(filters={"AND": [{"user_id": "frank"}]}, page=1, page_size=1)
    assert page["count"] >= 2 and page["next"] == 2 and page["previous"] is None and len(page["results"]) == 1
    hit = client.search("Lisbon in March", {"filters": {"user_id": "frank"}, "top_k": 1})["results"][0]
    assert client.feedback(hit["id"], "POSITIVE")["feedback"] == "POSITIVE"
    assert client.update(hit["id"], text="The user lives in Porto.")["id"] and client.history(hit["id"])[-1]["event"] == "UPDATE"
    client.delete(hit["id"])
    client.delete_all(user_id="frank")
    assert client.get(hit["id"]) is None
    with pytest.raises(CairnError) as refused:
        client.users()
    assert refused.value.status == 403
    twin = mem0.AsyncMemoryClient(host=url)
    await twin.add("I keep bees.", user_id="grace")
    assert (await twin.search("bees", filters={"user_id": "grace"}))["results"][0]["user_id"] == "grace"


def test_an_operator_sees_and_puts_all_users_to_rest(guarded: tuple[str, str, str]) -> None:
    url, operator, capture = guarded
    memory = mem0.MemoryClient(api_key=capture, host=url)
    for user in ["Ann", "ben"]:
        memory.add("My kiln fires at 1240 degrees.", user_id=user)
    with pytest.raises(CairnError) as refused:
        memory.reset()
    assert refused.value.status == 403
    boss = mem0.MemoryClient(api_key=operator, host=url)
    assert {one["name"] for one in boss.users()["results"]} == {"Ann", "ben"}
    boss.reset()
    assert [memory.get_all(filters={"user_id": user})["count"] for user in ["Ann", "ben"]] == [0, 0]


def test_names_of_users_stay_apart() -> None:
    names = ["alice", "Alice", "alice@example.com", "alice_40example.com", "-a", "_", "ç", "agent__x", "a" * 200, "a" * 201, "user__-a", "0"]
    owners = [owner_of(name) for name in names]
    assert len(set(owners)) == len(names) and owners[0] == "alice"
    for name, owner in zip(names, owners):
        assert 0 < len(owner) <= 64 and owner[0].isascii() and owner[0].isalnum() and set(owner) <= set("abcdefghijklmnopqrstuvwxyz0123456789-_.")
        assert user_of(owner) == (name if len(name) < 200 else owner)


@pytest.mark.parametrize("name", ["Memory", "AsyncMemory", "MemoryClient", "AsyncMemoryClient"])
def test_arguments_are_those_of_mem0(name: str) -> None:
    pytest.importorskip("mem0", reason="mem0ai is not installed")
    theirs, ours = getattr(importlib.import_module("mem0"), name), getattr(mem0, name)
    for call in ["add", "search", "get_all", "get", "update", "delete", "delete_all", "history", "reset"]:
        known = inspect.signature(getattr(ours, call)).parameters
        takes_any = any(parameter.kind is parameter.VAR_KEYWORD for parameter in known.values())
        wanted = inspect.signature(getattr(theirs, call)).parameters
        for position, (argument, parameter) in enumerate(wanted.items()):
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
                continue
            assert argument in known or takes_any or argument == "delete_linked", f"{name}.{call}({argument})"
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and argument in known:
                assert list(known).index(argument) == position, f"{name}.{call}({argument}) at {position}"
        assert inspect.iscoroutinefunction(getattr(ours, call)) == inspect.iscoroutinefunction(getattr(theirs, call)), f"{name}.{call}"


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "Izmir" in example("leaving_mem0.py")
