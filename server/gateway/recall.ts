import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "@/server/protocol/fields";
import type { Referred } from "@/server/protocol/responses/request";
import type { ResponseStore } from "@/server/responses";
import type { AuthedCall } from "./call";

/** What the account has kept of a conversation; `store` null: it keeps nothing. Throws responseNotKept: nobody is answered without it. */
export async function recall(
  store: ResponseStore | null,
  { caller, bytes }: AuthedCall,
  { previousId, itemIds }: Referred,
) {
  const { accountId } = caller;
  if (store === null) {
    const [name] = previousId === null ? itemIds : [previousId];
    if (name !== undefined) {
      throw new GatewayError("responseNotKept", name);
    }
    return { history: [], items: new Map<string, JsonObject>() };
  }
  const admit = (size: number) => bytes.take(size);
  const history = previousId === null ? [] : await store.history(accountId, previousId, admit);
  if (history === null) {
    throw new GatewayError("responseNotKept", `previous_response_id ${previousId}`);
  }
  const items =
    itemIds.length === 0 ? new Map<string, JsonObject>() : await store.items(accountId, itemIds, admit);
  const missing = itemIds.find((id) => !items.has(id));
  if (missing !== undefined) {
    throw new GatewayError("responseNotKept", `item_reference ${missing}`);
  }
  return { history, items };
}
