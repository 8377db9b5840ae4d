// Remembered words are data. Characters that hide, reorder or end text are shown by their names instead of being obeyed.

const NAMES: Record<number, string> = {
  0x200b: "ZERO WIDTH SPACE", 0x200e: "LEFT-TO-RIGHT MARK", 0x200f: "RIGHT-TO-LEFT MARK", 0x202a: "LEFT-TO-RIGHT EMBEDDING",
  0x202b: "RIGHT-TO-LEFT EMBEDDING", 0x202c: "POP DIRECTIONAL FORMATTING", 0x202d: "LEFT-TO-RIGHT OVERRIDE", 0x202e: "RIGHT-TO-LEFT OVERRIDE",
  0x2066: "LEFT-TO-RIGHT ISOLATE", 0x2067: "RIGHT-TO-LEFT ISOLATE", 0x2068: "FIRST STRONG ISOLATE", 0x2069: "POP DIRECTIONAL ISOLATE", 0xfeff: "BYTE ORDER MARK",
};
const ODD = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const REF = /\[?\b((?:mem|msg|dig|ex|blf)_[0-7][0-9a-hjkmnp-tv-z]{25})\b\]?/g;

export interface Piece {
  text: string;
  /** The record that is named there. */
  ref?: string;
  /** The name of a character that is shown instead of being obeyed. */
  odd?: string;
}

/** Text in which the records that it names can be followed. */
function withRefs(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(REF)) {
    if (match.index > from) found.push({ text: text.slice(from, match.index) });
    found.push({ text: `${match[1]!.slice(0, 4)}${match[1]!.slice(-4)}`, ref: match[1]! });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push({ text: text.slice(from) });
  return found;
}

export function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  let from = 0;
  for (const match of text.matchAll(ODD)) {
    if (match.index > from) found.push(...withRefs(text.slice(from, match.index)));
    const code = match[0].codePointAt(0)!;
    const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
    found.push({ text: name, odd: NAMES[code] ?? "CONTROL CHARACTER" });
    from = match.index + match[0].length;
  }
  if (from < text.length) found.push(...withRefs(text.slice(from)));
  return found;
}
