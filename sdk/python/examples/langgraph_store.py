"""python examples/langgraph_store.py   (with `cairn serve` running, and langgraph installed)"""

from typing import TypedDict

from langgraph.graph import END, START, StateGraph
from langgraph.store.base import BaseStore

from cairn_recall import Memory
from cairn_recall.langgraph import CairnStore


class State(TypedDict):
    told: str
    known: str


def node(state: State, *, store: BaseStore) -> State:
    known = store.search(("memories",), query=state["told"], limit=1)
    store.put(("memories",), state["told"], {"text": state["told"]})
    return {"told": state["told"], "known": known[0].value["text"] if known else "nothing"}


builder = StateGraph(State)
builder.add_node("node", node)
builder.add_edge(START, "node")
builder.add_edge("node", END)
graph = builder.compile(store=CairnStore(Memory(agent="example-langgraph")))
for told in ["The ferry leaves at seven.", "When does the ferry leave?"]:
    print(graph.invoke({"told": told, "known": ""})["known"])
