// Against the real server: CAIRN names the program.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { CairnError, Memory } from "../dist/index.js";

const program = process.env.CAIRN ?? new URL("../../../target/debug/cairn", import.meta.url).pathname;
const home = mkdtempSync(join(tmpdir(), "cairn-"));
const env = { ...process.env, CAIRN_HOME: home, CAIRN_MODELS: join(home, "models"), CAIRN_LOG: "error" };
let server;
let memory;
let url;

before(async () => {
  server = spawn(program, ["--json", "serve", "--port", "0"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const line = await new Promise((done) => server.stdout.once("data", done));
  url = JSON.parse(line.toString()).url;
  memory = new Memory({ url });
});

after(() => {
  server?.kill();
  rmSync(home, { recursive: true, force: true });
});

test("what is told is found again and can be traced", async () => {
  const kept = await memory.remember("I moved to Lisbon in March.", { id: "ext-1", session: "s" });
  assert.equal(kept.decisions[0].verdict, "create");
  const hits = await memory.recall("Lisbon", { k: 5 });
  assert.ok(hits.some((hit) => hit.text.includes("Lisbon")));
  const ref = kept.decisions[0].ref;
  assert.equal((await memory.why(ref)).ref, ref);
  assert.equal((await memory.open(kept.message))[0].messages[0].text, "I moved to Lisbon in March.");
  assert.equal((await memory.timeline({ k: 1 }))[0].text, "I moved to Lisbon in March.");
  assert.equal((await memory.forget(ref)).tier, "dormant");
  assert.equal((await memory.wake(ref)).tier, "episodic");
  assert.equal((await memory.pin(ref)).pinned, true);
  await assert.rejects(memory.unpin(ref), CairnError); // an operator's to do
  const refs = [];
  for await (const record of memory.memories({ all: true })) refs.push(record.ref);
  assert.ok(refs.includes(ref));
  const said = [];
  for await (const message of memory.session("s")) said.push(message.text);
  assert.deepEqual(said, ["I moved to Lisbon in March."]);
  assert.equal((await memory.stats()).messages, 1);
  assert.deepEqual(await memory.handoffs({ thread: "nowhere" }), []);
  const [log] = await memory.attach([{ name: "log.txt", content: "The harbour was dredged in spring." }], { session: "s" });
  assert.match(log.receipt.ref, /^att_/);
  assert.equal((await memory.attachments({ session: "s" }))[0].state, "uploaded");
  const intended = await memory.intend("send the invoice", { on: "tomorrow" });
  assert.deepEqual((await memory.intentions()).map((one) => one.ref), [intended.ref]);
  assert.ok((await memory.snooze(intended.ref, "in two weeks")).due > intended.due);
  assert.equal((await memory.finish(intended.ref)).state, "done");
  assert.equal((await memory.drop(intended.ref)).state, "dropped");
  for (const text of ['Bash {"command":"cargo test"}', "test result: ok. 4 passed; 0 failed"])
    await memory.remember(text, { role: "tool", speaker: "Bash", session: "s", thread: "tides" });
  const [project] = await memory.skills({ thread: "tides" });
  assert.deepEqual([project.skills[0].kind, project.skills[0].worked, project.procedures], ["cargo test", 1, []]);
  const resumed = await memory.context({ session: "s", resume: true });
  assert.match(String(resumed.text), /\[SESSION_RESUME\]/);
});

test("a refusal says what to do", async () => {
  await assert.rejects(memory.remember("  "), (error) => {
    assert.ok(error instanceof CairnError);
    assert.equal(error.status, 400);
    assert.ok(error.hint.length > 0 && error.requestId.length > 0);
    return true;
  });
  await assert.rejects(new Memory({ url, agent: "nobody" }).stats(), { status: 404 });
});

test("every call stands in the OpenAPI document", () => {
  const document = JSON.parse(readFileSync(new URL("../../../docs/openapi.json", import.meta.url), "utf8"));
  const source = readFileSync(new URL("../src/index.ts", import.meta.url), "utf8");
  const calls = [...source.matchAll(/#ask(?:<[^(]*>)?\("(GET|POST)", [`"](\/[a-z]+)/g)];
  for (const [, path] of source.matchAll(/#all\([`"](\/[a-z]+)/g)) calls.push([, "GET", path]);
  assert.ok(calls.length >= 10);
  for (const [, method, path] of calls) {
    const found = Object.keys(document.paths).some(
      (known) => known.startsWith(`/v1/agents/{agent}${path}`) && document.paths[known][method.toLowerCase()],
    );
    assert.ok(found, `${method} ${path}`);
  }
  for (const name of ["Remembered", "Hit", "Recall", "Message", "Decision"]) {
    const fields = source.match(new RegExp(`export interface ${name} \\{([^}]*)\\}`))[1];
    for (const [, field] of fields.matchAll(/^ {2}(\w+)\??:/gm)) {
      assert.ok(document.components.schemas[name].properties[field], `${name}.${field}`);
    }
  }
});

test("the example runs", () => {
  const example = new URL("../examples/tell-and-ask.mjs", import.meta.url).pathname;
  const said = execFileSync(process.execPath, [example], { env: { ...env, CAIRN_URL: url } }).toString();
  assert.match(said, /kept msg_/);
});
