import { lookUp } from "@/server/base/deadline";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import { jsonReply, type Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { JsonObject } from "@/server/protocol/fields";
import { compacting, summaryRequest } from "@/server/protocol/responses/compaction";
import { responsesConversation } from "@/server/protocol/responses/conversation";
import { errorOf } from "@/server/protocol/responses/error-out";
import { estimateInSteps } from "@/server/protocol/responses/estimate";
import { mintResponseId } from "@/server/protocol/responses/ids";
import { namedInput } from "@/server/protocol/responses/named-items";
import { type ResponsesRequest, withReferred } from "@/server/protocol/responses/request";
import { isAnswered, type StoredResponse } from "@/server/responses";
import { readCall } from "../body/body";
import { type AuthedCall, getNamedModel } from "../pipeline/call";
import { relayConversation } from "../pipeline/conversation";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { compactionKind, responsesKind } from "../pipeline/request-kinds";
import { submitBackground } from "./background";
import { pageOfItems } from "./item-page";
import { loadHistory, parentOf, storesOf } from "./load-history";

/** The reply with its last text delayed until the response is stored: a client may continue from it at once. */
function after(saved: () => Promise<void> | undefined, reply: Reply): Reply {
  const { body } = reply;
  if (typeof body === "string") {
    return reply;
  }
  return { ...reply, body: savedPieces(body, saved) };
}

async function* savedPieces(
  source: AsyncGenerator<string | Uint8Array>,
  saved: () => Promise<void> | undefined,
): AsyncGenerator<string | Uint8Array> {
  try {
    for await (const piece of source) {
      await saved();
      yield piece;
    }
  } finally {
    // Also after a hang-up: the call ends once its response is stored.
    await saved();
  }
}

/**
 * Stores the response. A conversation takes an answer even if its client wants no response stored. undefined: nothing
 * is stored.
 */
function save(
  { responses, conversations }: Pick<GatewayDeps, "responses" | "conversations">,
  owner: Pick<AuthedCall["caller"], "accountId" | "keyId">,
  { request, stored }: { request: ResponsesRequest; stored: StoredResponse },
): Promise<void> | undefined {
  const { isStored, referred } = request;
  if (referred.conversationId !== null && isAnswered(stored.response)) {
    return conversations.addResponse(owner, referred.conversationId, { ...stored, isStored });
  }
  return isStored && stored.response.status !== "failed" ? responses.save(owner, stored) : undefined;
}

/** POST /v1/responses: a conversation whose state, if it has any, is the gateway's and never an upstream's. */
export function createResponse(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { facts, open } = await readCall(call, responsesKind);
    const { accountId, keyId } = call.caller;
    const stores = storesOf(deps, call);
    const isKeeping = stores !== null;
    if (facts.isStored && isKeeping && deps.isAlone()) {
      // Its client would continue from it.
      throw new GatewayError("unavailable", "", {
        cause: new Error("the database is away, and stores no response"),
      });
    }
    if (facts.isStored && !isKeeping) {
      // The response's `store` says the same, but few clients look there before they continue from it.
      call.responseHeaders["x-response-store"] = "off";
    }
    const recalled = await loadHistory(stores, call, facts.referred);
    const id = mintResponseId();
    const inputTokens =
      facts.inputTokens + (await inTurns(estimateInSteps([...recalled.history, ...recalled.items.values()])));
    if (facts.isBackground) {
      return submitBackground(deps, call, {
        id,
        facts: { ...facts, inputTokens },
        open,
        recalled,
        isKeeping,
      });
    }
    let saving: Promise<void> | undefined;
    const keeper = (request: ResponsesRequest) => (response: JsonObject) => {
      const output = (response.output ?? []) as JsonObject[];
      const input = withReferred(request, { history: [], items: recalled.items }) ?? [];
      const parentId = parentOf(facts.referred, recalled);
      const stored = { id, parentId, input, output, response };
      saving = save(deps, { accountId, keyId }, { request, stored })?.catch((error: unknown) => {
        // The answer is paid for and good; only continuing from it will be refused.
        deps.log.error({ requestId: call.requestId, err: error }, "a response could not be kept");
      });
    };
    const reply = await relayConversation(deps, call, {
      facts: { ...facts, inputTokens },
      open: async () => {
        const request = withoutStore(await open(), isKeeping);
        const items = withReferred(request, recalled);
        if (items === null) {
          throw new GatewayError("internal");
        }
        return responsesConversation({ id, request, items, keep: keeper(request) }, inputTokens);
      },
    });
    await saving;
    return after(() => saving, reply);
  };
}

/**
 * POST /v1/responses/input_tokens: our estimate of a response's input, including the history that it continues from.
 * Never billed.
 */
