import type { HeaderReader } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import type { Eventual } from "@/server/base/eventual";
import type { Reply } from "@/server/base/reply";
import type { Units } from "@/server/domain/units";
import type { CallTerms, ConversationRequest } from "@/server/protocol/upstream-plan";
import { type ReadCall, readCall } from "../body/body";
import { withKeptThinking } from "../responses/kept-thinking";
import { type AuthedCall, getNamedModel, type PaidCall } from "./call";
import { type Ceiling, fittingLimit } from "./ceiling";
import { freeze, releaseAfter } from "./freeze";
import type { GatewayDeps } from "./gateway-deps";
import { relay } from "./relay";
import type { chatKind, KnownConversation } from "./request-kinds";

/** Returns the kind of a call with these headers. Throws for wrong headers, before the body is read. */
type KindOf = (headers: HeaderReader) => typeof chatKind;

/** Handles the calls of chat and messages: reads the call and relays its conversation. */
export function converse(deps: GatewayDeps, kindOf: KindOf): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const read = withKeptThinking(deps, call, await readCall(call, kindOf(call.request.headers)));
    return await relayConversation(deps, call, read instanceof Promise ? await read : read);
  };
}

/** Relays a parsed conversation of any dialect: resolve, hold, dispatch, meter, capture, respond. */
export async function relayConversation(
  deps: GatewayDeps,
  call: AuthedCall,
  { facts, open }: ReadCall<KnownConversation, ConversationRequest>,
): Promise<Reply> {
  call.logFields.stream = facts.isStream;
  const found = getNamedModel(deps.catalog, call, { id: facts.model, kind: "chat" });
  const model = found instanceof Promise ? await found : found;
  const frozen = freeze(deps, { call, model }, allOf(facts));
  const { maxOutputTokens, isCapped, ...paid } = frozen instanceof Promise ? await frozen : frozen;
  const isLowered = (facts.maxOutputTokens ?? 0) > maxOutputTokens;
  // The hold still covers the whole limit, because an upstream that gets no limit may answer up to it.
  const named = facts.maxOutputTokens;
  const limit = fittingLimit(model, { named, paid: maxOutputTokens, inputTokens: facts.inputTokens });
  const terms = {
    maxOutputTokens: limit,
    isCapped: isCapped || isLowered,
    inputTokens: facts.inputTokens,
    isPromptCached: call.caller.cachesPrompts,
  };
  const reply = await relayPaid(deps, paid, { open, terms });
  if (isCapped) {
    reply.headers["x-quota-capped"] = String(limit);
  }
  if (isLowered) {
    reply.headers["x-output-capped"] = String(limit);
  }
  return reply;
}

/**
 * The most that the call can use if no upstream gives several answers at once: each call for one answer reads the
 * prompt.
 */
const allOf = (facts: KnownConversation): Ceiling => ({
  inputTokens: facts.inputTokens * facts.readings,
  maxOutputTokens: facts.maxOutputTokens,
  choices: facts.choices,
  units: timesEach(facts.units ?? {}, facts.readings),
  tiers: facts.tiers,
});

const timesEach = (units: Units, factor: number): Units =>
  Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, count * factor]));

/** Relays a conversation whose money is frozen. Any failure returns the money. */
export async function relayPaid(
  deps: GatewayDeps,
  paid: PaidCall,
  { open, terms }: { open: () => Eventual<ConversationRequest>; terms: CallTerms },
): Promise<Reply> {
  let conversation: ConversationRequest | null = null;
  try {
    const opened = open();
    conversation = opened instanceof Promise ? await opened : opened;
    return await relay(deps, paid, { conversation, terms });
  } catch (error) {
    releaseAfter(deps, paid.hold, error);
    throw conversation === null ? error : reworded(error, conversation);
  }
}

function reworded(error: unknown, { rewordRefusal }: ConversationRequest): unknown {
  return error instanceof GatewayError && error.kind === "upstreamRejected"
    ? new GatewayError("upstreamRejected", rewordRefusal(error.message), { cause: error.cause })
    : error;
}
