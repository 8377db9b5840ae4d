import type { Schemas } from "../api/client";
import { DAY_MS } from "./time";

type Memory = Pick<Schemas["Memory"], "stability" | "accessed_at" | "recorded_at" | "pinned" | "immutable" | "flashbulb" | "tier">;

/** R = (1 + t/(9·S))^(−2), the curve that the engine's thresholds are chosen on (docs/FORMULAS.md). */
export function retention(days: number, stability: number): number {
  return days <= 0 ? 1 : (1 + days / (9 * stability)) ** -2;
}

/** How likely a memory comes to mind at a moment, from its last use. */
export function presence(memory: Memory, at: number): number {
  return retention((at - Date.parse(memory.accessed_at)) / DAY_MS, memory.stability);
}

export const FADING = 0.3;
export const FADED = 0.05;

/** The day on which presence falls below the threshold of rehearsal: t = 9·S·(R^(−1/2) − 1). */
export function fadesAt(memory: Memory): number {
  return Date.parse(memory.accessed_at) + 9 * memory.stability * (FADING ** -0.5 - 1) * DAY_MS;
}

export type Level = "fresh" | "fading" | "faded";

export function level(presence: number): Level {
  return presence >= 0.6 ? "fresh" : presence >= FADING ? "fading" : "faded";
}
