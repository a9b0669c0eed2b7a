import { details } from "@/server/base/details";
import { countTokens } from "../estimate";
import type { JsonObject } from "../fields";
import { readModel, refuse } from "../json-object";
import { type JsonText, readJsonText } from "../json-text";

/** An embeddings request (spec 4.4), parsed only as far as we act on it; its text is what gets forwarded. */
export type EmbeddingsRequest = Omit<JsonText, "fields"> & {
  model: string;
  /** What the client gets. The upstream is asked in the client's own words, which may be none. */
  encoding: "float" | "base64";
  /** How many vectors are owed. */
  items: number;
  /** Our estimate; of token arrays, their count. */
  inputTokens: number;
  /** The length of vector that the client named, in its vendor's word for it. null: it named none. */
  dimensions: number | null;
  /** The client named another type of number than float: what a string holds is between it and the vendor. */
  isQuantized: boolean;
  /** Every member but what is to be embedded. */
  others: JsonObject;
};

/** OpenAI's limit, and far more than most vendors take. */
export const MAX_ITEMS = 2_048;

const isToken = (value: unknown) => Number.isInteger(value) && Number(value) >= 0;

const isTokens = (value: unknown): value is number[] => Array.isArray(value) && value.every(isToken);

type Input = { items: number; tokens: number };

/**
 * A list of strings, or of token arrays. Each must hold something: vendors refuse the whole call for one that does
 * not.
 */
function readItems(list: unknown[]): Input {
  if (list.length > MAX_ITEMS) {
    throw refuse(details.mostItems("input", MAX_ITEMS));
  }
  const areTexts = typeof list[0] === "string";
  let tokens = 0;
  for (const [place, item] of list.entries()) {
    if (areTexts ? typeof item !== "string" : !isTokens(item)) {
      throw refuse(details.embeddingItems());
    }
    if (item === "" || (Array.isArray(item) && item.length === 0)) {
      throw refuse(details.emptyItem(place + 1));
    }
    tokens += typeof item === "string" ? Math.ceil(countTokens(item)) : (item as unknown[]).length;
  }
  return { items: list.length, tokens };
}

/** The spec names a string and an array of strings; token arrays are what tiktoken users and LangChain send. */
function readInput(input: unknown): Input {
  if (typeof input === "string") {
    if (input === "") {
      throw refuse(details.mustNotBeEmpty("input"));
    }
    return { items: 1, tokens: Math.ceil(countTokens(input)) };
  }
  if (!Array.isArray(input)) {
    throw refuse(details.embeddingInput());
  }
  if (input.length === 0) {
    throw refuse(details.mustNotBeEmpty("input"));
  }
  return isTokens(input) ? { items: 1, tokens: input.length } : readItems(input);
}

function readEncoding(format: unknown): EmbeddingsRequest["encoding"] {
  if (format === "base64") {
    return "base64";
  }
  if (format === undefined || format === null || format === "float") {
    return "float";
  }
  throw refuse(details.mustBeOneOf("encoding_format", ["float", "base64"]));
}

/** Throws the 400s of spec section 7, the first that applies. */
export function parseEmbeddingsRequest(raw: string): EmbeddingsRequest {
  const { fields, members, end } = readJsonText(raw);
  const model = readModel(fields);
  const { input, ...others } = fields;
  const { items, tokens } = readInput(input);
  const encoding = readEncoding(fields.encoding_format);
  // OpenAI's name and Voyage's. Whether the number makes sense is for the upstream to say.
  const dimensions = fields.dimensions ?? fields.output_dimension;
  const numberType = fields.output_dtype ?? "float";
  return {
    raw,
    members,
    end,
    model,
    encoding,
    items,
    inputTokens: tokens,
    dimensions: typeof dimensions === "number" ? dimensions : null,
    isQuantized: numberType !== "float",
    others,
  };
}
