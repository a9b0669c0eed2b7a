/** `/v1/conversations`: an account's stored conversations. Responses continue from them and are added to them. */
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { jsonReply, type Reply } from "@/server/base/reply";
import type { JsonObject } from "@/server/protocol/fields";
import { listedItem } from "@/server/protocol/responses/conversation-items";
import { referencesIn, withReferred } from "@/server/protocol/responses/request";
import type { Adding, Conversation, ConversationStore } from "@/server/responses";
import { readCall, readSent } from "../body/body";
import type { AuthedCall } from "../pipeline/call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { conversationKind } from "../pipeline/request-kinds";
import { listOfItems, pageOfItems } from "./item-page";
import { loadHistory, storesOf } from "./load-history";

type ConversationHandler = (call: AuthedCall) => Promise<Reply>;
type ConversationQuery = {
  store: ConversationStore;
  accountId: AuthedCall["caller"]["accountId"];
  id: string;
  itemId: string;
};

const ADDRESS = /\/conversations\/([^/]+)(?:\/items(?:\/([^/]+))?)?\/?$/;

/** The account's store, and the identifiers in the address. Throws unknownConversation if the account keeps nothing. */
function askedOf(deps: GatewayDeps, call: AuthedCall): ConversationQuery {
  const stores = storesOf(deps, call);
  if (stores === null) {
    throw new GatewayError("unknownConversation", errorMessages.conversationIsKept());
  }
  const [, id = "", itemId = ""] = ADDRESS.exec(new URL(call.request.url).pathname) ?? [];
  return { store: stores.conversations, accountId: call.caller.accountId, id, itemId };
}

const conversationReply = ({ id, createdAt, metadata }: Conversation): Reply =>
  jsonReply(200, {
    ...{ id, object: "conversation", created_at: Math.floor(createdAt.getTime() / 1000), metadata },
  });

const listed = (added: JsonObject[]): Reply => jsonReply(200, listOfItems(added.map(listedItem), false));

const admitOf =
  ({ bytes }: AuthedCall) =>
  (size: number) =>
    bytes.take(size);

/** Replaces the references in a client's items with the stored items. Throws responseNotKept for an unknown one. */
async function resolved(deps: GatewayDeps, call: AuthedCall, input: JsonObject[]): Promise<JsonObject[]> {
  const referred = { previousId: null, conversationId: null, itemIds: referencesIn(input) };
  const { items } = await loadHistory(storesOf(deps, call), call, referred);
  return withReferred({ input }, { history: [], items }) ?? [];
}

/** POST /v1/conversations, also without a body. Throws invalidParameters if the account keeps nothing. */
const createConversation =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { body } = call.body === undefined ? await readSent(call, "optional") : call;
    const { open } = await readCall({ ...call, body }, conversationKind("conversation"));
    const stores = storesOf(deps, call);
    if (stores === null) {
      throw new GatewayError("invalidParameters", errorMessages.conversationIsKept());
    }
    const { input, metadata } = await open();
    const items = await resolved(deps, call, input);
    const { accountId, keyId } = call.caller;
    const within: Adding<Conversation>["within"] = async (tx, made) =>
      call.storeInTx?.(tx, conversationReply(made));
    return conversationReply(
      await stores.conversations.create({ accountId, keyId }, { metadata, input: items, within }),
    );
  };

/** GET /v1/conversations/{id}. */
const getConversation =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { store, accountId, id } = askedOf(deps, call);
    return conversationReply(await store.get(accountId, id));
  };

/** POST /v1/conversations/{id}: replaces the metadata. */
const updateConversation =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { open } = await readCall(call, conversationKind("conversationUpdate"));
    const { store, accountId, id } = askedOf(deps, call);
    const { metadata } = await open();
    return conversationReply(await store.update(accountId, id, metadata));
  };

/** DELETE /v1/conversations/{id}. */
const deleteConversation =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { store, accountId, id } = askedOf(deps, call);
    await store.remove(accountId, id);
    return jsonReply(200, { id, object: "conversation.deleted", deleted: true });
  };

/** POST /v1/conversations/{id}/items. */
const addConversationItems =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { open } = await readCall(call, conversationKind("conversationItems"));
    const { store, id } = askedOf(deps, call);
    const { input } = await open();
    const items = await resolved(deps, call, input);
    const { accountId, keyId } = call.caller;
    if (items.length === 0) {
      await store.get(accountId, id);
      return listed([]);
    }
    const within: Adding<JsonObject[]>["within"] = async (tx, added) => call.storeInTx?.(tx, listed(added));
    return listed(await store.addItems({ accountId, keyId, within }, id, items));
  };

async function itemsOf(deps: GatewayDeps, call: AuthedCall): Promise<JsonObject[]> {
  const { store, accountId, id } = askedOf(deps, call);
  return await store.items(accountId, id, admitOf(call));
}

/** GET /v1/conversations/{id}/items (`limit`, `order`, `after`). */
const listConversationItems =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const items = await itemsOf(deps, call);
    return jsonReply(200, pageOfItems(call.request, items.map(listedItem)));
  };

/** GET /v1/conversations/{id}/items/{item}. */
const getConversationItem =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { itemId } = askedOf(deps, call);
    const item = (await itemsOf(deps, call)).find(({ id }) => id === itemId);
    if (item === undefined) {
      throw new GatewayError("unknownConversation", errorMessages.noConversationItem());
    }
    return jsonReply(200, listedItem(item));
  };

/** DELETE /v1/conversations/{id}/items/{item}. */
const deleteConversationItem =
  (deps: GatewayDeps): ConversationHandler =>
  async (call) => {
    const { store, accountId, id, itemId } = askedOf(deps, call);
    return conversationReply(await store.removeItem(accountId, { id, itemId }, admitOf(call)));
  };

/** The calls by their ids. */
export const conversationRuns = {
  createConversation,
  getConversation,
  updateConversation,
  deleteConversation,
  addConversationItems,
  listConversationItems,
  getConversationItem,
  deleteConversationItem,
};
