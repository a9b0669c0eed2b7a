import type { HeaderReader } from "@/server/base/client-request";
import { GatewayError } from "@/server/base/errors";
import { type Eventual, whenHere, whenOver } from "@/server/base/eventual";
import type { Reply } from "@/server/base/reply";
import type { Units } from "@/server/domain/units";
import type { CallTerms, ConversationRequest } from "@/server/protocol/upstream-plan";
import { type ReadCall, whenRead } from "../body/body";
import { withKeptThinking } from "../responses/kept-thinking";
import { type AuthedCall, getNamedModel, type PaidCall } from "./call";
import { fittingLimit, type MostUsage } from "./ceiling";
import { type FrozenCall, freezeForCall, releaseAfter } from "./freeze";
import type { GatewayDeps } from "./gateway-deps";
import { relay } from "./relay";
import type { chatKind, KnownConversation } from "./request-kinds";

/** Returns the kind of a call with these headers. Throws for wrong headers, before the body is read. */
type KindOf = (headers: HeaderReader) => typeof chatKind;

/** Handles the calls of chat and messages: reads the call and relays its conversation. */
export function converse(deps: GatewayDeps, kindOf: KindOf): (call: AuthedCall) => Eventual<Reply> {
  return (call) =>
    whenRead(call, kindOf(call.request.headers), (read) =>
      whenHere(withKeptThinking(deps, call, read), (whole) => relayConversation(deps, call, whole)),
    );
}

/** Relays a parsed conversation of any dialect: resolve, hold, dispatch, meter, capture, respond. */
export function relayConversation(
  deps: GatewayDeps,
  call: AuthedCall,
  read: ReadCall<KnownConversation, ConversationRequest>,
): Eventual<Reply> {
  const { facts } = read;
  call.logFields.stream = facts.isStream;
  return whenHere(getNamedModel(deps.catalog, call, { id: facts.model, kind: "chat" }), (model) =>
    whenHere(freezeForCall(deps, { call, model }, allOf(facts)), (frozen) => relayFrozen(deps, frozen, read)),
  );
}

function relayFrozen(
  deps: GatewayDeps,
  frozen: FrozenCall,
  { facts, open }: ReadCall<KnownConversation, ConversationRequest>,
): Eventual<Reply> {
  const { call, model, maxOutputTokens, isCapped } = frozen;
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
  const headers = {
    ...(isCapped && { "x-quota-capped": String(limit) }),
    ...(isLowered && { "x-output-capped": String(limit) }),
  };
  return relayPaid(deps, frozen, { open, terms, headers });
}

/**
 * The most that the call can use if no upstream gives several answers at once: each call for one answer reads the
 * prompt.
 */
const allOf = (facts: KnownConversation): MostUsage => ({
  inputTokens: facts.inputTokens * facts.readings,
  maxOutputTokens: facts.maxOutputTokens,
  choices: facts.choices,
  units: timesEach(facts.units ?? {}, facts.readings),
  tiers: facts.tiers,
});

const timesEach = (units: Units, factor: number): Units =>
  Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, count * factor]));

/** Relays a conversation whose money is frozen, and adds `headers` to the answer. Any failure returns the money. */
export function relayPaid(
  deps: GatewayDeps,
  paid: PaidCall,
  {
    open,
    terms,
    headers,
  }: { open: () => Eventual<ConversationRequest>; terms: CallTerms; headers?: Reply["headers"] },
): Eventual<Reply> {
  let conversation: ConversationRequest | null = null;
  return whenOver(
    () =>
      whenHere(open(), (opened) => {
        conversation = opened;
        return relay(deps, paid, { conversation, terms });
      }),
    (reply) => ({ ...reply, headers: { ...reply.headers, ...headers } }),
    (error) => {
      releaseAfter(deps, paid.hold, error);
      throw conversation === null ? error : reworded(error, conversation);
    },
  );
}

function reworded(error: unknown, { rewordRefusal }: ConversationRequest): unknown {
  return error instanceof GatewayError && error.kind === "upstreamRejected"
    ? new GatewayError("upstreamRejected", rewordRefusal(error.message), { cause: error.cause })
    : error;
}
