/** The usage of a transcription: seconds or tokens, and who counted them. */
import type { UsageSource } from "@/server/domain/enums";
import { nearest } from "@/server/pricing";
import { isJsonObject, type JsonObject } from "../fields";
import type { SoundMeasure } from "../sound/measure";
import type { CountedUsage } from "../upstream-plan";
import { countTokens } from "../usage/estimate";
import { readCount } from "../usage/usage";
import { hasTokenPrice, type Most, type SoldAt, usageOf, withoutNone } from "./forwarded";

/** The facts about a file that set its price. `seconds` and `maxSeconds`: the gateway's measure. */
export type Sound = SoundMeasure & { bytes: number };

/**
 * The usual bytes per second of a browser's recording: for a file that neither the gateway nor the upstream has
 * measured.
 */
const USUAL_BYTES_A_SECOND = 4_000;

/** The most tokens per second of any vendor (Gemini); OpenAI counts ten. */
const MOST_TOKENS_A_SECOND = 32;
const USUAL_TOKENS_A_SECOND = 10;

/** A count may include padding that an encoder adds at both ends. */
const MARGIN_SECONDS = 2;

/** Longer than any accepted file: a larger count does not mean seconds. */
const MOST_SECONDS = 1e7;

const hasPrice = ({ prices }: SoldAt, unit: string) => nearest(prices, unit) !== null;

const isByToken = (sold: SoldAt): boolean =>
  hasTokenPrice(sold, "input") || hasTokenPrice(sold, "output") || hasPrice(sold, "audio_input");

/** The most that a transcript can use. */
export function mostHeard(sound: Sound, prompt: string, sold: SoldAt): Most {
  const seconds = Math.ceil(sound.maxSeconds) + MARGIN_SECONDS;
  const tokens = isByToken(sold) ? seconds * MOST_TOKENS_A_SECOND : 0;
  const isApart = hasPrice(sold, "audio_input");
  return {
    inputTokens: Math.ceil(countTokens(prompt)) + (isApart ? 0 : tokens),
    maxOutputTokens: hasTokenPrice(sold, "output") ? sold.maxOutputTokens : 0,
    choices: 1,
    units: withoutNone({ second: seconds, audio_input: isApart ? tokens : 0 }),
  };
}

/** The counts of an upstream: in `usage`, or as the duration of the file. null: none. */
export type UpstreamCounts = {
  seconds: number | null;
  tokens: { input: number; audio: number | null; output: number } | null;
};

const memberOf = (value: unknown, name: string): unknown => (isJsonObject(value) ? value[name] : undefined);

/** 0 means no count (decision 19): vendors that do not count send it. */
const secondsIn = (...values: unknown[]): number | null =>
  values.find((value): value is number => typeof value === "number" && value > 0 && value <= MOST_SECONDS) ??
  null;

/** Reads the counts of an answer, or of its last event. */
export function readTold(answer: JsonObject): UpstreamCounts {
  const { usage } = answer;
  const input = readCount(memberOf(usage, "input_tokens")) || readCount(memberOf(usage, "prompt_tokens"));
  const output =
    readCount(memberOf(usage, "output_tokens")) || readCount(memberOf(usage, "completion_tokens"));
  const inputs = memberOf(usage, "input_token_details") ?? memberOf(usage, "prompt_tokens_details");
  return {
    seconds: secondsIn(memberOf(usage, "seconds"), memberOf(usage, "prompt_audio_seconds"), answer.duration),
    // Audio always has input tokens: without any, the counts are unusable.
    tokens: input ? { input, audio: readCount(memberOf(inputs, "audio_tokens")), output: output ?? 0 } : null,
  };
}

/** Later counts of the same stream replace earlier ones. */
export const laterTold = (before: UpstreamCounts, after: UpstreamCounts): UpstreamCounts => ({
  seconds: after.seconds ?? before.seconds,
  tokens: after.tokens ?? before.tokens,
});

type Transcription = {
  sound: Sound;
  prompt: string;
  upstreamCounts: UpstreamCounts;
  /** Output tokens by the gateway's count, which runs only if the model has a price per token. */
  outputTokens: () => number;
};

function countSeconds({ sound, upstreamCounts }: Transcription): { seconds: number; source: UsageSource } {
  if (upstreamCounts.seconds !== null) {
    return { seconds: Math.ceil(upstreamCounts.seconds), source: "upstream" };
  }
  return sound.seconds === null
    ? { seconds: Math.ceil(sound.bytes / USUAL_BYTES_A_SECOND), source: "estimated" }
    : { seconds: Math.ceil(sound.seconds), source: "request" };
}

/** Who counted the charged units; `partial`: more than one did. */
function sourceOf(sources: UsageSource[]): UsageSource {
  const [first = "request", ...others] = new Set(sources);
  return others.length === 0 ? first : "partial";
}

/** The usage of a transcript; seconds are rounded up. */
export function countHeard(heard: Transcription, sold: SoldAt): CountedUsage {
  const { seconds, source } = countSeconds(heard);
  const { tokens } = heard.upstreamCounts;
  const isApart = hasPrice(sold, "audio_input");
  const audioTokens = seconds * USUAL_TOKENS_A_SECOND;
  const estimate = () => ({
    input: Math.ceil(countTokens(heard.prompt)) + audioTokens,
    audio: audioTokens,
    output: Math.ceil(heard.outputTokens()),
  });
  const used = tokens ?? (isByToken(sold) ? estimate() : { input: 0, audio: 0, output: 0 });
  // If a vendor gives only a sum, all of it is audio.
  const audio = Math.min(used.audio ?? used.input, used.input);
  const sources: UsageSource[] = [
    ...(hasPrice(sold, "second") ? [source] : []),
    ...(isByToken(sold) ? [tokens === null ? ("estimated" as const) : ("upstream" as const)] : []),
  ];
  return {
    usage: usageOf(
      { input: isApart ? used.input - audio : used.input, output: used.output },
      { second: seconds, audio_input: isApart ? audio : 0 },
    ),
    source: sourceOf(sources),
  };
}
