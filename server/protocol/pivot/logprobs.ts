import { mapInSteps } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/**
 * The probability of a token, as a logarithm. `bytes` null: the vendor did not send them; some tokens alone give no
 * text.
 */
type Likelihood = { token: string; logprob: number; bytes: number[] | null };

/** A token of an answer's text. `top`: the likeliest tokens in its place. */
export type TokenLogprob = Likelihood & { top: Likelihood[] };

/** The value of `include` by which a Responses request asks for token probabilities. */
export const LOGPROBS = "message.output_text.logprobs";

/** No vendor reports more. */
const MOST_TOP = 20;

/**
 * The client's wish for token probabilities, in a conversation's form. `limit`: the number of likeliest tokens per
 * token.
 */
export const askedLogprobs = (isAsked: boolean, limit: unknown): { topLogprobs?: number } =>
  isAsked
    ? { topLogprobs: Number.isSafeInteger(limit) ? Math.min(Math.max(0, Number(limit)), MOST_TOP) : 0 }
    : {};

const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

function readOne({ token, logprob, bytes }: JsonObject): Likelihood | null {
  return typeof logprob === "number" && Number.isFinite(logprob)
    ? { token: textOf(token), logprob, bytes: Array.isArray(bytes) && bytes.every(isByte) ? bytes : null }
    : null;
}

/** Reads the form of the chat and Responses dialects. Leaves out invalid entries. */
export function* readLogprobs(list: unknown): Generator<void, TokenLogprob[]> {
  const read = yield* mapInSteps(objects(list), (entry): TokenLogprob[] => {
    const likelihood = readOne(entry);
    return likelihood
      ? [{ ...likelihood, top: objects(entry.top_logprobs).flatMap((each) => readOne(each) ?? []) }]
      : [];
  });
  return read.flat();
}

/** Writes the chat dialect's form. */
export const writeLogprobs = (tokens: readonly TokenLogprob[]): Generator<void, JsonObject[]> =>
  mapInSteps(tokens, ({ top, ...token }) => ({ ...token, top_logprobs: top }));

const withBytes = (likelihood: Likelihood): Likelihood => ({
  ...likelihood,
  bytes: likelihood.bytes ?? [...Buffer.from(likelihood.token)],
});

/** Writes the Responses API's form: its clients' decoders never accept null for bytes. */
export const writeByteLogprobs = (tokens: readonly TokenLogprob[]): Generator<void, JsonObject[]> =>
  mapInSteps(tokens, ({ top, ...token }) => ({ ...withBytes(token), top_logprobs: top.map(withBytes) }));

/**
 * The tokens of the text, out of all tokens of an answer: some vendors list those of the thinking first. If the list
 * does not end with the text, returns it unchanged.
 */
export function ofText(tokens: TokenLogprob[], text: string): TokenLogprob[] {
  const before = tokens.reduce((sum, { token }) => sum + token.length, 0) - text.length;
  let length = 0;
  const first = tokens.findIndex(({ token }) => {
    const isBefore = length < before;
    length += isBefore ? token.length : 0;
    return !isBefore;
  });
  const rest = tokens.slice(Math.max(first, 0));
  return rest.map(({ token }) => token).join("") === text ? rest : tokens;
}

/** Reads Gemini's form. */
export function* readLogprobsResult(result: unknown): Generator<void, TokenLogprob[]> {
  if (!isJsonObject(result)) {
    return [];
  }
  const read = ({ token, logProbability: logprob }: JsonObject) => readOne({ token, logprob });
  const tops = objects(result.topCandidates);
  const all = yield* mapInSteps(objects(result.chosenCandidates), (chosen, index): TokenLogprob[] => {
    const likelihood = read(chosen);
    return likelihood
      ? [{ ...likelihood, top: objects(tops[index]?.candidates).flatMap((each) => read(each) ?? []) }]
      : [];
  });
  return all.flat();
}

/** Writes the form that `readLogprobsResult` reads. */
export function* writeLogprobsResult(tokens: readonly TokenLogprob[]): Generator<void, JsonObject> {
  const write = ({ token, logprob }: Likelihood) => ({ token, logProbability: logprob });
  return {
    ...(tokens.some(({ top }) => top.length > 0) && {
      topCandidates: yield* mapInSteps(tokens, ({ top }) => ({ candidates: top.map(write) })),
    }),
    chosenCandidates: yield* mapInSteps(tokens, write),
  };
}
