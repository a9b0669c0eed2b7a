/** In how many calls a conversation goes out: as the one that it is, or as several of one answer each. */
import { GatewayError } from "@/server/base/errors";
import type { ChannelId } from "@/server/base/ids";
import type { Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { ConversationRequest, Terms } from "@/server/protocol/upstream-plan";
import { openKeeper } from "./kept-thinking";
import type { ConversationCall, GatewayDeps, PaidCall } from "./paid-call";
import { relayAnswer } from "./relay-answer";
import { relayStream } from "./relay-stream";
import { isRefusal, relaySeveral } from "./several-answers";
import { relaySeveralStreams } from "./several-streams";

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

/** What channels say to a call before it is sent. `refusal`: the latest of those that cannot take it. */
type Said = { able: Set<ChannelId>; refusal: unknown };

/** It, which notes in `said` what channels say to it. */
const noting = (relayed: ConversationCall, said: Said): ConversationCall => ({
  ...relayed,
  plan: async (route) => {
    try {
      const plan = await relayed.plan(route);
      said.able.add(route.channelId);
      return plan;
    } catch (error) {
      said.refusal = error;
      throw error;
    }
  },
});

/** It, for the channels that could not take all of its answers: those that could have failed. */
const forOthers = (relayed: ConversationCall, { able, refusal }: Said): ConversationCall => ({
  ...relayed,
  plan: async (route) => {
    if (able.has(route.channelId)) {
      throw refusal;
    }
    return await relayed.plan(route);
  },
});

/** Whether the channels that were asked gave no answer. */
const isFailure = (error: unknown): boolean =>
  error instanceof GatewayError &&
  ["upstreamsUnavailable", "upstreamMalformed", "upstreamBusy"].includes(error.kind);

/**
 * Several answers come from as many calls where no channel gives them at once: each refuses the call before anything is
 * sent, or has failed. Where every channel refuses both, tools go at last that no upstream has. Throws the last refusal
 * then, for what is left is the reason; and what channels failed with where some were asked.
 */
export async function relay(
  deps: GatewayDeps,
  paid: PaidCall,
  { conversation, terms }: { conversation: ConversationRequest; terms: Terms },
): Promise<Reply> {
  const { isStream, several } = conversation;
  const relayWhole = isStream ? relayStream : relayAnswer;
  const relayParted = isStream ? relaySeveralStreams : relaySeveral;
  let refused: unknown;
  for (const mayDrop of [false, true]) {
    const asked = relayedAs(deps, paid, { ...terms, mayDrop });
    const said: Said = { able: new Set(), refusal: null };
    try {
      return await relayWhole(deps, noting(asked(conversation), said));
    } catch (error) {
      if (!isRefusal(error) && !(isFailure(error) && several && said.refusal !== null)) {
        throw error;
      }
      refused = error;
    }
    const isOthers = isFailure(refused);
    // Nobody goes on from several answers: their thinking is not kept.
    const part = (one: ConversationRequest) => ({ ...asked(one), thinking: null });
    const calls = several?.calls().map((one) => (isOthers ? forOthers(part(one), said) : part(one)));
    try {
      if (several && calls) {
        return await relayParted(deps, asked(conversation), { calls, join: several.join() });
      }
    } catch (error) {
      if (!isRefusal(error)) {
        throw error;
      }
      refused = isOthers ? refused : error;
    }
    if (isOthers) {
      break;
    }
  }
  throw refused;
}
