import type { Attempt } from "@/server/channels";
import { gistOf } from "./gist";

/** Told by our own side of the connection: they quote nobody. */
const OUR_WORDS: Attempt["outcome"][] = ["unreachable", "cut", "busy", "timeout"];

/** An attempt in its call's line: which channel, what came of it and when, and of an upstream's words the gist. */
export const attemptLine = ({
  channelId: _channelId,
  operation: _operation,
  modelId: _modelId,
  beganAt: _beganAt,
  words,
  ...attempt
}: Attempt) => ({
  ...attempt,
  ...(words !== null && { words: OUR_WORDS.includes(attempt.outcome) ? words : gistOf(words) }),
});
