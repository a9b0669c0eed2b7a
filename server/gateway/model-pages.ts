/**
 * Pages of model lists in Google's and Anthropic's forms (spec 4.1, 4.12). The models are in the order of their
 * identifiers' characters. A page starts by that order, so it is right even if the model that the client names has left
 * the list. Pure.
 */
import type { Model } from "@/server/catalog";
import { anthropicForm, googleForm } from "./model-forms";

const MAX_PAGE = 1_000;

const sizeOf = (query: URLSearchParams, name: string, usual: number): number => {
  const size = Number(query.get(name) ?? usual);
  return Math.min(Number.isInteger(size) && size > 0 ? size : usual, MAX_PAGE);
};

const countWhere = (models: readonly Model[], holds: (id: string) => boolean): number =>
  models.filter(({ id }) => holds(id)).length;

/** Google's: `pageSize`, and `pageToken`, which names the last model of the previous page. */
export function googlePage(models: readonly Model[], query: URLSearchParams) {
  const after = Buffer.from(query.get("pageToken") ?? "", "base64url").toString("utf8");
  const from = countWhere(models, (id) => id <= after);
  const until = from + sizeOf(query, "pageSize", 50);
  const page = models.slice(from, until);
  const last = until < models.length ? page.at(-1) : undefined;
  return {
    models: page.map(googleForm),
    ...(last && { nextPageToken: Buffer.from(last.id).toString("base64url") }),
  };
}

/** Anthropic's: `limit`, and `after_id` or `before_id`. */
export function anthropicPage(models: readonly Model[], query: URLSearchParams) {
  const limit = sizeOf(query, "limit", 20);
  const [before, after] = [query.get("before_id"), query.get("after_id") ?? ""];
  const end = before === null ? models.length : countWhere(models, (id) => id < before);
  const from = before === null ? countWhere(models, (id) => id <= after) : Math.max(0, end - limit);
  const page = models.slice(from, Math.min(from + limit, end));
  return {
    data: page.map(anthropicForm),
    has_more: before === null ? from + limit < models.length : from > 0,
    first_id: page[0]?.id ?? null,
    last_id: page.at(-1)?.id ?? null,
  };
}
