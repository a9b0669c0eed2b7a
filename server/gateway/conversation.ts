import { GatewayError } from "@/server/base/errors";
import type { Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { ConversationRequest, Terms } from "@/server/protocol/upstream-plan";
import { type ReadCall, readCall } from "./body";
import { type AuthedCall, getNamedModel } from "./call";
import { fittingLimit } from "./call-limits";
import { freeze } from "./freeze";
import { openKeeper, withKeptThinking } from "./kept-thinking";
import { type ConversationCall, type GatewayDeps, type PaidCall, releasingOnFailure } from "./paid-call";
import { relayAnswer } from "./relay-answer";
import { relayStream } from "./relay-stream";
import type { chatKind, KnownConversation } from "./request-kinds";
import { isRefusal, relaySeveral } from "./several-answers";
import { relaySeveralStreams } from "./several-streams";

/** The kind of a call with these headers, in which what is wrong is said before the body is read. */
type KindOf = (headers: Headers) => typeof chatKind;

/** Chat and messages alike: parse, then all that follows. */
export function converse(deps: GatewayDeps, kindOf: KindOf): (call: AuthedCall) => Promise<Reply> {
  return async (call) => {
    const read = await readCall(call, kindOf(call.request.headers));
    return await relayConversation(deps, call, await withKeptThinking(deps, call, read));
  };
}

/** A conversation that was read, in whichever dialect: resolve, hold, dispatch, meter, capture, respond. */
export async function relayConversation(
  deps: GatewayDeps,
  call: AuthedCall,
  { known, open }: ReadCall<KnownConversation, ConversationRequest>,
): Promise<Reply> {
  call.facts.stream = known.isStream;
  const model = await getNamedModel(deps.catalog, call, { id: known.model, kind: "chat" });
  const { maxOutputTokens, isCapped, ...paid } = await freeze(deps, { call, model }, allOf(known));
  const isLowered = (known.maxOutputTokens ?? 0) > maxOutputTokens;
  // The hold stays that of the whole limit: an upstream that gets no limit may answer up to it.
  const named = known.maxOutputTokens;
  const limit = fittingLimit(model, { named, paid: maxOutputTokens, inputTokens: known.inputTokens });
  const terms = {
    maxOutputTokens: limit,
    isCapped: isCapped || isLowered,
    inputTokens: known.inputTokens,
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

/** The most that the call can use where no upstream gives several answers at once: each call for one answer reads the prompt. */
const allOf = ({ inputTokens, readings, units = {}, ...known }: KnownConversation) => ({
  ...known,
  inputTokens: inputTokens * readings,
  units: Object.fromEntries(Object.entries(units).map(([unit, count]) => [unit, count * readings])),
});

const relayedAs =
  (deps: GatewayDeps, paid: PaidCall, terms: Terms) =>
  (conversation: ConversationRequest): ConversationCall => ({
    ...paid,
    conversation,
    thinking: openKeeper(deps, paid.call),
    plan: ({ dialect, upstreamName, capabilities }) =>
      inTurns(
        conversation.planFor(
          { dialect, name: upstreamName, capabilities },
          { ...terms, inputTokens: conversation.inputTokens },
        ),
      ),
  });

/**
 * Two fallbacks where every channel of the model refuses the call before anything is sent: one upstream call for each
 * answer, and then a call without the tools that no upstream has. Throws the last refusal, because it names what still
 * stands in the way.
 */
async function relay(
  deps: GatewayDeps,
  conversation: ConversationRequest,
  asRelayed: (mayDrop: boolean) => ReturnType<typeof relayedAs>,
): Promise<Reply> {
  const { isStream, several } = conversation;
  const whole = isStream ? relayStream : relayAnswer;
  const parted = isStream ? relaySeveralStreams : relaySeveral;
  let refused: unknown;
  for (const mayDrop of [false, true]) {
    const relayed = asRelayed(mayDrop)(conversation);
    const tries = [
      () => whole(deps, relayed),
      ...(several
        ? [
            () =>
              parted(deps, relayed, {
                // No client continues from several answers: the gateway keeps no thinking of them.
                calls: several.calls().map((one) => ({ ...asRelayed(mayDrop)(one), thinking: null })),
                join: several.join(),
              }),
          ]
        : []),
    ];
    for (const attempt of tries) {
      try {
        return await attempt();
      } catch (error) {
        if (!isRefusal(error)) {
          throw error;
        }
        refused = error;
      }
    }
  }
  throw refused;
}

/** One whose money is frozen. Whatever it throws returns the money. */
export const relayPaid = (
  deps: GatewayDeps,
  paid: PaidCall,
  { open, terms }: { open: () => Promise<ConversationRequest>; terms: Terms },
): Promise<Reply> =>
  releasingOnFailure(deps, paid.hold, async () => {
    const conversation = await open();
    return await relay(deps, conversation, (mayDrop) => relayedAs(deps, paid, { ...terms, mayDrop })).catch(
      (error: unknown) => {
        throw reworded(error, conversation);
      },
    );
  });

function reworded(error: unknown, { rewordRefusal }: ConversationRequest): unknown {
  return error instanceof GatewayError && error.kind === "upstreamRejected"
    ? new GatewayError("upstreamRejected", rewordRefusal(error.message), { cause: error.cause })
    : error;
}
