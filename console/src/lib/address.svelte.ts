// Where the reader is: everything that can be shared stands in the address, behind the #.

export interface Place {
  agent: string;
  view: string;
  id: string;
  params: Record<string, string>;
}

function read(): Place {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [agent = "", view = "", ...rest] = path.split("/").map(decodeURIComponent);
  return { agent, view, id: rest.join("/"), params: Object.fromEntries(new URLSearchParams(query)) };
}

export const place: Place = $state(read());

addEventListener("hashchange", () => Object.assign(place, read()));

/** The address of a view, or of a record in it. What is set above all views stays. */
export function to(view: string, id = "", params: Record<string, string> = {}): string {
  const query = new URLSearchParams({ ...(place.params.as_of ? { as_of: place.params.as_of } : {}), ...params });
  for (const [name, value] of [...query]) if (!value) query.delete(name);
  const path = [place.agent, view, ...(id ? [id] : [])].map(encodeURIComponent).join("/");
  return `#/${path}${query.size ? `?${query}` : ""}`;
}

export function go(view: string, id = "", params: Record<string, string> = {}): void {
  location.hash = to(view, id, params);
}

/** Changes parameters of this place; an empty one goes. */
export function set(params: Record<string, string>): void {
  const hash = to(place.view, place.id, { ...place.params, ...params });
  history.replaceState(null, "", hash);
  Object.assign(place, read());
}

export function enter(agent: string, view: string): void {
  place.agent = agent;
  history.replaceState(null, "", to(view));
  Object.assign(place, read());
}

/** The moment that all views show; nothing for now. */
export function asOf(): string | undefined {
  return place.params.as_of ? `${place.params.as_of}T23:59:59.999Z` : undefined;
}

/** The view that shows a record. */
export function toRecord(ref: string): string {
  if (ref.startsWith("mem_")) return to("memories", ref);
  if (ref.startsWith("blf_")) return to("beliefs", ref);
  if (ref.startsWith("entity://")) return to("people", ref);
  return to("record", ref);
}
