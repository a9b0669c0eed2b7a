import type { JsonObject } from "@/server/protocol/fields";

/** An answer of a model, in pieces. Calls come after the text, as in all dialects. */
export type ModelAnswer = {
  thinking: string[];
  text: string[];
  calls: { name: string; pieces: string[] }[];
  isCut: boolean;
  usage: { input: number; cached: number; output: number; reasoning: number };
  /** The likelihood of each piece of the text, which is one token. */
  logprob?: number;
};

/** A client's reading of it, in no particular dialect. */
export type ClientReading = {
  thinking: string;
  text: string;
  calls: { name: string; input: unknown }[];
  finish: "end" | "calls" | "length" | string;
  usage: { input: number; output: number };
  /** Tokens with their likelihood, and their alternatives. */
  logprobs: { token: unknown; logprob: unknown; top: unknown[] }[];
};

export const blank = (): ClientReading => ({
  ...{ thinking: "", text: "", calls: [], finish: "", usage: { input: 0, output: 0 }, logprobs: [] },
});

/** The data of each event of a stream. */
export const dataOf = (stream: string): JsonObject[] =>
  stream
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice("data: ".length)) as JsonObject);

/** The arguments of a call as an object, so that spelling does not matter for comparisons. */
export const argumentsOf = (text: string): unknown => JSON.parse(text === "" ? "{}" : text);
