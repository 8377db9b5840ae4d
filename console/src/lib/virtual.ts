/** The rows of a list of equal heights that are in sight, and a few around them. */
export function inSight(scrollTop: number, height: number, rowHeight: number, rows: number): { from: number; until: number } {
  const around = 6;
  const from = Math.max(0, Math.floor(scrollTop / rowHeight) - around);
  return { from, until: Math.min(rows, Math.ceil((scrollTop + height) / rowHeight) + around) };
}
