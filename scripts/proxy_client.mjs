// The official TypeScript clients through the proxy.

import assert from "node:assert/strict";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";

const [url] = process.argv.slice(2);
const key = "sk-official-key";
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const words = "The tide turns at nine.";
const schema = { type: "object", properties: { city: { type: "string" } } };
const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const anthropic = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 });
const named = (session) => ({ headers: { "x-cairn-agent": "typescript", "x-cairn-session": session } });

async function chat(session, stream) {
    const messages = [{ role: "system", content: "Be brief." }, { role: "user", content: `When does it turn? (${session})` }];
    const tools = [{ type: "function", function: { name: "tide", parameters: schema } }];
    const ask = async (more) => {
        const asked = { model: "scripted-1", messages, ...more };
        if (!stream) return (await openai.chat.completions.create(asked, named(session))).choices[0].message;
        return openai.chat.completions.stream(asked, named(session)).finalMessage();
    };
    const [call] = (await ask({ tools })).tool_calls;
    assert.deepEqual(JSON.parse(call.function.arguments), { city: "Lisbon" });
    const { name, arguments: input } = call.function;
    messages.push({ role: "assistant", content: null, tool_calls: [{ id: call.id, type: "function", function: { name, arguments: input } }] });
    messages.push({ role: "tool", tool_call_id: call.id, content: "nine" });
    assert.equal((await ask({ tools })).content, words);
    const picture = { type: "image_url", image_url: { url: `data:image/png;base64,${pixel}` } };
    messages.push({ role: "assistant", content: words });
    messages.push({ role: "user", content: [picture, { type: "text", text: "And what is this?" }] });
    assert.equal((await ask({})).content, words);
}

async function messages(session, stream) {
    const said = [{ role: "user", content: `When does it turn? (${session})` }];
    const tools = [{ name: "tide", description: "The tide.", input_schema: schema }];
    const ask = async (more) => {
        const asked = { model: "scripted-1", max_tokens: 100, system: "Be brief.", messages: said, ...more };
        if (!stream) return (await anthropic.messages.create(asked, named(session))).content[0];
        return (await anthropic.messages.stream(asked, named(session)).finalMessage()).content[0];
    };
    const call = await ask({ tools });
    assert.deepEqual(call.input, { city: "Lisbon" });
    said.push({ role: "assistant", content: [{ type: "tool_use", id: call.id, name: call.name, input: call.input }] });
    said.push({ role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "nine" }] });
    assert.equal((await ask({ tools })).text, words);
    const picture = { type: "image", source: { type: "base64", media_type: "image/png", data: pixel } };
    said.push({ role: "assistant", content: words });
    said.push({ role: "user", content: [picture, { type: "text", text: "And what is this?" }] });
    assert.equal((await ask({})).text, words);
}

async function responses(session, stream) {
    const input = [{ role: "user", content: `When does it turn? (${session})` }];
    const tools = [{ type: "function", name: "tide", parameters: schema, strict: false }];
    const ask = async (more) => {
        const asked = { model: "scripted-1", instructions: "Be brief.", input, ...more };
        if (!stream) return openai.responses.create(asked, named(session));
        return openai.responses.stream(asked, named(session)).finalResponse();
    };
    const text = (answer) => answer.output[0].content[0].text;
    const [call] = (await ask({ tools })).output;
    assert.deepEqual(JSON.parse(call.arguments), { city: "Lisbon" });
    input.push({ type: "function_call", call_id: call.call_id, name: call.name, arguments: call.arguments });
    input.push({ type: "function_call_output", call_id: call.call_id, output: "nine" });
    assert.equal(text(await ask({ tools })), words);
    const picture = { type: "input_image", image_url: `data:image/png;base64,${pixel}`, detail: "auto" };
    input.push({ role: "assistant", content: words });
    input.push({ role: "user", content: [picture, { type: "input_text", text: "And what is this?" }] });
    assert.equal(text(await ask({})), words);
}

for (const [way, stream] of [["whole", false], ["streamed", true]]) {
    await chat(`typescript-chat-${way}`, stream);
    await responses(`typescript-responses-${way}`, stream);
    await messages(`typescript-messages-${way}`, stream);
}
assert.equal((await openai.models.list()).data[0].id, "scripted-1");
await assert.rejects(openai.responses.create({ model: "refused", input: "x" }), /the model does not exist/);
await assert.rejects(anthropic.messages.create({ model: "refused", max_tokens: 1, messages: [{ role: "user", content: "x" }] }), /the model does not exist/);
console.log("typescript: openai and anthropic, whole and streamed, with tools and pictures");
