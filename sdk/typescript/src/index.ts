/** A memory for agents: every word kept, found again, and explained. Talks to `cairn serve`. */

/** The verdict on one statement of a message. */
export interface Decision {
  verdict: "create" | "update" | "reinforce" | "supersede" | "skip";
  reason: string;
  ref?: string;
  supersedes?: string;
}

/** A message that is kept, and what was decided for it. */
export interface Remembered {
  exchange: string;
  message: string;
  duplicate: boolean;
  decisions: Decision[];
  pending?: boolean;
}

/** A memory of a hit, in short. */
export interface HitMemory {
  ref: string;
  text: string;
  status: string;
  valid_from: string;
  valid_until?: string | null;
}

/** Something that answers. */
export interface Hit {
  ref: string;
  kind: string;
  text: string;
  score: number;
  /** How sure it is that it answers, 0 to 1. */
  confidence: number;
  at: string;
  role?: string | null;
  speaker?: string | null;
  session?: string | null;
  thread?: string | null;
  source_ids: string[];
  /** What is remembered of it, with its status. */
  memories?: HitMemory[];
  /** Whether it holds no longer, and what holds instead. */
  superseded?: boolean;
  superseded_by?: HitMemory | null;
  /** Newer memories that may have changed it. */
  may_have_changed?: (HitMemory & { reason: string })[];
  /** Of a tool's result that shows an older state of something: the message that shows the last. */
  last_state?: string;
  /** Of a stretch of an attachment: the file, and the page or lines. */
  file?: { name: string; place: string; source?: string };
  why: Record<string, unknown>;
}

/** The answer to a question. */
export interface Recall {
  query: string;
  hits: Hit[];
  /** What is due and has to do with the question, or waits for what it names. */
  intentions?: Intention[];
  /** Of a question how something is done: the procedures that worked for such requests. */
  procedures?: SkillProcedure[];
  lexical_only: boolean;
  pending_embeddings: number;
  elapsed_ms: number;
}

/** A message in full, as it was said. */
export interface Message {
  ref: string;
  exchange: string;
  source_ids: string[];
  session: string;
  thread: string | null;
  role: string;
  speaker: string;
  at: string;
  recorded_at: string;
  text: string;
  metadata: Record<string, unknown>;
}

/** A memory in full; more fields than these stand in the OpenAPI document. */
export interface MemoryRecord {
  ref: string;
  text: string;
  category: string;
  status: string;
  tier: string;
  session: string | null;
  thread: string | null;
  valid_from: string;
  valid_until: string | null;
  pinned: boolean;
  source_confidence: number;
  importance: number;
  utility: number;
}

export interface RememberOptions {
  session?: string;
  thread?: string;
  role?: "user" | "assistant" | "system" | "tool";
  speaker?: string;
  at?: string;
  /** Your own id: the same id with the same words is kept once. */
  id?: string;
  metadata?: Record<string, unknown>;
  /** Return once it is durable, without waiting for what is made of it. */
  no_wait?: boolean;
}

export interface RecallOptions {
  k?: number;
  thread?: string;
  session?: string;
  sender?: "user" | "assistant" | "system" | "tool";
  as_of?: string;
  kinds?: ("memory" | "exchange" | "belief" | "digest")[];
}

export interface ContextOptions {
  query?: string;
  thread?: string;
  session?: string;
  budget?: number;
  /** The last exchanges of `session`, word for word. */
  resume?: boolean;
}

/** Where a thread, or the last session, stood. */
export interface Handoff {
  scope: string;
  health: "absent" | "fresh" | "stale" | "orphaned" | "consumed" | "quarantined";
  written_at: string;
  thread?: string;
  session?: string;
  exchanges: number;
  compactions: number;
  sections: { title: string; lines: { text: string; due?: string; refs: string[] }[] }[];
  text: string;
}

