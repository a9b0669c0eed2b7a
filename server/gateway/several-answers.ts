/** Several answers to one call from as many upstream calls, under one hold and one charge. */

import { limitConcurrency } from "@/server/base/concurrency";
import { asGatewayError, GatewayError, streamError } from "@/server/base/errors";
import type { UsageSource } from "@/server/base/facts";
import type { ChannelId } from "@/server/base/ids";
import { languageOf } from "@/server/base/language";
import type { Reply } from "@/server/base/reply";
import { inTurns } from "@/server/base/turns";
import { UpstreamFault } from "@/server/channels";
import type { JoinedAnswers } from "@/server/protocol/several";
import type { Counted, StreamError } from "@/server/protocol/upstream-plan";
import type { Share } from "./channel-costs";
import { charge, tellsCost } from "./charge";
import type { ConversationCall, GatewayDeps } from "./paid-call";
import { askedWhole, MAX_ANSWER_BYTES, wholeReply } from "./relay-answer";
import { send } from "./send";

/** The calls, and how their answers become one. */
export type SeveralCalls = { calls: ConversationCall[]; join: JoinedAnswers };

/** Of one client's call. More of them wait: a channel has places for others, too. */
const MOST_AT_ONCE = 8;

/** Of bodies: each call has a copy, where the client's has taken its room in memory once. */
const COPIES_BYTES = 16 * 1024 * 1024;

/** How many calls go out at a time for one with a body of this size. */
export const atOnce = (bodyBytes: number): number =>
  Math.max(1, Math.min(MOST_AT_ONCE, Math.floor(COPIES_BYTES / Math.max(1, bodyBytes))));

/** Whether no channel can take a call as it is. None can take the others of it, and to find that out again costs as much. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof GatewayError && error.kind === "cannotConvert";

/** The least certain of all of them. */
const certainty: UsageSource[] = ["estimated", "partial", "upstream"];
const leastOf = (sources: UsageSource[]): UsageSource =>
  certainty.find((source) => sources.includes(source)) ?? "estimated";

/** What several calls used together. Nothing, where there are none. */
export function addCounts(all: Counted[]): Counted {
  const sum = (countOf: (counted: Counted) => number) =>
    all.reduce((total, counted) => total + countOf(counted), 0);
  const units: Record<string, number> = {};
  for (const [unit, count] of all.flatMap(({ usage }) => Object.entries(usage.units ?? {}))) {
    units[unit] = (units[unit] ?? 0) + count;
  }
  return {
    source: leastOf(all.map(({ source }) => source)),
    ...(all.some(({ hasOtherModel }) => hasOtherModel) && { hasOtherModel: true }),
    usage: {
      inputTokens: sum(({ usage }) => usage.inputTokens),
      cacheReadTokens: sum(({ usage }) => usage.cacheReadTokens),
      cacheWriteTokens: sum(({ usage }) => usage.cacheWriteTokens),
      cacheWrite1hTokens: sum(({ usage }) => usage.cacheWrite1hTokens),
      outputTokens: sum(({ usage }) => usage.outputTokens),
      reasoningTokens: sum(({ usage }) => usage.reasoningTokens),
      ...(Object.keys(units).length > 0 && { units }),
    },
  };
}

/** What the place of an answer that failed says. */
export const failureOf =
  ({ redact }: GatewayDeps, { call }: ConversationCall) =>
  (thrown: unknown): StreamError =>
    streamError(asGatewayError(thrown), {
      redact,
      language: languageOf(call.request.headers.get("accept-language")),
    });

type Made = { body: string; counted: Counted; channelId: ChannelId };

const tooLarge = () => new UpstreamFault("malformed", "the answers are together more than one may be");

/**
 * Whole answers. All that came are charged together, whatever became of the others; a place without an answer says why.
 * Throws what the first call threw where none came.
 */
export async function relaySeveral(
  deps: GatewayDeps,
  relayed: ConversationCall,
  { calls, join }: SeveralCalls,
): Promise<Reply> {
  const inTurn = limitConcurrency(atOnce(relayed.call.bytes.taken()));
  // All of them wait here for the last, and together are no more than one answer may be.
  let left = MAX_ANSWER_BYTES;
  let refused: { error: unknown } | null = null;
  const ask = async (each: ConversationCall): Promise<Made> => {
    relayed.hold.lost.throwIfAborted();
    if (left < 0) {
      throw tooLarge();
    }
    if (refused) {
      throw refused.error;
    }
    const { route, accepted } = await send(deps, each, askedWhole(deps, each)).catch((error: unknown) => {
      refused = isRefusal(error) ? { error } : refused;
      throw error;
    });
    const { printed, ...counted } = accepted;
    const body = printed.pieces.join("");
    left -= body.length;
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
    outcome.status === "fulfilled" ? outcome.value.body : tell(outcome.reason),
  );
  const whole = join.whole(answers, tellsCost(relayed).price?.(counted.usage));
  const body = await inTurns(whole);
  return wholeReply(relayed, { pieces: [body], bytes: Buffer.byteLength(body) });
}
