"""python examples/crewai_memory.py   (with `cairn serve` running, and crewai installed)"""

from cairn_recall import Memory
from cairn_recall.crewai import CairnMemory

# As `Crew(agents=[...], tasks=[...], memory=memory)` uses it.
memory = CairnMemory(Memory(agent="example-crewai"))
memory.remember("The tide gauge at Bergen reads 14 centimetres.", scope="/harbor", categories=["tides"])
for match in memory.recall("what does the gauge at Bergen read?", scope="/harbor"):
    print(f"{match.score:.2f}", match.record.content)