/** The receipt of a file. The file itself is not kept. */
export interface AttachmentReceipt {
  ref: string;
  kind: "text" | "code" | "data" | "document" | "image" | "other";
  name: string;
  mime: string;
  bytes: number;
  sha256: string;
  source?: string;
  pages?: number;
  text_chars: number;
  excerpt: string;
  route: string;
  note?: string;
  attached_at: string;
}

/** A file that was attached, as it stands now. */
export interface Attachment extends AttachmentReceipt {
  state: "there" | "changed" | "moved" | "gone" | "uploaded";
  moved_to?: string;
  verification_gap?: string;
  observation?: { message: string; text: string };
  turns: { at: string; session?: string; thread?: string; message?: string }[];
}

/** The outcome for one file: a receipt, or a problem with a hint. */
export interface AttachedFile {
  file: string;
  receipt?: AttachmentReceipt;
  known: boolean;
  problem?: string;
  hint?: string;
}

/** Something that was asked to be told later, or promised. */
export interface Intention {
  ref: string;
  state: "due" | "pending" | "done" | "dropped" | "expired";
  role: string;
  at: string;
  text: string;
  trigger: "day" | "person" | "file" | "topic" | "anytime";
  subject?: string;
  due?: string;
  time?: string;
}

/** The trigger of an intention: a day, or a person, a file or a topic that comes up. Without one it is read in the words. */
export interface IntendOptions {
  /** As 2026-11-20, or in words such as "next Friday". */
  on?: string;
  /** The minute of that day, counted from midnight. */
  minute?: number;
  person?: string;
  file?: string;
  topic?: string;
}

/** How work with tools went in one project. */
export interface ProjectSkills {
  thread?: string;
  calls: number;
  since: string;
  skills: Skill[];
  procedures: SkillProcedure[];
}

/** How one thing that is done with a tool went. */
export interface Skill {
  tool: string;
  kind: string;
  tried: number;
  worked: number;
  median_ms?: number;
  last_at: string;
  failure?: { line: string; ref: string; fixed_by: { label: string; ref: string }[] };
}

/** Steps that worked in the same order again and again. */
export interface SkillProcedure {
  thread?: string;
  steps: { label: string; command?: string }[];
  worked: number;
  failed_since: number;
  confidence: number;
  last_at: string;
  evidence: string[];
}

export interface Settings {
  agent?: string;
  /** Where `cairn serve` listens. */
  url?: string;
  /** A key that `cairn key add` printed. */
  key?: string;
  /** How long a request may take. */
  timeoutMs?: number;
}

/** Whatever goes wrong with a call: `detail` says what, `hint` what to do next. `status` is 0 if no answer came. */
export class CairnError extends Error {
  constructor(
    readonly status: number,
    readonly detail: string,
    readonly hint: string,
    readonly requestId?: string,
    options?: { cause?: unknown },
  ) {
    super(hint ? `${detail} (${hint})` : detail, options);
    this.name = "CairnError";
  }
}

type Query = Record<string, string | number | boolean | undefined>;
interface Request {
  body?: unknown;
  query?: Query;
  once?: boolean;
}

const TRIES = 3;
const AGAIN = new Set([409, 429, 503]);

/** The memory of one agent. */
export class Memory {
  readonly #base: string;
  readonly #headers: Record<string, string>;
  readonly #timeoutMs: number;

  constructor({ agent = "main", url = "http://127.0.0.1:7777", key, timeoutMs = 30_000 }: Settings = {}) {
    this.#base = `${url.replace(/\/+$/, "")}/v1/agents/${encodeURIComponent(agent)}`;
    this.#headers = key ? { authorization: `Bearer ${key}` } : {};
    this.#timeoutMs = timeoutMs;
  }

  /** Keeps one message. When this resolves, it is durable. */
  remember(text: string, options: RememberOptions = {}): Promise<Remembered> {
    return this.#ask("POST", "/remember", { body: { text, ...options }, once: true });
  }

  /** Hits that answer a question, best first. */
  async recall(query: string, options: RecallOptions = {}): Promise<Hit[]> {
    return (await this.answer(query, options)).hits;
  }

