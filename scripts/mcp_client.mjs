// The official TypeScript client uses every tool: one session tells, another process knows.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, cairn, home, url] = process.argv.slice(2);
const require = createRequire(pathToFileURL(`${folder}/`));
const { Client } = require("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = require("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = require("@modelcontextprotocol/sdk/client/streamableHttp.js");

const TOOLS = ["context", "correct", "feedback", "open", "recall", "remember", "timeline", "why"];

/** Lets `use` have a client, and closes it. */
async function session(transport, use) {
  const client = new Client({ name: "check", version: "1.0.0" });
  await client.connect(transport);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** The structured answer and the text of a call that must succeed. */
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  const text = result.content[0].text;
  assert(!result.isError, `${name}: ${text}`);
  return [result.structuredContent, text];
}

/** A call that must be refused, with a hint. */
async function refused(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  assert(result.isError && result.content[0].text.includes("hint:"), `${name}: ${result.content[0].text}`);
}

async function tell(client) {
  const { tools } = await client.listTools();
  assert.deepEqual(tools.map((tool) => tool.name).sort(), TOOLS);
  const [kept] = await call(client, "remember", { text: "The user's boat is called Aurora.", thread: "boats" });
  assert.equal(kept.decisions[0].verdict, "create");
  await call(client, "remember", { text: "The user sails from Bergen in June." });
  await refused(client, "remember", { text: "  " });
  return kept.decisions[0].ref;
}

async function know(client, memory) {
  const [found] = await call(client, "recall", { query: "name of the boat" });
  assert(found.hits[0].line.includes("Aurora"), JSON.stringify(found));
  const [opened] = await call(client, "open", { refs: [found.hits[0].ref, memory] });
  assert.equal(opened.records.length, 2);
  const [around] = await call(client, "timeline", { query: "boat" });
  assert(around.hits.length >= 1);
  const [why] = await call(client, "why", { ref: memory });
  assert.equal(why.evidence[0].speaker, "assistant");
  const [, block] = await call(client, "context", { query: "the boat", budget: 400 });
  assert(block.includes("Aurora"), block);
  const [rated] = await call(client, "feedback", { ref: memory, helpful: false });
  assert(rated.memories[0].utility < 0.5);
  const [right] = await call(client, "correct", { ref: memory, text: "The user's boat is called Borealis." });
  assert.equal(right.decisions[0].supersedes, memory);
  await refused(client, "feedback", { ref: memory, helpful: true });
  const { contents } = await client.readResource({ uri: "cairn://agent/status" });
  assert(JSON.parse(contents[0].text).memories >= 2);
  await assert.rejects(client.readResource({ uri: "cairn://identity/../../config.toml" }));
}

async function story(open) {
  const memory = await session(open(), tell);
  await session(open(), (client) => know(client, memory));
}

const env = { CAIRN_HOME: home, PATH: process.env.PATH };
await story(() => new StdioClientTransport({ command: cairn, args: ["mcp"], env }));
console.log("typescript over stdio: every tool, and the second session knows what the first was told");
if (url) {
  await story(() => new StreamableHTTPClientTransport(new URL(url)));
  console.log("typescript over HTTP: the same");
}
