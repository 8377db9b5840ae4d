"""python examples/tell_and_ask.py   (with `cairn serve` running)"""

from cairn_recall import Memory

with Memory(agent="example") as memory:
    kept = memory.remember("I moved to Lisbon in March.", session="example")
    print("kept", kept["message"], [decision["verdict"] for decision in kept["decisions"]])
    for hit in memory.recall("where do I live? Lisbon?", k=3):
        print(f"{hit['score']:.2f}", hit["text"])
