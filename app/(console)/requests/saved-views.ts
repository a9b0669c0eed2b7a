/** Filters of a list of requests that a person has named. Pure. */

/** `search`: the filter and the order as the address has them. */
export type SavedView = { name: string; search: string };

/** A cookie goes along with each request, so it stays small. */
const MAX_VIEWS = 12;
const MAX_COOKIE = 2_000;
export const MAX_NAME = 40;

const isView = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");

/** Reads the cookie's value. Whatever has another form is left out. */
export function parseViews(cookie: string): SavedView[] {
  try {
    const kept: unknown = JSON.parse(decodeURIComponent(cookie));
    return (Array.isArray(kept) ? kept.filter(isView) : []).map(([name, search]) => ({ name, search }));
  } catch {
    return [];
  }
}

export const formatViews = (views: readonly SavedView[]): string =>
  encodeURIComponent(JSON.stringify(views.map(({ name, search }) => [name, search])));

/** The views with one more, which replaces one of the same name; null: there is no room for it. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] | null {
  const next = [...views.filter(({ name }) => name !== view.name), view];
  return next.length > MAX_VIEWS || formatViews(next).length > MAX_COOKIE ? null : next;
}
