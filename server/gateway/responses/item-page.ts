import type { ClientRequest } from "@/server/base/client-request";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "@/server/protocol/fields";

const MAX_ITEMS = 100;
const USUAL_ITEMS = 20;

/**
 * A page of items, which come in their order (`limit`, `order`, `after`). Throws invalidParameters if `after` names no
 * item: otherwise the client would read the first page as the next one, forever.
 */
export function pageOfItems({ url }: ClientRequest, items: readonly JsonObject[]): JsonObject {
  const query = new URL(url).searchParams;
  const ordered = query.get("order") === "asc" ? items : items.toReversed();
  const requestedLimit = Number(query.get("limit") ?? USUAL_ITEMS);
  const limit = Math.min(
    Math.max(Number.isInteger(requestedLimit) ? requestedLimit : USUAL_ITEMS, 1),
    MAX_ITEMS,
  );
  const last = query.get("after");
  const from = last === null ? 0 : ordered.findIndex((item) => item.id === last) + 1;
  if (last !== null && from === 0) {
    throw new GatewayError("invalidParameters", errorMessages.noItem("after"));
  }
  return listOfItems(ordered.slice(from, from + limit), from + limit < ordered.length);
}

export const listOfItems = (data: readonly JsonObject[], hasMore: boolean): JsonObject => ({
  object: "list",
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
});
