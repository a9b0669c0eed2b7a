/** Sends a conversation to the channels: as one call, or as several calls of one answer each. */
import { GatewayError } from "@/server/base/errors";
import type { ChannelId } from "@/server/base/ids";
import type { Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import type { Route } from "@/server/channels";
import type { CallTerms, ConversationRequest, UpstreamPlan } from "@/server/protocol/upstream-plan";
import { openKeeper } from "../responses/kept-thinking";
import { relayStream } from "../stream/relay-stream";
import { isRefusal, relaySeveral } from "../stream/several-answers";
import { relaySeveralStreams } from "../stream/several-streams";
import type { ConversationCall, PaidCall } from "./call";
import type { GatewayDeps } from "./gateway-deps";
import { relayAnswer } from "./relay-answer";

/** Plans calls for channels. Channels that can take the `skipped` plans' call get none. */
class Plans {
  /** The channels that can take the call. */
  readonly takers = new Set<ChannelId>();
  /** The latest reason of a channel that cannot. */
  refusal: unknown = null;
  readonly #terms: CallTerms;
  readonly #skipped: Plans | null;

  constructor(terms: CallTerms, skipped: Plans | null = null) {
    this.#terms = terms;
    this.#skipped = skipped;
  }

  async planFor(
    conversation: ConversationRequest,
    { channelId, dialect, upstreamName, capabilities }: Route,
  ): Promise<UpstreamPlan> {
    try {
      if (this.#skipped?.takers.has(channelId)) {
        throw this.#skipped.refusal;
      }
      const plan = await inTurns(
        conversation.planFor(
          { dialect, name: upstreamName, capabilities },
          { ...this.#terms, inputTokens: conversation.inputTokens },
        ),
      );
      this.takers.add(channelId);
      return plan;
    } catch (error) {
      this.refusal = error;
      throw error;
    }
  }
}

/** Whether channels were asked and none gave an answer. */
const isFailure = (error: unknown): boolean =>
  error instanceof GatewayError &&
  ["upstreamsUnavailable", "upstreamMalformed", "upstreamBusy"].includes(error.kind);

/**
 * Several answers come from as many calls if no channel gives them at once: each channel refuses the call before it is
 * sent, or fails. If every channel refuses both forms, the gateway drops tools that no upstream has, and asks again.
 * Throws the channels' failure, else the last refusal: it names the reasons that remain.
 */
export async function relay(
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
    plan: async (route) => await plans.planFor(each, route),
  });
  let failure: unknown;
  for (const mayDrop of [false, true]) {
    const whole = new Plans({ ...terms, mayDrop });
    try {
      return await relayWhole(deps, callFor(conversation, whole));
    } catch (error) {
      if (!isRefusal(error) && !(isFailure(error) && several && whole.refusal !== null)) {
        throw error;
      }
      failure = error;
    }
    const hasFailed = isFailure(failure);
    if (several) {
      const parts = new Plans({ ...terms, mayDrop }, hasFailed ? whole : null);
      const calls = several.calls().map((each) => callFor(each, parts));
      try {
        return await relayParted(deps, callFor(conversation, parts), { calls, join: several.join() });
      } catch (error) {
        if (!isRefusal(error)) {
          throw error;
        }
        failure = hasFailed ? failure : error;
      }
    }
    if (hasFailed) {
      break;
    }
  }
  throw failure;
}
