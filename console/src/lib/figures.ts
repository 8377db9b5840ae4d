// Latencies by stage, from what the server counts since it was started. It counts in buckets, so that a percentile is known
// as far as its bucket.

export interface Latency {
  name: string;
  times: number;
  p50: number;
  p95: number;
  /** What it is to stay below, in milliseconds, if somebody said so. */
  budget?: number;
}

/** What 95 of 100 are to stay below: an answer, a model's context before it answers, and all work after an exchange. */
const BUDGETS: Record<string, number> = { "answering a question": 50, "a model's context": 150, "storing a message": 10, "forming a message": 250 };
const STAGES: [RegExp, (label: string) => string][] = [
  [/^cairn_recall_seconds_bucket\{stage="([^"]+)",le="([^"]+)"\} (\S+)$/, (stage) => (stage === "total" ? "answering a question" : `question: ${stage}`)],
  [/^cairn_write_seconds_bucket\{stage="([^"]+)",le="([^"]+)"\} (\S+)$/, (stage) => (stage === "acknowledge" ? "storing a message" : stage === "form" ? "forming a message" : `message: ${stage}`)],
  [/^cairn_http_request_seconds_bucket\{route="[^"]*(\/context)",le="([^"]+)"\} (\S+)$/, () => "a model's context"],
  [/^cairn_section_seconds_bucket\{section="([^"]+)",le="([^"]+)"\} (\S+)$/, (section) => `context: ${section}`],
];

/** The bound within which a share of all was done, in milliseconds; between two bounds as if spread evenly. */
function within(buckets: [number, number][], share: number): number {
  const all = buckets.at(-1)![1];
  const wanted = all * share;
  let [low, before] = [0, 0];
  for (const [bound, counted] of buckets) {
    if (counted >= wanted) return (Number.isFinite(bound) ? low + ((bound - low) * (wanted - before)) / Math.max(1, counted - before) : low) * 1_000;
    [low, before] = [bound, counted];
  }
  return low * 1_000;
}

export function latencies(text: string): Latency[] {
  const found = new Map<string, [number, number][]>();
  for (const line of text.split("\n")) {
    for (const [pattern, named] of STAGES) {
      const match = pattern.exec(line);
      if (!match) continue;
      const [, stage, bound, counted] = match;
      const name = named(stage!);
      found.set(name, [...(found.get(name) ?? []), [bound === "+Inf" ? Infinity : Number(bound), Number(counted)]]);
    }
  }
  const rows = [...found].filter(([, buckets]) => buckets.at(-1)![1] > 0);
  const latency = ([name, buckets]: [string, [number, number][]]): Latency => {
    const budget = BUDGETS[name];
    return { name, times: buckets.at(-1)![1], p50: within(buckets, 0.5), p95: within(buckets, 0.95), ...(budget ? { budget } : {}) };
  };
  return rows.map(latency).sort((a, b) => Number(!!b.budget) - Number(!!a.budget) || a.name.localeCompare(b.name));
}
