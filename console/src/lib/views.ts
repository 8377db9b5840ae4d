import type { Component } from "svelte";

export interface View {
  name: string;
  title: string;
  key: string;
  load: () => Promise<{ default: Component }>;
}

/** Every view that can be reached, in the order of the menu. `g` and then its key goes there. */
export const VIEWS: View[] = [
  { name: "today", title: "Today", key: "t", load: () => import("../views/Today.svelte") },
  { name: "ask", title: "Ask", key: "a", load: () => import("../views/Ask.svelte") },
  { name: "told", title: "As it would be told", key: "w", load: () => import("../views/Told.svelte") },
  { name: "timeline", title: "Timeline", key: "l", load: () => import("../views/Timeline.svelte") },
  { name: "memories", title: "Memories", key: "m", load: () => import("../views/Memories.svelte") },
  { name: "people", title: "People and things", key: "p", load: () => import("../views/People.svelte") },
  { name: "beliefs", title: "Beliefs", key: "b", load: () => import("../views/Beliefs.svelte") },
  { name: "review", title: "Review", key: "r", load: () => import("../views/Review.svelte") },
  { name: "nights", title: "Nights", key: "n", load: () => import("../views/Nights.svelte") },
  { name: "threads", title: "Threads", key: "h", load: () => import("../views/Threads.svelte") },
  { name: "growth", title: "Growth", key: "c", load: () => import("../views/Growth.svelte") },
  { name: "house", title: "House", key: "o", load: () => import("../views/House.svelte") },
];

/** A view without a place in the menu. */
export const RECORD: View = { name: "record", title: "Record", key: "", load: () => import("../views/Record.svelte") };
