import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { JsonObject } from "@/server/protocol/fields";
import type { Referred } from "@/server/protocol/responses/request";
import type { ConversationStore, ResponseStore } from "@/server/responses";
import type { AuthedCall } from "../pipeline/call";

type Stores = { responses: ResponseStore; conversations: ConversationStore };

/** The stores that hold an account's responses and conversations. null: the account keeps nothing. */
export const storesOf = (
  { responses, conversations }: Stores,
  { caller }: Pick<AuthedCall, "caller">,
): Stores | null =>
  responses.isKeeping && caller.account.storesResponses ? { responses, conversations } : null;

/** Throws responseNotKept or unknownConversation if a request refers to something and the account keeps nothing. */
function refuseReferred({ previousId, conversationId, itemIds }: Referred): void {
  if (conversationId !== null) {
    throw new GatewayError("unknownConversation", errorMessages.conversationIsKept());
  }
  const [name] = previousId === null ? itemIds : [previousId];
  if (name !== undefined) {
    throw new GatewayError("responseNotKept", name);
  }
}

/**
 * The identifier that a response is stored with as its parent. In a conversation the parent is the newest entry, which
 * the gateway knows only when it adds the response. Until then the conversation's own identifier takes its place. No
 * stored response has that identifier: if the conversation is deleted first, the response has no complete history, and
 * requests that continue from it are refused. A conversation without items has no history that could be missing.
 */
export const parentOf = (
  { previousId, conversationId }: Referred,
  { history }: { history: readonly JsonObject[] },
): string | null => previousId ?? (history.length > 0 ? conversationId : null);

/**
 * Reads the history that a request continues from, and the items that it names. `stores` null: the account keeps
 * nothing. Throws responseNotKept and unknownConversation if a part is missing, because the model would answer without
 * it.
 */
export async function loadHistory(stores: Stores | null, { caller, bytes }: AuthedCall, referred: Referred) {
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
