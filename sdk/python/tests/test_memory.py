from __future__ import annotations

import json
import socket
import threading
import typing
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest

import cairn_recall
from cairn_recall import AsyncMemory, CairnError, Memory

ROOT = Path(__file__).resolve().parents[3]


def test_what_is_told_is_found_again_and_can_be_traced(url: str) -> None:
    with Memory(agent="sync", url=url) as memory:
        kept = memory.remember("I moved to Lisbon in March.", id="ext-1", session="s")
        assert kept["decisions"][0]["verdict"] == "create"
        assert memory.remember("I moved to Lisbon in March.", id="ext-1", session="s")["duplicate"]
        assert any("Lisbon" in hit["text"] for hit in memory.recall("Lisbon", k=5))
        ref = kept["decisions"][0]["ref"]
        assert memory.why(ref)["ref"] == ref
        assert memory.open(kept["message"])[0]["messages"][0]["text"] == "I moved to Lisbon in March."
        assert memory.timeline(k=1)[0]["text"] == "I moved to Lisbon in March."
        assert memory.forget(ref)["tier"] == "dormant"
        assert memory.wake(ref)["tier"] == "episodic"
        assert memory.pin(ref)["pinned"]
        with pytest.raises(CairnError):  # an operator's to do
            memory.unpin(ref)
        assert ref in [record["ref"] for record in memory.memories(all=True)]
        assert [message["ref"] for message in memory.session("s")] == [kept["message"]]
        assert [session["session"] for session in memory.sessions()] == ["s"]
        assert memory.stats()["messages"] == 1
        assert memory.handoffs(thread="nowhere") == []
        attached = memory.attach(("log.txt", b"The harbour was dredged in spring."), ("big", bytes(15 * 2**20 + 1)), session="s")
        assert attached[0]["receipt"]["ref"].startswith("att_") and "at most 15 MB" in attached[1]["problem"]
        assert [file["state"] for file in memory.attachments(session="s")] == ["uploaded"]
        intended = memory.intend("send the invoice", on="tomorrow")
        assert intended["state"] == "pending" and [one["ref"] for one in memory.intentions()] == [intended["ref"]]
        assert memory.snooze(intended["ref"], "in two weeks")["due"] > intended["due"]
        assert memory.finish(intended["ref"])["state"] == "done" and memory.intentions() == []
        assert memory.drop(intended["ref"])["state"] == "dropped" and len(memory.intentions(all=True)) == 1
        assert memory.skills(thread="nowhere", limit=3) == []
        memory.ingest([
            {"id": "call", "role": "tool", "speaker": "Bash", "thread": "tides", "text": 'Bash {"command":"cargo test"}'},
            {"id": "result", "role": "tool", "speaker": "Bash", "thread": "tides", "text": "test result: ok. 4 passed; 0 failed"},
        ], wait=True)
        project, = memory.skills(thread="tides")
        assert (project["skills"][0]["kind"], project["skills"][0]["worked"], project["procedures"]) == ("cargo test", 1, [])
        found = memory.answer("when was the harbour dredged?", kinds=["attachment"])["hits"][0]
        assert found["file"]["name"] == "log.txt" and found["file"]["place"] == "line 1"
        resumed = memory.context(session="s", resume=True)
        assert "[SESSION_RESUME]" in resumed["text"] and "I moved to Lisbon in March." in resumed["text"]


async def test_the_same_awaited(url: str) -> None:
    async with AsyncMemory(agent="async", url=url) as memory:
        kept = await memory.remember("My sister's name is Ece.")
        hits = await memory.recall("what is my sister's name?")
        assert any("Ece" in hit["text"] for hit in hits)
        ref = kept["decisions"][0]["ref"]
        assert ref in [record["ref"] async for record in memory.memories()]
        report = await memory.ingest([{"id": "1", "role": "user", "text": "I am allergic to peanuts."}], wait=True)
        assert report["added"] == 1


def test_a_refusal_says_what_to_do(url: str) -> None:
    with Memory(agent="sync", url=url) as memory, pytest.raises(CairnError) as refused:
        memory.remember("   ")
    assert refused.value.status == 400 and refused.value.hint and refused.value.request_id
    with Memory(agent="nobody", url=url) as memory, pytest.raises(CairnError) as refused:
        memory.stats()
    assert refused.value.status == 404


