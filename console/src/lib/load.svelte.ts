import { connection } from "../api/connection.svelte";
import { Refusal, type Problem } from "../api/client";

/** What a view has asked for: waiting, there, or refused. Later answers to earlier questions are dropped. */
export class Loaded<T> {
  value = $state.raw<T | undefined>(undefined);
  problem = $state.raw<Problem | undefined>(undefined);
  waiting = $state(false);
  #asked = 0;

  async run(question: () => Promise<T>): Promise<void> {
    const mine = ++this.#asked;
    this.waiting = true;
    try {
      const value = await question();
      if (mine !== this.#asked) return;
      [this.value, this.problem] = [value, undefined];
    } catch (error) {
      if (mine !== this.#asked) return;
      this.problem = error instanceof Refusal ? error.problem : { status: 0, detail: String(error), hint: "reload the page" };
    }
    this.waiting = false;
  }
}

/** Asks again whenever anything that `question` reads changes, and when the server comes back. */
export function load<T>(question: () => Promise<T> | undefined): Loaded<T> {
  const loaded = new Loaded<T>();
  $effect(() => {
    void connection.generation;
    const asked = question();
    if (asked) void loaded.run(() => asked);
  });
  return loaded;
}
