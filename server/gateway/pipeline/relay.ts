/** Sends a conversation to the channels: as one call, or as several calls of one answer each. */
import { GatewayError } from "@/server/base/errors";
import type { Reply } from "@/server/base/reply";
import type { CallTerms, ConversationRequest } from "@/server/protocol/upstream-plan";
import { openKeeper } from "../responses/kept-thinking";
import { relayStream } from "../stream/relay-stream";
import { relaySeveral } from "../stream/several-answers";
import { relaySeveralStreams } from "../stream/several-streams";
import type { ConversationCall, PaidCall, Plans } from "./call";
import type { GatewayDeps } from "./gateway-deps";
import { isRefusal, newPlans } from "./plans";
import { relayAnswer } from "./relay-answer";

/** Whether channels were asked and none gave an answer. */
const isFailure = (error: unknown): boolean =>
  error instanceof GatewayError &&
  ["upstreamsUnavailable", "upstreamMalformed", "upstreamBusy"].includes(error.kind);

/**
 * Several answers come from as many calls if no channel gives them at once: each channel refuses the call before it is
 * sent, or fails. If every channel refuses both forms, the gateway drops tools that no upstream has, and asks again.
 * Throws the channels' failure, else the last refusal: it names the reasons that remain.
 */
export function relay(
  deps: GatewayDeps,
  paid: PaidCall,
  { conversation, terms }: { conversation: ConversationRequest; terms: CallTerms },
): Promise<Reply> {
  const { isStream, several } = conversation;
  const relayWhole = isStream ? relayStream : relayAnswer;
  const relayParted = isStream ? relaySeveralStreams : relaySeveral;
  const callFor = (each: ConversationRequest, plans: Plans): ConversationCall => ({
    ...paid,
    conversation: each,
    // No client continues from several answers: the gateway keeps the thinking of one.
    thinking: each === conversation ? openKeeper(deps, paid.call) : null,
    plans,
  });
  const attempt = (mayDrop: boolean): Promise<Reply> => {
    const whole = newPlans({ ...terms, mayDrop });
    return relayWhole(deps, callFor(conversation, whole)).catch(async (error: unknown) => {
      const hasFailed = isFailure(error);
      if (!isRefusal(error) && !(hasFailed && several && whole.refusal !== null)) {
        throw error;
      }
      let failure = error;
      if (several) {
        const parts = newPlans({ ...terms, mayDrop }, hasFailed ? whole : null);
        const calls = several.calls().map((each) => callFor(each, parts));
        try {
          return await relayParted(deps, callFor(conversation, parts), { calls, join: several.join() });
        } catch (refusal) {
          if (!isRefusal(refusal)) {
            throw refusal;
          }
          failure = hasFailed ? error : refusal;
        }
      }
      if (hasFailed || mayDrop) {
        throw failure;
      }
      return await attempt(true);
    });
  };
  return attempt(false);
}
