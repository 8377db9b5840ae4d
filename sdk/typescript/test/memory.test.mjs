// Against the real server: CAIRN names the program.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { once } from "node:events";
import { after, before, test } from "node:test";
import { CairnError, Memory } from "../dist/index.js";
import { serve } from "./server.mjs";

let env;
let memory;
let server;
let url;

before(async () => {
  server = await serve();
  ({ env, url } = server);
  memory = new Memory({ url });
});

after(() => server.stop());

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

test("whatever goes wrong is a CairnError with a hint", async () => {
  const other = createServer((_, response) => response.end("<html>")).listen(0, "127.0.0.1");
  await once(other, "listening");
  const address = `http://127.0.0.1:${other.address().port}`;
  await assert.rejects(new Memory({ url: address }).stats(), (error) => {
    assert.ok(error instanceof CairnError && error.status === 0 && /not Cairn/.test(error.detail));
    return true;
  });
  other.close();
  await once(other, "close");
  for (const away of [address, "http://host:port"]) {
    await assert.rejects(new Memory({ url: away }).recall("x"), (error) => {
      assert.ok(error instanceof CairnError && error.status === 0 && /cairn serve/.test(error.hint));
      return true;
    });
  }
  const silent = createServer(() => {}).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const slow = new Memory({ url: `http://127.0.0.1:${silent.address().port}`, timeoutMs: 50 });
  await assert.rejects(slow.stats(), (error) => error instanceof CairnError && /in time/.test(error.detail));
  silent.closeAllConnections();
  silent.close();
});

test("what is found says how sure it is and what is remembered", async () => {
  const sure = new Memory({ url, agent: "sure" });
  await sure.remember("I work at Siemens.");
  await sure.remember("I'm at Bosch now.");
  const hits = await sure.recall("who do I work for? Siemens or Bosch");
  assert.ok(hits.every((hit) => hit.confidence >= 0 && hit.confidence <= 1));
  const old = hits.find((hit) => hit.text === "I work at Siemens.");
  assert.ok(old.superseded && old.superseded_by.text.includes("Bosch"));
  assert.equal(hits.find((hit) => hit.text === "I'm at Bosch now.").memories[0].status, "new");
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
  for (const name of ["Remembered", "Hit", "HitMemory", "Recall", "Message", "Decision"]) {
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
