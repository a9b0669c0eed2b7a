/** Several answers to one call from as many upstream calls, under one hold and one charge. */

import { throwIfCancelled } from "@/server/base/cancellation";
import { limitConcurrency } from "@/server/base/concurrency";
import { asGatewayError, GatewayError, streamError } from "@/server/base/errors";
import { languageOf } from "@/server/base/language";
import type { Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import { UpstreamFault } from "@/server/channels";
import type { UsageSource } from "@/server/domain/enums";
import type { ChannelId } from "@/server/domain/ids";
import { eachCount, promptOf } from "@/server/pricing";
import type { JoinedAnswers } from "@/server/protocol/answers/several";
import type { JsonObject } from "@/server/protocol/fields";
import { printInSteps } from "@/server/protocol/json/print";
import type { CountedUsage, StreamError } from "@/server/protocol/upstream-plan";
import type { ConversationCall } from "../pipeline/call";
import type { Share } from "../pipeline/channel-costs";
import { charge, costReporter } from "../pipeline/charge";
import { dispatchCall } from "../pipeline/dispatch-call";
import type { GatewayDeps } from "../pipeline/gateway-deps";
import { isRefusal } from "../pipeline/plans";
import { askedWhole, MAX_ANSWER_BYTES, wholeReply } from "../pipeline/relay-answer";

/** The upstream calls, and how their answers become one. */
export type SeveralCalls = { calls: ConversationCall[]; join: JoinedAnswers };

/** Upstream calls at a time for one client's call. The rest wait, so that the channel has places for other clients. */
const MOST_AT_ONCE = 8;

/**
 * Bytes of request bodies at a time: each upstream call has a copy, and the client's call has reserved memory for one.
 */
const COPIES_BYTES = 16 * 1024 * 1024;

/** How many calls go out at a time for a client's call with a body of this size. */
export const concurrencyFor = (bodyBytes: number): number =>
  Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(COPIES_BYTES / Math.max(1, bodyBytes))));

/** From the least certain to the most certain. */
const certainty: UsageSource[] = ["estimated", "partial", "upstream"];
const leastCertain = (sources: UsageSource[]): UsageSource =>
  certainty.find((source) => sources.includes(source)) ?? "estimated";

/** The sum of several calls' usage. Zero for no calls. */
export function addCounts(all: CountedUsage[]): CountedUsage {
  const sum = (countOf: (counted: CountedUsage) => number) =>
    all.reduce((total, counted) => total + countOf(counted), 0);
  const units: Record<string, number> = {};
  for (const [unit, count] of all.flatMap(({ usage }) => Object.entries(usage.units ?? {}))) {
    units[unit] = (units[unit] ?? 0) + count;
  }
  // One charge has the prices of one tier: the usual one, if the answers name several.
  const tiers = [...new Set(all.map(({ usage }) => usage.tier))];
  return {
    source: leastCertain(all.map(({ source }) => source)),
    ...(all.some(({ hasOtherModel }) => hasOtherModel) && { hasOtherModel: true }),
    usage: {
      ...eachCount((member) => sum(({ usage }) => usage[member])),
      ...(all.length > 1 && { prompt: Math.max(...all.map(({ usage }) => promptOf(usage))) }),
      tier: tiers.length === 1 ? tiers[0] : undefined,
      reasoningTokens: sum(({ usage }) => usage.reasoningTokens),
      ...(Object.keys(units).length > 0 && { units }),
    },
  };
}

/** The error that stands in the place of a failed answer. */
export const failureOf =
  ({ redact }: GatewayDeps, { call }: ConversationCall) =>
  (thrown: unknown): StreamError =>
    streamError(asGatewayError(thrown), {
      redact,
      language: languageOf(call.request.headers.get("accept-language")),
    });

type WholeAnswer = { body: JsonObject; counted: CountedUsage; channelId: ChannelId };

const tooLarge = () => new UpstreamFault("malformed", "the answers are together more than one may be");

/**
 * Relays whole answers. One charge covers all that arrived, even if others failed. The place of a failed answer has its
 * error. Throws the first call's error if no answer arrived.
 */
export async function relaySeveral(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { calls, join }: SeveralCalls,
): Promise<Reply> {
  const inTurn = limitConcurrency(concurrencyFor(relayed.call.bytes.total()));
  // All answers stay in memory until the last arrives: their sum may be no larger than one answer.
  let left = MAX_ANSWER_BYTES;
  let refused: { error: unknown } | null = null;
  const ask = async (each: ConversationCall): Promise<WholeAnswer> => {
    throwIfCancelled(relayed.hold.lost);
    if (left < 0) {
      throw tooLarge();
    }
    if (refused) {
      throw refused.error;
    }
    const { route, accepted } = await dispatchCall(deps, each, askedWhole(deps, each)).catch(
      (error: unknown) => {
        refused = isRefusal(error) ? { error } : refused;
        throw error;
      },
    );
    const { printed, body, ...counted } = accepted;
    left -= printed.bytes;
    if (left < 0) {
      throw tooLarge();
    }
    return { body, counted, channelId: route.channelId };
  };
  const outcomes = await Promise.allSettled(calls.map((each) => inTurn("", () => ask(each))));
  const made = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const [first] = made;
  if (first === undefined) {
    const [failed] = outcomes;
    throw failed?.status === "rejected" ? failed.reason : new GatewayError("internal");
  }
  const counted = addCounts(made.map((each) => each.counted));
  const shares: Share[] = made.map((each) => ({ usage: each.counted.usage, channelId: each.channelId }));
  await charge(deps, relayed, { ...counted, channelId: first.channelId, shares });
  const tell = failureOf(deps, relayed);
  const answers = outcomes.map((outcome) =>
    outcome.status === "fulfilled" ? { body: outcome.value.body } : { failure: tell(outcome.reason) },
  );
  const whole = join.whole(answers, costReporter(relayed).price?.(counted.usage));
  const printed = await inTurns(printInSteps(whole));
  if (printed === null) {
    // Each answer was printed alone, and together they are no deeper.
    throw new GatewayError("internal");
  }
  return wholeReply(relayed, printed);
}
