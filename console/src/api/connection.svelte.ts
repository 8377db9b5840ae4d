// Whether the server answers, and how this page is admitted. Keys live in this page's memory only and are gone with it.

const RETRY_MS = 1_500;

class Connection {
  key = $state("");
  csrf = $state("");
  away = $state(false);
  /** Moves whenever the server has come back: views that failed ask again. */
  generation = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;

  reached(): void {
    if (!this.away) return;
    this.away = false;
    this.generation += 1;
  }

  lost(): void {
    this.away = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(async () => {
      try {
        await fetch("/healthz");
        this.reached();
      } catch {
        this.lost();
      }
    }, RETRY_MS);
  }
}

export const connection = new Connection();
