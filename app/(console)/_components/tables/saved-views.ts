/** Filters of a list that a person has named. Pure. */

/** `search`: the filter and the order as the address has them. */
export type SavedView = { name: string; search: string };

const MAX_VIEWS = 12;
export const MAX_NAME = 40;

const isView = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string");

/** Reads what the browser has kept. Entries of another form are left out. */
export function parseViews(text = ""): SavedView[] {
  try {
    const kept: unknown = JSON.parse(text);
    return (Array.isArray(kept) ? kept.filter(isView) : []).map(([name, search]) => ({ name, search }));
  } catch {
    return [];
  }
}

export const formatViews = (views: readonly SavedView[]): string =>
  JSON.stringify(views.map(({ name, search }) => [name, search]));

/** The views with one more, which replaces one of the same name; null: there is no room for it. */
export function withView(views: readonly SavedView[], view: SavedView): SavedView[] | null {
  const next = [...views.filter(({ name }) => name !== view.name), view];
  return next.length > MAX_VIEWS ? null : next;
}
