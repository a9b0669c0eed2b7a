import { errorMessages } from "@/server/base/error-messages";
import { type EmbeddingsRequest, parseEmbeddingsRequest } from "../embeddings/request";
import { isJsonObject, type JsonObject } from "../fields";
import { refuse } from "../json/object";
import { readJsonText } from "../json/text";
import { inCamelCase } from "./names";

/** A request in the vendors' dialect. `isBatch`: the client wants a list, even of one vector. */
export type GeminiEmbeddings = EmbeddingsRequest & { isBatch: boolean };

/** Joins the texts of a content: a content gives one vector. Throws invalidParameters for parts other than text. */
function joinTexts(content: unknown, field: string): string {
  const { parts } = isJsonObject(content) ? content : {};
  const list = isJsonObject(parts) ? [parts] : parts;
  if (!Array.isArray(list) || !list.every((part) => isJsonObject(part) && typeof part.text === "string")) {
    throw refuse(errorMessages.onlyText(field));
  }
  return list.map((part: JsonObject) => part.text).join("\n");
}

type One = { text: string; dimensions: unknown };

function readOne(request: JsonObject, field: string): One {
  const { content, outputDimensionality, embedContentConfig } = inCamelCase(request);
  const config = isJsonObject(embedContentConfig) ? inCamelCase(embedContentConfig) : {};
  return {
    text: joinTexts(content, `${field}content`),
    dimensions: outputDimensionality ?? config.outputDimensionality ?? null,
  };
}

function readBatch(requests: unknown): One[] {
  if (!Array.isArray(requests) || !requests.every(isJsonObject)) {
    throw refuse(errorMessages.mustBeObjects("requests"));
  }
  return requests.map((request, index) => readOne(request, `requests[${index}].`));
}

/**
 * Parses a body of `embedContent` or `batchEmbedContents`, for `model`. Drops tasks and titles: they are hints that
 * other vendors do not know. Throws the 400s of spec section 7.
 */
export function parseGeminiEmbeddings(raw: string, model: string): GeminiEmbeddings {
  const fields = inCamelCase(readJsonText(raw).fields);
  const isBatch = fields.requests !== undefined;
  const inputs = isBatch ? readBatch(fields.requests) : [readOne(fields, "")];
  const lengths = new Set(inputs.map(({ dimensions }) => dimensions));
  if (lengths.size > 1) {
    throw refuse(errorMessages.oneLength("outputDimensionality"));
  }
  const [dimensions = null] = lengths;
  if (dimensions !== null && !(Number.isInteger(dimensions) && Number(dimensions) > 0)) {
    throw refuse(errorMessages.mustBePositive("outputDimensionality"));
  }
  const body = {
    model,
    input: inputs.map(({ text }) => text),
    encoding_format: "float",
    ...(dimensions !== null && { dimensions }),
  };
  return { ...parseEmbeddingsRequest(JSON.stringify(body)), isBatch };
}

/** Prints vectors as JSON text in pieces. `vectors`: each is the text of an array. */
export function* printGeminiEmbeddings(vectors: Iterable<string>, isBatch: boolean): Generator<string> {
  let before = isBatch ? '{"embeddings":[' : '{"embedding":';
  for (const vector of vectors) {
    yield `${before}{"values":${vector}}`;
    before = ",";
  }
  yield isBatch ? "]}" : "}";
}
