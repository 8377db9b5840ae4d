// Written by `cairn setup opencode`; `cairn setup opencode --remove` takes it away.
// It tells Cairn what is said and done, and puts before the model what Cairn remembers. If Cairn does not answer, nothing happens.
import { spawn } from "node:child_process"

const [PROGRAM, ...ARGS] = __COMMAND__

// Asks `cairn hook`; the words for the model, if there are any.
const ask = (event, input) =>
  new Promise((resolve) => {
    let said = ""
    const child = spawn(PROGRAM, [...ARGS, "hook", event, "--host", "opencode"], {
      stdio: ["pipe", "pipe", "ignore"],
      detached: true, // what was said is kept though opencode ends now
    })
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (bytes) => (said += bytes))
    child.on("close", () => {
      try {
        resolve(JSON.parse(said).additional_context ?? "")
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(input))
  })

export const Cairn = async ({ directory }) => {
  const parents = new Map() // the session that started each sub-agent's
  const begun = new Map() // what each session began with
  const shown = new Map() // what each prompt came with
  const answers = new Map() // the last answer of each session

  const own = (session) => {
    while (parents.has(session)) session = parents.get(session)
    return { session_id: session, cwd: directory }
  }
  const begin = async (session, source) => {
    if (begun.has(session)) return
    begun.set(session, "")
    begun.set(session, await ask("session-start", { ...own(session), source }))
  }
  const isIdle = (event) => event.type === "session.idle"

  return {
    event: async ({ event }) => {
      const { info, part, sessionID } = event.properties ?? {}
      if (event.type === "session.created" && info?.parentID) parents.set(info.id, info.parentID)
      else if (event.type === "session.created" && info) await begin(info.id, "startup")
      else if (event.type === "message.part.updated" && part?.type === "text" && part.time?.end && !part.synthetic)
        answers.set(part.sessionID, part.text)
      else if (isIdle(event) && answers.has(sessionID)) {
        const last_assistant_message = answers.get(sessionID)
        answers.delete(sessionID)
        await ask(parents.has(sessionID) ? "subagent-stop" : "stop", { ...own(sessionID), last_assistant_message })
      }
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      if (parents.has(sessionID)) return
      await begin(sessionID, "resume")
      const typed = parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text)
      const prompt = typed.join("\n")
      if (prompt.trim()) shown.set(message.id, await ask("user-prompt-submit", { ...own(sessionID), prompt }))
    },
    "experimental.chat.system.transform": async ({ sessionID }, { system }) => {
      const words = begun.get(sessionID)
      if (words) system.push(words)
    },
    "experimental.chat.messages.transform": async (_, { messages }) => {
      for (const { info, parts } of messages) {
        const text = shown.get(info.id)
        const last = parts.findLast((part) => part.type === "text")
        if (text && last) parts.push({ ...last, id: `${last.id}-cairn`, text, synthetic: true })
      }
    },
    "tool.execute.after": async ({ tool, sessionID, callID, args }, output) => {
      const used = { tool_name: tool, tool_use_id: callID, tool_input: args }
      const failed = Number(output?.metadata?.exit) > 0
      const came = failed ? { error: output.output } : { tool_response: output?.output }
      const event = failed ? "post-tool-use-failure" : "post-tool-use"
      const words = await ask(event, { ...own(sessionID), ...used, ...came })
      if (words && typeof output?.output === "string") output.output += `\n\n${words}`
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      await ask("pre-compact", { ...own(sessionID), trigger: "auto" })
      begun.delete(sessionID)
      await begin(sessionID, "compact")
    },
  }
}
