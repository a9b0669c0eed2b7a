import { mapInSteps } from "@/server/base/turns";
import { isJsonObject, type JsonObject, objects, textOf } from "../fields";

/** How likely a token was, as a logarithm. `bytes` null: its vendor does not say; some tokens are no text by themselves. */
type Likelihood = { token: string; logprob: number; bytes: number[] | null };

/** A token of an answer's text. `top`: those that were most likely in its place. */
export type TokenLogprob = Likelihood & { top: Likelihood[] };

/** What a Responses request includes to be told of tokens. */
export const LOGPROBS = "message.output_text.logprobs";

/** No vendor tells more. */
const MOST_TOP = 20;

/** What a client asks of tokens, as a conversation has it. `most`: the likeliest in a token's place, so many. */
export const askedLogprobs = (isAsked: boolean, most: unknown): { topLogprobs?: number } =>
  isAsked
    ? { topLogprobs: Number.isSafeInteger(most) ? Math.min(Math.max(0, Number(most)), MOST_TOP) : 0 }
    : {};

const isByte = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < 256;

function readOne({ token, logprob, bytes }: JsonObject): Likelihood | null {
  return typeof logprob === "number" && Number.isFinite(logprob)
    ? { token: textOf(token), logprob, bytes: Array.isArray(bytes) && bytes.every(isByte) ? bytes : null }
    : null;
}

/** As the chat and Responses dialects have them. What is none is left out. */
export function* readLogprobs(list: unknown): Generator<void, TokenLogprob[]> {
  const read = yield* mapInSteps(objects(list), (sent): TokenLogprob[] => {
    const one = readOne(sent);
    return one ? [{ ...one, top: objects(sent.top_logprobs).flatMap((each) => readOne(each) ?? []) }] : [];
  });
  return read.flat();
}

/** What `readLogprobs` reads, as chat has it. */
export const writeLogprobs = (tokens: readonly TokenLogprob[]): Generator<void, JsonObject[]> =>
  mapInSteps(tokens, ({ top, ...token }) => ({ ...token, top_logprobs: top }));

const withBytes = (one: Likelihood): Likelihood => ({
  ...one,
  bytes: one.bytes ?? [...Buffer.from(one.token)],
});

/** The same for clients of the Responses API, to whose decoders bytes are never null. */
export const writeByteLogprobs = (tokens: readonly TokenLogprob[]): Generator<void, JsonObject[]> =>
  mapInSteps(tokens, ({ top, ...token }) => ({ ...withBytes(token), top_logprobs: top.map(withBytes) }));

/**
 * Of all tokens of an answer those of its text, where some vendors begin with those of what was thought. What does not
 * end with the text is left as it is.
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

/** As Gemini has them. */
export function* readLogprobsResult(sent: unknown): Generator<void, TokenLogprob[]> {
  if (!isJsonObject(sent)) {
    return [];
  }
  const read = ({ token, logProbability: logprob }: JsonObject) => readOne({ token, logprob });
  const tops = objects(sent.topCandidates);
  const all = yield* mapInSteps(objects(sent.chosenCandidates), (chosen, index): TokenLogprob[] => {
    const one = read(chosen);
    return one ? [{ ...one, top: objects(tops[index]?.candidates).flatMap((each) => read(each) ?? []) }] : [];
  });
  return all.flat();
}

/** What `readLogprobsResult` reads. */
export function* writeLogprobsResult(tokens: readonly TokenLogprob[]): Generator<void, JsonObject> {
  const write = ({ token, logprob }: Likelihood) => ({ token, logProbability: logprob });
  return {
    ...(tokens.some(({ top }) => top.length > 0) && {
      topCandidates: yield* mapInSteps(tokens, ({ top }) => ({ candidates: top.map(write) })),
    }),
    chosenCandidates: yield* mapInSteps(tokens, write),
  };
}
