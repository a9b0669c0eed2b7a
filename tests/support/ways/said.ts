import type { JsonObject } from "@/server/protocol/fields";

/** What a model is made to say, in pieces. Calls come after the text, as all dialects have it. */
export type Said = {
  thinking: string[];
  text: string[];
  calls: { name: string; pieces: string[] }[];
  isCut: boolean;
  usage: { input: number; cached: number; output: number; reasoning: number };
  /** Each piece of the text is a token of this likelihood. */
  logprob?: number;
};

/** What a client was told of it, in nobody's dialect. */
export type Heard = {
  thinking: string;
  text: string;
  calls: { name: string; given: unknown }[];
  finish: "end" | "calls" | "length" | string;
  usage: { input: number; output: number };
  /** Tokens with theirs, and those in their place. */
  logprobs: { token: unknown; logprob: unknown; top: unknown[] }[];
};

export const blank = (): Heard => ({
  ...{ thinking: "", text: "", calls: [], finish: "", usage: { input: 0, output: 0 }, logprobs: [] },
});

/** The data of each event of a stream. */
export const dataOf = (stream: string): JsonObject[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as JsonObject);

/** An argument's text as it is compared: the same object, whoever spells it. */
export const givenOf = (text: string): unknown => JSON.parse(text === "" ? "{}" : text);