  /** The whole answer to a question: its hits, and how they were found. */
  answer(query: string, options: RecallOptions = {}): Promise<Recall> {
    return this.#ask("POST", "/recall", { body: { query, ...options } });
  }

  /** The recalled text to put into the prompt, within a budget of tokens. */
  context(options: ContextOptions = {}): Promise<Record<string, unknown>> {
    return this.#ask("POST", "/context", { body: options });
  }

  /** Says whether something recalled was of use. */
  feedback(ref: string, helpful: boolean): Promise<Record<string, unknown>> {
    return this.#ask("POST", "/feedback", { body: { ref, helpful }, once: true });
  }

  /** Says what a memory should say instead. */
  correct(ref: string, text: string): Promise<Record<string, unknown>> {
    return this.#ask("POST", "/correct", { body: { ref, text }, once: true });
  }

  /** Records in full. */
  async open(...refs: string[]): Promise<Record<string, unknown>[]> {
    const answer = await this.#ask<{ records: Record<string, unknown>[] }>("POST", "/open", { body: { refs } });
    return answer.records;
  }

  /** The evidence of a record, down to the verbatim words. */
  why(ref: string): Promise<Record<string, unknown>> {
    return this.#ask("GET", `/why/${encodeURIComponent(ref)}`);
  }

