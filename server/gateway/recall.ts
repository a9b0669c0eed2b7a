import { details } from "@/server/base/details";
import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "@/server/protocol/fields";
import type { Referred } from "@/server/protocol/responses/request";
import type { ConversationStore, ResponseStore } from "@/server/responses";
import type { AuthedCall } from "./call";

type Stores = { responses: ResponseStore; conversations: ConversationStore };

/** Where an account's responses and conversations are. null: it keeps none. */
export const storesOf = (
  { responses, conversations }: Stores,
  { caller }: Pick<AuthedCall, "caller">,
): Stores | null =>
  responses.isKeeping && caller.account.storesResponses ? { responses, conversations } : null;

/** Without a store nothing is known. Throws responseNotKept and unknownConversation. */
function refuseReferred({ previousId, conversationId, itemIds }: Referred): void {
  if (conversationId !== null) {
    throw new GatewayError("unknownConversation", details.conversationIsKept());
  }
  const [name] = previousId === null ? itemIds : [previousId];
  if (name !== undefined) {
    throw new GatewayError("responseNotKept", name);
  }
}

/**
 * What an answer goes on from, as it is kept. A conversation stands for its entries until the answer is behind them: where
 * it is deleted meanwhile, nothing goes on from the answer without them.
 */
export const parentOf = (
  { previousId, conversationId }: Referred,
  { history }: { history: readonly JsonObject[] },
): string | null => previousId ?? (history.length > 0 ? conversationId : null);

/**
 * What the account has kept of a conversation; `stores` null: it keeps nothing. Throws responseNotKept and
 * unknownConversation: nobody is answered without it.
 */
export async function recall(stores: Stores | null, { caller, bytes }: AuthedCall, referred: Referred) {
  const { accountId } = caller;
  const { previousId, conversationId, itemIds } = referred;
  if (stores === null) {
    refuseReferred(referred);
    return { history: [], items: new Map<string, JsonObject>() };
  }
  const { responses, conversations } = stores;
  const admit = (size: number) => bytes.take(size);
  let history: JsonObject[] | null = [];
  if (previousId !== null) {
    history = await responses.history(accountId, previousId, admit);
  } else if (conversationId !== null) {
    history = await conversations.history(accountId, conversationId, admit);
  }
  if (history === null) {
    throw new GatewayError("responseNotKept", `previous_response_id ${previousId}`);
  }
  const items =
    itemIds.length === 0 ? new Map<string, JsonObject>() : await responses.items(accountId, itemIds, admit);
  const missing = itemIds.find((id) => !items.has(id));
  if (missing !== undefined) {
    throw new GatewayError("responseNotKept", `item_reference ${missing}`);
  }
  return { history, items };
}
