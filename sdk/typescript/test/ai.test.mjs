// The middleware, as the Vercel AI SDK uses it, against the real server. The model is a script: no network.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { after, before, test } from "node:test";
import { CairnError, Memory } from "../dist/index.js";
import { memoryMiddleware } from "../dist/ai.js";
import { serve } from "./server.mjs";

const ai = await import("ai").catch(() => undefined);
const { MockLanguageModelV3: Model, simulateReadableStream } = ai ? await import("ai/test") : {};
const skip = ai ? false : "the package `ai` is not installed";

let server;
before(async () => {
  if (!skip) server = await serve();
});
after(() => server?.stop());

const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const finishReason = { unified: "stop", raw: "stop" };

test("the next call is shown what the first was told, and both sides are kept", { skip }, async () => {
  const memory = new Memory({ url: server.url, agent: "vercel" });
  const heard = [];
  const script = new Model({
    doGenerate: async ({ prompt }) => {
      heard.push(JSON.stringify(prompt));
      return { content: [{ type: "text", text: "The gauge at Skagen reads 14 centimetres." }], finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt }) => {
      heard.push(JSON.stringify(prompt));
      const chunks = [
        { type: "text-start", id: "1" },
        { type: "text-delta", id: "1", delta: "It leaves " },
        { type: "text-delta", id: "1", delta: "from pier four." },
        { type: "text-end", id: "1" },
        { type: "finish", finishReason, usage },
      ];
      return { stream: simulateReadableStream({ chunks }) };
    },
  });
  const model = (session) => ai.wrapLanguageModel({ model: script, middleware: memoryMiddleware(memory, { session, thread: "tides" }) });
  const { text } = await ai.generateText({ model: model("one"), prompt: "My ferry leaves Bergen at seven." });
  assert.equal(text, "The gauge at Skagen reads 14 centimetres.");
  const streamed = ai.streamText({ model: model("two"), prompt: "When does my ferry leave Bergen, and what does the gauge at Skagen read?" });
  let said = "";
  for await (const part of streamed.textStream) said += part;
  assert.equal(said, "It leaves from pier four.");
  assert.match(heard[1], /at seven/);
  assert.ok((await memory.recall("the gauge at Skagen", { session: "one" })).some((hit) => hit.role === "assistant"));
  assert.doesNotMatch(heard[1], /"role":"system"/);
  const kept = [];
  for await (const message of memory.session("two")) kept.push([message.role, message.text, message.thread]);
  assert.deepEqual(kept, [
    ["assistant", "It leaves from pier four.", "tides"],
    ["user", "When does my ferry leave Bergen, and what does the gauge at Skagen read?", "tides"],
  ]);
  const away = ai.wrapLanguageModel({ model: script, middleware: memoryMiddleware(new Memory({ url: "http://127.0.0.1:9" })) });
  await assert.rejects(ai.generateText({ model: away, prompt: "x", maxRetries: 0 }), CairnError);
});

test("a step after a tool asks and keeps nothing twice", { skip }, async () => {
  const memory = new Memory({ url: server.url, agent: "vercel-tools" });
  const steps = [
    { content: [{ type: "tool-call", toolCallId: "1", toolName: "gauge", input: "{}" }], finishReason: { unified: "tool-calls", raw: "x" }, usage, warnings: [] },
    { content: [{ type: "text", text: "It reads 14 cm." }], finishReason, usage, warnings: [] },
  ];
  const script = new Model({ doGenerate: async () => steps.shift() });
  const model = ai.wrapLanguageModel({ model: script, middleware: memoryMiddleware(memory, { session: "s" }) });
  const gauge = ai.tool({ description: "Reads the gauge.", inputSchema: ai.jsonSchema({ type: "object", properties: {} }), execute: async () => "14 cm" });
  const { text } = await ai.generateText({ model, tools: { gauge }, stopWhen: ai.stepCountIs(3), prompt: "What does the gauge read?" });
  assert.equal(text, "It reads 14 cm.");
  const kept = [];
  for await (const message of memory.session("s")) kept.push(message.text);
  assert.deepEqual(kept, ["It reads 14 cm.", "What does the gauge read?"]);
});

test("the example runs", { skip }, () => {
  const example = new URL("../examples/vercel-ai.mjs", import.meta.url).pathname;
  const said = execFileSync(process.execPath, [example], { env: { ...server.env, CAIRN_URL: server.url } }).toString();
  assert.match(said, /user: “My ferry leaves Bergen at seven\.”/);
});
