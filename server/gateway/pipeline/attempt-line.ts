import type { AttemptRecord } from "@/server/calls";
import type { Attempt } from "@/server/channels";
import { errorKeywords } from "./error-keywords";

/** Outcomes whose words come from our own side of the connection, and quote neither the request nor an upstream. */
const OUR_WORDS: Attempt["outcome"][] = ["unreachable", "cut", "busy", "timeout"];

/** The words about a fault, without anything that may quote the request. */
const wordsOf = ({ words, outcome }: Attempt): string | null =>
  words === null || OUR_WORDS.includes(outcome) ? words : errorKeywords(words) || null;

/** An attempt in its call's log line: the channel, the outcome and the times. */
export const attemptLine = (attempt: Attempt) => ({
  channel: attempt.channel,
  credential: attempt.credential,
  upstreamModel: attempt.upstreamModel,
  status: attempt.status,
  headMs: attempt.headMs,
  firstMs: attempt.firstMs,
  elapsedMs: attempt.elapsedMs,
  outcome: attempt.outcome,
  words: wordsOf(attempt),
  ...(attempt.hasUnreadCounts && { hasUnreadCounts: true }),
});

/** An attempt in its call's record. */
export const attemptRecord = (attempt: Attempt): AttemptRecord => ({
  channelId: attempt.channelId,
  channelVersion: attempt.channelVersion,
  operation: attempt.operation,
  credential: attempt.credential,
  modelId: attempt.modelId,
  beganAt: new Date(attempt.beganAt),
  status: attempt.status,
  headMs: attempt.headMs,
  firstMs: attempt.firstMs,
  elapsedMs: attempt.elapsedMs,
  outcome: attempt.outcome,
  words: wordsOf(attempt),
  vendorError: attempt.vendorError,
});
