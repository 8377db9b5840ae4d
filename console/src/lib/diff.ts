// What became of a text: parts that stayed, came and went. The longest common subsequence, with a bound: beyond it the
// middle is one part that went and one that came.

export interface Part {
  text: string;
  how: "same" | "came" | "went";
}

const MAX_CELLS = 250_000;

function compare(before: string[], after: string[]): Part[] {
  let [begin, end] = [0, 0];
  while (begin < Math.min(before.length, after.length) && before[begin] === after[begin]) begin += 1;
  while (end < Math.min(before.length, after.length) - begin && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const [a, b] = [before.slice(begin, before.length - end), after.slice(begin, after.length - end)];
  const part = (how: Part["how"]) => (text: string) => ({ text, how });
  return [...before.slice(0, begin).map(part("same")), ...middle(a, b), ...before.slice(before.length - end).map(part("same"))];
}

function middle(a: string[], b: string[]): Part[] {
  const wide = b.length + 1;
  if ((a.length + 1) * wide > MAX_CELLS) return [...a.map((text) => ({ text, how: "went" as const })), ...b.map((text) => ({ text, how: "came" as const }))];
  const longest = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      longest[i * wide + j] = a[i] === b[j] ? longest[(i + 1) * wide + j + 1]! + 1 : Math.max(longest[(i + 1) * wide + j]!, longest[i * wide + j + 1]!);
    }
  }
  const parts: Part[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) [parts[parts.length], i, j] = [{ text: a[i]!, how: "same" }, i + 1, j + 1];
    else if (j >= b.length || (i < a.length && longest[(i + 1) * wide + j]! >= longest[i * wide + j + 1]!)) [parts[parts.length], i] = [{ text: a[i]!, how: "went" }, i + 1];
    else [parts[parts.length], j] = [{ text: b[j]!, how: "came" }, j + 1];
  }
  return parts;
}

/** Line by line. */
export const lineDiff = (before: string, after: string): Part[] => compare(before ? before.split("\n") : [], after ? after.split("\n") : []);

/** Word by word, neighbors of the same kind joined. */
export function wordDiff(before: string, after: string): Part[] {
  const words = (text: string) => text.match(/\s+|[^\s]+/g) ?? [];
  const parts: Part[] = [];
  for (const part of compare(words(before), words(after))) {
    const last = parts.at(-1);
    if (last?.how === part.how) last.text += part.text;
    else parts.push({ ...part });
  }
  return parts;
}