class Elsewhere(BaseHTTPRequestHandler):
    """A server that is not Cairn."""

    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>")

    def log_message(self, *_: object) -> None:
        pass


async def test_whatever_goes_wrong_is_a_cairn_error_with_a_hint(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        closed = f"http://127.0.0.1:{taken.getsockname()[1]}"
    for away in [closed, "ftp://127.0.0.1", "http://host:port"]:
        with pytest.raises(CairnError) as refused:
            Memory(url=away).stats()
        assert refused.value.status == 0 and "cairn serve" in refused.value.hint and away in refused.value.detail
        with pytest.raises(CairnError) as refused:
            await AsyncMemory(url=away).ingest([{"role": "user", "text": "x"}])
        assert "cairn serve" in refused.value.hint
    with pytest.raises(CairnError) as refused:
        await AsyncMemory(url=closed).recall("x")
    assert isinstance(refused.value.__cause__, httpx.ConnectError)
    with ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(CairnError) as refused:
            Memory(url=f"http://127.0.0.1:{other.server_port}").stats()
        assert "not Cairn" in refused.value.detail and refused.value.hint
        other.shutdown()
    with socket.create_server(("127.0.0.1", 0)) as silent, pytest.raises(CairnError) as refused:
        Memory(url=f"http://127.0.0.1:{silent.getsockname()[1]}", timeout=0.05).stats()
    assert "in time" in refused.value.detail
    with pytest.raises(CairnError) as refused:
        Memory(url=closed).attach(tmp_path / "nothing.txt")
    assert "nothing.txt" in refused.value.detail


def test_what_is_found_says_how_sure_it_is_and_what_is_remembered(url: str) -> None:
    with Memory(agent="sure", url=url) as memory:
        memory.remember("I work at Siemens.")
        memory.remember("I'm at Bosch now.")
        hits = memory.recall("who do I work for? Siemens or Bosch")
        assert all(0 <= hit["confidence"] <= 1 for hit in hits)
        said = {hit["text"]: hit for hit in hits if hit["kind"] == "exchange"}
        assert said["I work at Siemens."]["superseded"] and "Bosch" in (said["I work at Siemens."]["superseded_by"] or {})["text"]
        assert [kept["status"] for kept in said["I'm at Bosch now."]["memories"]] == ["new"]
        assert {record["status"] for record in memory.memories(all=True)} == {"new", "superseded"}


def test_types_and_calls_are_those_of_the_openapi_document() -> None:
    document = json.loads((ROOT / "docs/openapi.json").read_text())
    schemas = document["components"]["schemas"]
    for name in ["Decision", "Remembered", "Hit", "HitMemory", "HitDoubt", "Recall", "Message", "MemoryRecord", "Stats", "Handoff", "Attachment", "AttachedFile", "Intention", "ProjectSkills", "Skill", "SkillProcedure"]:
        known = schemas["Memory" if name == "MemoryRecord" else name]["properties"]
        for field in typing.get_type_hints(getattr(cairn_recall, name)):
            assert field in known, f"{name}.{field}"
    calls = cairn_recall._client._Calls("main")
    for call in [
        calls.remember("x"), calls.recall("x"), calls.open(["x"]), calls.why("x"), calls.timeline(),
        calls.change("x", "pin"), calls.change("x", "wake"), calls.listed("memories"), calls.stats(),
        calls.feedback("x", True), calls.correct("x", "y"), calls.context(), calls.listed("sessions"),
        calls.listed("sessions/x/messages"), calls.handoffs(), calls.attach([]), calls.attachments(),
        calls.intentions(), calls.intend("x"), calls.decide("x", "snooze", until="tomorrow"), calls.decide("x", "done"), calls.decide("x", "drop"), calls.skills(),
    ]:
        path = call.path.replace("/agents/main", "/agents/{agent}")
        path = path.replace("/why/x", "/why/{ref}").replace("/intentions/x", "/intentions/{ref}").replace("/memories/x", "/memories/{ref}").replace("/sessions/x", "/sessions/{session}")
        assert call.method.lower() in document["paths"].get(path, {}), f"{call.method} {path}"


def test_the_example_runs(example: Callable[[str], str]) -> None:
    assert "kept msg_" in example("tell_and_ask.py")
