import { clock } from "./clock.svelte";

export const DAY_MS = 86_400_000;
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365.25 * DAY_MS], ["month", 30.44 * DAY_MS], ["week", 7 * DAY_MS], ["day", DAY_MS], ["hour", 3_600_000], ["minute", 60_000],
];
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const long = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
const short = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const minute = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", timeZone: "UTC" });

export const longDay = (time: string | number) => long.format(new Date(time));
export const shortDay = (time: string | number) => short.format(new Date(time));
export const toMinute = (time: string | number) => `${minute.format(new Date(time))} UTC`;
export const clockTime = (time: string) => new Date(time).toISOString().slice(11, 16);
export const isoDay = (time: string | number) => new Date(time).toISOString().slice(0, 10);

/** "3 weeks ago", "in 2 days". */
export function ago(time: string | number, now = clock.now()): string {
  const ms = new Date(time).getTime() - now;
  for (const [unit, length] of UNITS) if (Math.abs(ms) >= length) return relative.format(Math.trunc(ms / length), unit);
  return "just now";
}

export function bytes(count: number): string {
  const units = ["B", "KB", "MB", "GB", "TB"];
  const power = count < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  const value = count / 1_000 ** power;
  return `${value.toFixed(power === 0 || value >= 100 ? 0 : 1)} ${units[power]}`;
}

/** A length of time: 850 ms, 4 s, 3 min. */
export function took(ms: number): string {
  if (ms < 1_000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  return ms < 120_000 ? `${(ms / 1_000).toFixed(ms < 10_000 ? 1 : 0)} s` : `${Math.round(ms / 60_000)} min`;
}

export const count = (number: number) => number.toLocaleString("en");
export const percent = (share: number) => `${Math.round(share * 100)} %`;
export const label = (word: string) => word.replaceAll("_", " ");
