// Runs Cursor's own agent (`@cursor/sdk`) in this folder on one prompt: `node cursor_agent.mjs PACKAGES STORE PROMPT`. Its servers are
// stood in for by scripts/agent_model.py, which cannot answer as they do: the run ends with an error after its first hooks.
import { pathToFileURL } from "node:url"

const [packages, store, prompt] = process.argv.slice(2)
const { Agent, JsonlLocalAgentStore } = await import(pathToFileURL(`${packages}/node_modules/@cursor/sdk/dist/esm/index.js`))
const local = { store: new JsonlLocalAgentStore(store), cwd: process.cwd(), settingSources: ["project", "user"] }
const agent = await Agent.create({ apiKey: "crsr_scripted", model: { id: "composer-1" }, local })
const run = await agent.send(prompt)
for await (const event of run.stream()) console.log(JSON.stringify(event).slice(0, 200))
process.exit(0)