export function countResponseTokens(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { facts } = await readCall(call, responsesKind);
    await getNamedModel(deps.catalog, call, { id: facts.model, kind: "chat" });
    const { history, items } = await loadHistory(storesOf(deps, call), call, facts.referred);
    call.logFields.isEstimate = true;
    const inputTokens = Math.ceil(
      facts.inputTokens + (await inTurns(estimateInSteps([...history, ...items.values()]))),
    );
    return jsonReply(200, { object: "response.input_tokens", input_tokens: inputTokens });
  };
}

/** POST /v1/responses/compact: a summary of the conversation by its model, charged like any answer. */
export function compactResponse(deps: GatewayDeps): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const { facts, open } = await readCall(call, compactionKind);
    const recalled = await loadHistory(storesOf(deps, call), call, facts.referred);
    const others = [...recalled.history, ...recalled.items.values(), summaryRequest];
    const inputTokens = facts.inputTokens + (await inTurns(estimateInSteps(others)));
    return await relayConversation(deps, call, {
      facts: { ...facts, inputTokens },
      open: async () => {
        const request = await open();
        const items = withReferred(request, recalled);
        if (items === null) {
          throw new GatewayError("internal");
        }
        const conversation = {
          id: mintResponseId(),
          request,
          items: [...items, summaryRequest],
          keep: () => {},
        };
        return compacting(responsesConversation(conversation, inputTokens));
      },
    });
  };
}

/** Marks a request whose response is not stored, so that every event of the response says so. */
const withoutStore = (request: ResponsesRequest, isKeeping: boolean): ResponsesRequest =>
  isKeeping ? request : { ...request, isStored: false, fields: { ...request.fields, store: false } };

/** The last segment of an address, or the one before it. */
function idIn({ request }: AuthedCall, isLast: boolean): string {
  const segments = new URL(request.url).pathname.split("/").filter((segment) => segment !== "");
  return segments.at(isLast ? -1 : -2) ?? "";
}

async function find(deps: GatewayDeps, call: AuthedCall, isLast: boolean) {
  const { accountId, account } = call.caller;
  const stored = await deps.responses.find(accountId, idIn(call, isLast));
  // A background response is paid for, so its client gets it even if the account no longer stores responses.
  if (stored === null || !(account.storesResponses || stored.response.background === true)) {
    throw new GatewayError("unknownResponse");
  }
  return stored;
}

/** GET /v1/responses/{id}: the account's own. Throws unknownResponse, and invalidParameters for a stream. */
export const getResponse = (deps: GatewayDeps) => async (call: AuthedCall) => {
  if (new URL(call.request.url).searchParams.get("stream") === "true") {
    // A client that reads events would take JSON for a stream without events.
    throw new GatewayError("invalidParameters", errorMessages.notSupported("stream"));
  }
  const { response } = await find(deps, call, true);
  return jsonReply(200, response.status === "queued" ? await stateOf(deps, call) : response);
};

/** A background response in its current state. */
async function stateOf(deps: GatewayDeps, call: AuthedCall): Promise<JsonObject> {
  const status = await lookUp(deps.background.stateOf(call.caller.accountId, idIn(call, true)));
  const { response } = await find(deps, call, true);
  if (status !== null || response.status !== "queued") {
    return status === null ? response : { ...response, status };
  }
  // Its request can no longer be decrypted: the secret has changed.
  const message = errorMessages.backgroundLost()[languageOf(call.request.headers.get("accept-language"))];
  return { ...response, status: "failed", error: errorOf({ code: 500, message }) };
}

/** DELETE /v1/responses/{id}. Cancels a background response first. Throws unknownResponse. */
export const deleteResponse = (deps: GatewayDeps) => async (call: AuthedCall) => {
  const id = idIn(call, true);
  await deps.background.cancel(call.caller.accountId, id);
  if (!(await deps.responses.remove(call.caller.accountId, id))) {
    throw new GatewayError("unknownResponse");
  }
  return jsonReply(200, { id, object: "response", deleted: true });
};

/**
 * POST /v1/responses/{id}/cancel: ends a background response, which costs its output so far. One that has ended stays
 * as it is. Throws unknownResponse and notCancellable.
 */
export const cancelResponse = (deps: GatewayDeps) => async (call: AuthedCall) => {
  const { response } = await find(deps, call, false);
  if (response.background !== true) {
    throw new GatewayError("notCancellable");
  }
  const cancelled = await deps.background.cancel(call.caller.accountId, idIn(call, false));
  return jsonReply(200, cancelled ?? (await find(deps, call, false)).response);
};

/**
 * GET /v1/responses/{id}/input_items (`limit`, `order`, `after`). Throws unknownResponse, and as `pageOfItems` does.
 */
export const listResponseInput = (deps: GatewayDeps) => async (call: AuthedCall) => {
  const { id, input, inputIds } = await find(deps, call, false);
  return jsonReply(200, pageOfItems(call.request, namedInput(id, input, inputIds)));
};
