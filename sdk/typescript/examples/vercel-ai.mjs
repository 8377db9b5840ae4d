// node examples/vercel-ai.mjs   (with `cairn serve` running, and `npm install ai`)
import { generateText, wrapLanguageModel } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { memoryMiddleware } from "../dist/ai.js";
import { Memory } from "../dist/index.js";

// Says what it was shown; put your own model here.
const echo = new MockLanguageModelV3({
  doGenerate: async ({ prompt }) => ({
    content: [{ type: "text", text: prompt.at(-1).content.map((part) => part.text).join("\n") }],
    finishReason: { unified: "stop", raw: "stop" },
    usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
    warnings: [],
  }),
});
const memory = new Memory({ agent: "example-vercel-ai", url: process.env.CAIRN_URL, key: process.env.CAIRN_KEY });
for (const [session, prompt] of [["monday", "My ferry leaves Bergen at seven."], ["tuesday", "When does my ferry leave Bergen?"]]) {
  const model = wrapLanguageModel({ model: echo, middleware: memoryMiddleware(memory, { session }) });
  console.log((await generateText({ model, prompt })).text);
}