  /** Messages in the order they were said: about a query, around a ref, or the newest. */
  async timeline(about: { query?: string; ref?: string; k?: number } = {}): Promise<Message[]> {
    return (await this.#ask<{ entries: Message[] }>("GET", "/timeline", { query: about })).entries;
  }

  /** Where the last session and each thread stood, the last written first. */
  async handoffs(which: { thread?: string } = {}): Promise<Handoff[]> {
    return (await this.#ask<{ handoffs: Handoff[] }>("GET", "/handoffs", { query: which })).handoffs;
  }

  /** Attaches files. Each gets a receipt, durable when this resolves, or a problem with a hint. */
  async attach(
    files: { name: string; content: Blob | Uint8Array | string }[],
    turn: { session?: string; thread?: string } = {},
  ): Promise<AttachedFile[]> {
    const form = new FormData();
    for (const { name, content } of files) form.append("file", new Blob([content as BlobPart]), name);
    return (await this.#ask<{ files: AttachedFile[] }>("POST", "/attachments", { body: form, query: turn })).files;
  }

  /** Attached files and how they stand now, the last to appear first. */
  async attachments(which: { session?: string; thread?: string } = {}): Promise<Attachment[]> {
    return (await this.#ask<{ attachments: Attachment[] }>("GET", "/attachments", { query: which })).attachments;
  }

  /** What was asked to be told later, or promised: what is due first, then what waits. */
  async intentions(which: { due?: boolean; all?: boolean } = {}): Promise<Intention[]> {
    return (await this.#ask<{ intentions: Intention[] }>("GET", "/intentions", { query: which })).intentions;
  }

  /** Sets something to be told later. */
  intend(text: string, options: IntendOptions = {}): Promise<Intention> {
    return this.#ask("POST", "/intentions", { body: { text, ...options }, once: true });
  }

  /** Puts an intention off until a day. */
  snooze(ref: string, until: string): Promise<Intention> {
    return this.#ask("POST", `/intentions/${encodeURIComponent(ref)}/snooze`, { body: { until }, once: true });
  }

  /** Says that an intention is done. */
  finish(ref: string): Promise<Intention> {
    return this.#ask("POST", `/intentions/${encodeURIComponent(ref)}/done`, { once: true });
  }

  /** Drops an intention: it is not to be done. */
  drop(ref: string): Promise<Intention> {
    return this.#ask("POST", `/intentions/${encodeURIComponent(ref)}/drop`, { once: true });
  }

  /** How work with tools went in each project, and the procedures that worked; of at most so many, 50 if not given. */
  async skills(which: { thread?: string; limit?: number } = {}): Promise<ProjectSkills[]> {
    return (await this.#ask<{ projects: ProjectSkills[] }>("GET", "/skills", { query: which })).projects;
  }

  /** Memories, the newest first, fetched part by part. */
  memories(which: { session?: string; all?: boolean } = {}): AsyncGenerator<MemoryRecord> {
    return this.#all("/memories", "memories", which);
  }

  /** The messages of a session, the last first, fetched page by page. */
  session(name: string): AsyncGenerator<Message> {
    return this.#all(`/sessions/${encodeURIComponent(name)}/messages`, "messages");
  }

  /** Lets no rhythm ever put a memory to rest. */
  pin(ref: string): Promise<MemoryRecord> {
    return this.#change(ref, "pin");
  }

  /** Takes that back. */
  unpin(ref: string): Promise<MemoryRecord> {
    return this.#change(ref, "unpin");
  }

  /** Puts a memory to rest: dormant, never deleted. */
  forget(ref: string): Promise<MemoryRecord> {
    return this.#change(ref, "forget");
  }

  /** Wakes it again. */
  wake(ref: string): Promise<MemoryRecord> {
    return this.#change(ref, "wake");
  }

  /** Counts and sizes. */
  stats(): Promise<Record<string, unknown>> {
    return this.#ask("GET", "/stats");
  }

  async *#all<T>(path: string, items: string, which: Query = {}): AsyncGenerator<T> {
    let cursor: string | undefined;
    do {
      const query: Query = { ...which, limit: 100, cursor };
      const part = await this.#ask<Record<string, unknown>>("GET", path, { query });
      yield* part[items] as T[];
      cursor = part.next as string | undefined;
    } while (cursor !== undefined);
  }

  #change(ref: string, how: string): Promise<MemoryRecord> {
    return this.#ask("POST", `/memories/${encodeURIComponent(ref)}/${how}`, { once: true });
  }

  async #ask<T>(method: string, path: string, { body, query = {}, once = false }: Request = {}): Promise<T> {
    const given = Object.entries(query).filter(([, value]) => value !== undefined);
    const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
    const url = this.#base + path + (parameters ? `?${parameters}` : "");
    const headers: Record<string, string> = { ...this.#headers };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers["content-type"] = "application/json";
    if (once) headers["idempotency-key"] = crypto.randomUUID();
    for (let attempt = 0; ; attempt++) {
      const last = attempt + 1 >= TRIES;
      try {
        const response = await fetch(url, {
          method,
          headers,
          body: body === undefined ? undefined : isForm ? body : JSON.stringify(body),
          signal: AbortSignal.timeout(this.#timeoutMs),
        });
        if (response.ok) return await answer<T>(response);
        if (last || !AGAIN.has(response.status)) throw await refusal(response);
      } catch (error) {
        if (error instanceof CairnError) throw error;
        if (last) throw unanswered(url, error);
      }
      await new Promise((done) => setTimeout(done, 200 * 2 ** attempt));
    }
  }
}

async function answer<T>(response: Response): Promise<T> {
  const text = await response.text();
  try {
    return JSON.parse(text) as T;
  } catch (cause) {
    const detail = `what answers at ${response.url} is not Cairn`;
    throw new CairnError(0, detail, "check `url`; something else may have that address", undefined, { cause });
  }
}

function unanswered(url: string, cause: unknown): CairnError {
  if (cause instanceof Error && cause.name === "TimeoutError") {
    const hint = "ask again, or give the client a longer `timeoutMs`";
    return new CairnError(0, `${url} did not answer in time`, hint, undefined, { cause });
  }
  const reason = cause instanceof Error ? ((cause.cause as Error | undefined)?.message ?? cause.message) : String(cause);
  const hint = "start it with `cairn serve`, or say with `url` where it runs";
  return new CairnError(0, `no server answers at ${url}: ${reason}`, hint, undefined, { cause });
}

async function refusal(response: Response): Promise<CairnError> {
  const problem = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (name: string) => (typeof problem[name] === "string" ? (problem[name] as string) : undefined);
  const detail = text("detail") ?? `the server answered ${response.status}`;
  return new CairnError(response.status, detail, text("hint") ?? "", text("request_id"));
}
