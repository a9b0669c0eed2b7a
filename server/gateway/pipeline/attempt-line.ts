import type { AttemptRecord } from "@/server/calls";
import type { Attempt } from "@/server/channels";
import { errorKeywords } from "./error-keywords";

/** Outcomes whose words come from our own side of the connection, and quote neither the request nor an upstream. */
const OUR_WORDS: Attempt["outcome"][] = ["unreachable", "cut", "busy", "timeout"];

/** The words about a fault, without anything that may quote the request. */
const wordsOf = ({ words, outcome }: Attempt): string | null =>
  words === null || OUR_WORDS.includes(outcome) ? words : errorKeywords(words) || null;

/** An attempt in its call's log line: the channel, the outcome and the times. */
export function attemptLine(attempt: Attempt) {
  const {
    channelId: _,
    channelVersion: _______,
    api: __,
    operation: ___,
    modelId: ____,
    beganAt: _____,
    answeringModel: ______,
    ...shown
  } = attempt;
  return { ...shown, words: wordsOf(attempt) };
}

/** An attempt in its call's record. */
export function attemptRecord(attempt: Attempt): AttemptRecord {
  const { channel: _, api: __, upstreamModel: ___, answeringModel: ____, beganAt, ...kept } = attempt;
  return { ...kept, beganAt: new Date(beganAt), words: wordsOf(attempt) };
}
