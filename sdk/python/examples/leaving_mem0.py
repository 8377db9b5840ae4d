"""python examples/leaving_mem0.py   (with `cairn serve` running)"""

from cairn_recall.mem0 import Memory

memory = Memory()
memory.add([{"role": "user", "content": "My sister Ece lives in Izmir."}], user_id="alice", metadata={"channel": "chat"})
for found in memory.search("Where does Ece live? Izmir?", filters={"user_id": "alice", "channel": "chat"})["results"]:
    print(found["id"], found["memory"], found["metadata"])
