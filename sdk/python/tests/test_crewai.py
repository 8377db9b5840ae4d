"""The memory, as a crew uses it, against the real server. The model is a script: no network."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from cairn_recall import CairnError, Memory

pytest.importorskip("crewai", reason="crewai is not installed")

from crewai import Agent, BaseLLM, Crew, Task

from cairn_recall.crewai import CairnMemory


class Script(BaseLLM):
    """Answers the same, and keeps what it was told."""

    answer: str = "done"
    heard: list[str] = []

    def call(self, messages: Any, *_: Any, **__: Any) -> str:
        self.heard.append(str(messages))
        return f"Thought: I now know the final answer\nFinal Answer: {self.answer}"


def crew(memory: Memory, answer: str, task: str) -> tuple[Crew, Script]:
    model = Script(model="script", answer=answer, heard=[])
    agent = Agent(role="harbour master", goal="keep the harbour", backstory="A person of few words.", llm=model)
    work = Task(description=task, expected_output="one line", agent=agent)
    return Crew(agents=[agent], tasks=[work], memory=CairnMemory(memory)), model


def test_the_next_crew_knows_what_the_first_found_out(url: str) -> None:
    with Memory(agent="crew", url=url) as memory:
        memory.remember("The red buoy is moored at Skagen.", session="elsewhere")
        first, _ = crew(memory, "The tide gauge at Bergen reads 14 centimetres.", "Read the tide gauge at Bergen.")
        first.kickoff()
        second, model = crew(memory, "ok", "What did the tide gauge at Bergen read? Where is the red buoy moored?")
        second.kickoff()
        assert "14 centimetres" in model.heard[0] and "Skagen" in model.heard[0]


def test_records_are_kept_by_scope_and_can_be_taken_out(url: str) -> None:
    with Memory(agent="crew-records", url=url) as client:
        memory = CairnMemory(client)
        assert memory.list_records() == [] and memory.recall("anything") == [] and memory.extract_memories("  ") == []
        kiln = memory.remember("The kiln fires at 1240 degrees.", scope="/studio/kiln", categories=["heat"], metadata={"room": 3}, importance=0.9)
        memory.remember_many(["The wheel is by the window.", "The kiln key hangs at the door."], scope="/studio", source="ann", private=True)
        assert kiln is not None and memory.recall("how hot does the kiln fire?", scope="/studio/kiln")[0].record == memory.list_records("/studio/kiln")[0]
        found = memory.recall("the kiln fires at 1240 degrees", limit=1)[0]
        assert found.record.id == kiln.id and found.record.metadata == {"room": 3} and found.record.importance == 0.9 and found.match_reasons
        assert [match.record.content for match in memory.recall("kiln key", scope="/studio", source="ann")][0] == "The kiln key hangs at the door."
        assert all(not match.record.private for match in memory.recall("kiln key", scope="/studio"))
        assert [match.record.id for match in memory.recall("kiln", categories=["heat"])] == [kiln.id]
        assert memory.list_scopes("/") == ["/studio"] and memory.list_scopes("/studio") == ["/studio/kiln"]
        assert memory.list_categories() == {"heat": 1} and memory.info("/studio").record_count == 3
        assert memory.scope("/studio").recall("the kiln fires at 1240 degrees")[0].record.id == kiln.id
        moved = memory.update(kiln.id, content="The kiln fires at 1260 degrees.", scope="/studio")
        assert moved.scope == "/studio" and memory.list_records("/studio/kiln") == []
        assert "1260" in memory.recall("how hot does the kiln fire?", scope="/studio", categories=["heat"])[0].record.content
        assert memory.forget(older_than=datetime(2020, 1, 1)) == 0 and memory.forget(metadata_filter={"room": 3}) == 1
        assert memory.forget(record_ids=["nothing"]) == 0 and len(memory.list_records()) == 2
        memory.reset("/studio")
        assert memory.list_records() == [] and memory.recall("kiln wheel key") == []
        assert CairnMemory(client, read_only=True).remember("x") is None and CairnMemory(client, root_scope="/r").remember("In r.").scope == "/r"  # type: ignore[union-attr]
        with pytest.raises(CairnError):
            memory._storage.search([0.1])
        assert timedelta(minutes=-5) < datetime.utcnow() - memory.list_records()[0].created_at < timedelta(minutes=5)


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "14 centimetres" in example("crewai_memory.py")
