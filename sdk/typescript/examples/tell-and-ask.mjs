// node examples/tell-and-ask.mjs   (with `cairn serve` running)
import { Memory } from "../dist/index.js";

const memory = new Memory({ agent: "main", url: process.env.CAIRN_URL, key: process.env.CAIRN_KEY });
const kept = await memory.remember("I moved to Lisbon in March.", { session: "example" });
console.log("kept", kept.message, kept.decisions.map((decision) => decision.verdict));
for (const hit of await memory.recall("where do I live? Lisbon?", { k: 3 })) {
  console.log(hit.score.toFixed(2), hit.text);
}
