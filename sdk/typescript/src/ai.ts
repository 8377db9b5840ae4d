/** A memory for the Vercel AI SDK: a middleware that goes around any language model. */

import type { Memory } from "./index.js";

export interface MemoryOptions {
  /** The conversation. */
  session?: string;
  /** The lasting project it belongs to. */
  thread?: string;
  /** Maximum tokens of what is shown beside the user's words; 600 if not said. */
  budget?: number;
}

/** What of the SDK's types the middleware touches. Each version of the SDK has names of its own for the same shapes. */
interface Part {
  type: string;
  text?: string;
}
interface PromptMessage {
  role: string;
  content: string | Part[];
}
interface Params {
  prompt: PromptMessage[];
}
interface StreamPart {
  type: string;
  delta?: string;
}

const words = (content: string | Part[]): string =>
  typeof content === "string"
    ? content
    : content.flatMap((part) => (part.type === "text" && part.text ? [part.text] : [])).join("\n");

/**
 * Shows the model what the memory knows about the user's words, quoted and dated beside them, and keeps what both sides say.
 *
 * ```ts
 * const model = wrapLanguageModel({ model: openai("gpt-5"), middleware: memoryMiddleware(new Memory(), { session: "support-42" }) });
 * ```
 */
export function memoryMiddleware<Middleware>(memory: Memory, options: MemoryOptions = {}): Middleware {
  const { session, thread, budget = 600 } = options;

  const keep = async (role: "user" | "assistant", text: string) => {
    if (text.trim()) await memory.remember(text, { role, session, thread, no_wait: true });
  };

  const middleware = {
    specificationVersion: "v3" as const,

    async transformParams({ params }: { params: Params }): Promise<Params> {
      const user = params.prompt.at(-1);
      // In the later steps of a loop of tools the newest message is a result, and the user's words are known already.
      const asked = user?.role === "user" ? words(user.content) : "";
      if (!user || !asked.trim()) return params;
      const block = await memory.context({ query: asked, session, thread, budget }).catch((error: { status?: number }) => {
        if (error.status === 404) return { text: "" }; // Nothing was said to the agent yet.
        throw error;
      });
      await keep("user", asked);
      if (!block.text) return params;
      const content = typeof user.content === "string" ? [{ type: "text", text: user.content }] : user.content;
      const shown = { ...user, content: [{ type: "text", text: String(block.text) }, ...content] };
      return { ...params, prompt: [...params.prompt.slice(0, -1), shown] };
    },

    async wrapGenerate<Result extends { content: Part[] }>({ doGenerate }: { doGenerate: () => PromiseLike<Result> }): Promise<Result> {
      const result = await doGenerate();
      await keep("assistant", words(result.content));
      return result;
    },

    async wrapStream<Result extends { stream: ReadableStream<StreamPart> }>({ doStream }: { doStream: () => PromiseLike<Result> }): Promise<Result> {
      const result = await doStream();
      let said = "";
      const watched = new TransformStream<StreamPart, StreamPart>({
        transform(part, controller) {
          if (part.type === "text-delta") said += part.delta ?? "";
          controller.enqueue(part);
        },
        flush: () => keep("assistant", said),
      });
      return { ...result, stream: result.stream.pipeThrough(watched) };
    },
  };
  return middleware as Middleware;
}
