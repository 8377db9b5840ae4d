"""The official Python client uses every tool: one session tells, another process knows."""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters

TOOLS = {"remember", "recall", "context", "open", "timeline", "why", "correct", "feedback"}
READING = {"recall", "context", "open", "timeline", "why"}


async def call(client, name, **arguments):
    """The structured answer and the text of a call that must succeed."""
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    assert not result.is_error, f"{name}: {text}"
    return result.structured_content, text


async def refused(client, name, **arguments):
    """The text of a call that must be refused, with a hint."""
    result = await client.call_tool(name, arguments)
    text = result.content[0].text
    assert result.is_error and "hint:" in text, f"{name} {arguments}: {text}"
    return text


async def look_around(client):
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS, sorted(tools)
    for name, tool in tools.items():
        assert len(tool.description) > 80 and "token" in tool.description, name
        assert tool.input_schema["type"] == "object" and tool.output_schema, name
        assert tool.annotations.read_only_hint == (name in READING), name
    uris = {str(resource.uri) for resource in (await client.list_resources()).resources}
    assert "cairn://agent/status" in uris, uris
    status = (await client.read_resource("cairn://agent/status")).contents[0].text
    assert json.loads(status)["messages"] >= 0
    templates = (await client.list_resource_templates()).resource_templates
    assert {template.uri_template for template in templates} == {
        "cairn://identity/{file}",
        "cairn://thread/{name}/handoff",
    }, templates


async def tell(client):
    """The first session."""
    kept, _ = await call(client, "remember", text="The user's cat is called Biscuit.", thread="pets")
    assert kept["decisions"][0]["verdict"] == "create", kept
    await call(client, "remember", text="The user works at Siemens in Munich.")
    await refused(client, "remember", text="   ")
    return kept["decisions"][0]["ref"]


async def know(client, memory):
    """The second session, in another process."""
    found, text = await call(client, "recall", query="What is the cat called?", k=3)
    assert "Biscuit" in found["hits"][0]["line"] and "“" in text, found
    said = found["hits"][0]["ref"]
    opened, _ = await call(client, "open", refs=[said, memory])
    assert len(opened["records"]) == 2 and "Biscuit" in opened["records"][0]["text"], opened
    around, _ = await call(client, "timeline", ref=memory)
    assert len(around["hits"]) >= 2, around
    why, _ = await call(client, "why", ref=memory)
    assert why["evidence"][0]["excerpt"] == "The user's cat is called Biscuit.", why
    assert why["evidence"][0]["speaker"] == "assistant" and why["evidence"][0]["holds"], why
    _, block = await call(client, "context", query="the cat", budget=400)
    assert "Biscuit" in block, block
    rated, _ = await call(client, "feedback", ref=memory, helpful=True)
    assert rated["memories"][0]["utility"] > 0.5, rated
    right, _ = await call(client, "correct", ref=memory, text="The user's cat is called Bandit.")
    assert right["decisions"][0]["supersedes"] == memory, right
    again, _ = await call(client, "correct", ref=memory, text="The user's cat is called Bandit.")
    assert again["duplicate"] and again["decisions"] == right["decisions"], again
    await refused(client, "correct", ref=memory, text="The user's cat is called Pixel.")
    await refused(client, "why", ref="mem_nonsense")
    await refused(client, "recall", query="cat", nonsense=1)
    await refused(client, "open", refs=[])


async def main(cairn, home, url=None):
    def stdio():
        env = {"CAIRN_HOME": home, "PATH": os.environ["PATH"]}
        return Client(StdioServerParameters(command=cairn, args=["mcp"], env=env), read_timeout_seconds=60)

    async with stdio() as client:
        await look_around(client)
        memory = await tell(client)
    async with stdio() as client:
        await know(client, memory)
    print("python over stdio: every tool, and the second session knows what the first was told")
    if url:
        async with Client(url, read_timeout_seconds=60) as client:
            await look_around(client)
            memory = await tell(client)
        async with Client(url, read_timeout_seconds=60) as client:
            await know(client, memory)
        print("python over HTTP: the same")


asyncio.run(main(*sys.argv[1:]))
