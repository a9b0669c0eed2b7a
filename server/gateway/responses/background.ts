import { CancellationSource } from "@/server/base/cancellation";
import { errorMessages } from "@/server/base/error-messages";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import { languageOf } from "@/server/base/language";
import type { Nanos } from "@/server/base/money";
import { jsonReply, type Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { Billing, Hold } from "@/server/billing";
import type { Model, SoldModel } from "@/server/catalog";
import { eachField, fieldsOf, parseSheet, storedSheet, tokenClasses, tokenPrice } from "@/server/pricing";
import type { JsonObject } from "@/server/protocol/fields";
import { sizeInSteps } from "@/server/protocol/json/print";
import { echoOf, writeResponse } from "@/server/protocol/responses/answer-out";
import { type ResponsesRequest, withReferred } from "@/server/protocol/responses/request";
import type { Asked, BackgroundTask, Order } from "@/server/responses";
import { type AuthedCall, getNamedModel } from "../pipeline/call";
import { limitsOf, MIN_CAPPED_TOKENS, type MostUsage } from "../pipeline/ceiling";
import { freezeForCall } from "../pipeline/freeze";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import type { responsesKind } from "../pipeline/request-kinds";
import { parentOf } from "./load-history";

type Parsed = ReturnType<typeof responsesKind.parse>;

type Submission = {
  id: string;
  facts: Pick<
    Parsed,
    "model" | "maxOutputTokens" | "choices" | "inputTokens" | "units" | "tiers" | "referred"
  >;
  open: () => Eventual<ResponsesRequest>;
  recalled: { history: JsonObject[]; items: ReadonlyMap<string, JsonObject> };
  /** Whether the account keeps responses. */
  isKeeping: boolean;
};

/**
 * The model's current prices, also by the members that release 0.2 reads. The response is charged at these, whatever
 * the model costs later.
 */
function quote({ prices, window }: SoldModel): NonNullable<Asked["quoted"]> {
  return {
    sheet: storedSheet(prices),
    ...(window && { window }),
    prices: eachField(({ name }) => String(tokenPrice(prices, name))),
    unitPrices: fieldsOf(prices).unitPrices.map(({ unit, price }) => ({ unit, price: String(price) })),
  };
}

/** The model at its quoted prices. */
export function asQuoted(model: SoldModel, quoted: Asked["quoted"]): SoldModel {
  if (quoted === undefined) {
    return model;
  }
  const { sheet, window, prices, unitPrices } = quoted;
  const byMember = [
    ...tokenClasses.map(({ name, field }) => [name, prices[field] ?? String(tokenPrice(model.prices, name))]),
    ...unitPrices.map(({ unit, price }) => [unit, price]),
  ];
  return { ...model, window, prices: parseSheet(sheet ?? Object.fromEntries(byMember)) };
}

/** The hold of a background response. It does not depend on any live process. */
export const backgroundHold = ({
  requestId,
  accountId,
  keyId,
  period,
  amount,
}: Pick<BackgroundTask, "requestId" | "accountId" | "keyId" | "period" | "amount">): Hold => ({
  ...{ requestId, accountId, keyId, period, amount },
  drawn: null,
  lost: new CancellationSource(),
});

/**
 * The limit of an answer when its turn comes. The conversation may have grown since the money was frozen, and the hold
 * stays a ceiling. Throws invalidParameters if the hold is no longer enough.
 */
export function payableLimit(model: Model, want: MostUsage, amount: Nanos): number {
  const outputLimit = want.maxOutputTokens ?? model.maxOutputTokens;
  const limit = Math.min(outputLimit, model.maxOutputTokens, limitsOf(model, want).affordable(amount));
  if (limit < Math.min(outputLimit / 2, MIN_CAPPED_TOKENS)) {
    throw new GatewayError("invalidParameters", errorMessages.conversationGrown());
  }
  return limit;
}

/**
 * Accepts a response for which the client does not wait: when this returns, its money is frozen and it is queued.
 * Throws as `freeze` does, and invalidParameters if the account keeps no responses.
 */
export async function submitBackground(
  deps: GatewayDeps,
  call: AuthedCall,
  { id, facts, open, recalled, isKeeping }: Submission,
): Promise<Reply> {
  const model = await getNamedModel(deps.catalog, call, { id: facts.model, kind: "chat" });
  if (!isKeeping) {
    throw new GatewayError("invalidParameters", errorMessages.backgroundIsKept());
  }
  const { requestId, request } = call;
  const parsedRequest = await open();
  const context = { model: model.id, inputTokens: facts.inputTokens, fallbackId: id, now: deps.clock() };
  const form = { id, echo: echoOf(parsedRequest.fields), context };
  const response = writeResponse(form, { status: "queued", output: [], usage: null });
  const input = withReferred(parsedRequest, { history: [], items: recalled.items }) ?? [];
  const { conversationId } = facts.referred;
  const parentId = parentOf(facts.referred, recalled);
  const stored = { id, parentId, input, output: [], response };
  const outputLimit = Math.min(facts.maxOutputTokens ?? model.maxOutputTokens, model.maxOutputTokens);
  const reply = jsonReply(200, response);
  const order: Omit<Order, "owner" | "amount"> = {
    ...{ requestId, stored, modelId: model.id },
    within: async (tx) => call.storeInTx?.(tx, reply),
    request: {
      ...{
        id,
        body: parsedRequest.raw,
        maxOutputTokens: outputLimit,
        isLowered: (facts.maxOutputTokens ?? 0) > outputLimit,
      },
      language: languageOf(request.headers.get("accept-language")),
      quoted: quote(model),
      ...(conversationId !== null && { conversationId }),
    },
  };
  // Freezes the whole ceiling or nothing: no client waits to learn of a lower limit.
  const hold: Billing["hold"] = async ({ requestId: _id, minimum: _minimum, amount, ...owner }) => {
    const { period } = await deps.background.enqueue({ ...order, amount, owner });
    return backgroundHold({ ...owner, requestId, period, amount });
  };
  await freezeForCall({ ...deps, billing: { ...deps.billing, hold } }, { call, model }, facts);
  await deps.responses.makeRoom(call.caller.accountId, await inTurns(sizeInSteps(stored)));
  // Its usage is known only long after its minute, so the minute counts the ceiling.
  call.logFields.tokens = facts.inputTokens + outputLimit;
  return reply;
}
