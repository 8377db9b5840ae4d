import { api, ask, type Schemas } from "../api/client";
import { connection } from "../api/connection.svelte";
import { clock } from "./clock.svelte";

class Session {
  current = $state.raw<Schemas["CallerSession"] | undefined>(undefined);

  async refresh(): Promise<void> {
    this.#take(await ask(api.GET("/v1/session")));
  }

  async signIn(passphrase: string): Promise<void> {
    this.#take(await ask(api.POST("/v1/session", { body: { passphrase } })));
  }

  async signOut(): Promise<void> {
    this.#take(await ask(api.DELETE("/v1/session")));
  }

  get operator(): boolean {
    return this.current?.operator ?? false;
  }

  #take(session: Schemas["CallerSession"]): void {
    this.current = session;
    connection.csrf = session.csrf ?? "";
    clock.set(session.now);
  }
}

export const session = new Session();
