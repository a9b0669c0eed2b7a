import type { AttemptRecord } from "@/server/calls";
import type { Attempt } from "@/server/channels";
import { gistOf } from "./gist";

/** Told by our own side of the connection: they quote nobody. */
const OUR_WORDS: Attempt["outcome"][] = ["unreachable", "cut", "busy", "timeout"];

/** What was said of a fault, without whatever may quote the request. */
const wordsOf = ({ words, outcome }: Attempt): string | null =>
  words === null || OUR_WORDS.includes(outcome) ? words : gistOf(words) || null;

/** An attempt in its call's line: which channel, what came of it and when. */
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

/** An attempt as it is kept with its call. */
export function attemptRecord(attempt: Attempt): AttemptRecord {
  const { channel: _, api: __, upstreamModel: ___, answeringModel: ____, beganAt, ...kept } = attempt;
  return { ...kept, beganAt: new Date(beganAt), words: wordsOf(attempt) };
}
