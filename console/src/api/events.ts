// What happens to an agent from now on. The browser's own EventSource cannot show a key, so the stream is read by hand.
import { connection } from "./connection.svelte";

export interface AgentEvent {
  event: string;
  data: Record<string, unknown>;
  at: number;
}

/** Calls back for every event until stopped; begins again when the server was away. */
export function listen(agent: string, on: (event: AgentEvent) => void): () => void {
  const stop = new AbortController();
  void (async () => {
    while (!stop.signal.aborted) {
      try {
        await follow(agent, on, stop.signal);
      } catch {
        // Told by whatever else the page asks.
      }
      await new Promise((resolve) => setTimeout(resolve, 2_000));
    }
  })();
  return () => stop.abort();
}

async function follow(agent: string, on: (event: AgentEvent) => void, signal: AbortSignal): Promise<void> {
  const headers: HeadersInit = connection.key ? { Authorization: `Bearer ${connection.key}` } : {};
  const response = await fetch(`/v1/agents/${encodeURIComponent(agent)}/events`, { headers, signal });
  if (!response.ok || !response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const parts = (rest + value).split("\n\n");
    rest = parts.pop() ?? "";
    for (const part of parts) {
      const fields = new Map(part.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]));
      const [event, data] = [fields.get("event"), fields.get("data")];
      if (event && data) on({ event, data: JSON.parse(data), at: Date.now() });
    }
  }
}
