"""The store, as LangGraph uses it, against the real server."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypedDict

import pytest

from cairn_recall import Memory

pytest.importorskip("langgraph.graph", reason="langgraph is not installed")

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from cairn_recall.langgraph import CairnStore


@pytest.fixture
def store(url: str, request: pytest.FixtureRequest) -> CairnStore:
    return CairnStore(Memory(agent=request.node.name.replace("_", "-")[:60], url=url))


def test_what_is_put_is_there_until_it_is_taken_out(store: CairnStore) -> None:
    user = ("users", "a/b")
    assert store.get(user, "home") is None
    store.put(user, "home", {"text": "The user lives in Lisbon.", "since": 2024})
    store.put(user, "home", {"text": "The user lives in Porto.", "since": 2026})
    store.put(user, "pet", {"text": "The user's cat is called Biscuit.", "since": 2020})
    home = store.get(user, "home")
    assert home is not None and home.value == {"text": "The user lives in Porto.", "since": 2026}
    assert home.created_at <= home.updated_at and home.namespace == user
    store.put(("users", "c"), "home", {"rooms": [1, {"two": None}]})
    other = store.get(("users", "c"), "home")
    assert other is not None and other.value == {"rooms": [1, {"two": None}]}
    assert store.list_namespaces() == [user, ("users", "c")]
    assert store.list_namespaces(prefix=("users",), suffix=("c",)) == [("users", "c")]
    assert store.list_namespaces(max_depth=1) == [("users",)]
    store.delete(user, "pet")
    store.delete(user, "never-there")
    assert store.get(user, "pet") is None
    assert [item.key for item in store.search(user)] == ["home"]
    store.put(user, "pet", {"text": "The user's dog is called Rex."})
    assert [item.key for item in store.search(user)] == ["pet", "home"]


def test_what_is_asked_for_comes_first(store: CairnStore) -> None:
    for number, text in enumerate(["The kettle is green.", "The harbour gauge is called Skagen.", "The boat is red."]):
        store.put(("notes",), f"n{number}", {"text": text, "number": number})
    found = store.search(("notes",), query="what is the harbour gauge called?", limit=2)
    assert found[0].key == "n1" and found[0].score is not None and found[0].score > 0
    assert len(found) == 2
    assert [item.key for item in store.search(("notes",), filter={"number": {"$gte": 1}})] == ["n2", "n1"]
    assert [item.key for item in store.search((), query="harbour gauge", filter={"number": 1})] == ["n1"]
    store.put(("notes",), "n1", {"text": "The gauge was sold.", "number": 1})
    assert "Skagen" not in str([item.value for item in store.search(("notes",), query="harbour gauge Skagen")])


class State(TypedDict):
    told: str
    known: str


async def test_a_graph_remembers_in_the_next_run(store: CairnStore) -> None:
    def node(state: State, *, store: BaseStore) -> State:
        known = store.search(("memories",), query=state["told"])
        store.put(("memories",), state["told"], {"text": state["told"]})
        return {"told": state["told"], "known": known[0].value["text"] if known else ""}

    builder = StateGraph(State)
    builder.add_node("node", node)
    builder.add_edge(START, "node")
    builder.add_edge("node", END)
    graph = builder.compile(store=store)
    assert graph.invoke({"told": "The ferry leaves at seven.", "known": ""})["known"] == ""
    answer = await graph.ainvoke({"told": "When does the ferry leave?", "known": ""})
    assert answer["known"] == "The ferry leaves at seven."
    item = await store.aget(("memories",), "The ferry leaves at seven.")
    assert item is not None


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "nothing\nThe ferry leaves at seven." in example("langgraph_store.py")
