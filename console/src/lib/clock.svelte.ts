// The server's time, which may be another than this machine's.

class ServerClock {
  #ahead_ms = $state(0);

  set(now: string): void {
    this.#ahead_ms = Date.parse(now) - Date.now();
  }

  now(): number {
    return Date.now() + this.#ahead_ms;
  }
}

export const clock = new ServerClock();
