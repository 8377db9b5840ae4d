// The server's own document gives every path and type: a call that the server does not answer does not compile.
import createClient, { type Middleware } from "openapi-fetch";
import type { components, paths } from "./schema";
import { connection } from "./connection.svelte";

export type Schemas = components["schemas"];
export type Problem = { status: number; detail: string; hint: string };

/** A refusal, in the server's words. */
export class Refusal extends Error {
  constructor(readonly problem: Problem) {
    super(problem.detail);
  }
}

const credentials: Middleware = {
  onRequest({ request }) {
    if (connection.key) request.headers.set("Authorization", `Bearer ${connection.key}`);
    if (connection.csrf) request.headers.set("X-Cairn-Csrf", connection.csrf);
    return request;
  },
};

export const api = createClient<paths>({ baseUrl: location.origin, credentials: "same-origin" });
api.use(credentials);

interface Outcome<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The answer, or the server's refusal; if nobody answers, the page says so and tries again. */
export async function ask<T>(call: Promise<Outcome<T>>): Promise<T> {
  let outcome: Outcome<T>;
  try {
    outcome = await call;
  } catch {
    connection.lost();
    throw new Refusal({ status: 0, detail: "the server does not answer", hint: "start it again with `cairn serve`; this page goes on by itself" });
  }
  connection.reached();
  if (outcome.response.ok && outcome.data !== undefined) return outcome.data;
  const problem = outcome.error as Partial<Problem> | undefined;
  throw new Refusal({
    status: outcome.response.status,
    detail: problem?.detail ?? `the server answered ${outcome.response.status}`,
    hint: problem?.hint ?? "try again",
  });
}
